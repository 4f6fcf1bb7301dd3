"""Eight patients, as in the worked examples of bucket releases: rows, hierarchies and the table."""

import numpy as np

from shoal.core.hierarchy import Hierarchy
from shoal.core.problem import Problem
from shoal.core.table import FrequencyTable
from shoal.loss import NCP

AGES = (21, 23, 25, 28, 41, 44, 47, 49)
ROWS = [
    line.split()
    for line in """a 21 M Z1 flu
b 23 F Z1 cold
c 25 F Z2 ulcer
d 28 M Z2 flu
e 41 M Z3 cold
f 44 F Z3 flu
g 47 F Z4 asthma
h 49 M Z4 ulcer""".splitlines()
]
TREES = (
    Hierarchy.from_paths([str(age) for age in AGES], [[]] * 8, order=AGES, type="integer"),
    Hierarchy.from_paths(["M", "F"], [[], []]),
    Hierarchy.from_paths(["Z1", "Z2", "Z3", "Z4"], [["Z12"], ["Z12"], ["Z34"], ["Z34"]]),
    Hierarchy.from_paths(["asthma", "cold", "flu", "ulcer"], [[]] * 4),
)
NAMES = ("age", "sex", "zip", "disease")


def patients():
    """The table; its items are the patients a to h in this order."""
    columns = {
        name: (tree, np.array([tree.codes[row[1 + j]] for row in ROWS], np.int32))
        for j, (name, tree) in enumerate(zip(NAMES, TREES, strict=True))
    }
    disease = {"disease": columns.pop("disease")}
    table, _ = FrequencyTable.from_columns(columns, disease)
    return table


def problem(table, *models, **settings):
    return Problem(models=models, loss=NCP(), context=table.context(), **settings)


def together(labels):
    """The patients by the label that each has, as words: ``{"ab", "cd"}``."""
    found = {}
    for name, label in zip("abcdefgh", labels, strict=True):
        found[label] = found.get(label, "") + name
    return set(found.values())
