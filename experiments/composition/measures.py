"""What is measured of releases: privacy risk of pairs, and utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from statistics import mean, median, stdev
from typing import Any

import numpy as np
from methods import Method, Release, publish
from numpy.typing import NDArray
from tables import QUASI, Private, everybody, private, sets

from shoal.attacks import Composition
from shoal.risk.composition import composition_risk
from shoal.utility.classification import Tree, cross_validated, held_out
from shoal.utility.count_queries import Query, answers, query_error, random_queries
from shoal.utility.distances import column_distances, pair_distances
from shoal.utility.distortion_ratio import distortion_ratio
from shoal.utility.propensity import propensity
from shoal.utility.released import ReleasedRows

DIMENSIONS = (1, 2, 3, 4, 5)
MOST_LEARNED = 10_000
"""Rows that trees learn from at most, drawn at random; noise invents many times as many as there were."""


@dataclass(frozen=True)
class Wave:
    """Tables that share some people: the sets, each with the same people of the pool."""

    tables: tuple[Private, ...]
    overlap: int


@cache
def wave(sensitive: str, overlap: int, n_sets: int, seed: int = 0) -> Wave:
    """Return *n_sets* tables of 4,000 people and *overlap* that are in all of them."""
    members, pool = sets(seed)
    shared = pool[:overlap]
    return Wave(tuple(private(np.concatenate([some, shared]), sensitive) for some in members[:n_sets]), overlap)


def releases(method: Method, found: Wave, sensitive: str, k: int, **options: Any) -> list[Release] | None:
    """Publish every table of a wave, each with a seed of its own."""
    made = [publish(method, table, sensitive, k, seed=i, **options) for i, table in enumerate(found.tables)]
    kept = [release for release in made if release is not None]
    return kept if len(kept) == len(made) else None


def risks(method: Method, found: Wave, sensitive: str, k: int, **options: Any) -> dict[str, Any] | None:
    """Attack every pair of releases, and return the mean and the spread of what was found."""
    made = releases(method, found, sensitive, k, **options)
    if made is None:
        return None
    pairs = [pair_risk(found, made, i, j, sensitive) for i, j in combinations(range(len(made)), 2)]
    told: dict[str, Any] = {"pairs": len(pairs), "classes": mean(r.classes for r in made)}
    told["cpu_s"] = median(r.cpu_s for r in made)
    for name in pairs[0]:
        values = [pair[name] for pair in pairs]
        told[name] = mean(values)
        told[f"{name} sd"] = stdev(values) if len(values) > 1 else 0.0
    return told


def pair_risk(found: Wave, made: Sequence[Release], i: int, j: int, sensitive: str) -> dict[str, float]:
    """Lay two releases over each other, knowing where everybody was published."""
    tables = found.tables
    people, known = everybody(), found.overlap
    everyone = np.concatenate([tables[i].people, tables[j].people[: len(tables[j].people) - known]])
    n_first, n_second = len(tables[i].people), len(tables[j].people)
    # The shared people stand at the end of both tables.
    places = (
        np.arange(n_first),
        np.concatenate([n_first + np.arange(n_second - known), n_first - known + np.arange(known)]),
    )
    codes = np.stack([people.codes[name][everyone] for name in QUASI], axis=1)
    values = people.codes[sensitive][everyone]
    truth, own = (np.full((len(everyone), 2), -1, np.int32) for _ in range(2))
    for side, (place, release) in enumerate(zip(places, (made[i], made[j]), strict=True)):
        truth[place, side] = values[place]
        own[place, side] = release.own
    attack, seen = Composition(), [made[i].seen, made[j].seen]
    links = attack.link(seen, [codes, codes])
    true, where = attack.true_matches(seen, links, truth, own)
    met = attack.meet(*seen)
    risk = composition_risk(links.matches, true, truth, where, triples=None if met is None else met.triples)
    both = (truth >= 0).all(axis=1)
    left = links.together.sizes[both]
    right = links.disclosed & both & (links.together.at(truth[:, 0]) >= 0)
    return {
        "risk_all": float(risk.risk_all or 0),
        "risk_overlap": float(risk.risk_overlap or 0),
        "risk_class": float(risk.risk_class or 0),
        "values left": float(left.mean()),
        "rightly disclosed": float(right.sum() / max(both.sum(), 1)),
    }


def original_of(table: Private, sensitive: str) -> ReleasedRows:
    """Return the private table as rows of single values."""
    names = (*QUASI, sensitive)
    return ReleasedRows.of_values(names, [everybody().hierarchies[name] for name in names], table.codes)


@cache
def workload(sensitive: str, dimension: int, queries: int, seed: int) -> list[Query]:
    """Return the random queries that all methods are asked."""
    sizes = [everybody().hierarchies[name].n_values for name in (*QUASI, sensitive)]
    rng = np.random.default_rng([seed, dimension])
    return random_queries(
        sizes, range(len(QUASI)), [len(QUASI)], dimension=dimension, selectivity=0.05, queries=queries, rng=rng
    )


def distortion(release: Release, reading: str = "tree") -> float:
    """Return the distortion of the genuine rows."""
    rows, n = release.rows, len(QUASI)
    return distortion_ratio(rows.hierarchies[:n], rows.sides[:n], release.genuine, reading=reading)


def query_errors(
    release: Release,
    original: ReleasedRows,
    sensitive: str,
    *,
    queries: int,
    dimensions: Sequence[int] = DIMENSIONS,
) -> dict[str, float | None]:
    """Return the mean error by dimension and estimator."""
    found = {}
    for dimension in dimensions:
        asked = workload(sensitive, dimension, queries, 7)
        actual = answers(original, asked)
        for estimator in ("expected", "literal"):
            estimated = answers(release.rows, asked, estimator=estimator)
            error = query_error(actual, estimated, dimension=dimension, estimator=estimator)
            found[f"{estimator} {dimension}"] = error.mean
    return found


def accuracies(
    original: ReleasedRows, drawn: NDArray[np.int32], tested: NDArray[np.int32], targets: Sequence[str]
) -> dict[str, float]:
    """Return what trees predict that learned from *drawn*, by both protocols."""
    if len(drawn) > MOST_LEARNED:
        drawn = drawn[np.random.default_rng(5).choice(len(drawn), MOST_LEARNED, replace=False)]
    found = {}
    for target in targets:
        at = original.names.index(target)
        options: dict[str, Any] = {"tree": Tree(), "seed": 0}
        found[f"{target}, drawn"] = cross_validated(original.hierarchies, drawn, at, **options)
        found[f"{target}, held out"] = held_out(original.hierarchies, drawn, tested, at, **options)
        found[f"{target}, guessing"] = float(np.bincount(tested[:, at]).max() / len(tested))
    return found


def utility(
    release: Release | None,
    table: Private,
    sensitive: str,
    *,
    tested: NDArray[np.int32],
    targets: Sequence[str],
    queries: int,
) -> dict[str, float | None]:
    """Return every measure of a release; of the original where there is none."""
    original = original_of(table, sensitive)
    if release is None:
        return accuracies(original, original.cells, tested, targets)
    drawn = release.rows.drawn(np.random.default_rng(3))
    pairs = pair_distances(original, release.rows)
    with_sensitive = [d.distance or 0.0 for d in pairs if sensitive in d.columns]
    told: dict[str, float | None] = {
        "rows": float(len(release.rows)),
        "classes": float(release.classes),
        "distortion, tree": distortion(release),
        "distortion, ncp": distortion(release, "ncp"),
        **query_errors(release, original, sensitive, queries=queries),
        "columns moved": mean(d.distance or 0.0 for d in column_distances(original, release.rows)),
        "pairs moved": mean(d.distance or 0.0 for d in pairs),
        "pairs with the sensitive column moved": mean(with_sensitive),
    }
    for method in ("logistic", "tree"):
        found = propensity(original.hierarchies, original.cells, drawn, method=method, redraws=3)
        told[f"pMSE ratio, {method}"] = None if found is None else found.ratio
    return told | accuracies(original, drawn, tested, targets)
