"""The algorithm of a run that names none."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.core.protocols import PrivacyModel, scope_of

__all__ = ["default_algorithm"]

LOCAL = "best"
GLOBAL = "optimal"


def default_algorithm(models: Iterable[PrivacyModel]) -> str:
    """Return the name of the algorithm where none is named.

    It is ``"best"``, or ``"optimal"`` where a model is a condition on the whole table or counts a population,
    which local recoding cannot hold.

    Examples
    --------
    >>> from shoal.models import KAnonymity, KMap
    >>> default_algorithm([KAnonymity(k=5)]), default_algorithm([KMap(k=5)])
    ('best', 'optimal')
    """
    for model in models:
        if scope_of(model) == "table" or "population" in getattr(model, "reads", ()):
            return GLOBAL
    return LOCAL
