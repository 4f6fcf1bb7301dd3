"""(α, k)-anonymity of occupation on Adult, eight quasi-identifiers: Incognito against the proven optimum.

30,162 records with the hierarchies of ARX's repository, as in ``test_arx_adult``. That 1,181 of the 4,320 nodes
are feasible at a limit of 4 % is the outcome of an exhaustive count; predictive tagging finds 1,132 of them.
"""

from fractions import Fraction

import numpy as np
import pytest

from golden.test_arx_adult import EIGHT, adult
from shared import needs_shared
from shoal.algorithms import Incognito, Optimal
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.loss import Distortion
from shoal.loss.measure import measure
from shoal.models import AlphaKAnonymity

pytestmark = [needs_shared, pytest.mark.shared]

RARE = {"alpha": ".1", "values": ["Priv-house-serv", "Armed-Forces"]}


def problem_of(table, model, limit="0"):
    return Problem(models=(model,), loss=Distortion(), context=table.context(), suppression_limit=Fraction(limit))


@pytest.mark.parametrize("form", ["ratio", "ceiling"])
@pytest.mark.parametrize("k", [5, 10, 50])
@pytest.mark.parametrize("limits", [{"alpha": ".2"}, {"alpha": ".3"}, {"alpha": ".5"}, RARE])
def test_incognito_equals_the_optimum_and_does_not_collapse_to_one_class(limits, k, form):
    table = adult(EIGHT)
    problem = problem_of(table, AlphaKAnonymity(sensitive="occupation", k=k, form=form, **limits))
    found, best = (a.search(table, problem, np.random.default_rng(0)) for a in (Incognito(), Optimal()))
    assert found.recoding.levels == best.recoding.levels
    regions = regions_of(found.recoding, table)
    assert regions.n_regions >= 5
    assert not problem.violating(regions.classes(table, problem.columns)).any()
    assert measure(Distortion(), table, regions) <= 0.94


def test_all_feasible_nodes_under_suppression_are_found():
    table = adult(EIGHT)
    problem = problem_of(table, AlphaKAnonymity(sensitive="occupation", k=5, alpha=".5"), limit="0.04")
    assert len(Incognito().valid_nodes(table, problem)) == 1181
