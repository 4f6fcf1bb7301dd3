"""What an explanation says of each class is what a count of plain rows says."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import alpha_k_anonymity, k_anonymity, one_step
from oracles.counting import count, members
from shoal.algorithms import ALGORITHMS
from shoal.core.labels import label_intervals
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.errors import InfeasibleError
from shoal.loss import NCP
from shoal.loss.measure import measure_columns
from shoal.models import AlphaKAnonymity, KAnonymity
from shoal.workflow.loss_by_group import NOTABLE, SMALLEST_SHARE, losses_by_group
from shoal.workflow.tight_classes import tight_classes
from strategies import tables

LAW = settings(deadline=None, max_examples=80)

METHODS = {
    "full-domain": ALGORITHMS.make("exhaustive"),
    "nodes": ALGORITHMS.make("mondrian", labels="nodes"),
    "stars": ALGORITHMS.make("mondrian", labels="stars"),
    "ranges": ALGORITHMS.make("mondrian", labels="ranges"),
    "dealt": ALGORITHMS.make("mondrian", labels="sets", strict=False),
    "best, nodes": ALGORITHMS.make("best", labels="nodes"),
    "best, sets": ALGORITHMS.make("best", labels="sets", boxes="tight"),
}
K, ALPHA = KAnonymity(k=2), AlphaKAnonymity(sensitive="s0", alpha="1/2")


def released(draw, method, *, max_qi=3):
    table, _ = draw(tables(max_qi=max_qi, max_rows=16))
    limit = draw(st.sampled_from([Fraction(0), Fraction(1, 4)]))
    problem = Problem(models=(K, ALPHA), loss=NCP(), context=table.context(), suppression_limit=limit)
    try:
        solution = METHODS[method].search(table, problem, np.random.default_rng(0))
    except InfeasibleError:
        return None
    return table, problem, regions_of(solution.recoding, table)


def plain_classes(table, regions):
    """The rows (codes, sensitive code, person) of each class."""
    found = [[] for _ in range(regions.n_regions)]
    point = table.point_of_item
    for item, region, rows in zip(regions.item_of_share, regions.region, regions.rows, strict=True):
        if region >= 0:
            person = None if table.unit is None else int(table.unit[item])
            row = (tuple(table.codes[point[item]].tolist()), int(table.sensitive[item, 0]), person)
            found[region] += [row] * int(rows)
    return found


def parts_of(table, regions, c, j, rows):
    hierarchy, lo, hi = table.hierarchies[j], int(regions.lo[c, j]), int(regions.hi[c, j])
    if regions.labels in ("ranges", "sets"):
        return one_step.in_two(rows, j)
    if regions.labels == "stars":
        return one_step.by_children(rows, j, [{code} for code in range(lo, hi + 1)])
    children = hierarchy.children(hierarchy.node_of(lo, hi))
    return one_step.by_children(rows, j, [set(range(hierarchy.lo[v], hierarchy.hi[v] + 1)) for v in children])


def fails(model, rows):
    records = [(value, person) for _, value, person in rows]
    if model is K:
        return k_anonymity.violates(records, records, k=2)
    return alpha_k_anonymity.violates(records, records, alpha="1/2")


@pytest.mark.parametrize("method", METHODS)
@LAW
@given(data=st.data())
def test_steps_and_holds_are_what_plain_rows_say(method, data):
    found = released(data.draw, method)
    if found is None:
        return
    table, problem, regions = found
    classes = plain_classes(table, regions)
    steps, holds = tight_classes(table, regions, problem)
    # Per class and generalized column: the models that refuse, and the values that are too frequent then.
    refused, blamed = {}, {}
    for c, rows in enumerate(classes):
        for j in np.flatnonzero(regions.lo[c] < regions.hi[c]).tolist():
            parts = parts_of(table, regions, c, j, rows)
            refused[c, j] = {m for m in (K, ALPHA) if any(fails(m, part) for part in parts)}
            for part in parts:
                records = [(value, person) for _, value, person in part]
                for value in {value for value, _ in records}:
                    if 2 * count(records, value) > members(records):
                        blamed.setdefault(value, set()).add(c)
    for j, step in enumerate(steps):
        here = {c: models for (c, i), models in refused.items() if i == j}
        assert step.name == table.names[j]
        assert step.classes == len(here)
        assert step.rows == sum(len(classes[c]) for c in here)
        assert step.open_classes == sum(not models for models in here.values())
        for model in (K, ALPHA):
            by_model = [c for c, models in here.items() if model in models]
            (told,) = [r for r in step.refused if r.model == model.name] or [None]
            assert (told is None) == (not by_model)
            if told:
                assert (told.classes, told.rows) == (len(by_model), sum(len(classes[c]) for c in by_model))
    for model, hold in zip((K, ALPHA), holds, strict=True):
        per_class = {c: [models for (i, _), models in refused.items() if i == c] for c in range(len(classes))}
        tight = [c for c, sets in per_class.items() if sets and all(model in models for models in sets)]
        alone = [c for c, sets in per_class.items() if any(models == {model} for models in sets)]
        assert (hold.classes, hold.rows) == (len(tight), sum(len(classes[c]) for c in tight))
        assert hold.of_classes == pytest.approx(len(tight) / max(1, len(classes)))
        assert (hold.decisive_classes, hold.decisive_rows) == (len(alone), sum(len(classes[c]) for c in alone))
        largest = sorted((len(classes[c]) for c in {*tight, *alone}), reverse=True)[:3]
        assert [held.rows for held in hold.largest] == largest
        told = [
            [
                label_intervals(h, regions.lo[c, j : j + 1], regions.hi[c, j : j + 1], regions.labels)[0]
                for j, h in enumerate(table.hierarchies)
            ]
            for c in {*tight, *alone}
        ]
        assert all(list(held.labels.values()) in told for held in hold.largest)
    leaves = table.sensitive_hierarchies[0].leaves
    assert holds[0].values is None
    assert holds[1].value_counts == {leaves[value]: len(cs) for value, cs in blamed.items()}
    assert holds[1].values == len(blamed)


@pytest.mark.parametrize("method", METHODS)
@LAW
@given(data=st.data())
def test_losses_by_group_are_those_of_the_published_labels(method, data):
    found = released(data.draw, method)
    if found is None:
        return
    table, _, regions = found
    classes, n = plain_classes(table, regions), table.n_rows
    labels = [
        label_intervals(h, regions.lo[:, j], regions.hi[:, j], regions.labels)
        for j, h in enumerate(table.hierarchies)
    ]
    lost = measure_columns(NCP(), table, regions)
    columns = losses_by_group(table, regions)
    assert [column.name for column in columns] == list(table.names)
    total = sum(cost for cost, _ in lost.values())
    for j, column in enumerate(columns):
        cost, full = lost[column.name]
        assert column.loss == pytest.approx(cost / full)
        assert column.of_all == pytest.approx(cost / total if total else 0)
        width = (regions.hi - regions.lo)[:, j] / max(1, table.hierarchies[j].n_values - 1)
        groups = {}
        for by in range(table.n_qi):
            for c, rows in enumerate(classes):
                if by != j and (labels[by][c] != "*"):
                    groups.setdefault((table.names[by], labels[by][c]), []).append((len(rows), width[c]))
        expected = []
        for (name, label), widths in groups.items():
            size = sum(rows for rows, _ in widths)
            loss = sum(rows * w for rows, w in widths) / size
            if size >= SMALLEST_SHARE * n and loss >= column.loss + NOTABLE:
                expected.append((name, label, size, pytest.approx(loss)))
        told = [(group.column, group.label, group.rows, group.loss) for group in column.most]
        assert len(told) == min(2, len(expected))
        assert all(one in expected for one in told)
        assert sorted((loss for *_, loss in told), reverse=True) == [loss for *_, loss in told]
