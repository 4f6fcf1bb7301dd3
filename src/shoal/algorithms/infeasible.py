"""Why no recoding exists, and what would make one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from shoal.core.classes import Classes
from shoal.core.problem import Problem
from shoal.core.protocols import Closure, PrivacyModel
from shoal.core.rational import Exact, exact
from shoal.errors import InfeasibleError, SpecError

__all__ = ["above", "listed", "no_box_is_feasible", "no_node_is_feasible", "relaxed"]


def no_box_is_feasible(problem: Problem, classes: Classes, violating_rows: int) -> InfeasibleError:
    """Explain that the most general table violates a model.

    Parameters
    ----------
    problem : Problem
    classes : Classes
        Classes of the table where every column is as general as allowed.
    violating_rows : int
        Rows of the classes that violate a model.

    Returns
    -------
    InfeasibleError
        To be raised by the caller; its choices name the settings to change.
    """
    failed = [model for model in problem.models if model.violating(classes, problem.context).any()]
    choices = _weaker_models(problem, classes)
    n_rows = problem.context.n_rows
    if violating_rows < n_rows:
        choices.append(f"raise the suppression limit to {above(violating_rows / n_rows)}")
    if not problem.closed_under(Closure.UNION):
        choices.append('try algorithm "optimal": finer classes may pass where the most general ones fail')
    names = listed([model.name for model in failed])
    if not choices:
        choices.append(f"drop {names}, or add records: no weaker setting would do")
    most = "with every column at its highest allowed level" if problem.max_levels else "even as one single class"
    return InfeasibleError(
        f"the table violates {names} {most}",
        where=f"{violating_rows} of {n_rows} rows are in violating classes, {problem.allowed} may be suppressed",
        choices=choices,
    )


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
        choices.append(f"raise the suppression limit to {above(fewest / n)} ({fewest} of {n} records)")
    choices += _weaker_models(problem, top)
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


def above(share: float) -> str:
    """Print a share with four digits, rounded up so that it is enough.

    Examples
    --------
    >>> above(2 / 3), above(0.25)
    ('0.6667', '0.25')
    """
    digits = 3 - math.floor(math.log10(share))
    return f"{math.ceil(share * 10**digits * (1 - 1e-12)) / 10**digits:.12g}"


def _weaker_models(problem: Problem, classes: Classes) -> list[str]:
    """Return what would make *classes*, the most general table, pass without suppressing more."""
    failed = [model for model in problem.models if model.violating(classes, problem.context).any()]
    weaker = [choice for model in failed if (choice := relaxed(model, classes, problem))]
    # Every failing model has to give way, so what they need is one choice.
    choices = [" and ".join(weaker)] if weaker and len(weaker) == len(failed) else []
    if problem.max_levels:
        choices.append("allow higher levels (max_levels) of " + ", ".join(sorted(problem.max_levels)))
    return choices


def listed(names: Sequence[str]) -> str:
    """Return names as they stand in a sentence, each once."""
    return " and ".join(dict.fromkeys(names))


def relaxed(model: PrivacyModel, classes: Classes, problem: Problem) -> str:
    """Return the strictest setting that the classes meet, as an instruction; empty where none is found."""
    if not is_dataclass(model) or isinstance(model, type):
        return ""
    letter, achieved = _letter(model), model.achieved(classes, problem.context)
    reached: dict[str, float] = {}
    if letter and achieved is not None and math.isfinite(achieved):
        reached[letter] = achieved
    if hasattr(model, "k") and len(classes):
        reached["k"] = int(classes.size.min())
    for letters in [{letter} & set(reached), {"k"} & set(reached), set(reached)]:
        values = {name: _weaker(reached[name], getattr(model, name)) for name in sorted(letters)}
        if values and _passes(model, values, classes, problem):
            column = f" on {', '.join(model.columns)}" if model.columns else ""
            verbs = {
                name: "lower" if value < _number(getattr(model, name)) else "raise"
                for name, value in values.items()
            }
            return " and ".join(f"{verbs[name]} {name} to {value:.10g}" for name, value in values.items()) + column
    return ""


def _weaker(achieved: float, required: Exact) -> float:
    """Round towards the weaker side, else the advice would fail by a digit."""
    scale = 1 if isinstance(required, int) and achieved < required else 10**4
    rounded = math.floor(achieved * scale) if achieved < _number(required) else math.ceil(achieved * scale)
    return rounded // scale if rounded % scale == 0 else rounded / scale


def _passes(model: Any, values: dict[str, float], classes: Classes, problem: Problem) -> bool:
    try:
        weaker = replace(model, **values)
    except SpecError:
        return False
    return not weaker.violating(classes, problem.context).any()


def _letter(model: Any) -> str:
    """Return the name of the parameter that holds the model's threshold, or nothing."""
    for field in fields(model):
        value = getattr(model, field.name)
        if not isinstance(value, int | float | Fraction | str) or isinstance(value, bool):
            continue
        try:
            if math.isclose(_number(value), model.required, rel_tol=1e-12):
                return field.name
        except SpecError:
            continue
    return ""


def _number(value: Exact) -> float:
    return float(exact(value, "threshold"))
