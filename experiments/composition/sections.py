"""The jobs of the experiment: each has a name, and returns plain figures that are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean, median
from typing import Any

import numpy as np
from measures import distortion, original_of, query_errors, releases, risks, utility, wave
from methods import BESIDE, METHODS, OWN, STRICT, Method, k_anonymous, l_diverse, methods_on, publish, searched
from tables import QUASI, SENSITIVE, everybody, private, sets

from shoal.algorithms import DPCounts, Merging, Mondrian
from shoal.core.buckets import Buckets

Figures = dict[str, Any] | None
Job = tuple[str, Callable[[], Figures]]
EVERYTHING = METHODS | BESIDE


@dataclass(frozen=True)
class Size:
    """How much is run."""

    n_sets: int
    overlaps: tuple[int, ...]
    ks: tuple[int, ...]
    sensitive: tuple[str, ...]
    utility_sets: int
    queries: int
    rows: tuple[int, ...]
    repeats: int


USUAL = Size(10, (500, 100, 300, 200, 400), (6, 4), SENSITIVE, 3, 1000, tuple(range(5_000, 45_001, 5_000)), 3)
QUICK = Size(3, (500, 100), (6,), ("occupation",), 1, 200, (5_000, 15_000), 1)


def risk_jobs(size: Size) -> Iterator[Job]:
    """Figures 1 to 4: the risk of pairs by overlap."""
    for overlap in size.overlaps:
        for sensitive in size.sensitive:
            for k in size.ks:
                for name, method in EVERYTHING.items():
                    yield (
                        f"risk|{sensitive}|{k}|{overlap}|{name}",
                        partial(_risk, method, sensitive, overlap, size.n_sets, k),
                    )


def _risk(method: Method, sensitive: str, overlap: int, n_sets: int, k: int) -> Figures:
    return risks(method, wave(sensitive, overlap, n_sets), sensitive, k)


def utility_jobs(size: Size) -> Iterator[Job]:
    """Figures 5 to 8 and tables 10 and 11: distortion, queries and classification on tables of 4,500 rows."""
    for sensitive in size.sensitive:
        for k in size.ks:
            for name in ("original", *EVERYTHING):
                yield (
                    f"utility|{sensitive}|{k}|{name}",
                    partial(_utility, name, sensitive, k, size),
                )


def _utility(name: str, sensitive: str, k: int, size: Size) -> Figures:
    targets = ("relationship", sensitive)
    _, pool = sets(0)
    tested = private(pool[500:], sensitive).codes
    found = []
    for i, table in enumerate(wave(sensitive, 500, size.utility_sets).tables):
        release = None
        if name != "original":
            release = publish(EVERYTHING[name], table, sensitive, k, seed=i)
            if release is None:
                return None
        found.append(utility(release, table, sensitive, tested=tested, targets=targets, queries=size.queries))
    return averaged(found)


def averaged(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of each figure over those where it is known."""
    told = {}
    for key in found[0]:
        values = [each[key] for each in found if each[key] is not None]
        told[key] = mean(values) if values else None
    return told


def time_jobs(size: Size) -> Iterator[Job]:
    """Figure 9: processor seconds of the search alone, l = k = 6."""
    for rows in size.rows:
        for name, method in (methods_on(OWN) | BESIDE).items():
            yield f"time|{rows}|{name}", partial(_time, method, rows, size.repeats)


def _time(method: Method, rows: int, repeats: int) -> Figures:
    people = np.random.default_rng(11).permutation(len(everybody()))[:rows]
    table = private(people, "occupation").table
    # Kernels are compiled, or loaded, by a small table first.
    searched(method, private(people[:600], "occupation").table, "occupation", 3, seed=0)
    done = [searched(method, table, "occupation", 6, seed=repeat) for repeat in range(repeats)]
    seconds = [each[1] for each in done if each is not None]
    return {"cpu_s": median(seconds)} if seconds else None


def ablation_jobs(size: Size) -> Iterator[Job]:
    """Section 11: Merging and its rivals with one thing changed, occupation, k = l = 6, 500 people in both."""
    variants: dict[str, tuple[Method, Any]] = {
        "Merging": (METHODS["Merging"], None),
        "Merging, no fakes (n = 0)": (_merging(n=0), None),
        "Merging, n = 2": (_merging(n=2), None),
        "Merging, one fake in all": (_merging(fake_scope="table"), None),
        "Merging, fakes with values of the bucket": (_merging(fake_sensitive="bucket"), None),
        "Merging, grouping pam": (_merging(grouping="pam"), None),
        "Merging, c = 3": (_merging(c=3), None),
        "Merging, pam, c = 3": (_merging(grouping="pam", c=3), None),
        "Merging, nothing beside the sensitive column (m_s = 0)": (_merging(m_s=0), None),
        "Merging, two columns beside it (m_s = 2)": (_merging(m_s=2), None),
        "Merging, no cell generalization": (METHODS["Merging"], _exact_cells),
        "Merging, no permutation of the other columns": (METHODS["Merging"], _one_group),
        "Merging, strict": (_merging(strict=True), None),
        "Mondrian": (METHODS["Mondrian"], None),
        "Mondrian, distinct l instead of k": (Method(STRICT, l_diverse), None),
        "the library's Mondrian, widest column first": (Method(OWN, k_anonymous), None),
        "- and boxes that tile every column": (Method(replace(OWN, boxes="cut"), k_anonymous), None),
        "- and tight boxes": (Method(replace(OWN, boxes="tight"), k_anonymous), None),
        "- and cells that are nodes": (Method(replace(OWN, labels="nodes"), k_anonymous), None),
        "- the best cut first": (Method(replace(OWN, cuts="gain"), k_anonymous), None),
        "- the best cut first, cells that are nodes (its default)": (Method(Mondrian(), k_anonymous), None),
        "- its default, distinct l instead of k": (Method(Mondrian(), l_diverse), None),
        **{
            f"DP, epsilon = {epsilon}": (Method(DPCounts(epsilon=epsilon, inner=STRICT), k_anonymous), None)
            for epsilon in ("0.1", "0.3", "0.5", "1", "1000")
        },
        "Hybrid": (METHODS["Hybrid"], None),
    }
    for name, (method, change) in variants.items():
        yield f"ablation|{name}", partial(_ablation, method, change, size, 6)
    yield "ablation|Mondrian, k for Merging's mean class size", partial(_equal_size, size)


def _merging(**changes: Any) -> Method:
    return Method(Merging(**changes), l_diverse)


def _exact_cells(found: Buckets, of: Any) -> Buckets:
    """Undo the cell generalization."""
    codes = of.table.codes[of.table.point_of_item[found.item_of_share]]
    return replace(found, lo=codes, hi=codes)


def _one_group(found: Buckets, _of: Any) -> Buckets:
    """Keep all quasi-identifiers of a row together, as Anatomy does."""
    return replace(
        found,
        groups=(QUASI, (found.sensitive,)),
        fakes=replace(found.fakes, source=found.fakes.source[:, [0, 0]]),
    )


def _ablation(method: Method, change: Any, size: Size, k: int) -> Figures:
    sensitive, n_sets = "occupation", min(5, size.n_sets)
    found = wave(sensitive, 500, n_sets)
    options = {} if change is None else {"change": change}
    told = risks(method, found, sensitive, k, **options)
    if told is None:
        return None
    made = releases(method, found, sensitive, k, **options) or []
    rest = []
    for release, table in zip(made, found.tables, strict=True):
        errors = query_errors(
            release, original_of(table, sensitive), sensitive, queries=size.queries, dimensions=(1, 3, 5)
        )
        rest.append({"distortion": distortion(release), "rows": len(release.rows), **errors})
    return told | averaged(rest)


def _equal_size(size: Size) -> Figures:
    """Look for the k whose classes are as large, on average, as the buckets of Merging."""
    table = wave("occupation", 500, min(5, size.n_sets)).tables[0]
    wanted = publish(METHODS["Merging"], table, "occupation", 6, seed=0)
    best = (float("inf"), 6)
    for k in range(6, 40):
        made = publish(METHODS["Mondrian"], table, "occupation", k, seed=0)
        if made is not None and wanted is not None:
            best = min(best, (abs(made.classes - wanted.classes), k))
    told = _ablation(METHODS["Mondrian"], None, size, best[1])
    return None if told is None else told | {"k": best[1]}


def fakes_jobs(size: Size) -> Iterator[Job]:
    """Whether the fakes are what hurts the prediction of the sensitive column itself."""
    for name, method in {
        "n = 1, values of the domain": METHODS["Merging"],
        "n = 0": _merging(n=0),
        "n = 2": _merging(n=2),
        "n = 1, values of the bucket": _merging(fake_sensitive="bucket"),
    }.items():
        yield f"fakes|{name}", partial(_fakes, method, size)


def _fakes(method: Method, size: Size) -> Figures:
    sensitive, targets = "education", ("relationship", "education")
    _, pool = sets(0)
    tested = private(pool[500:], sensitive).codes
    found = []
    for i, table in enumerate(wave(sensitive, 500, size.utility_sets).tables):
        release = publish(method, table, sensitive, 6, seed=i)
        if release is None:
            return None
        found.append(utility(release, table, sensitive, tested=tested, targets=targets, queries=50))
    return averaged(found)


SECTIONS: dict[str, Callable[[Size], Iterator[Job]]] = {
    "risk": risk_jobs,
    "utility": utility_jobs,
    "time": time_jobs,
    "ablation": ablation_jobs,
    "fakes": fakes_jobs,
}
