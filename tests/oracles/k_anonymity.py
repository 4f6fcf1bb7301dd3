"""Sweeney 2002: a class has at least k members."""

from oracles.counting import members


def violates(records, _whole, *, k):
    return members(records) < k
