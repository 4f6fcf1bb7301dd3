"""Running a process and measuring it from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

SHOAL = [sys.executable, "-c", "import sys; from shoal.cli.main import run; sys.exit(run())"]
"""The command line, whether or not its script is installed."""


@dataclass(frozen=True)
class Run:
    """A finished process.

    ``wall`` and ``cpu`` are seconds (user and system together), ``peak`` its largest memory in MB.
    """

    out: str
    wall: float
    cpu: float
    peak: float


class FailedError(Exception):
    """A process ended with an error; the text is what it said."""


def measured(command: list[str], *, expected: tuple[int, ...] = (0,), **options) -> Run:
    """Run *command* to its end and return what it said and took."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        started = time.perf_counter()
        # wait4 gives the usage of this one child, where getrusage would add up all children so far.
        child = subprocess.Popen(command, stdout=out, stderr=err, **options)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode not in expected:
            raise FailedError(f"exit code {child.returncode}: {' '.join(command[:6])}\n{err.read()[-2000:]}")
        peak = usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        return Run(out.read(), wall, usage.ru_utime + usage.ru_stime, peak)
