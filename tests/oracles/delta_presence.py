"""Nergiz et al. 2007: of every class of the population, a share between two bounds is in the table."""

from fractions import Fraction

from oracles.tables import classes


def passes(rows, population, *, delta_max, delta_min=0):
    found = classes(rows)
    if not found:
        return True
    low, high = Fraction(delta_min), Fraction(delta_max)
    for labels in set(population) | set(found):
        people, inside = population.count(labels), len(found.get(labels, ()))
        if inside and not (people and low <= Fraction(inside, people) <= high):
            return False
        if not inside and low > 0:
            return False
    return True
