"""How long a user waits before anything happens."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from process import SHOAL, FailedError, measured
from table import Row

SECTION = "start-up"


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield medians of several starts."""
    times = 3 if quick else 7
    for job, command in [
        ("import shoal", [sys.executable, "-c", "import shoal"]),
        ("shoal --help", [*SHOAL, "--help"]),
    ]:
        try:
            wall = statistics.median(measured(command, cwd=work).wall for _ in range(times))
        except FailedError as error:
            yield Row(SECTION, job, "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        bare = statistics.median(measured([sys.executable, "-c", ""], cwd=work).wall for _ in range(times))
        yield Row(SECTION, job, "wall s (beside: bare Python)", wall, bare, "below 0.5 s", wall < 0.5)
