"""Sweeney 2001: at least k people of the population have the labels of every class."""

from oracles.tables import classes


def passes(rows, population, *, k):
    return all(population.count(labels) >= k for labels in classes(rows))
