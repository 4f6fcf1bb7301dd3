"""Guidance on publishing tables as data: one dated file each, with its source. Nothing here is legal advice."""
