"""What every registered loss promises, held against its definition over plain lists."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal.loss.measure as measuring
from shoal.core.protocols import CellLoss
from shoal.core.recoding import Generalization, regions_of
from shoal.core.regions import SUPPRESSED, WITHHELD, Regions
from shoal.loss import LOSSES
from shoal.loss.measure import measure
from strategies import hierarchies, tables

LAW = settings(deadline=None, max_examples=60)  # the first example may compile a kernel
NAMES = tuple(LOSSES)
CELL_LOSSES = tuple(name for name in LOSSES if isinstance(LOSSES[name](), CellLoss))


def oracle(name):
    path = Path(__file__).parents[1] / "oracles" / f"{name.replace('-', '_')}.py"
    assert path.exists(), f"add {path}: the definition over plain lists"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.loss


def plain_column(hierarchy):
    paths = [
        [
            ((int(hierarchy.lo[node]), int(hierarchy.hi[node])), int(steps))
            for node, steps in zip(hierarchy.levels[:, leaf], hierarchy.node_steps[:, leaf], strict=True)
        ]
        for leaf in range(hierarchy.n_values)
    ]
    for leaf, path in enumerate(paths):
        path[-1] = (path[-1][0], int(hierarchy.steps[-1, leaf]))
    return {
        "n": hierarchy.n_values,
        "null": hierarchy.n_values - 1 if hierarchy.has_null else None,
        "positions": None if hierarchy.positions is None else hierarchy.positions.tolist(),
        "paths": paths,
    }


def plain_records(table, regions):
    """Expand shares to (quasi codes, published box or None), one pair per row."""
    point = table.point_of_item
    for item, region, rows in zip(regions.item_of_share, regions.region, regions.rows, strict=True):
        box = None
        if region >= 0:
            box = list(zip(regions.lo[region].tolist(), regions.hi[region].tolist(), strict=True))
        for _ in range(rows):
            yield table.codes[point[item]].tolist(), box


@st.composite
def boxes(draw, table):
    """Random boxes around random shares of the items, some suppressed."""
    groups = draw(st.integers(1, 3))
    region, rows, offsets = [], [], [0]
    for count in table.counts.tolist():
        first = draw(st.integers(0, count))
        parts = [part for part in (first, count - first) if part]
        region += [draw(st.integers(SUPPRESSED, groups - 1)) for _ in parts]
        rows += parts
        offsets.append(len(rows))
    region = np.array(region, np.int32)
    item = np.repeat(np.arange(table.n_items), np.diff(offsets))
    codes = table.codes[table.point_of_item[item]]
    lo = np.zeros((groups, table.n_qi), np.int32)
    hi = np.zeros((groups, table.n_qi), np.int32)
    for g in range(groups):
        members = codes[region == g]
        if members.size:
            lo[g], hi[g] = members.min(axis=0), members.max(axis=0)
    labels = draw(st.sampled_from(["nodes", "ranges", "sets", "stars"]))
    return Regions(lo, hi, np.array(offsets, np.int64), region, np.array(rows, np.int64), labels)


@st.composite
def recodings(draw, table):
    if draw(st.booleans()):
        return draw(boxes(table))
    levels = tuple(draw(st.integers(0, h.height)) for h in table.hierarchies)
    suppressed = draw(st.lists(st.booleans(), min_size=table.n_points, max_size=table.n_points))
    return Generalization(levels, np.array(suppressed, bool))


@pytest.mark.parametrize("name", NAMES)
@LAW
@given(data=st.data())
def test_measured_loss_equals_the_definition(name, data):
    table, _ = data.draw(tables())
    regions = regions_of(data.draw(recodings(table)), table)
    rows, cells = zip(*plain_records(table, regions), strict=True)
    columns = [plain_column(h) for h in table.hierarchies]
    expected = oracle(name)(list(rows), list(cells), columns)
    assert measure(LOSSES.make(name), table, regions) == pytest.approx(expected, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("name", CELL_LOSSES)
@LAW
@given(data=st.data())
def test_summing_in_blocks_gives_the_same_loss(name, data):
    table, _ = data.draw(tables())
    regions = regions_of(data.draw(recodings(table)), table)
    whole = measure(LOSSES.make(name), table, regions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "MAX_CELLS", 0)
        patch.setattr(measuring, "BLOCK", 3)
        assert measure(LOSSES.make(name), table, regions) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@LAW
@given(data=st.data())
def test_rows_that_a_sample_left_out_count_nowhere(name, data):
    table, _ = data.draw(tables())
    regions = data.draw(boxes(table))
    left_out = np.array(data.draw(st.lists(st.booleans(), min_size=len(regions.rows), max_size=len(regions.rows))))
    regions = replace(regions, region=np.where(left_out, np.int32(WITHHELD), regions.region), sampling_rate=0.5)
    regions = regions.normalized(table.hierarchies)
    assert regions.sampling_rate == 0.5
    assert regions.withheld_rows + regions.suppressed_rows + regions.region_rows.sum() == table.n_rows
    part, sampled = regions.published_part(table)
    assert part.n_rows == table.n_rows - regions.withheld_rows
    if not part.n_rows:
        return
    rows, cells = zip(*plain_records(part, sampled), strict=True)
    expected = oracle(name)(list(rows), list(cells), [plain_column(h) for h in table.hierarchies])
    assert measure(LOSSES.make(name), table, regions) == pytest.approx(expected, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("name", CELL_LOSSES)
@LAW
@given(drawn=tables())
def test_publishing_everything_as_it_is_costs_nothing(name, drawn):
    table, _ = drawn
    identity = Generalization((0,) * table.n_qi, np.zeros(table.n_points, bool))
    assert measure(LOSSES.make(name), table, regions_of(identity, table)) == 0


@pytest.mark.parametrize("name", CELL_LOSSES)
@LAW
@given(drawn=tables())
def test_suppressing_everything_costs_the_whole_denominator(name, drawn):
    table, _ = drawn
    nothing = Generalization((0,) * table.n_qi, np.ones(table.n_points, bool))
    loss = LOSSES.make(name)
    full = sum(loss.full(h, m) for h, m in zip(table.hierarchies, table.marginals, strict=True) if h.n_values > 1)
    by = sum(loss.full(h, m) for h, m in zip(table.hierarchies, table.marginals, strict=True))
    found = measure(loss, table, regions_of(nothing, table))
    assert found == pytest.approx(full / by if loss.normalized and by else full)


@pytest.mark.parametrize("name", CELL_LOSSES)
@LAW
@given(hierarchy=hierarchies(max_leaves=8), data=st.data())
def test_a_wider_interval_never_costs_less(name, hierarchy, data):
    n = hierarchy.n_values
    leaf = data.draw(st.integers(0, n - 1))
    lo = [data.draw(st.integers(0, leaf))]
    hi = [data.draw(st.integers(leaf, n - 1))]
    lo.append(data.draw(st.integers(0, lo[0])))
    hi.append(data.draw(st.integers(hi[0], n - 1)))
    marginal = np.array([data.draw(st.integers(c == leaf, 5)) for c in range(n)])
    leaves = np.array([leaf, leaf], np.int32)
    narrow, wide = LOSSES.make(name).costs(
        hierarchy, marginal, leaves, np.array(lo, np.int32), np.array(hi, np.int32)
    )
    assert narrow <= wide


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(CELL_LOSSES)))
@LAW
@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=6), suppressed=st.integers(0, 5))
def test_merging_or_suppressing_a_class_never_lowers_a_loss_of_sizes(name, sizes, suppressed):
    loss = LOSSES.make(name)
    before = loss.of_sizes(np.array(sizes), suppressed)
    merged = loss.of_sizes(np.array([sizes[0] + sizes[1], *sizes[2:]]), suppressed)
    fewer = loss.of_sizes(np.array(sizes[1:]), suppressed + sizes[0])
    assert before <= merged
    assert before <= fewer
