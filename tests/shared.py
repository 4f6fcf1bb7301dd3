"""The real tables that lie beside the repository, and skipping where they do not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[2] / "shared"))

needs_shared = pytest.mark.skipif(
    not ROOT.is_dir(), reason="the shared tables are not beside the repository (SHOAL_SHARED names their folder)"
)
