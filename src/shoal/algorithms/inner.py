"""The algorithm inside another: named, named with settings, or given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from shoal.core.algorithm import Algorithm, Solution
from shoal.core.problem import Problem
from shoal.core.recoding import regions_of
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.errors import SpecError

__all__ = ["Inner", "check_generalizes", "inner_of", "search_regions"]

Inner = str | Mapping[str, Any] | Algorithm
"""A name, a mapping of ``algorithm`` to a name and of settings to their values, or an algorithm itself."""


def inner_of(inner: Inner, labels: str | None, *, outer: str) -> Algorithm:
    """Return the algorithm that another one calls.

    Parameters
    ----------
    inner : str, mapping or Algorithm
    labels : str or None
        What it is to publish cells as; None leaves that to it.
    outer : str
        Name of the caller, for errors.

    Raises
    ------
    SpecError
        If there is none of that name, a setting is unknown, or it is the caller itself.

    Examples
    --------
    >>> inner_of({"algorithm": "mondrian", "strict": False}, "ranges", outer="sampled").labels
    'ranges'
    """
    # The registry lists the callers, too.
    from shoal.algorithms import ALGORITHMS

    algorithm: Any = inner
    if isinstance(inner, str):
        algorithm = ALGORITHMS.make(inner)
    elif isinstance(inner, Mapping):
        settings = dict(inner)
        name = settings.pop("algorithm", None)
        if not isinstance(name, str):
            raise SpecError(
                f"the inner algorithm of {outer!r} has no name",
                fix='inner = "mondrian", or inner = { algorithm = "mondrian", strict = false }',
            )
        algorithm = ALGORITHMS.make(name, **settings)
    if not isinstance(algorithm, Algorithm):
        raise SpecError(f"the inner algorithm of {outer!r} is no algorithm", fix='inner = "mondrian"')
    if algorithm.name == outer:
        raise SpecError(f"{outer!r} cannot work inside itself", fix='inner = "mondrian"')
    made: Any = algorithm
    known = {field.name for field in fields(made) if field.init} if is_dataclass(made) else set()
    if labels is not None and "labels" in known:
        made = replace(made, labels=labels)
    elif labels not in {None, "nodes"}:
        raise SpecError(f"algorithm {algorithm.name!r} publishes hierarchy nodes only", fix='labels = "nodes"')
    found: Algorithm = made
    return found


def check_generalizes(algorithm: Algorithm, *, outer: str) -> None:
    """Refuse an algorithm that does not publish every row with generalized cells.

    Raises
    ------
    SpecError
        If it says that it publishes something else, or takes a sample.
    """
    if getattr(algorithm, "publishes", "boxes") != "boxes" or hasattr(algorithm, "sampling_rate"):
        raise SpecError(
            f"{outer!r} cannot use algorithm {algorithm.name!r}, which does not publish every record with "
            "generalized cells",
            fix='name one that does, such as "hilbert" or "mondrian"',
        )


def search_regions(
    inner: Algorithm, table: FrequencyTable, problem: Problem, rng: np.random.Generator
) -> tuple[Solution, Regions]:
    """Return what an algorithm finds, and the same as normalized boxes.

    Raises
    ------
    SpecError
        If it publishes something else than generalized cells, or a sample of its own.
    """
    solution = inner.search(table, problem, rng)
    regions = regions_of(solution.recoding, table)
    if regions.sampling_rate < 1:
        raise SpecError(
            f"algorithm {inner.name!r} takes a sample itself", fix="name the algorithm inside it instead"
        )
    return solution, regions
