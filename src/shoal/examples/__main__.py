"""Write the example table and its spec: ``python -m shoal.examples FOLDER``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from shoal.errors import ShoalError
from shoal.examples.hospital import hospital_spec, write_hospital_visits


def main() -> int:
    """Write ``visits.csv`` (or ``.parquet``) and ``hospital.toml`` into a folder."""
    parser = argparse.ArgumentParser(prog="python -m shoal.examples", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--visits", type=int, default=20_000, help="number of rows (default 20000)")
    parser.add_argument("--patients", type=int, help="number of people (default: a row count divided by 2.4)")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    try:
        write_hospital_visits(
            given.folder / f"visits.{given.format}",
            given.visits,
            seed=given.seed,
            patients=given.patients,
            overwrite=given.force,
        )
    except ShoalError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    spec = given.folder / "hospital.toml"
    if given.force or not spec.exists():
        spec.write_text(hospital_spec(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
