"""What to tell a user whose limits no level vector meets: how close it came and what would do."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shoal.core.classes import Classes
from shoal.core.protocols import Problem
from shoal.core.verdict import judge
from shoal.errors import InfeasibleError

__all__ = ["no_node_is_feasible"]


def no_node_is_feasible(
    problem: Problem,
    *,
    fewest: int,
    levels: Sequence[int],
    names: Sequence[str],
    top: Classes,
    proven: bool = True,
) -> InfeasibleError:
    """Return the error for a lattice without a feasible node.

    Parameters
    ----------
    problem : Problem
    fewest : int
        Rows that the best attempt would have to suppress.
    levels : sequence of int
        Levels of the best attempt.
    names : sequence of str
        Quasi-identifiers, for the place.
    top : Classes
        The classes of the most general node.
    proven : bool, default True
        Whether all nodes are ruled out, or a budget ended the search.
    """
    n = problem.context.n_rows
    choices = []
    if fewest < n:
        choices.append(f"raise the suppression limit to {_above(fewest / n)} ({fewest} of {n} records)")
    lowered = [
        f"{verdict.model} {_near(verdict.achieved, verdict.required)} instead of {verdict.required:g}"
        for verdict in judge(problem.models, top, problem.context)
        if not verdict.satisfied
        and verdict.achieved is not None
        and math.isfinite(verdict.achieved)
        and verdict.achieved > 0
    ]
    if lowered:
        choices.append(f"ask for {' and '.join(lowered)}, which the most general table reaches")
    if problem.max_levels:
        choices.append("allow higher levels (max_levels) of " + ", ".join(sorted(problem.max_levels)))
    if not choices:
        choices.append("drop a model or a quasi-identifier")
    at = ", ".join(f"{name} {level}" for name, level in zip(names, levels, strict=True))
    limit = f"the models with at most {problem.allowed} of {n} records suppressed"
    if not proven:
        choices.append("raise the budget: not every generalization was tried")
    return InfeasibleError(
        f"no generalization meets {limit}" if proven else f"no generalization was found that meets {limit}",
        where=f"the best attempt leaves {fewest} of {n} records in violating classes (levels: {at})",
        choices=choices,
    )


def _above(share: float) -> str:
    """Print a share with four digits, rounded up so that it is enough."""
    digits = 3 - math.floor(math.log10(share))
    return f"{math.ceil(share * 10**digits * (1 - 1e-12)) / 10**digits:.12g}"


def _near(achieved: float, required: float) -> str:
    """Print a threshold with six digits, rounded to the side on which it is met."""
    if float(achieved).is_integer():
        return f"{achieved:g}"
    scaled = achieved * 10**6
    return f"{(math.floor(scaled) if achieved < required else math.ceil(scaled)) / 10**6:g}"
