"""Two or more releases laid over each other: what they tell together of a person who is in all of them."""

from shoal.attacks.composition.attack import Composition
from shoal.attacks.composition.links import Links, ValueSets
from shoal.attacks.composition.meetings import Meetings

__all__ = ["Composition", "Links", "Meetings", "ValueSets"]
