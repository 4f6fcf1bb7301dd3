"""An invented table of hospital visits, of any size, with its schema and spec."""
