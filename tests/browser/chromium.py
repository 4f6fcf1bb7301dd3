"""A headless Chromium, and axe-core, where they are; skipping, with the reason, where they are not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Return the path of a Chromium: ``SHOAL_CHROMIUM``, or what the system has."""
    return os.environ.get("SHOAL_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def axe() -> Path | None:
    """Return axe-core's script, which ``SHOAL_AXE`` names; it is not part of the repository."""
    found = os.environ.get("SHOAL_AXE")
    return Path(found) if found and Path(found).is_file() else None


def open_chromium():
    """Yield a browser, for a fixture."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium is installed (SHOAL_CHROMIUM names one)")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as tools:
        # In a container there is no user namespace for the sandbox, and the pages are our own.
        browser = tools.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
