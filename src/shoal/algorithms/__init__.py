"""Searches for a recoding: one file each."""

from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.progressive import Progressive
from shoal.algorithms.top_down import TopDown
from shoal.core.registry import Registry

__all__ = ["ALGORITHMS", "Exhaustive", "Mondrian", "Optimal", "Progressive", "TopDown"]

ALGORITHMS = Registry("algorithm", "shoal.algorithms", Exhaustive, Mondrian, Optimal, TopDown, Progressive)
"""Algorithms by name."""
