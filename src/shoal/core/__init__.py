"""The types and protocols that everything shares. NumPy only."""
