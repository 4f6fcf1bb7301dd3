"""Privacy models: one file each, tested on all classes at once."""

from shoal.core.registry import Registry
from shoal.models.alpha_k_anonymity import AlphaKAnonymity
from shoal.models.average_risk import AverageRisk
from shoal.models.beta_likeness import BetaLikeness
from shoal.models.d_alpha_linkable import DAlphaLinkable
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.delta_presence import DeltaPresence
from shoal.models.k_anonymity import KAnonymity
from shoal.models.k_map import KMap
from shoal.models.km_anonymity import KmAnonymity
from shoal.models.l_diversity import LDiversity
from shoal.models.population_uniqueness import PopulationUniqueness
from shoal.models.sample_uniqueness import SampleUniqueness
from shoal.models.t_closeness import TCloseness

__all__ = [
    "MODELS",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "DAlphaLinkable",
    "DeltaDisclosure",
    "DeltaPresence",
    "KAnonymity",
    "KMap",
    "KmAnonymity",
    "LDiversity",
    "PopulationUniqueness",
    "SampleUniqueness",
    "TCloseness",
]

MODELS = Registry(
    "model",
    "shoal.models",
    KAnonymity,
    AlphaKAnonymity,
    LDiversity,
    TCloseness,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DAlphaLinkable,
    KMap,
    KmAnonymity,
    AverageRisk,
    SampleUniqueness,
    PopulationUniqueness,
)
