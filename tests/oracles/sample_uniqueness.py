"""El Emam 2013: the share of members who are alone in their class."""

from fractions import Fraction

from oracles.tables import sizes


def passes(rows, _population, *, share):
    found = sizes(rows)
    return not found or Fraction(found.count(1), sum(found)) <= Fraction(share)
