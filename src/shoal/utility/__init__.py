"""What a release still tells an analyst, measured on the frequency table."""
