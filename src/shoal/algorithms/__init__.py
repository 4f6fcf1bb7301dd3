"""Searches for a recoding: one file each."""

from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.incognito import Incognito
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.optimal import Optimal
from shoal.core.registry import Registry

__all__ = ["ALGORITHMS", "Exhaustive", "Incognito", "Mondrian", "Optimal"]

ALGORITHMS = Registry("algorithm", "shoal.algorithms", Exhaustive, Incognito, Mondrian, Optimal)
"""Algorithms by name."""
