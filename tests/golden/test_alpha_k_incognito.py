"""(α, k)-anonymity by full-domain generalization: the paper's Table 5, and where its lemmas fail.

Wong, R., Li, J., Fu, A., Wang, K. (2006), doi:10.1145/1150402.1150499. The counterexamples are our own; "c" is
the sensitive value and "n" any other.
"""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from oracles import alpha_k_anonymity, ceiling_splits, incognito
from shoal.algorithms import Exhaustive, Incognito, Optimal
from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.loss import Distortion
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity
from strategies import table_of

RNG = np.random.default_rng(0)
SICK = Hierarchy.from_paths(["n", "c"], [["*"], ["*"]])


def table(rows, trees):
    """Count rows of texts, the last of them sensitive."""
    coded = [
        (
            tuple(tree.codes[text] for tree, text in zip(trees, texts, strict=False)),
            (SICK.codes[texts[-1]],),
            None,
        )
        for texts in rows
    ]
    return table_of(coded, trees, [SICK])


def problem_of(counted, alpha, k, form="ratio"):
    model = AlphaKAnonymity(sensitive="s0", alpha=alpha, values=["c"], k=k, form=form)
    return Problem(models=(model,), loss=Distortion(), context=counted.context())


def prefix_tree(codes):
    """Digits hidden from the right, one per level."""
    width = len(codes[0])
    return Hierarchy.from_paths(
        codes, [[c[: width - up].ljust(width, "*") for up in range(1, width + 1)] for c in codes]
    )


class TestTable5:
    """Four men born in 1965: two share a postcode, two nearly so."""

    TREES = (
        Hierarchy.from_paths(["male", "female"], [["*"], ["*"]]),
        Hierarchy.from_paths(["May", "Jun", "Jul", "Aug", "Jan"], [["1965", "*"]] * 4 + [["1966", "*"]]),
        prefix_tree(["4351", "4352", "4361", "4362"]),
    )
    ROWS = (
        ("male", "May", "4351", "n"),
        ("male", "Jun", "4351", "c"),
        ("male", "Jul", "4361", "n"),
        ("male", "Aug", "4362", "n"),
    )

    def test_sixteen_of_thirty_nodes_are_valid_and_nine_tests_find_them(self):
        counted = table(self.ROWS, self.TREES)
        problem = problem_of(counted, "1/2", 2)
        solution = Incognito(all_valid=True).search(counted, problem, RNG)
        assert solution.statistics["nodes"] == 2 * 3 * 5 == 30
        assert solution.statistics["valid"] == len(solution.statistics["valid_nodes"]) == 16
        assert solution.statistics["tested"] == 9

    def test_the_best_generalizes_birth_and_postcode_by_one_level(self):
        counted = table(self.ROWS, self.TREES)
        problem = problem_of(counted, "1/2", 2)
        for algorithm in (Incognito(), Exhaustive(), Optimal()):
            solution = algorithm.search(counted, problem, RNG)
            assert solution.recoding.levels == (0, 1, 1)
            ratio = measure(Distortion(), counted, regions_of(solution.recoding, counted))
            # 4 records climb 2 levels: 8 of 4 * (1 + 2 + 4) = 28.
            assert ratio == pytest.approx(2 / 7)
            assert ratio * 28 == pytest.approx(8)


def ceiling(alpha, k):
    return AlphaKAnonymity(sensitive="s", alpha=alpha, k=k, form="ceiling")


def shows(model, sensitive, n):
    """Whether a class of n records with so many sensitive ones passes, the others being all different."""
    classes = Classes.from_counts([n], {"s": [[sensitive] + [1] * (n - sensitive)]})
    return not model.violating(classes, Context())[0]


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("alpha", sorted({Fraction(p, q) for q in range(2, 13) for p in range(1, q)}))
def test_for_every_alpha_and_k_two_classes_pass_whose_union_fails(alpha, k):
    # Whenever 0 < frac(alpha n) <= 1/2: twice the ceiling is 2 floor + 2, the ceiling of twice is 2 floor + 1.
    n = next(n for n in range(k, k + alpha.denominator) if 0 < alpha * n % 1 <= Fraction(1, 2))
    each = ceil(alpha * n)
    assert shows(ceiling(alpha, k), each, n)
    assert not shows(ceiling(alpha, k), 2 * each, 2 * n)


class TestLemmasFail:
    """Each of the paper's three lemmas, in the ceiling form."""

    FLAT = Hierarchy.from_paths(["x", "y"], [["*"], ["*"]])
    ROWS = (("x", "p", "c"), ("x", "p", "c"), ("x", "p", "n"), ("y", "p", "c"), ("y", "p", "c"), ("y", "p", "n"))

    def test_lemma_1_feasible_although_the_whole_table_fails(self):
        counted = table(self.ROWS, [self.FLAT])
        problem = problem_of(counted, "1/2", 2, "ceiling")
        assert Incognito().valid_nodes(counted, problem) == [(0,)]
        assert Incognito().search(counted, problem, RNG).recoding.levels == (0,)
        assert Fraction(4, 6) > Fraction(1, 2)

    def test_lemma_2_a_node_above_a_valid_one_is_not_valid(self):
        counted = table(self.ROWS, [self.FLAT])
        assert (1,) not in Incognito().valid_nodes(counted, problem_of(counted, "1/2", 2, "ceiling"))

    def test_lemma_3_a_projection_of_a_valid_node_is_not_valid(self):
        one = Hierarchy.from_paths(["p", "q"], [["*"], ["*"]])
        both = table(self.ROWS, [self.FLAT, one])
        assert (0, 0) in Incognito().valid_nodes(both, problem_of(both, "1/2", 2, "ceiling"))
        second = table([row[1:] for row in self.ROWS], [one])
        assert Incognito().valid_nodes(second, problem_of(second, "1/2", 2, "ceiling")) == []


def halves():
    """A tree of height 2 over four values."""
    return Hierarchy.from_paths(list("0123"), [["01", "*"], ["01", "*"], ["23", "*"], ["23", "*"]])


def test_subset_pruning_by_the_lemmas_calls_a_feasible_table_infeasible():
    rows = [("0", "1", "n"), ("2", "1", "c"), ("2", "1", "c"), ("1", "2", "c")]
    trees = [halves(), halves()]
    counted = table(rows, trees)
    problem = problem_of(counted, "2/5", 1, "ceiling")
    plain = [(tuple(tree.codes[t] for tree, t in zip(trees, row, strict=False)), row[-1]) for row in rows]
    levels = [tree.levels.tolist() for tree in trees]

    def passes(group):
        records = [(value, None) for value in group]
        return not alpha_k_anonymity.violates(records, records, alpha={"c": "2/5"}, form="ceiling")

    assert incognito.valid(plain, levels, passes) == [(2, 0), (2, 1)]
    assert incognito.by_the_lemmas(plain, levels, passes)[0] == []
    assert Incognito().valid_nodes(counted, problem) == [(2, 0), (2, 1)]
    for algorithm in (Incognito(), Optimal(), Exhaustive()):
        assert algorithm.search(counted, problem, RNG).recoding.levels == (2, 0)


def test_the_necessary_condition_is_not_sufficient():
    # Nine records of one vector: three classes of three might show 2 each, but there are two labels at most.
    assert ceiling_splits.most(9, alpha="1/2", k=2) == 6
    two = [(first, 9 - first) for first in range(2, 8)]
    best = max(ceil(a / 2) + ceil(b / 2) for a, b in two)
    assert max(best, ceil(9 / 2)) == 5
    model = ceiling("1/2", 2)
    six = Classes.from_counts([9], {"s": [[6, 1, 1, 1]]})
    assert model.must_suppress(six, Context(n_rows=9)).tolist() == [0]
    assert model.violating(six, Context()).all()
    seven = Classes.from_counts([9], {"s": [[7, 1, 1]]})
    assert model.must_suppress(seven, Context(n_rows=9))[0] > 0


def random_tables(n_tables, seed):
    """Small tables over one to three columns of height 1 or 2."""
    rng = np.random.default_rng(seed)
    flat = Hierarchy.from_paths(list("01"), [["*"], ["*"]])
    for _ in range(n_tables):
        trees = [(flat, halves())[rng.integers(2)] for _ in range(rng.integers(1, 4))]
        n = int(rng.integers(3, 11))
        rows = [(*(str(rng.integers(t.n_values)) for t in trees), "nc"[rng.integers(2)]) for _ in range(n)]
        yield rows, trees, Fraction(str(rng.choice(["1/5", "2/5", "1/2", "2/3"]))), int(rng.integers(1, 4))


def compare(n_tables, seed, form):
    """Return how many tables have a valid node, how often the lemmas lose the best one and the root fails."""
    feasible = wrong = rootless = 0
    for rows, trees, alpha, k in random_tables(n_tables, seed):
        counted = table(rows, trees)
        problem = problem_of(counted, alpha, k, form)
        plain = [(tuple(tree.codes[t] for tree, t in zip(trees, row, strict=False)), row[-1]) for row in rows]
        levels = [tree.levels.tolist() for tree in trees]

        def passes(group, *, alpha=alpha, k=k):
            records = [(value, None) for value in group]
            return not alpha_k_anonymity.violates(records, records, alpha={"c": alpha}, k=k, form=form)

        valid = incognito.valid(plain, levels, passes)
        assert Incognito().valid_nodes(counted, problem) == valid
        feasible += bool(valid)
        if valid:
            assert Incognito().search(counted, problem, RNG).recoding.levels == min(
                valid, key=lambda v: (sum(v), v)
            )
        said = incognito.by_the_lemmas(plain, levels, passes)[0]
        wrong += bool(valid) and min(said, key=lambda v: (sum(v), v), default=None) != min(
            valid, key=lambda v: (sum(v), v)
        )
        rootless += bool(valid) and tuple(len(tree) - 1 for tree in levels) not in valid
    return feasible, wrong, rootless


def test_on_random_tables_the_lemmas_lose_the_optimum_of_the_ceiling_form_and_this_search_does_not():
    feasible, wrong, rootless = compare(200, 1, "ceiling")
    assert feasible > 120
    assert wrong > 10
    assert rootless > 10


def test_on_random_tables_of_the_ratio_form_the_lemmas_lose_nothing():
    feasible, wrong, rootless = compare(150, 2, "ratio")
    assert feasible > 30
    assert (wrong, rootless) == (0, 0)
