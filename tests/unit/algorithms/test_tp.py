"""What TP and TP+ accept, refuse and say."""

from dataclasses import dataclass
from typing import ClassVar
from unittest.mock import Mock

import numpy as np
import pytest

from groups import table_of_groups
from shoal.algorithms import ALGORITHMS, TP, Mondrian, TPPlus
from shoal.core.algorithm import Solution
from shoal.core.certificate import Certificate
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, WITHHELD, Regions
from shoal.core.registry import Registry
from shoal.errors import EngineError, InfeasibleError, SpecError
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from strategies import table_of

FREQUENCY = LDiversity(sensitive="s0", l=3, kind="frequency")
GROUPS = [(2, 1, 1), (1, 1, 1), (1, 2, 2)]


def search(algorithm, table, *models, **settings):
    problem = Problem(models=models or (FREQUENCY,), loss=NCP(), context=table.context(), **settings)
    return algorithm.search(table, problem, np.random.default_rng(0))


class TestModels:
    @pytest.mark.parametrize(
        "more",
        [
            KAnonymity(k=3),
            LDiversity(sensitive="s0", l=2, kind="frequency"),
            LDiversity(sensitive="s0", l=3),
        ],
    )
    def test_what_follows_from_frequency_l_is_accepted(self, more):
        solution = search(TP(), table_of_groups(GROUPS), FREQUENCY, more)
        assert solution.certificate.l == 3

    @pytest.mark.parametrize(
        "more",
        [
            KAnonymity(k=4),
            LDiversity(sensitive="s0", l=4),
            LDiversity(sensitive="s0", l=2, kind="entropy"),
            AlphaKAnonymity(sensitive="s0", alpha="1/2"),
            TCloseness(sensitive="s0", t="0.5"),
        ],
    )
    def test_other_models_are_refused_with_what_is_supported(self, more):
        with pytest.raises(SpecError, match=more.name) as refused:
            search(TPPlus(), table_of_groups(GROUPS), FREQUENCY, more)
        assert "frequency" in refused.value.fix

    def test_the_missing_value_may_be_one_of_l_values_that_do_not_count(self):
        tree = Hierarchy.from_paths(["a", "b"], [[], []], null=True)
        quasi = Hierarchy.from_paths(["x", "y"], [[], []])
        table = table_of([((q,), (s,), None) for q in (0, 1) for s in (0, 1, 2)], [quasi], [tree])
        assert search(TP(), table, FREQUENCY, LDiversity(sensitive="s0", l=3, count_nulls=True)).certificate
        with pytest.raises(SpecError):
            search(TP(), table, FREQUENCY, LDiversity(sensitive="s0", l=3))

    def test_no_frequency_model_is_refused(self):
        with pytest.raises(SpecError, match="on 0"):
            search(TP(), table_of_groups(GROUPS), KAnonymity(k=2))

    def test_l_must_be_whole(self):
        with pytest.raises(SpecError, match="whole l") as refused:
            search(TP(), table_of_groups(GROUPS), LDiversity(sensitive="s0", l="5/2", kind="frequency"))
        assert refused.value.fix == "l = 3 implies it"

    def test_people_are_refused(self):
        tree = Hierarchy.from_paths(["a", "b"], [[], []])
        table = table_of([((0,), (0,), 0), ((1,), (1,), 1)], [tree], [tree])
        with pytest.raises(SpecError, match="people"):
            search(TP(), table, LDiversity(sensitive="s0", l=2, kind="frequency"))

    def test_limited_levels_are_refused(self):
        with pytest.raises(SpecError, match="highest level"):
            search(TP(), table_of_groups(GROUPS), FREQUENCY, max_levels={"q0": 0})

    def test_an_infeasible_table_says_the_largest_l(self):
        with pytest.raises(InfeasibleError) as refused:
            search(TP(), table_of_groups([(2, 1, 0), (2, 2, 1)]), FREQUENCY)
        assert refused.value.choices == ("lower l to 2",)
        assert "4 of 8" in refused.value.where

    def test_a_table_where_one_value_has_most_rows_has_no_choice_of_l(self):
        with pytest.raises(InfeasibleError) as refused:
            search(TP(), table_of_groups([(3, 1), (2, 0)]), LDiversity(sensitive="s0", l=2, kind="frequency"))
        assert "another sensitive column" in refused.value.fix


class TestSettings:
    @pytest.mark.parametrize(
        "settings",
        [
            {"labels": "star"},
            {"coarsen": "search"},
            {"coarsen": {"q0": -1}},
            {"coarsen": {"q0": True}},
            {"max_nodes": 0},
        ],
    )
    @pytest.mark.parametrize("kind", [TP, TPPlus])
    def test_wrong_ones_are_refused(self, kind, settings):
        with pytest.raises(SpecError):
            kind(**settings)

    @pytest.mark.parametrize("residue", ["mondrain", "tp+"])
    def test_a_residue_method_that_is_none_is_refused(self, residue):
        with pytest.raises(SpecError):
            TPPlus(residue=residue)

    @pytest.mark.parametrize("residue", ["sampled", "hybrid", "anatomy", "merging", "dp-counts"])
    def test_a_residue_method_that_does_not_generalize_every_record_is_refused(self, residue):
        with pytest.raises(SpecError, match=f"'tp\\+' cannot use algorithm '{residue}'"):
            TPPlus(residue=residue)

    @pytest.mark.parametrize("coarsen", [{"age": 1}, {"q0": 2}])
    def test_coarsening_names_a_column_and_a_level_of_it(self, coarsen):
        with pytest.raises(SpecError, match="coarsen"):
            search(TP(coarsen=coarsen), table_of_groups(GROUPS))

    @pytest.mark.parametrize("residue", ["tp", "optimal", "exhaustive", "hilbert", "mondrian"])
    def test_any_algorithm_divides_the_removed_records(self, residue):
        assert search(TPPlus(residue=residue), table_of_groups(GROUPS)).certificate.stars <= 10

    @pytest.mark.parametrize("left_out", [SUPPRESSED, WITHHELD])
    def test_an_algorithm_that_leaves_records_out_is_named(self, monkeypatch, left_out):
        @dataclass(frozen=True)
        class Selective:
            """The first record is left out."""

            name: ClassVar[str] = "selective"

            def search(self, table, problem, rng):
                box = np.zeros((1, table.n_qi), np.int32), table.codes.max(axis=0, keepdims=True)
                region = np.zeros(table.n_items, np.int32)
                region[0] = left_out
                return Solution(recoding=Regions(*box, np.arange(table.n_items + 1), region, table.counts))

        registry = Registry("algorithm", "shoal.none", Selective, *ALGORITHMS.values())
        monkeypatch.setattr("shoal.algorithms.ALGORITHMS", registry)
        with pytest.raises(EngineError, match="selective"):
            # One record of each value is removed, of which three are l-eligible, too.
            search(
                TPPlus(residue="selective"),
                table_of_groups([(2, 1, 1, 0), (1, 2, 1, 0), (1, 1, 2, 0), (0, 1, 1, 2)]),
            )

    def test_an_algorithm_that_does_not_keep_its_promise_is_named(self, monkeypatch):
        @dataclass(frozen=True)
        class Careless:
            """Every record as it is."""

            name: ClassVar[str] = "careless"

            def search(self, table, problem, rng):
                class Found:
                    offsets = np.arange(table.n_items + 1)
                    region = table.point_of_item.astype(np.int32)
                    recoding = Regions(table.codes, table.codes, offsets, region, table.counts)

                return Found

        registry = Registry("algorithm", "shoal.none", Careless, *ALGORITHMS.values())
        monkeypatch.setattr("shoal.algorithms.ALGORITHMS", registry)
        with pytest.raises(EngineError, match="careless"):
            search(TPPlus(residue="careless"), table_of_groups(GROUPS))


def people(n_days):
    """A table where most records stand alone until days are grouped to weeks."""
    paths = [[f"week {day // 5}"] for day in range(n_days)]
    tree = Hierarchy.from_paths([f"day {day}" for day in range(n_days)], paths, order=range(n_days))
    values = Hierarchy.from_paths(["a", "b", "c", "d", "e"], [[]] * 5)
    return table_of([((day,), (day % 5,), None) for day in range(n_days)], [tree], [values])


class TestCoarsening:
    def test_the_search_finds_the_level_at_which_records_look_alike(self):
        table = people(40)
        plain, coarse = search(TPPlus(), table), search(TPPlus(coarsen="auto"), table)
        assert measure(NCP(), table, plain.recoding) == 1
        assert measure(NCP(), table, coarse.recoding) == pytest.approx(4 / 39)
        assert coarse.certificate.coarsened == {"q0": 1}
        assert coarse.certificate.stars == 0
        (note,) = coarse.notes
        assert note == (
            "Before any cell was suppressed, whole columns were generalized: q0 to level 1 of 2; no other choice "
            "of levels loses less (ncp 0.1026, and 1 without)."
        )

    def test_a_fixed_level_is_named(self):
        solution = search(TP(coarsen={"q0": 1}), people(40))
        (note,) = solution.notes
        assert note == "Before any cell was suppressed, columns were generalized as asked: q0 to level 1 of 2."

    def test_a_run_that_stars_most_records_recommends_it(self):
        (note,) = search(TP(), people(40)).notes
        assert note.startswith("40 of 40 records lost a cell")

    def test_nothing_is_coarsened_where_that_loses_more(self):
        solution = search(TP(coarsen="auto"), table_of_groups([(1, 1, 1), (2, 2, 2)]))
        assert solution.certificate.coarsened == {}
        assert solution.notes[0].startswith("No column was generalized")

    def test_the_budget_ends_the_search_with_the_best_so_far(self):
        solution = search(TPPlus(coarsen="auto"), people(40), budget_s=0.0)
        assert solution.certificate.coarsened in ({}, {"q0": 1})
        assert solution.statistics["level vectors proven best"] is False


class TestBudget:
    """What divides the removed records gets the seconds that are left; once they are spent, nothing follows."""

    def divided(self, monkeypatch, table, **settings):
        """The seconds that were given at each call, and what was found."""
        given = []
        plain = Mondrian.search

        def watched(self, table, problem, rng):
            given.append(problem.budget_s)
            return plain(self, table, problem, rng)

        monkeypatch.setattr(Mondrian, "search", watched)
        return given, search(TPPlus(residue="mondrian", **settings), table, budget_s=50)

    def test_the_residue_gets_what_is_left(self, monkeypatch):
        given, _ = self.divided(monkeypatch, people(40))
        assert len(given) == 1
        assert 0 < given[0] < 50

    def test_the_release_that_was_tried_is_the_one_that_is_taken(self, monkeypatch):
        given, solution = self.divided(monkeypatch, people(41), coarsen="auto")
        # The last day is alone in its week, so records are removed at both levels, once each.
        assert solution.certificate.coarsened == {"q0": 1}
        assert solution.certificate.stars > 0
        assert len(given) == 2

    def test_no_further_method_is_tried_when_time_is_up(self, monkeypatch):
        monkeypatch.setattr(Mondrian, "search", Mock(side_effect=AssertionError))
        solution = search(TPPlus(residue="best"), people(40), budget_s=0.0)
        assert solution.statistics["residue method"] == "hilbert method=frontier"


class TestCertificate:
    def test_of_phase_one_is_the_optimum_in_records(self):
        proven = search(TP(), table_of_groups([(3, 1, 0), (0, 2, 3), (1, 1, 1)]), FREQUENCY).certificate
        assert (proven.phase, proven.records, proven.lower_bound, proven.ratio_records) == (1, 9, 9, 1.0)
        assert proven.guarantee == "OPT"

    def test_phases_promise_less_and_less(self):
        phases = [
            Certificate(sensitive="s", l=4, phase=phase, n_columns=2, lower_bound=6, records=6, stars=9)
            for phase in (1, 2, 3)
        ]
        assert [proven.bound_records for proven in phases] == [1.0, 1.5, 4.0]
        assert [proven.guarantee for proven in phases] == ["OPT", "OPT + 3", "less than 4 * OPT"]

    def test_of_a_release_without_stars(self):
        proven = search(TP(), table_of_groups([(1, 1, 1)])).certificate
        assert (proven.records, proven.stars, proven.ratio_records, proven.ratio_stars) == (0, 0, 1.0, 1.0)

    def test_is_plain_data(self):
        proven = Certificate(sensitive="s", l=3, phase=2, n_columns=4, lower_bound=12, records=14, stars=40)
        record = proven.as_dict()
        assert record["ratio_stars"] == pytest.approx(40 / 12)
        assert record["guarantee"] == "OPT + 2"
