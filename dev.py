#!/usr/bin/env python3
"""Everything that a clone needs, with Python 3.11 or later and its venv and pip alone.

python3 dev.py example    set up, then publish the embedded example table
python3 dev.py test       set up, then check style, types, layers and tests
python3 dev.py lint       the checks of `test` without the tests
python3 dev.py slow       the tests that take minutes
python3 dev.py browser    the tests of pages alone; they need Chromium, and axe-core where SHOAL_AXE names it
python3 dev.py bench      the benchmarks; options go to benchmarks/run.py
python3 dev.py setup      only make .venv
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - this file is run before anything checks the version
    sys.exit("shoal needs Python 3.11 or later; this is " + sys.version.split()[0])

import tomllib

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "shoal-setup"
OUTPUT = "example-output"
EXAMPLE_VISITS = 20_000


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    commands = {
        "example": example,
        "test": test,
        "lint": lint,
        "slow": slow,
        "browser": browser,
        "bench": bench,
        "setup": setup_only,
    }
    if not arguments or arguments[0] not in commands:
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    os.chdir(ROOT)
    set_up()
    return commands[arguments[0]](arguments[1:])


def setup_only(_: list[str]) -> int:
    """Leave it at the set-up."""
    print(f"ready: {BIN}")
    return 0


def example(_: list[str]) -> int:
    """Write an invented table of hospital visits and publish it."""
    generated = run("python", "-m", "shoal.examples", OUTPUT, "--visits", str(EXAMPLE_VISITS), "--force")
    return generated or run(
        "shoal", "anonymize", f"{OUTPUT}/visits.csv", "--spec", f"{OUTPUT}/hospital.toml",
        "-o", f"{OUTPUT}/published.csv", "--force",
    )  # fmt: skip


def lint(_: list[str]) -> int:
    """Check style, types and layers, all of them even where one fails."""
    checks = [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("lint-imports",)]
    failed = [" ".join(check) for check in checks if run(*check)]
    if failed:
        print("failed:", ", ".join(failed))
    return 1 if failed else 0


def test(options: list[str]) -> int:
    """Check everything; the last line is the summary of the tests."""
    linted = lint([])
    tested = run("python", "-m", "pytest", "-q", *parallel(), *options)
    if linted:
        print("failed: lint (see above)")
    return tested or linted


def slow(options: list[str]) -> int:
    """Run the tests that are left out of `test`."""
    return run("python", "-m", "pytest", "-q", "-m", "slow", *options)


def browser(options: list[str]) -> int:
    """Run the tests of pages in a headless Chromium."""
    return run("python", "-m", "pytest", "-q", "-m", "browser", "tests/browser", *options)


def bench(options: list[str]) -> int:
    """Measure, and print one table."""
    return run("python", "benchmarks/run.py", *options)


def parallel() -> list[str]:
    """Return pytest's options for as many workers as there are cores, at most four."""
    workers = min(4, os.cpu_count() or 1)
    return ["-n", str(workers), "--dist", "worksteal"] if workers > 1 else []


def run(program: str, *arguments: str) -> int:
    """Run a program of the environment, show the command and return its exit code."""
    print(f"\n$ {' '.join([program, *arguments])}", flush=True)
    return subprocess.call([str(BIN / program), *arguments], env=environment())


def environment() -> dict[str, str]:
    """Return the environment with the clone's programs first."""
    inherited = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME"}}
    path = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
    return {**inherited, "PATH": path, "VIRTUAL_ENV": str(VENV)}


def set_up() -> None:
    """Make .venv with the exact versions of constraints.txt; keep it where nothing has changed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = fingerprint(project)
    if STAMP.is_file() and STAMP.read_text("utf-8") == wanted:
        return
    print(f"setting up {VENV} (once; about a minute)", flush=True)
    venv.create(VENV, clear=True, with_pip=True)
    packages = [
        *project["build-system"]["requires"],
        "editables",
        *project["project"]["dependencies"],
        *group(project, "dev"),
    ]
    pip = [str(BIN / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.check_call([*pip, "--constraint", "constraints.txt", *packages], env=environment())
    # The build tools are there by now, so that nothing outside of constraints.txt is fetched for the build.
    subprocess.check_call([*pip, "--no-build-isolation", "--no-deps", "--editable", "."], env=environment())
    STAMP.write_text(wanted, "utf-8")


def group(project: dict, name: str) -> list[str]:
    """Return the requirements of a dependency group with those that it includes."""
    found = []
    for entry in project["dependency-groups"][name]:
        found += [entry] if isinstance(entry, str) else group(project, entry["include-group"])
    return found


def fingerprint(project: dict) -> str:
    """Return what the environment depends on, as a hash."""
    parts = {
        "python": sys.version,
        "where": str(ROOT),
        "constraints": (ROOT / "constraints.txt").read_text("utf-8"),
        "project": [project[key] for key in ("build-system", "project", "dependency-groups")],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    except KeyboardInterrupt:
        sys.exit(130)
