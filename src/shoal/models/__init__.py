"""Privacy models: one file each, tested on all classes at once."""

from shoal.core.registry import Registry
from shoal.models.alpha_k_anonymity import AlphaKAnonymity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.l_diversity import LDiversity
from shoal.models.t_closeness import TCloseness

__all__ = ["MODELS", "AlphaKAnonymity", "KAnonymity", "LDiversity", "TCloseness"]

MODELS = Registry("model", "shoal.models", KAnonymity, AlphaKAnonymity, LDiversity, TCloseness)
