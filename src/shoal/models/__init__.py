"""Privacy models: one file each, tested on all classes at once."""

from shoal.core.registry import Registry
from shoal.models.k_anonymity import KAnonymity

__all__ = ["MODELS", "KAnonymity"]

MODELS = Registry("model", "shoal.models", KAnonymity)
