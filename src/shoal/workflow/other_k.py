"""What one more, or one fewer, in a group would cost: the same search with another k."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from shoal.core.algorithm import Algorithm
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel
from shoal.core.recoding import regions_of
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError, SpecError
from shoal.loss.measure import measure

__all__ = ["OtherK", "other_k"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherK:
    """The outcome of the same search with another k.

    Parameters
    ----------
    k : int
    loss : float or None
        Value of the objective; None where it is infeasible.
    complete : bool
        Whether the search ended before its time was over; else the loss may be less.
    """

    k: int
    loss: float | None
    complete: bool = True

    @property
    def feasible(self) -> bool:
        """Whether the limits allow it."""
        return self.loss is not None


def other_k(
    table: FrequencyTable, problem: Problem, algorithm: Algorithm, *, seed: int, budget_s: float
) -> tuple[OtherK, ...]:
    """Search with k + 1 and k - 1, k being the largest that a model asks for.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
    algorithm : Algorithm
    seed : int
        Of the release, so that nothing but k differs.
    budget_s : float
        Seconds for both; what is not begun in time is left out. A search that knows no budget may take longer.

    Returns
    -------
    tuple of OtherK
        Empty where no model has a k; without a k that the algorithm does not support.
    """
    k = max((_k(model) for model in problem.models), default=0)
    if not k:
        return ()
    started = time.perf_counter()
    found = []
    for other in _tried(k):
        left = budget_s - (time.perf_counter() - started)
        if left <= 0:
            break
        models = tuple(_with(model, other) if _k(model) == k else model for model in problem.models)
        asked = replace(problem, models=models, budget_s=left, progress=lambda _share, _text: None)
        try:
            solution = algorithm.search(table, asked, np.random.default_rng([seed, 1]))
        except InfeasibleError:
            found.append(OtherK(k=other, loss=None))
            continue
        except SpecError:
            # The algorithm cannot promise this k beside the other models.
            continue
        loss = measure(problem.loss, table, regions_of(solution.recoding, table), problem.weights)
        found.append(OtherK(k=other, loss=loss, complete=time.perf_counter() - started <= budget_s))
    return tuple(found)


def _tried(k: int) -> Iterator[int]:
    yield k + 1
    if k > 1:
        yield k - 1


def _k(model: PrivacyModel) -> int:
    named = is_dataclass(model) and any(field.name == "k" for field in fields(model))
    return getattr(model, "k", 0) or 0 if named else 0


def _with(model: Any, k: int) -> PrivacyModel:
    changed: PrivacyModel = replace(model, k=k)
    return changed
