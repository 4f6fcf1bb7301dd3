"""Searches for a recoding: one file each."""
