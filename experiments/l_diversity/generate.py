"""A seeded population with the columns and the numbers of values of SAL and OCC.

Xiao, Yi and Tao used extracts of the American Community Survey, which may not be passed on. What is known of them
is the schema: seven quasi-identifiers, and Income (SAL) or Occupation (OCC) with 50 values. The distributions here
are invented: they depend on each other the way such columns do, and no value of a sensitive column has more than a
tenth of the rows, so that l = 10 is feasible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy

SIZES = {"age": 79, "gender": 2, "race": 9, "marital": 6, "birthplace": 56, "education": 17, "workclass": 9}
SENSITIVE = {"SAL": "income", "OCC": "occupation"}
N_SENSITIVE = 50
MOST = 0.09


@dataclass(frozen=True)
class Column:
    """A column: its hierarchy and the code of each row."""

    hierarchy: Hierarchy
    codes: NDArray[np.int32]


def population(n: int, *, seed: int = 1) -> dict[str, Column]:
    """Return the columns of *n* rows; the same for the same seed, and the first rows of a larger one differ."""
    rng = np.random.default_rng([seed, n])
    # The dependencies are drawn apart from the rows, so that all sizes come from one population.
    rule = np.random.default_rng(seed)
    ages = np.arange(SIZES["age"])
    age = _draw(rng, np.exp(-(((ages - 24) / 30.0) ** 2)) + 0.02, n)
    band = np.digitize(age, [6, 14, 24, 34, 49])
    gender = _draw(rng, np.array([0.51, 0.49]), n)
    birthplace = _draw(rng, 1.0 / np.arange(1, SIZES["birthplace"] + 1) ** 1.2, n)
    region = birthplace // 8
    race = _by(rng, _skewed(rule, 7, SIZES["race"], 2.6), region, n)
    marital = _by(rng, _skewed(rule, 6, SIZES["marital"], 1.8), band, n)
    education = _by(rng, _skewed(rule, 42, SIZES["education"], 1.5), 7 * band + region, n)
    level = education // 3
    workclass = _by(rng, _skewed(rule, 36, SIZES["workclass"], 2.2), 6 * band + level, n)
    merit = 0.5 * education + 0.08 * np.minimum(age, 45) + 0.4 * (workclass % 4) + 0.8 * gender
    income = _cut(merit + rng.gumbel(0, 1.5, n), _capped(1.0 / np.arange(2, N_SENSITIVE + 2) ** 0.6))
    trade = 6 * (workclass // 2) + level
    tables = np.array([_capped(row) for row in _skewed(rule, 30, N_SENSITIVE, 0.7)])
    occupation = _by(rng, tables, trade, n)
    codes = {
        "age": age, "gender": gender, "race": race, "marital": marital, "birthplace": birthplace,
        "education": education, "workclass": workclass, "income": income, "occupation": occupation,
    }  # fmt: skip
    return {
        name: Column(tree(name, SIZES.get(name, N_SENSITIVE)), column.astype(np.int32))
        for name, column in codes.items()
    }


def tree(name: str, n_values: int) -> Hierarchy:
    """Return an ordered tree of about four children per node."""
    first = 16 if name == "age" else 0
    leaves = [str(first + code) for code in range(n_values)]
    widths = [5, 10, 20, 40] if name == "age" else [w for w in (4, 16) if 2 * w <= n_values]
    paths = [[f"{name} {width}-{code // width}" for width in widths] + ["*"] for code in range(n_values)]
    return Hierarchy.from_paths(leaves, paths, order=[float(leaf) for leaf in leaves], type="integer")


def _draw(rng, weights, n):
    return np.searchsorted(np.cumsum(weights / weights.sum())[:-1], rng.random(n), side="right")


def _by(rng, tables, row, n):
    """Draw a value for each row from the distribution of its group."""
    edges = np.cumsum(tables / tables.sum(axis=1, keepdims=True), axis=1)[:, :-1]
    place = rng.random(n)
    drawn = np.empty(n, np.int64)
    for group in range(len(tables)):
        mine = row == group
        drawn[mine] = np.searchsorted(edges[group], place[mine], side="right")
    return drawn


def _skewed(rule, n_groups, n_values, power):
    """Return one skewed distribution per group, each with its own favourites."""
    shares = 1.0 / np.arange(1, n_values + 1) ** power
    common = rule.permutation(n_values)
    return np.array([shares[common] + 0.3 * shares[rule.permutation(n_values)] for _ in range(n_groups)])


def _capped(weights):
    """Return shares of which none is above MOST."""
    shares = weights / weights.sum()
    while shares.max() > MOST:
        shares = np.minimum(shares, MOST * 0.98)
        shares /= shares.sum()
    return shares


def _cut(scores, shares):
    """Number the rows by their scores, so that the numbers have these shares."""
    rank = np.empty(len(scores), np.int64)
    rank[np.argsort(scores, kind="stable")] = np.arange(len(scores))
    return np.searchsorted(np.cumsum(shares)[:-1], rank / len(scores), side="right")
