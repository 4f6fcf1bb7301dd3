"""The Adult census extract that lies beside the repository, and the judge of its published tables."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from process import measured

SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[2] / "shared")).resolve()
FOLDER = SHARED / "data" / "arx-adult"
TABLE = FOLDER / "adult.csv"
COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def missing() -> str:
    """Return why Adult cannot be measured here, or an empty text."""
    note = "not measured: the shared tables are not there (SHOAL_SHARED names their folder)"
    return "" if TABLE.is_file() else note


def spec(
    quasi: list[str],
    *,
    models: str,
    sensitive: str = "",
    algorithm: str = "optimal",
    limit: str = "0",
    more: str = "",
) -> str:
    """Return a spec over Adult with ARX's hierarchies; *models* and *more* are TOML."""
    parts = ["version = 1", '[input]\ndelimiter = ";"']
    for column in COLUMNS:
        if column in quasi:
            parts.append(
                f'[columns.{column}]\nrole = "quasi-identifier"\n'
                f"hierarchy = {{ file = {json.dumps(str(hierarchy(column)))}, delimiter = ';' }}"
            )
            if column == "age":
                parts[-1] += '\ntype = "integer"'
        elif column == sensitive:
            parts.append(f'[columns.{column}]\nrole = "sensitive"')
        else:
            parts.append(f'[columns.{column}]\nrole = "insensitive"')
    parts += [models, f'[method]\nalgorithm = "{algorithm}"\nloss = "ncp"\nsuppression_limit = "{limit}"\n{more}']
    return "\n".join(parts) + "\n"


def hierarchy(column: str) -> Path:
    """Return the file with a column's hierarchy."""
    return FOLDER / f"adult_hierarchy_{column}.csv"


def judged(published: Path, quasi: list[str], sensitive: str = "") -> dict:
    """Return what the judge says of a published table; it imports nothing of shoal."""
    command = [sys.executable, str(SHARED / "tools" / "judge.py"), "--orig", str(TABLE), "--anon", str(published)]
    command += ["--hier", str(FOLDER / "adult_hierarchy_{}.csv"), "--qi", ",".join(quasi)]
    command += ["--sensitive", sensitive] if sensitive else []
    return json.loads(measured(command).out)
