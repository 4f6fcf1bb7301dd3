"""Local recoding of Adult by Mondrian, beside ARX's local transformation and a prototype."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import adult
from process import SHOAL, FailedError, measured
from table import Row

SECTION = "mondrian-adult"
K_5 = '[[models]]\nmodel = "k-anonymity"\nk = 5'
WITHOUT_OCCUPATION = [c for c in adult.COLUMNS if c != "occupation"]
ARX_LOCAL = 0.1776

# Job, quasi-identifiers, labels, the loss beside it, the largest loss aimed at.
JOBS = [
    ("8 columns, k=5, ranges", WITHOUT_OCCUPATION, "ranges", 0.023, 0.025),
    ("8 columns, k=5, sets", WITHOUT_OCCUPATION, "sets", 0.023, 0.025),
    ("8 columns, k=5, nodes", WITHOUT_OCCUPATION, "nodes", None, None),
    ("9 columns, k=5, ranges", list(adult.COLUMNS), "ranges", ARX_LOCAL, ARX_LOCAL),
    ("9 columns, k=5, nodes", list(adult.COLUMNS), "nodes", ARX_LOCAL, ARX_LOCAL),
]


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield the loss and the CPU of each label form."""
    if adult.missing():
        yield Row(SECTION, "all", "", adult.missing())
        return
    for job, quasi, labels, beside, aim in JOBS[: 3 if quick else None]:
        spec, out = work / "mondrian.toml", work / "mondrian-out.csv"
        text = adult.spec(quasi, models=K_5, algorithm="mondrian", more=f'labels = "{labels}"')
        spec.write_text(text, "utf-8")
        command = [
            *SHOAL, "anonymize", str(adult.TABLE), "--spec", str(spec), "-o", str(out),
            "--keep-order", "--force", "--seed", "1",
        ]  # fmt: skip
        try:
            whole = min((measured(command) for _ in range(2)), key=lambda run: run.cpu)
        except FailedError as error:
            yield Row(SECTION, job, "", f"failed: {str(error).splitlines()[-1]}", met=False)
            continue
        found = adult.judged(out, quasi)
        safe = found["k_with_residue"] >= 5 and not found["uncovered_cells"]
        met = safe and found["loss"] <= aim if aim else safe
        yield Row(SECTION, job, "loss by the judge", found["loss"], beside, f"at most {aim}" if aim else "", met)
        yield Row(SECTION, job, "classes", found["classes"])
        yield Row(SECTION, job, "smallest class", found["k"], None, "at least 5", found["k"] >= 5)
        yield Row(SECTION, job, "whole process, CPU s", whole.cpu)
