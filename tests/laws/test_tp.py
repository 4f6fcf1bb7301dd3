"""What holds of TP and TP+ on random tables."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groups import instances, is_feasible, residue, run
from oracles import tp as oracle
from shoal.algorithms import TP, Hilbert, Mondrian, TPPlus
from shoal.algorithms.eligibility import implied_eligibility
from shoal.algorithms.grouping import take_residue
from shoal.core.problem import Problem
from shoal.core.recoding import Generalization, regions_of
from shoal.core.regions import publishable
from shoal.errors import InfeasibleError
from shoal.loss import NCP, Stars
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, LDiversity
from strategies import table_of, tables

LAW = settings(max_examples=80, deadline=None)

labels = st.sampled_from(["stars", "nodes", "ranges", "sets"])
coarsenings = st.sampled_from([None, "auto"])
thresholds = st.integers(1, 3)


def problem_of(table, l, loss=None):
    model = LDiversity(sensitive="s0", l=l, kind="frequency")
    return Problem(models=(model,), loss=loss or NCP(), context=table.context())


def search(algorithm, table, problem):
    """What is found, or None where the whole table is not eligible."""
    try:
        return algorithm.search(table, problem, np.random.default_rng(0))
    except InfeasibleError:
        return None


def rows_of(rows):
    return [(q, s[0]) for q, s, _ in rows]


def groups_of(rows):
    """Counts of each sensitive value for each distinct quasi-identifier vector, in code order."""
    n_values = 1 + max(s for _, s in rows)
    points = sorted({q for q, _ in rows})
    return [tuple(sum((q, s) == (point, v) for q, s in rows) for v in range(n_values)) for point in points]


class TestKernel:
    @LAW
    @given(instances())
    def test_equals_the_definition_move_for_move(self, instance):
        groups, l = instance
        left, said = run(groups, l)
        defined = oracle.tp(groups, l)
        assert left == [tuple(counts) for counts in defined.groups]
        assert (said.phase, said.rounds) == (defined.phase, defined.rounds)
        assert [tuple(move) for move in said.moves.tolist()] == [move for move in defined.moves if move[0] > 1]

    @LAW
    @given(st.lists(st.integers(0, 9), min_size=2, max_size=6).filter(any), st.integers(1, 4), st.data())
    def test_phase_one_is_the_same_whichever_pillar_is_taken(self, counts, l, data):
        naive = oracle.naive_truncation(
            counts, l, choose=lambda values: data.draw(st.sampled_from(sorted(values)))
        )
        # A group of rare other values makes the table eligible, and phase one leaves it alone.
        groups = [(*counts, *[0] * l), (*[0] * len(counts), *[sum(counts)] * l)]
        left, said = run(groups, l)
        moved = [value for _, group, value in said.moves.tolist() if group == 0]
        assert [n + moved.count(v) for v, n in enumerate(left[0][: len(counts)])] == naive

    @LAW
    @given(instances())
    def test_every_group_and_the_removed_rows_are_eligible(self, instance):
        groups, l = instance
        left, _ = run(groups, l)
        assert all(oracle.eligible(counts, l) for counts in [*left, residue(groups, left)])

    @LAW
    @given(instances())
    def test_phase_two_keeps_the_height(self, instance):
        groups, l = instance
        left, said = run(groups, l)
        removed = residue(groups, left)
        if said.phase <= 2:
            assert max(removed) == said.first_height
        if said.phase == 2:
            assert sum(removed) <= l * said.first_height + l - 1

    @LAW
    @given(instances(max_l=2))
    def test_two_values_never_need_phase_three(self, instance):
        groups, l = instance
        assert run(groups, l)[1].phase <= 2

    @LAW
    @given(instances(max_groups=3, max_values=4, max_count=2))
    def test_bounds_against_the_fewest_rows(self, instance):
        groups, l = instance
        left, said = run(groups, l)
        fewest, removed = oracle.optimal_removal(groups, l), sum(residue(groups, left))
        assert max(said.first_rows, l * said.first_height) <= fewest <= removed
        assert removed <= {1: fewest, 2: fewest + l - 1, 3: l * fewest - 1}[said.phase]


class TestRelease:
    @LAW
    @given(tables(unit=False), thresholds, labels, coarsenings, st.sampled_from(["hilbert", "mondrian", "best"]))
    def test_every_class_is_eligible_and_every_row_is_in_one(self, drawn, l, labels, coarsen, method):
        table, rows = drawn
        problem = problem_of(table, l)
        for algorithm in (
            TP(labels=labels, coarsen=coarsen),
            TPPlus(residue=method, labels=labels, coarsen=coarsen),
        ):
            found = search(algorithm, table, problem)
            assert (found is None) != is_feasible(groups_of(rows_of(rows)), l)
            if found is None:
                continue
            regions = regions_of(found.recoding, table)
            assert not problem.violating(regions.classes(table, ["s0"])).any()
            assert (np.bincount(regions.item_of_share, regions.rows, table.n_items) == table.counts).all()
            assert regions.suppressed_rows == 0
            point = table.point_of_item[regions.item_of_share]
            assert (regions.lo[regions.region] <= table.codes[point]).all()
            assert (table.codes[point] <= regions.hi[regions.region]).all()

    @LAW
    @given(tables(unit=False), thresholds)
    def test_tp_removes_what_the_definition_does(self, drawn, l):
        table, rows = drawn
        found = search(TP(), table, problem_of(table, l))
        if found is None:
            return
        groups = groups_of(rows_of(rows))
        defined = oracle.tp(groups, l)
        removed = [
            q
            for q, before, after in zip(sorted({q for q, _ in rows_of(rows)}), groups, defined.groups, strict=True)
            for _ in range(sum(before) - sum(after))
        ]
        proven = found.certificate
        assert (
            proven.stars == oracle.stars([removed]) == measure(Stars(), table, regions_of(found.recoding, table))
        )
        assert proven.phase == defined.phase
        assert proven.lower_bound == max(sum(defined.first), l * max(defined.first))

    @LAW
    @given(tables(unit=False, max_rows=20), thresholds, labels)
    def test_dividing_the_removed_rows_never_adds_stars(self, drawn, l, labels):
        table, _ = drawn
        algorithms = (TP(labels=labels), TPPlus(labels=labels), TPPlus(labels=labels, residue="best"))
        found = [search(algorithm, table, problem_of(table, l)) for algorithm in algorithms]
        if found[0] is None:
            return
        whole, divided, best = (solution.certificate.stars for solution in found)
        assert divided <= whole
        if labels == "stars":
            assert best <= divided

    @LAW
    @given(tables(unit=False, max_rows=20), thresholds)
    def test_the_best_of_several_has_no_more_stars_than_any_rival(self, drawn, l):
        table, _ = drawn
        problem = problem_of(table, l, Stars())
        found = search(TPPlus(residue="best"), table, problem)
        if found is None:
            return
        rivals = (
            TP(),
            Hilbert(labels="stars"),
            Hilbert(labels="stars", method="frontier", cube="codes"),
            Mondrian(labels="stars"),
        )
        for rival in rivals:
            alone = search(rival, table, problem)
            assert found.certificate.stars <= measure(Stars(), table, regions_of(alone.recoding, table))

    @LAW
    @given(tables(unit=False, max_rows=20), thresholds)
    def test_the_best_of_several_has_no_more_stars_than_boxes_of_mondrian_with_stars_for_ranges(self, drawn, l):
        table, _ = drawn
        problem = problem_of(table, l, Stars())
        found = search(TPPlus(residue="best"), table, problem)
        if found is None:
            return
        boxes = regions_of(search(Mondrian(labels="ranges"), table, problem).recoding, table)
        item, group = boxes.item_of_share, boxes.region
        stars = 0
        for box in range(boxes.n_regions):
            codes, rows = table.codes[table.point_of_item[item[group == box]]], boxes.rows[group == box]
            stars += int(rows.sum()) * int((codes.min(axis=0) < codes.max(axis=0)).sum())
        assert found.certificate.stars <= stars

    @settings(max_examples=60, deadline=None)
    @given(tables(unit=False, max_rows=8), thresholds)
    def test_the_certificate_is_true_of_the_optimum(self, drawn, l):
        table, rows = drawn
        rows = rows_of(rows)
        for algorithm in (TP(), TPPlus()):
            found = search(algorithm, table, problem_of(table, l))
            if found is None:
                return
            proven = found.certificate
            stars, records = oracle.optimal_stars(rows, l), oracle.optimal_removal(groups_of(rows), l)
            assert proven.lower_bound <= records <= stars <= proven.stars
            assert records <= proven.records
            assert proven.records <= proven.ratio_records * records + 1e-9
            assert proven.stars <= proven.ratio_stars * stars + 1e-9
            assert proven.ratio_records <= proven.bound_records
            assert proven.ratio_stars <= proven.bound_stars

    @LAW
    @given(tables(unit=False), thresholds, coarsenings, labels)
    def test_no_cell_says_less_than_with_stars(self, drawn, l, coarsen, labels):
        table, _ = drawn
        problem = problem_of(table, l)
        levels = {}
        if coarsen:
            found = search(TP(coarsen="auto"), table, problem)
            levels = {} if found is None else found.certificate.coarsened
        starred = search(TP(coarsen=levels), table, problem)
        if starred is None:
            return
        other = search(TP(coarsen=levels, labels=labels), table, problem)
        widths = []
        for solution in (starred, other):
            regions = regions_of(solution.recoding, table)
            width = (regions.hi - regions.lo)[regions.region]
            widths.append(np.repeat(width, regions.rows, axis=0).sum(axis=0))
        assert (widths[1] <= widths[0]).all()
        assert other.certificate.stars == starred.certificate.stars

    @LAW
    @given(tables(unit=False), thresholds, labels, coarsenings, st.randoms(use_true_random=False))
    def test_the_order_of_rows_changes_nothing(self, drawn, l, labels, coarsen, source):
        table, rows = drawn
        shuffled = list(rows)
        source.shuffle(shuffled)
        again = table_of(shuffled, table.hierarchies, table.sensitive_hierarchies)
        found = [search(TPPlus(labels=labels, coarsen=coarsen), t, problem_of(t, l)) for t in (table, again)]
        if found[0] is None:
            return
        for name in ("lo", "hi", "offsets", "region", "rows"):
            np.testing.assert_array_equal(*(getattr(solution.recoding, name) for solution in found))

    @LAW
    @given(tables(unit=False, n_sensitive=2), thresholds, labels, coarsenings)
    def test_a_second_sensitive_column_changes_no_group(self, drawn, l, labels, coarsen):
        table, rows = drawn
        alone = table_of(
            [(q, s[:1], None) for q, s, _ in rows], table.hierarchies, table.sensitive_hierarchies[:1]
        )
        algorithm = TPPlus(labels=labels, coarsen=coarsen)
        found = [search(algorithm, t, problem_of(t, l)) for t in (table, alone)]
        if found[0] is None:
            return
        first, second = (
            regions_of(solution.recoding, t) for solution, t in zip(found, (table, alone), strict=True)
        )
        np.testing.assert_array_equal(first.lo, second.lo)
        np.testing.assert_array_equal(first.hi, second.hi)
        np.testing.assert_array_equal(first.region_rows, second.region_rows)


class TestRows:
    """What ``best`` starts from where k rows are asked for and fewer values would do."""

    @LAW
    @given(tables(unit=False, max_rows=20), thresholds, st.integers(1, 6))
    def test_every_group_has_k_rows_and_none_is_without_need(self, drawn, l, k):
        table, rows = drawn
        if not is_feasible(groups_of(rows_of(rows)), l) or table.n_rows < k:
            return
        _, plain = take_residue(table, l=l)
        groups, found = take_residue(table, l=l, k=k)
        sizes = np.bincount(groups.group, groups.rows, table.n_points + 1)
        assert ((sizes == 0) | (sizes >= k)).all()
        values = table.sensitive[groups.item, 0]
        for group in np.flatnonzero(sizes):
            mine = groups.group == group
            assert l * np.bincount(values[mine], groups.rows[mine]).max() <= sizes[group]
        stays = np.bincount(table.point_of_item, found.kept, table.n_points) > 0
        before = np.bincount(table.point_of_item, plain.kept, table.n_points)
        gone = before[(before >= k) & ~stays]
        assert gone.sum() < 2 * k or not gone.size
        assert len(gone) == 0 or table.n_rows - before[before >= k].sum() < k

    @LAW
    @given(tables(unit=False, max_rows=20), thresholds, st.integers(1, 6), labels, coarsenings)
    def test_a_release_for_models_that_it_implies_meets_them(self, drawn, l, k, labels, coarsen):
        table, _ = drawn
        model = AlphaKAnonymity(sensitive="s0", alpha=Fraction(1, l) if l > 1 else "9/10", k=k)
        problem = Problem(models=(model,), loss=NCP(), context=table.context())
        asked = implied_eligibility(table, problem)
        if asked is None:
            return
        algorithm = TPPlus(labels=labels, coarsen=coarsen)
        regions = algorithm.search_implied(table, problem, np.random.default_rng(0), asked)
        assert not problem.violating(regions.classes(table, ["s0"])).any()
        assert regions.suppressed_rows == 0


class TestCoarsening:
    @LAW
    @given(tables(unit=False), thresholds, labels, st.data())
    def test_fixed_levels_are_a_full_domain_recoding_first(self, drawn, l, labels, data):
        table, _ = drawn
        levels = {
            name: data.draw(st.integers(0, h.height))
            for name, h in zip(table.names, table.hierarchies, strict=True)
        }
        found = search(TPPlus(coarsen=levels, labels=labels), table, problem_of(table, l))
        if found is None:
            return
        regions = regions_of(found.recoding, table)
        everywhere = Generalization(tuple(levels.values()), np.zeros(table.n_points, bool)).regions(table)
        point = table.point_of_item[regions.item_of_share]
        # Beside stars, a coarsened column publishes its groups.
        form = "nodes" if labels == "stars" else labels
        for j, h in enumerate(table.hierarchies):
            lo, hi = publishable(h, everywhere.lo[:, j], everywhere.hi[:, j], form)
            box = everywhere.region[table.offsets[point]]
            assert (regions.lo[regions.region, j] <= lo[box]).all()
            assert (regions.hi[regions.region, j] >= hi[box]).all()
        assert found.certificate.coarsened == {name: level for name, level in levels.items() if level}

    @settings(max_examples=50, deadline=None)
    @given(
        tables(unit=False), thresholds, labels, st.sampled_from([NCP(), Stars()]), st.sampled_from([TP, TPPlus])
    )
    def test_no_level_vector_loses_less(self, drawn, l, labels, loss, kind):
        table, _ = drawn
        problem = problem_of(table, l, loss)
        found = search(kind(coarsen="auto", labels=labels, max_nodes=1_000), table, problem)
        if found is None:
            return
        assert found.statistics["level vectors proven best"]
        losses = []
        for levels in np.ndindex(*(h.n_levels for h in table.hierarchies)):
            fixed = dict(zip(table.names, map(int, levels), strict=True))
            other = search(kind(coarsen=fixed, labels=labels), table, problem)
            losses.append(measure(loss, table, regions_of(other.recoding, table)))
        assert measure(loss, table, regions_of(found.recoding, table)) == pytest.approx(min(losses))
