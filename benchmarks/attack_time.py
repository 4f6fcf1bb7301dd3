"""Print CPU seconds of the composition attack and of utility on invented tables: ROWS."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import polars as pl

import shoal as sh

QUASI = ["age", "sex", "marital", "zip", "job"]
GROUPS = {"merged": [["age", "marital", "zip", "job"], ["sex", "disease"]], "anatomized": [QUASI, ["disease"]]}
PAIRS = [("merged", "merged"), ("anatomized", "anatomized"), ("boxes", "boxes"), ("merged", "boxes")]
BUCKET = 7


def people(rows: int, seed: int) -> pl.DataFrame:
    """Return invented people; half of them are in the tables of two seeds that follow each other."""
    halves = [np.random.default_rng([seed + step, 1]) for step in (0, 1)]
    parts = []
    for part, rng in enumerate(halves):
        n = rows // 2
        zips = rng.integers(0, 1000, n)
        parts.append(
            pl.DataFrame(
                {
                    "id": np.arange(n) + (seed + part) * n,
                    "age": np.clip(rng.gamma(7, 6, n), 0, 99).astype(np.int64),
                    "sex": rng.choice(["f", "m"], n),
                    "marital": rng.choice(list("abcdefg"), n),
                    "zip": np.char.mod("%04d", zips),
                    "job": np.char.mod("job %02d", (zips + rng.integers(0, 12, n)) % 40),
                    "disease": np.char.mod("d%02d", np.minimum(rng.geometric(0.12, n), 50)),
                }
            )
        )
    return pl.concat(parts)


def published(table: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return the people as a release of one kind; who is grouped with whom matters to no time."""
    if kind == "boxes":
        low = pl.col("age") // 10 * 10
        return table.select(
            pl.format("[{}, {}]", low, low + 9).alias("age"),
            pl.lit("*").alias("sex"),
            pl.lit("*").alias("marital"),
            pl.format("{}**", pl.col("zip").str.head(2)).alias("zip"),
            pl.lit("*").alias("job"),
            "disease",
        )
    by = ["zip", "age"] if kind == "merged" else ["disease", "id"]
    ordered = table.sort(by)
    place = np.arange(len(table))
    count = -(-len(table) // BUCKET)
    bucket = place // BUCKET if kind == "merged" else place % count
    return ordered.drop("id").with_columns(bucket=pl.Series(bucket)).sort("bucket")


def main(rows: int) -> None:
    """Print seconds of each job, the second time: kernels are loaded then."""
    schema = sh.Schema(quasi_identifiers=QUASI, sensitive=["disease"], types={"age": "integer"})
    truth = [people(rows, seed) for seed in (1, 2)]
    found = {}
    for kinds in PAIRS:
        tables = [published(table, kind) for table, kind in zip(truth, kinds, strict=True)]
        groups = [GROUPS.get(kind) for kind in kinds]

        def attack(tables: list = tables, groups: list = groups) -> None:
            sh.attack_composition(tables, schema, truth=truth, person="id", groups=groups)

        found["attack: " + " and ".join(kinds)] = seconds(attack)
    for kind in ("merged", "boxes"):
        table, groups = published(truth[0], kind), GROUPS.get(kind)

        def measure(table: pl.DataFrame = table, groups: object = groups) -> None:
            sh.measure_utility(truth[0], table, schema, groups=groups, dimensions=[3], propensity=None)

        found[f"utility: {kind}, 1,000 queries"] = seconds(measure)
    print(json.dumps(found))


def seconds(job: object) -> float:
    """Return the CPU seconds of the second of two runs."""
    taken = 0.0
    for _ in range(2):
        started = time.process_time()
        job()
        taken = time.process_time() - started
    return taken


if __name__ == "__main__":
    main(int(sys.argv[1]))
