"""Attacks: what somebody who knows something learns from published tables. One file each."""

from shoal.attacks.composition import Composition
from shoal.core.registry import Registry

__all__ = ["ATTACKS", "Composition"]

ATTACKS = Registry("attack", "shoal.attacks", Composition)
"""Attacks by name."""
