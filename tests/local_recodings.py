"""What the laws of local recodings share: models to be met, and what a recoding publishes of which rows."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from shoal.core.problem import Problem
from shoal.core.regions import publishable
from shoal.errors import InfeasibleError
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from strategies import table_of

models = st.sampled_from(
    [
        (KAnonymity(k=1),),
        (KAnonymity(k=2),),
        (KAnonymity(k=3),),
        (KAnonymity(k=2), LDiversity(sensitive="s0", l=2)),
        (LDiversity(sensitive="s0", l=2, kind="frequency"),),
        (LDiversity(sensitive="s0", l="3/2", kind="entropy"),),
        (AlphaKAnonymity(sensitive="s0", alpha="2/3", k=2),),
        (AlphaKAnonymity(sensitive="s0", alpha="1/2", k=2, form="ceiling"),),
        (KAnonymity(k=2), TCloseness(sensitive="s0", t="1/3")),
    ]
)
counted = st.sampled_from(
    [
        (AlphaKAnonymity(sensitive="s0", alpha={"v0": "1/2", "v1": "1/3"}, k=2),),
        (AlphaKAnonymity(sensitive="s0", alpha="1/2", values=["v0"], k=2),),
        (AlphaKAnonymity(sensitive="s0", alpha="2/5", values=["v0", "v1"], k=3, reading="union"),),
        (KAnonymity(k=2), LDiversity(sensitive="s0", l="3/2", kind="frequency")),
    ]
)


def problem_of(table, models, loss=None, **settings):
    return Problem(models=models, loss=loss or NCP(), context=table.context(), **settings)


def search(algorithm, table, problem):
    """The regions that are found, or None where it says that there are none."""
    try:
        return algorithm.search(table, problem, np.random.default_rng(0)).recoding
    except InfeasibleError:
        return None


def item_of(table):
    point = table.point_of_item
    return {
        (
            tuple(table.codes[point[i]].tolist()),
            tuple(table.sensitive[i].tolist()),
            None if table.unit is None else int(table.unit[i]),
        ): i
        for i in range(table.n_items)
    }


def members(table, rows, regions):
    """The rows of each box, by box; the rows of an item that is shared out go there in turn."""
    places = item_of(table)
    queues = {
        i: [int(r) for s in range(a, b) for r in [regions.region[s]] * int(regions.rows[s])]
        for i, (a, b) in enumerate(zip(regions.offsets[:-1], regions.offsets[1:], strict=True))
    }
    found = defaultdict(list)
    for row in rows:
        found[queues[places[row]].pop(0)].append(row)
    assert not any(queues.values())
    return found


def table_of_same(table, rows):
    rank = {person: i for i, person in enumerate(sorted({p for _, _, p in rows if p is not None}))}
    numbered = [(q, s, rank.get(p)) for q, s, p in rows]
    return table_of(numbered, table.hierarchies, table.sensitive_hierarchies)


def passes_of(table, problem):
    """The test of all models on plain rows."""

    def passes(records):
        alone = table_of_same(table, records)
        return not problem.violating(alone.classes(np.zeros(alone.n_items, np.int32), 1, problem.columns)).any()

    return passes


def published(table, rows, regions, labels):
    """The rows of each label vector, as sides of leaf codes; every row lies within its sides."""
    found = defaultdict(list)
    for box, held in members(table, rows, regions).items():
        if box < 0:
            continue
        sides = []
        for j, h in enumerate(table.hierarchies):
            lo, hi = publishable(h, regions.lo[box : box + 1, j], regions.hi[box : box + 1, j], labels)
            sides.append((int(lo[0]), int(hi[0])))
        found[tuple(sides)] += held
        assert all(lo <= q <= hi for row in held for q, (lo, hi) in zip(row[0], sides, strict=True))
    return dict(found)


def needs_of(table, models):
    """What the models ask for in numbers, as the oracle wants it."""
    k, group_of, limits = 1, dict.fromkeys(range(table.sensitive_hierarchies[0].n_values), 0), {}
    codes = table.sensitive_hierarchies[0].codes
    for model in models:
        if model.name == "k-anonymity":
            k = max(k, model.k)
        elif model.name == "l-diversity":
            group_of = {code: code + 1 for code in group_of}
            limits = {code + 1: 1 / model.threshold for code in group_of}
        else:
            k = max(k, model.k)
            every = model.values is None and not isinstance(model.alpha, dict)
            named = [(None, Fraction(model.alpha))] if every else list(model.limits.items())
            if every:
                group_of = {code: code + 1 for code in group_of}
                limits = {code + 1: named[0][1] for code in group_of}
                continue
            for g, (value, limit) in enumerate(named, 1):
                group = 1 if model.reading == "union" else g
                if value in codes:
                    group_of[codes[value]] = group
                limits[group] = limit
    return k, group_of, limits


def check_levels(regions, table, problem):
    """No side is above its column's highest allowed level, and no more is suppressed than may be."""
    if regions is None:
        return
    assert regions.suppressed_rows <= problem.allowed
    assert regions.n_regions
    assert not problem.violating(regions.classes(table, problem.columns)).any()
    for j, (name, h) in enumerate(zip(table.names, table.hierarchies, strict=True)):
        nodes = h.levels[problem.max_levels[name]]
        allowed = {(int(lo), int(hi)) for lo, hi in zip(h.lo[nodes], h.hi[nodes], strict=True)}
        for lo, hi in zip(regions.lo[:, j].tolist(), regions.hi[:, j].tolist(), strict=True):
            assert any(a <= lo and hi <= b for a, b in allowed)


def check_order_of_rows(drawn, algorithm, models, random):
    """The rows in another order come to the same recoding."""
    table, rows = drawn
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
    first, second = (search(algorithm, t, problem_of(t, models)) for t in (table, again))
    assert (first is None) == (second is None)
    if first is not None:
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
