"""Print what a search for buckets takes and gives, with table and kernels in memory.

``bucket_time.py visits ALGORITHM ROWS...`` prints CPU seconds on invented visits, ``bucket_time.py adult`` how
surely people are linked with an occupation in a sample of Adult.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from typing import Any

import numpy as np
import polars as pl
from adult import SHARED

import shoal as sh
from shoal.algorithms import ALGORITHMS
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError
from shoal.examples.hospital import hospital_schema, hospital_visits
from shoal.io.frames import from_frame
from shoal.loss import NCP
from shoal.risk.bucket_links import bucket_links
from shoal.workflow.prepare import prepare

QUASI = ("age", "sex", "postcode", "education", "marital_status", "insurance")
SENSITIVE = "diagnosis"
RUNS = 3
# The frequent diagnoses leave no slicing for a larger l.
L = {"merging": 6, "anatomy": 6, "slicing": 4}
SETTINGS: dict[str, dict[str, Any]] = {"slicing": {"m_s": 0}}

ADULT_QUASI = ("age", "workclass", "marital-status", "relationship", "sex", "salary-class")
ADULT_ROWS = 4500
ADULT_L = 6
JOBS: list[tuple[str, str, dict[str, Any]]] = [
    ("merging", "merging", {}),
    ("merging, strict", "merging", {"strict": True}),
    ("slicing, m_s = 0", "slicing", {"m_s": 0}),
    ("anatomy", "anatomy", {}),
]


def visits(name: str, sizes: list[int]) -> None:
    """Print the CPU seconds for each number of rows."""
    roles = [column for column in hospital_schema().columns if column.name in QUASI]
    schema = sh.Schema(
        quasi_identifiers={column.name: column.hierarchy for column in roles},
        sensitive=[SENSITIVE],
        types={column.name: column.type for column in roles if column.type},
    )
    frame = hospital_visits(max(sizes))
    found = []
    # The first size is run twice, since the first search compiles or loads the kernels.
    for n in [sizes[0], *sizes]:
        table = prepare(from_frame(frame.head(n)), schema, sensitive=[SENSITIVE]).table
        seconds = []
        for _ in range(RUNS):
            started = time.process_time()
            solution = search(table, name, SENSITIVE, L[name], SETTINGS.get(name, {}))
            seconds.append(time.process_time() - started)
        buckets = solution.statistics["buckets"]
        found.append({"rows": n, "cpu": statistics.median(seconds), "buckets": buckets})
    print(json.dumps(found[1:]))


def adult() -> None:
    """Print buckets and links of each job on a sample."""
    frame = pl.read_parquet(SHARED / "data" / "adult-uci" / "adult_full.parquet")
    sample = frame[np.random.default_rng(0).permutation(len(frame))[:ADULT_ROWS]]
    schema = sh.Schema(quasi_identifiers=ADULT_QUASI, sensitive=["occupation"], types={"age": "integer"})
    source = from_frame(sample.select([*ADULT_QUASI, "occupation"]))
    table = prepare(source, schema, sensitive=["occupation"]).table
    found = {}
    for job, name, settings in JOBS:
        try:
            buckets = search(table, name, "occupation", ADULT_L, settings).recoding
        except InfeasibleError as error:
            found[job] = {"refused": error.problem}
            continue
        links = bucket_links(table, buckets)
        by_row = np.sort(np.repeat(links, table.point_rows))
        found[job] = {
            "buckets": buckets.n_buckets,
            "largest link": float(by_row[-1]),
            "median link": float(by_row[len(by_row) // 2]),
        }
    print(json.dumps(found))


def search(table: FrequencyTable, name: str, sensitive: str, l: int, settings: dict[str, Any]) -> Any:
    """Return what an algorithm finds for distinct l-diversity."""
    models = (sh.LDiversity(sensitive=sensitive, l=l),)
    problem = Problem(models=models, loss=NCP(), context=table.context())
    return ALGORITHMS.make(name, **settings).search(table, problem, np.random.default_rng(1))


if __name__ == "__main__":
    if sys.argv[1] == "adult":
        adult()
    else:
        visits(sys.argv[2], [int(n) for n in sys.argv[3:]])
