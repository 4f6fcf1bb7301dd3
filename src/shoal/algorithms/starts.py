"""What the best recoding starts from: which searches are worth their time on which tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from shoal.algorithms.anytime import MANY_POINTS
from shoal.algorithms.eligibility import implied_eligibility
from shoal.algorithms.inner import check_generalizes, search_regions
from shoal.algorithms.tp_plus import TPPlus
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError
from shoal.models import KAnonymity, LDiversity

__all__ = ["LOOKAHEAD", "start_named", "started", "starts_for"]

STARTS = ("top-down", "mondrian")
"""Starts for tables of any size."""

QUICK = ("mondrian", 0)
"""A start that takes a second for a million records, and its lookahead."""

BOUNDED_STARTS = ("hilbert", "progressive", "tp+")
"""Starts that serve models which bound shares of sensitive values, each on some tables; they take longer."""

SLOW_STARTS = ("optimal", *BOUNDED_STARTS)
"""Starts for small tables."""

FEW_POINTS = 2_000

MIDDLE_POINTS = 50_000
"""Distinct records up to which all starts for bounded shares are tried; beyond it the first alone."""

MOST_NODES = 20_000
"""Nodes of the largest lattice that is searched for a start."""

LOOKAHEAD = 3
"""Cuts of a small box that starts follow to the end."""


def starts_for(
    table: FrequencyTable, problem: Problem, named: Sequence[str] = (), rounds: int | None = None
) -> tuple[tuple[str, int], ...]:
    """Return the searches to start from, each with its lookahead.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    named : sequence of str
        Those that were asked for; where there are none, the table and the models say them.
    rounds : int or None
        Rounds that were asked for after the start.
    """
    if named:
        return tuple((name, LOOKAHEAD) for name in named)
    if table.n_points > MANY_POINTS and (problem.budget_s is None or rounds == 0):
        return (QUICK,)
    names: tuple[str, ...] = STARTS
    if table.n_points <= FEW_POINTS:
        nodes = math.prod(hierarchy.n_levels for hierarchy in table.hierarchies)
        names += tuple(name for name in SLOW_STARTS if name != "optimal" or nodes <= MOST_NODES)
    elif any(map(_bounds_shares, problem.models)):
        names += BOUNDED_STARTS if table.n_points <= MIDDLE_POINTS else BOUNDED_STARTS[:1]
    found = tuple((name, LOOKAHEAD) for name in names)
    return found if problem.budget_s is None else (QUICK, *found)


def _bounds_shares(model: PrivacyModel) -> bool:
    """Tell whether a model asks for more than rows, or people, and different values."""
    return not (isinstance(model, KAnonymity) or (isinstance(model, LDiversity) and model.kind == "distinct"))


def started(algorithm: Any, table: FrequencyTable, problem: Problem) -> Regions:
    """Search with *algorithm*; TP+ is also asked where models only imply the l-diversity that it needs."""
    rng = np.random.default_rng(0)
    if isinstance(algorithm, TPPlus):
        asked = implied_eligibility(table, problem)
        if asked is not None:
            return algorithm.search_implied(table, problem, rng, asked)
    return search_regions(algorithm, table, problem, rng)[1]


def start_named(name: str, *, labels: str, boxes: str, lookahead: int) -> Any:
    """Return a search by name, with these settings where it has them.

    Raises
    ------
    SpecError
        If there is none of that name, or it does not publish every row with generalized cells.
    """
    # The registry lists the search that starts from them too.
    from shoal.algorithms import ALGORITHMS

    algorithm = ALGORITHMS.make(name)
    check_generalizes(algorithm, outer="best")
    known = {field.name for field in fields(algorithm) if field.init}
    given: dict[str, Any] = {"labels": labels, "boxes": boxes, "lookahead": lookahead, "coarsen": "auto"}
    settings = {key: value for key, value in given.items() if key in known}
    try:
        return replace(algorithm, **settings)
    except SpecError:
        # It cannot say that much; what it says can be said with these labels too.
        settings.pop("labels", None)
        return replace(algorithm, **settings)
