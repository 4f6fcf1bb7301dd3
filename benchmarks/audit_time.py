"""Print the wall seconds of an audit of a frame in memory, with the kernels loaded: SPEC TABLE."""

from __future__ import annotations

import json
import sys
import time

import polars as pl

import shoal as sh


def main(path: str, source: str) -> None:
    spec = sh.Spec.from_toml(path)
    schema, models = spec.schema(), spec.models()
    frame = pl.read_csv(source, separator=";", infer_schema=False)
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        sh.audit(frame, schema, models=models)
        seconds.append(time.perf_counter() - started)
    print(json.dumps({"seconds": min(seconds[1:])}))


if __name__ == "__main__":
    main(*sys.argv[1:])
