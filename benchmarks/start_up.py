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
            runs = [measured(command, cwd=work) for _ in range(times)]
        except FailedError as error:
            yield Row(SECTION, job, "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        bare = [measured([sys.executable, "-c", ""], cwd=work) for _ in range(times)]
        wall = statistics.median(run.wall for run in runs)
        beside = statistics.median(run.wall for run in bare)
        yield Row(SECTION, job, "wall s (beside: bare Python)", wall, beside, "below 0.5 s", wall < 0.5)
        cpu, beside = (statistics.median(run.cpu for run in them) for them in (runs, bare))
        yield Row(SECTION, job, "CPU s (beside: bare Python)", cpu, beside)
