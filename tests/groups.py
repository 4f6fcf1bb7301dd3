"""Groups of look-alikes as lists of counts, for the tests of TP: there, and as the arrays of its kernel."""

import numpy as np
from hypothesis import strategies as st

from oracles import tp as oracle
from shoal.core.hierarchy import Hierarchy
from shoal.kernels.tp.removal import remove
from strategies import table_of


def cells(groups):
    """The arrays of the kernel."""
    filled = [[(v, n) for v, n in enumerate(counts) if n] for counts in groups]
    offsets = np.concatenate([[0], np.cumsum([len(group) for group in filled])]).astype(np.int64)
    flat = [pair for group in filled for pair in group]
    values, counts = (np.array(column) for column in zip(*flat, strict=True))
    return offsets, values.astype(np.int32), counts.astype(np.int64)


def run(groups, l):
    """What the kernel leaves in each group, as lists of counts, and all it says."""
    offsets, values, counts = cells(groups)
    found = remove(offsets, values, counts, l=l, n_values=len(groups[0]), trace=True)
    left = np.zeros((len(groups), len(groups[0])), int)
    left[np.repeat(np.arange(len(groups)), np.diff(offsets)), values] = found.kept
    return [tuple(counts) for counts in left.tolist()], found


def residue(groups, left):
    return tuple(sum(a) - sum(b) for a, b in zip(zip(*groups, strict=True), zip(*left, strict=True), strict=True))


def is_feasible(groups, l):
    return oracle.eligible([sum(column) for column in zip(*groups, strict=True)], l)


@st.composite
def instances(draw, *, max_groups=5, max_values=5, max_count=4, max_l=4):
    """``(groups, l)`` whose rows can be made l-eligible, no group empty."""
    n_values = draw(st.integers(1, max_values))
    counts = st.lists(st.integers(0, max_count), min_size=n_values, max_size=n_values).filter(any).map(tuple)
    groups = draw(st.lists(counts, min_size=1, max_size=max_groups))
    totals = [sum(column) for column in zip(*groups, strict=True)]
    return groups, draw(st.integers(1, min(max_l, sum(totals) // max(totals))))


def random_instance(rng, *, n_groups, n_values, most, l):
    """A random feasible one, or None."""
    shape = int(rng.integers(1, n_groups + 1)), int(rng.integers(l, n_values + 1))
    groups = rng.integers(0, most + 1, shape) * (rng.random(shape) < 0.8)
    groups = [tuple(counts) for counts in groups.tolist() if any(counts)]
    return groups if groups and is_feasible(groups, l) else None


def table_of_groups(groups):
    """A frequency table with one point per group in one nominal column."""
    trees = [Hierarchy.from_paths([f"v{i}" for i in range(n)], [[]] * n) for n in (len(groups), len(groups[0]))]
    rows = [((g,), (v,), None) for g, counts in enumerate(groups) for v, n in enumerate(counts) for _ in range(n)]
    return table_of(rows, trees[:1], trees[1:])
