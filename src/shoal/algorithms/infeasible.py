"""Why no recoding exists, and what would make one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction

from shoal.core.classes import Classes
from shoal.core.protocols import PrivacyModel, Problem
from shoal.errors import InfeasibleError

__all__ = ["infeasible"]


def infeasible(problem: Problem, classes: Classes, violating_rows: int) -> InfeasibleError:
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
    choices = [choice for model in failed if (choice := _relaxed(model, classes, problem))]
    if len(choices) > 1:
        choices = [" and ".join(choices)]
    if problem.max_levels:
        choices.append("allow higher levels in " + ", ".join(sorted(problem.max_levels)))
    n_rows = problem.context.n_rows
    if violating_rows < n_rows:
        share = math.ceil(10**4 * violating_rows / n_rows) / 10**4
        choices.append(f"raise the suppression limit to {share:g}")
    names = _listed([model.name for model in failed])
    most = "with every column at its highest allowed level" if problem.max_levels else "even as one single class"
    return InfeasibleError(
        f"the table violates {names} {most}",
        where=f"{int(violating_rows)} of {n_rows} rows are in classes that violate, {problem.allowed} may be suppressed",
        choices=choices,
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(names))


def _relaxed(model: PrivacyModel, classes: Classes, problem: Problem) -> str:
    """Return the nearest threshold that the classes meet, as an instruction."""
    achieved = model.achieved(classes, problem.context)
    if achieved is None or not math.isfinite(achieved) or achieved == model.required:
        return ""
    letter = _letter(model)
    column = f" of {', '.join(model.columns)}" if model.columns else ""
    if achieved < model.required:
        # Rounding goes towards the weaker side, else the advice would fail by a digit.
        weaker = math.floor(achieved * 10**4) / 10**4
        return f"lower {letter}{column} to {weaker:g}"
    return f"raise {letter}{column} to {math.ceil(achieved * 10**4) / 10**4:g}"


def _letter(model: PrivacyModel) -> str:
    """Return the name of the model's parameter that holds its threshold."""
    if is_dataclass(model):
        for field in fields(model):
            value = getattr(model, field.name)
            if isinstance(value, int | float | Fraction) and not isinstance(value, bool):
                if math.isclose(float(value), model.required, rel_tol=1e-12):
                    return field.name
    return f"the threshold of {model.name}"
