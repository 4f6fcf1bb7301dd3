"""Frequency l-diversity of occupation on Adult: TP+ in each label form, beside other algorithms at the same l."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import adult
from process import SHOAL, FailedError, measured
from table import Row

SECTION = "tp-adult"
QUASI = [c for c in adult.COLUMNS if c != "occupation"]
MODELS = '[[models]]\nmodel = "l-diversity"\nsensitive = "occupation"\nl = {l}\nkind = "frequency"'

# Job, algorithm, its settings; the first of a label form is what the others stand beside.
JOBS = [
    ("full domain", "optimal", ""),
    ("nodes, mondrian", "mondrian", 'labels = "nodes"'),
    ("nodes, hilbert", "hilbert", 'labels = "nodes"'),
    ("nodes, tp+", "tp+", 'labels = "nodes"'),
    ("nodes, tp+ after coarsening", "tp+", 'labels = "nodes"\ncoarsen = "auto"'),
    ("sets, mondrian", "mondrian", 'labels = "sets"'),
    ("sets, tp+", "tp+", 'labels = "sets"'),
    ("stars, mondrian", "mondrian", 'labels = "stars"'),
    ("stars, tp", "tp", ""),
    ("stars, tp+", "tp+", ""),
    ("stars, tp+ after coarsening", "tp+", 'coarsen = "auto"'),
]


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield the loss and the CPU of each job, and for TP the bound that it proves."""
    if adult.missing():
        yield Row(SECTION, "all", "", adult.missing())
        return
    for l in (4,) if quick else (2, 4, 6):
        beside = None
        for name, algorithm, more in JOBS:
            job = f"l={l}, {name}"
            spec, out = work / "tp.toml", work / "tp-out.csv"
            text = adult.spec(
                QUASI, models=MODELS.format(l=l), sensitive="occupation", algorithm=algorithm, more=more
            )
            spec.write_text(text, "utf-8")
            command = [
                *SHOAL, "anonymize", str(adult.TABLE), "--spec", str(spec), "-o", str(out),
                "--keep-order", "--force", "--seed", "1", "--json",
            ]  # fmt: skip
            try:
                whole = measured(command)
            except FailedError as error:
                yield Row(SECTION, job, "", f"failed: {str(error).splitlines()[-1]}", met=False)
                continue
            loss = adult.judged(out, QUASI, "occupation")["loss"]
            # Full-domain generalization, and Mondrian where the cells may say the same, stand beside the others.
            beside = loss if algorithm in {"optimal", "mondrian"} else beside
            better = algorithm == "tp+"
            yield Row(
                SECTION, job, "loss by the judge", loss, beside,
                "less than beside" if better else "", loss < (beside or 0) if better else None,
            )  # fmt: skip
            certificate = json.loads(whole.out)["result"]["certificate"]
            if certificate:
                yield Row(SECTION, job, "stars, times the optimum at most", certificate["ratio_stars"])
            yield Row(SECTION, job, "whole process, CPU s", whole.cpu)
