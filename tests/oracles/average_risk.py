"""El Emam 2013: the mean over members of 1/(size of the class)."""

from fractions import Fraction

from oracles.tables import sizes


def passes(rows, _population, *, risk):
    risks = [Fraction(1, size) for size in sizes(rows) for _ in range(size)]
    return not risks or sum(risks) / len(risks) <= Fraction(risk)
