"""Searches for a recoding: one file each."""

from shoal.algorithms.mondrian import Mondrian
from shoal.core.registry import Registry

__all__ = ["ALGORITHMS", "Mondrian"]

ALGORITHMS = Registry("algorithm", "shoal.algorithms", Mondrian)
"""Algorithms by name."""
