"""A mark for tests that need the whole package, from reading a file to the command line."""

import importlib.util

import pytest

needs_whole = pytest.mark.skipif(
    importlib.util.find_spec("shoal.cli.main") is None, reason="parts of the package are not there yet"
)
