"""Li et al. 2007: the earth mover's distance as the transport problem that it is, solved as a linear program."""

import numpy as np
from scipy.optimize import linprog

from oracles.counting import histogram


def distance(records, whole, *, ground="equal", order=None, paths=None):
    """Cost of moving the class's distribution to that of the whole table.

    ``order``: the values in their order. ``paths``: for each value its ancestors from itself to the root, as
    long for all.
    """
    values = sorted(histogram(whole), key=str) if order is None else [v for v in order if v in histogram(whole)]
    metric = {"equal": _equal, "ordered": _ordered, "hierarchical": _hierarchical}[ground]
    costs = [[metric(a, b, values, paths) for b in values] for a in values]
    return _transport(_shares(records, values), _shares(whole, values), costs)


def violates(records, whole, *, t, ground="equal", order=None, paths=None):
    return distance(records, whole, ground=ground, order=order, paths=paths) > float(t) + 1e-9


def _equal(a, b, _values, _paths):
    return float(a != b)


def _ordered(a, b, values, _paths):
    return abs(values.index(a) - values.index(b)) / max(1, len(values) - 1)


def _hierarchical(a, b, _values, paths):
    if a == b:
        return 0.0
    height = next(i for i, (x, y) in enumerate(zip(paths[a], paths[b], strict=True)) if x == y)
    root = next(i for i in range(len(paths[a])) if len({path[i] for path in paths.values()}) == 1)
    return height / root


def _shares(records, values):
    counts = histogram(records)
    return [counts.get(value, 0) / sum(counts.values()) for value in values]


def _transport(here, there, costs):
    n = len(here)
    leaving, arriving = np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))
    solved = linprog(np.ravel(costs), A_eq=np.vstack([leaving, arriving])[:-1], b_eq=[*here, *there][:-1])
    assert solved.success
    return solved.fun
