"""The scripts of the experiments as modules; they lie in folders, which are no packages."""

import sys
from contextlib import contextmanager
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[1] / "experiments"


@contextmanager
def modules_of(folder, monkeypatch):
    """Import every script of an experiment, and forget them again: others bear the same names."""
    names = [path.stem for path in sorted((EXPERIMENTS / folder).glob("*.py"))]
    monkeypatch.syspath_prepend(str(EXPERIMENTS / folder))
    try:
        yield {name: __import__(name) for name in names}
    finally:
        for name in names:
            sys.modules.pop(name, None)
