"""Print the CPU seconds of samples and noisy counts, with table and kernels in memory: ROWS..."""

from __future__ import annotations

import json
import statistics
import sys
import time

import numpy as np
from bucket_time import QUASI, RUNS, SENSITIVE

import shoal as sh
from shoal.core.problem import Problem
from shoal.examples.hospital import hospital_schema, hospital_visits
from shoal.io.frames import from_frame
from shoal.loss import NCP
from shoal.workflow.prepare import prepare

K = (sh.KAnonymity(k=6),)
RIVALS = {
    "mondrian": (sh.Mondrian(), K),
    "probabilistic": (sh.Mondrian(), (*K, sh.DAlphaLinkable(sensitive=SENSITIVE))),
    "composition": (sh.Sampled(), (*K, sh.AlphaKAnonymity(sensitive=SENSITIVE, alpha="1/2"))),
    "dp-counts": (sh.DPCounts(), K),
    "hybrid": (sh.Hybrid(), K),
    "diffgen": (sh.DiffGen(), K),
    "diffgen, cut": (sh.DiffGen(labels="ranges"), K),
}


def main(sizes: list[int]) -> None:
    roles = hospital_schema()
    schema = sh.Schema(
        quasi_identifiers={column.name: column.hierarchy for column in roles.columns if column.name in QUASI},
        sensitive=[SENSITIVE],
        types={column.name: column.type for column in roles.columns if column.name in QUASI and column.type},
    )
    visits = hospital_visits(max(sizes))
    for n in sizes:
        table = prepare(from_frame(visits.head(n)), schema, sensitive=[SENSITIVE]).table
        for name, (algorithm, models) in RIVALS.items():
            problem = Problem(models=models, loss=NCP(), context=table.context())
            # The first run compiles or loads the kernels.
            seconds = []
            for _ in range(RUNS + 1):
                started = time.process_time()
                found = algorithm.search(table, problem, np.random.default_rng(1)).recoding
                seconds.append(time.process_time() - started)
            published = int(found.region_rows.sum())
            print(
                json.dumps(
                    {"rows": n, "rival": name, "cpu": statistics.median(seconds[1:]), "published": published}
                )
            )


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]])
