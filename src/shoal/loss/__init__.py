"""Losses: what a recoding costs, 0 where nothing is lost. One file each."""

from shoal.core.registry import Registry
from shoal.loss.average_class_size import AverageClassSize
from shoal.loss.discernibility import Discernibility
from shoal.loss.distortion import Distortion
from shoal.loss.kl_divergence import KLDivergence
from shoal.loss.ncp import NCP
from shoal.loss.ncp_value import NCPValue
from shoal.loss.non_uniform_entropy import NonUniformEntropy
from shoal.loss.precision import Precision
from shoal.loss.stars import Stars

__all__ = [
    "LOSSES",
    "MEASURES",
    "NCP",
    "AverageClassSize",
    "Discernibility",
    "Distortion",
    "KLDivergence",
    "NCPValue",
    "NonUniformEntropy",
    "Precision",
    "Stars",
]

LOSSES = Registry(
    "loss",
    "shoal.loss",
    NCP,
    NCPValue,
    Distortion,
    Precision,
    Stars,
    Discernibility,
    AverageClassSize,
    NonUniformEntropy,
)
"""Losses by name that a search can keep small."""

MEASURES = Registry("measure", "shoal.measures", KLDivergence)
"""Further losses by name, of finished releases."""
