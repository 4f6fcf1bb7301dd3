"""Adult (30,162 rows, eight quasi-identifiers, frequency 4-diversity of occupation): what TP and TP+ reach.

For comparison at the same l: the full-domain optimum loses .8041; Mondrian .4014 with stars, .4435 with nodes and
.3030 with sets; Hilbert .3685, .2165 and .1077.
"""

from functools import cache

import numpy as np
import pytest

from golden.test_mondrian_adult import EIGHT, column
from shared import needs_shared
from shoal.algorithms import TP, TPPlus
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.table import FrequencyTable
from shoal.loss import NCP, Stars
from shoal.loss.measure import measure
from shoal.models import LDiversity

pytestmark = [needs_shared, pytest.mark.shared]

FOUR = LDiversity(sensitive="occupation", l=4, kind="frequency")


@cache
def adult():
    quasi = {name: column(name) for name in EIGHT}
    table, _ = FrequencyTable.from_columns(quasi, {"occupation": column("occupation")})
    return table, Problem(models=(FOUR,), loss=NCP(), context=table.context())


def search(algorithm):
    table, problem = adult()
    solution = algorithm.search(table, problem, np.random.default_rng(0))
    regions = regions_of(solution.recoding, table)
    assert not problem.violating(regions.classes(table, problem.columns)).any()
    return table, solution, regions


def test_tp_ends_in_phase_one_so_no_release_stars_fewer_records():
    table, solution, regions = search(TP())
    proven = solution.certificate
    assert (proven.phase, proven.lower_bound, proven.records, proven.stars) == (1, 19_096, 19_096, 152_768)
    assert measure(Stars(), table, regions) == proven.stars


@pytest.mark.parametrize(
    ("labels", "most"),
    [("stars", 0.3025), ("nodes", 0.2075), ("sets", 0.108)],
)
def test_loss_of_tp_plus(labels, most):
    table, _, regions = search(TPPlus(labels=labels))
    assert measure(NCP(), table, regions) <= most


def test_coarsening_age_and_education_first_loses_a_third_less():
    table, solution, regions = search(TPPlus(coarsen="auto", max_nodes=50))
    assert solution.certificate.coarsened == {"age": 3, "education": 2}
    assert measure(NCP(), table, regions) <= 0.213
