"""Searches for a recoding: one file each."""

from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.hilbert import Hilbert
from shoal.algorithms.matching import Matching
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.tds import TDS
from shoal.core.registry import Registry

__all__ = ["ALGORITHMS", "TDS", "Exhaustive", "Hilbert", "Matching", "Mondrian", "Optimal"]

ALGORITHMS = Registry("algorithm", "shoal.algorithms", Exhaustive, Hilbert, Matching, Mondrian, Optimal, TDS)
"""Algorithms by name."""
