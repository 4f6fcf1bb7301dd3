"""Searches for a recoding that meets every model: one file each."""

from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.optimal import Optimal
from shoal.core.registry import Registry

__all__ = [
    "ALGORITHMS",
    "Exhaustive",
    "Optimal",
]

ALGORITHMS = Registry(
    "algorithm",
    "shoal.algorithms",
    Exhaustive,
    Optimal,
)
