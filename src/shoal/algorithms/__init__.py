"""Searches for a recoding: one file each."""

from shoal.algorithms.anatomy import Anatomy
from shoal.algorithms.best import Best
from shoal.algorithms.diffgen import DiffGen
from shoal.algorithms.dp_counts import DPCounts
from shoal.algorithms.exhaustive import Exhaustive
from shoal.algorithms.hilbert import Hilbert
from shoal.algorithms.hybrid import Hybrid
from shoal.algorithms.incognito import Incognito
from shoal.algorithms.matching import Matching
from shoal.algorithms.merging import Merging
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.progressive import Progressive
from shoal.algorithms.sampled import Sampled
from shoal.algorithms.slicing import Slicing
from shoal.algorithms.tds import TDS
from shoal.algorithms.top_down import TopDown
from shoal.algorithms.tp import TP
from shoal.algorithms.tp_plus import TPPlus
from shoal.core.registry import Registry

__all__ = [
    "ALGORITHMS",
    "TDS",
    "TP",
    "Anatomy",
    "Best",
    "DPCounts",
    "DiffGen",
    "Exhaustive",
    "Hilbert",
    "Hybrid",
    "Incognito",
    "Matching",
    "Merging",
    "Mondrian",
    "Optimal",
    "Progressive",
    "Sampled",
    "Slicing",
    "TPPlus",
    "TopDown",
]

ALGORITHMS = Registry(
    "algorithm",
    "shoal.algorithms",
    Anatomy,
    Best,
    Exhaustive,
    Hilbert,
    Incognito,
    Matching,
    Merging,
    Mondrian,
    Optimal,
    Progressive,
    Slicing,
    TDS,
    TP,
    TPPlus,
    TopDown,
    Sampled,
    DPCounts,
    Hybrid,
    DiffGen,
)
"""Algorithms by name."""
