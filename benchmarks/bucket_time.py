"""Print the CPU seconds of a search for buckets, with table and kernels in memory: ALGORITHM ROWS..."""

from __future__ import annotations

import json
import statistics
import sys
import time

import numpy as np

import shoal as sh
from shoal.algorithms import ALGORITHMS
from shoal.core.protocols import Problem
from shoal.examples.hospital import hospital_schema, hospital_visits
from shoal.io.frames import from_frame
from shoal.loss import NCP
from shoal.workflow.prepare import prepare

QUASI = ("age", "sex", "postcode", "education", "marital_status", "insurance")
SENSITIVE = "diagnosis"
L = 6
RUNS = 3


def main(name: str, sizes: list[int]) -> None:
    roles = hospital_schema()
    schema = sh.Schema(
        quasi_identifiers={column.name: column.hierarchy for column in roles.columns if column.name in QUASI},
        sensitive=[SENSITIVE],
        types={column.name: column.type for column in roles.columns if column.name in QUASI and column.type},
    )
    visits = hospital_visits(max(sizes))
    found = []
    for n in [sizes[0], *sizes]:
        table = prepare(from_frame(visits.head(n)), schema, sensitive=[SENSITIVE]).table
        problem = Problem(models=(sh.LDiversity(sensitive=SENSITIVE, l=L),), loss=NCP(), context=table.context())
        seconds = []
        for _ in range(RUNS):
            started = time.process_time()
            solution = ALGORITHMS.make(name).search(table, problem, np.random.default_rng(1))
            seconds.append(time.process_time() - started)
        found.append(
            {
                "rows": n,
                "points": table.n_points,
                "cpu": statistics.median(seconds),
                "buckets": solution.statistics["buckets"],
            }
        )
    # The first size is run twice, since the first search compiles or loads the kernels.
    print(json.dumps(found[1:]))


if __name__ == "__main__":
    main(sys.argv[1], [int(n) for n in sys.argv[2:]])
