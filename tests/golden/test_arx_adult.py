"""Global optima of Adult as ARX 3.9.2 reports them: Loss with the arithmetic mean, and suppressed records.

The table is UCI Adult without missing values, 30,162 records, with the hierarchies of ARX's repository; nine
quasi-identifiers, or eight where occupation is sensitive.
"""

import csv
import functools
from fractions import Fraction

import numpy as np
import pytest

from shared import ROOT, needs_shared
from shoal.algorithms.optimal import Optimal
from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.table import FrequencyTable
from shoal.loss import NCP
from shoal.loss.measure import measure
from shoal.models import KAnonymity, LDiversity, TCloseness

pytestmark = [needs_shared, pytest.mark.shared]

NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
EIGHT = tuple(name for name in NINE if name != "occupation")

K5 = KAnonymity(k=5)
L4 = LDiversity(sensitive="occupation", l=4, kind="distinct")
T2 = TCloseness(sensitive="occupation", t="0.2", ground="equal")

GLOBAL = [
    (NINE, (K5,), "0", 0.63554, 0),
    (NINE, (K5,), "0.04", 0.29282, 1_178),
    (NINE, (K5,), "1", 0.22770, 2_553),
    (NINE, (KAnonymity(k=10),), "0.04", 0.36359, 1_183),
    (NINE, (KAnonymity(k=10),), "1", 0.26774, 3_983),
    (EIGHT, (K5, L4), "0", 0.67915, 0),
    (EIGHT, (K5, L4), "0.04", 0.22031, 980),
    (EIGHT, (K5, L4), "1", 0.18983, 2_881),
    (EIGHT, (K5, T2), "0", 0.92915, 0),
    (EIGHT, (K5, T2), "0.04", 0.83969, 235),
    (EIGHT, (K5, T2), "1", 0.64349, 8_156),
]


@functools.cache
def adult(quasi_identifiers):
    folder = ROOT / "data" / "arx-adult"
    with (folder / "adult.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file, delimiter=";"))

    def column(name):
        with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8", newline="") as file:
            paths = [line for line in csv.reader(file, delimiter=";") if line]
        order = [float(path[0]) for path in paths] if name == "age" else None
        tree = Hierarchy.from_paths([path[0] for path in paths], [path[1:] for path in paths], order=order)
        return tree, np.array([tree.codes[record[name]] for record in records], np.int32)

    sensitive = {} if "occupation" in quasi_identifiers else {"occupation": column("occupation")}
    return FrequencyTable.from_columns({name: column(name) for name in quasi_identifiers}, sensitive)[0]


@pytest.mark.parametrize(("quasi_identifiers", "models", "limit", "loss", "suppressed"), GLOBAL)
def test_global_optimum(quasi_identifiers, models, limit, loss, suppressed):
    table = adult(quasi_identifiers)
    problem = Problem(models=models, loss=NCP(), context=table.context(), suppression_limit=Fraction(limit))
    solution = Optimal().search(table, problem, np.random.default_rng(0))
    regions = regions_of(solution.recoding, table)
    assert solution.optimal
    assert measure(NCP(), table, regions) == pytest.approx(loss, abs=5e-6)
    assert regions.suppressed_rows == suppressed
    assert not problem.violating(regions.classes(table, problem.columns)).any()
