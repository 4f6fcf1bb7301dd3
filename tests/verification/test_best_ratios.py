"""Mean ratio of the best recoding to the exact optimum on two thousand tiny tables."""

from math import inf

import numpy as np
import pytest

from oracles.best_grouping import least_cost
from shoal.algorithms import Best, TopDown
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import KAnonymity
from strategies import table_of

pytestmark = pytest.mark.slow

N_TABLES = 2000
MOST = 1.01


def table_from(rng):
    """Six to nine records over two or three ordered columns, and their codes."""
    trees = []
    for _ in range(int(rng.integers(2, 4))):
        n = int(rng.integers(3, 9))
        names = [str(i) for i in range(n)]
        trees.append(Hierarchy.from_paths(names, [[f"g{i // 2}", "*"] for i in range(n)], order=range(n)))
    rows = [
        (tuple(int(rng.integers(h.n_values)) for h in trees), (), None) for _ in range(int(rng.integers(6, 10)))
    ]
    return table_of(rows, trees), rows


def optimum(table, rows, k):
    def cost(group):
        sides = zip(*(rows[i][0] for i in group), strict=True)
        widths = ((max(s) - min(s)) / (h.n_values - 1) for s, h in zip(sides, table.hierarchies, strict=True))
        return len(group) * sum(widths) / (len(rows) * table.n_qi)

    return least_cost(len(rows), lambda group: len(group) >= k, cost)


def test_the_mean_ratio_to_the_optimum_is_small():
    rng = np.random.default_rng(7)
    found = {"best": [], "top-down": []}
    optima = []
    for _ in range(N_TABLES):
        table, rows = table_from(rng)
        k = int(rng.integers(2, 4))
        problem = Problem(models=(KAnonymity(k=k),), loss=NCP(), context=table.context())
        optima.append(optimum(table, rows, k))
        for name, algorithm in {
            "best": Best(labels="ranges", boxes="tight"),
            "top-down": TopDown(labels="ranges", boxes="tight"),
        }.items():
            recoding = algorithm.search(table, problem, np.random.default_rng(0)).recoding
            found[name].append(measure(NCP(), table, regions_of(recoding, table)))
    least = np.array(optima)
    assert (least < inf).all()
    assert (np.array(found["best"]) >= least - 1e-9).all()
    ratio = {name: float(np.sum(losses) / least.sum()) for name, losses in found.items()}
    assert ratio["best"] <= MOST, ratio
    assert ratio["best"] < ratio["top-down"]
