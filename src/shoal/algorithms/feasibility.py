"""What no recoding whatsoever can meet, told from the counts of the whole table before any search."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.infeasible import above, listed, relaxed
from shoal.core.classes import Classes, Histogram
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel
from shoal.errors import InfeasibleError
from shoal.models import AlphaKAnonymity, LDiversity

__all__ = ["check_feasible", "smallest_alpha"]


def check_feasible(problem: Problem) -> None:
    """Refuse what cannot be met, however the records are recoded, before anything is searched.

    The whole table is taken as one class. Each model says how many of its rows violate it in any refinement
    (``must_suppress``): that many have to be suppressed by every recoding, local ones too. So what is refused
    here is infeasible; what passes need not be feasible. The ceiling form of (α, k)-anonymity is refused only
    where its necessary condition fails, never because the whole table fails as one class.

    Parameters
    ----------
    problem : Problem
        Only its models, suppression limit and context are read.

    Raises
    ------
    InfeasibleError
        With the weakest settings that would do, exact where a model bounds shares, and the smallest share of
        records that would have to be suppressed.
    """
    context, n = problem.context, problem.context.n_rows
    if not n:
        return
    whole = _whole(problem)
    # What a model needs beside counts, a population or the cells of the classes, only a recoding can say.
    told = [model for model in problem.models if not getattr(model, "reads", ())]
    must = [int(model.must_suppress(whole, context)[0]) for model in told]
    if max(must, default=0) <= problem.allowed and max(must, default=0) < n:
        return
    failed = [(m, rows) for m, rows in zip(told, must, strict=True) if rows > problem.allowed or rows == n]
    weaker = [_weaker(model, whole, problem) for model, _ in failed]
    choices = [" and ".join(dict.fromkeys(chain.from_iterable(weaker)))] if all(weaker) else []
    if max(must) < n:
        choices.append(
            f"raise the suppression limit to at least {above(max(must) / n)} ({max(must)} of {n} records)"
        )
    names = listed([_named(model) for model, _ in failed])
    within = f" with at most {problem.allowed} of {n} records suppressed" if problem.allowed else ""
    raise InfeasibleError(
        f"no recoding meets {names}{within}",
        where="; ".join(_found(model, whole, rows, problem) for model, rows in failed),
        choices=choices or [f"drop {names}, or add records: no weaker setting would do"],
    )


def smallest_alpha(counts: NDArray[np.int64], *, free: int, keep: int) -> Fraction:
    """Return the smallest share to which every value can be held by suppressing rows.

    Rows of the most frequent values go first: no more than t rows of each value are left, and free rows stay.
    The share t / (free + sum of min(count, t)) never falls with t, so the answer has the smallest t that keeps
    enough rows.

    Parameters
    ----------
    counts : int64 [n_values]
        Rows of each value that has a limit.
    free : int
        Rows of values without one.
    keep : int
        How many rows have to stay, from one to all of them.

    Returns
    -------
    Fraction
        In [0, 1]; 0 where the free rows alone are enough.

    Examples
    --------
    Of six and two rows two may go: four and two are left.

    >>> smallest_alpha(np.array([6, 2]), free=0, keep=8), smallest_alpha(np.array([6, 2]), free=0, keep=6)
    (Fraction(3, 4), Fraction(2, 3))
    """
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high) // 2
        if free + int(np.minimum(counts, middle).sum()) >= keep:
            high = middle
        else:
            low = middle + 1
    return Fraction(low, max(1, free + int(np.minimum(counts, low).sum())))


def _whole(problem: Problem) -> Classes:
    """Return the table as one class."""
    context = problem.context
    histograms = {}
    for name in problem.columns:
        column = context.column(name)
        values = np.flatnonzero(column.totals)
        null = column.hierarchy.n_values - 1 if column.hierarchy.has_null else None
        offsets = np.array([0, values.shape[0]], np.int64)
        histograms[name] = Histogram(
            offsets, values.astype(np.int32), column.totals[values].astype(np.int64), null
        )
    members = context.n_rows if context.people is None else context.people
    return Classes(np.array([members], np.int64), np.array([context.n_rows], np.int64), histograms)


def _weaker(model: PrivacyModel, whole: Classes, problem: Problem) -> list[str]:
    """Return the weakest settings that would do, as instructions; empty where none are known."""
    members, column = int(whole.size[0]), " on " + ", ".join(model.columns)
    k = getattr(model, "k", 0) or 0
    if k > members:
        return _with_fewer(model, members, whole, problem)
    if isinstance(model, LDiversity) and model.kind == "distinct":
        values = int(model.achieved(whole, problem.context) or 0)
        # Where all cells are missing no value counts, and nothing is 0-diverse.
        return [f"lower l to {values}{column}"] if values else []
    share = _share(model, whole, problem)
    if share is None:
        choice = relaxed(model, whole, problem)
        return [choice] if choice else []
    if isinstance(model, LDiversity):
        return [f"lower l to {_exact(1 / share, down=True)}{column}"]
    return [f"raise alpha to {_exact(share)}{column}"]


def _with_fewer(model: Any, members: int, whole: Classes, problem: Problem) -> list[str]:
    """Return what else has to give way where k is lowered to the records that there are."""
    lower = f"lower k to {members}"
    if not is_dataclass(model) or isinstance(model, type):
        return [lower]
    lowered: PrivacyModel = replace(model, k=members)  # type: ignore[assignment]
    must = int(lowered.must_suppress(whole, problem.context)[0])
    if must <= problem.allowed and must < problem.context.n_rows:
        return [lower]
    more = _weaker(lowered, whole, problem)
    return [lower, *more] if more else []


def _share(model: PrivacyModel, whole: Classes, problem: Problem) -> Fraction | None:
    """Return the smallest alpha that can be met within the limit; None for models that bound no share."""
    counts = _bounded(model, whole, problem)
    if counts is None or getattr(model, "form", "ratio") != "ratio" or problem.context.by_people:
        return None
    n = int(whole.size[0])
    keep = max(n - problem.allowed, getattr(model, "k", 1))
    return smallest_alpha(counts, free=n - int(counts.sum()), keep=keep)


def _bounded(model: PrivacyModel, whole: Classes, problem: Problem) -> NDArray[np.int64] | None:
    """Return the counts that one common threshold bounds; None for models that have no such thing."""
    if isinstance(model, LDiversity) and model.kind == "frequency":
        return whole.histograms[model.sensitive].counts
    if not isinstance(model, AlphaKAnonymity) or len(set(model.limits.values())) > 1:
        return None
    histogram = whole.histograms[model.sensitive]
    if "" in model.limits and model.values is None and not isinstance(model.alpha, Mapping):
        return histogram.counts
    codes = problem.context.column(model.sensitive).hierarchy.codes
    named = histogram.counts[np.isin(histogram.values, [codes[v] for v in model.limits if v in codes])]
    return named.sum(keepdims=True) if model.reading == "union" else named


def _exact(number: Fraction, *, down: bool = False) -> str:
    """Print a fraction, and a decimal of it that is on the feasible side."""
    if number.denominator == 1:
        return str(number)
    scaled = number * 10**4
    rounded = Fraction(math.floor(scaled) if down else math.ceil(scaled), 10**4)
    return f"{number} ({float(rounded):.10g})"


def _named(model: PrivacyModel) -> str:
    return f"{model.name} on {', '.join(model.columns)}" if model.columns else model.name


def _found(model: PrivacyModel, whole: Classes, rows: int, problem: Problem) -> str:
    """Return what the whole table says about a model, without a value."""
    members, n = int(whole.size[0]), problem.context.n_rows
    k = getattr(model, "k", 0) or 0
    if k > members:
        return f"the table has {members} {'people' if problem.context.by_people else 'records'} and k is {k}"
    if isinstance(model, LDiversity) and model.kind == "distinct":
        values = int(model.achieved(whole, problem.context) or 0)
        return f"column {model.sensitive!r} has {values} values that count, and l is {model.threshold}"
    text = f"{rows} of {n} records violate {_named(model)} in whatever classes they are"
    counts = _bounded(model, whole, problem)
    if counts is not None:
        which = (
            "the values taken together have"
            if getattr(model, "reading", "") == "union"
            else "the most frequent value has"
        )
        text += f", since {which} {int(counts.max(initial=0))} of {n} records"
    return text
