"""What the laws of local recodings share: models to be met, and what a recoding publishes of which rows."""

from collections import defaultdict

import numpy as np
from hypothesis import strategies as st

from shoal.core.protocols import Problem
from shoal.core.recoding import publishable
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


def problem_of(table, models, **settings):
    return Problem(models=models, loss=NCP(), context=table.context(), **settings)


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
