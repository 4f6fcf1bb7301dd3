"""The best local recoding of Adult beside its starts, ARX's figures and a bound on what is possible."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import adult
from process import SHOAL, FailedError, measured
from table import Row

SECTION = "best-adult"
K = '[[models]]\nmodel = "k-anonymity"\nk = 5\n'
DISTINCT = K + '[[models]]\nmodel = "l-diversity"\nsensitive = "occupation"\nl = 4\nkind = "distinct"\n'
CLOSE = K + '[[models]]\nmodel = "t-closeness"\nsensitive = "occupation"\nt = 0.2\nground = "equal"\n'

# Job, models, sensitive column, columns left out, labels, what ARX's local recoding loses, what is aimed at.
JOBS = [
    ("k=5, nine columns, nodes", K, "", "", "nodes", 0.1776, 0.055),
    ("k=5, distinct l=4, nodes", DISTINCT, "occupation", "occupation", "nodes", 0.1315, 0.045),
    ("k=5, t=.2, nodes", CLOSE, "occupation", "occupation", "nodes", 0.5901, 0.30),
    ("k=5, eight columns, sets", K, "", "occupation", "sets", None, 0.020),
    ("k=5, nine columns, sets", K, "", "", "sets", None, 0.035),
]
SECONDS = 10
EARLY = (1.0, 0.065)
"""Seconds after which the first job is to have come to at most this loss, by its own count."""
BESIDE = ("top-down", "mondrian", "optimal")


def rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Yield loss, bound and time of each job, and the loss of what it starts from."""
    if adult.missing():
        yield Row(SECTION, "all", "", adult.missing())
        return
    for job, models, sensitive, left_out, labels, arx, target in JOBS[:1] if quick else JOBS:
        quasi = [column for column in adult.COLUMNS if column != left_out]
        spec, out = work / "best.toml", work / "best-out.csv"
        least = 1.0
        for algorithm in (*BESIDE, "best"):
            more = "" if algorithm == "optimal" else f'labels = "{labels}"\n'
            more += 'bound = "sample"\n' if algorithm == "best" else ""
            text = adult.spec(quasi, models=models, sensitive=sensitive, algorithm=algorithm, more=more)
            spec.write_text(text, "utf-8")
            command = [
                *SHOAL, "anonymize", str(adult.TABLE), "--spec", str(spec), "-o", str(out),
                "--keep-order", "--force", "--seed", "1", "--json",
            ]  # fmt: skip
            try:
                whole = measured(command)
            except FailedError as error:
                yield Row(SECTION, job, algorithm, f"failed: {str(error).splitlines()[-1]}", met=False)
                continue
            loss = adult.judged(out, quasi, sensitive)["loss"]
            if algorithm != "best":
                least = min(least, loss)
                yield Row(SECTION, job, f"loss of {algorithm} by the judge", loss)
                continue
            yield Row(SECTION, job, "loss by the judge, beside ARX", loss, arx, f"<= {target}", loss <= target)
            yield Row(SECTION, job, "the same, beside the best of these", loss, least, "<= beside", loss <= least)
            statistics = json.loads(whole.out)["result"]["statistics"]
            yield Row(
                SECTION, job, "the same, beside the bound estimated from a sample", loss, statistics["bound"]
            )
            trace = statistics["trace"]
            seconds = trace[-1][0]
            timed = job == JOBS[0][0]
            most, met = (f"at most {SECONDS} s", seconds <= SECONDS) if timed else ("", None)
            yield Row(SECTION, job, "search, wall s", seconds, target=most, met=met)
            if timed:
                early = min((reached for second, reached in trace if second <= EARLY[0]), default=1.0)
                yield Row(
                    SECTION, job, "loss after 1 s of it", early, target=f"<= {EARLY[1]}", met=early <= EARLY[1]
                )
            yield Row(SECTION, job, "whole process, CPU s", whole.cpu)
