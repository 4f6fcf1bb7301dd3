"""Propensity: can anybody tell published rows from original ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.errors import SpecError, nearest_name
from shoal.utility.classification import Tree
from shoal.utility.features import features
from shoal.utility.groups import group_values

__all__ = ["PROPENSITY_METHODS", "Propensity", "propensity"]

PROPENSITY_METHODS = ("logistic", "tree")
"""What tries to tell the rows apart."""

STEPS = 25
SMALL_CHANGE = 1e-8
LEAST_PIVOT = 1e-7
RIDGE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity:
    """How well published rows are told from original ones.

    Parameters
    ----------
    method : {"logistic", "tree"}
    pmse : float
        Mean squared difference between the propensity of a row and the share of published rows; 0 where nothing
        tells them apart.
    expected : float
        The same of a table that draws rows of the original with replacement.
    """

    method: str
    pmse: float
    expected: float

    @property
    def ratio(self) -> float | None:
        """*pmse* over *expected*, about 1 for a release as good as such a table; None where that is 0."""
        return self.pmse / self.expected if self.expected else None

    def as_dict(self) -> dict[str, float | str | None]:
        """Return it as plain values."""
        return {"method": self.method, "pmse": self.pmse, "expected": self.expected, "ratio": self.ratio}


def propensity(
    hierarchies: Sequence[Hierarchy],
    original: NDArray[np.int32],
    published: NDArray[np.int32],
    *,
    method: str = "logistic",
    redraws: int = 5,
    seed: int = 0,
) -> Propensity | None:
    """Measure how well published rows are told from original ones.

    Parameters
    ----------
    hierarchies : sequence of Hierarchy
    original, published : int32 [n_rows, n_columns]
        Values, none of them generalized.
    method : {"logistic", "tree"}, default "logistic"
        ``logistic``: logistic regression on each column by itself, in at most about twelve groups of values: it
        sees what moved in single columns. ``tree``: a decision tree of at least 20 rows a leaf, which sees
        columns together; needs scikit-learn.
    redraws : int, default 5
        Tables drawn from the original for the expectation of ``tree``. That of ``logistic`` is known [1]_.
    seed : int, default 0

    Returns
    -------
    Propensity or None
        None where either table has no rows.

    Raises
    ------
    SpecError
        If the method is unknown.
    EngineError
        If scikit-learn is missing.

    References
    ----------
    .. [1] Snoke, Raab, Nowok, Dibben, Slavkovic (2018), General and specific utility measures for synthetic data,
       Journal of the Royal Statistical Society A 181(3). doi:10.1111/rssa.12358
    """
    if method not in PROPENSITY_METHODS:
        raise SpecError(f"unknown method {method!r} of propensity", fix=nearest_name(method, PROPENSITY_METHODS))
    if not len(original) or not len(published):
        return None
    if method == "logistic":
        return _logistic(hierarchies, original, published)
    rng = np.random.default_rng(seed)
    drawn = [original[rng.integers(0, len(original), len(published))] for _ in range(redraws)]
    expected = [_of_tree(hierarchies, original, table, seed) for table in drawn]
    return Propensity(
        method=method, pmse=_of_tree(hierarchies, original, published, seed), expected=float(np.mean(expected))
    )


def _of_tree(
    hierarchies: Sequence[Hierarchy], original: NDArray[np.int32], published: NDArray[np.int32], seed: int
) -> float:
    x = features(hierarchies, np.concatenate([original, published]))
    y = np.repeat(np.array([0, 1], np.int32), [len(original), len(published)])
    share = Tree(min_samples_leaf=20, ccp_alpha=0.0).grown(x, y, seed).predict_proba(x)[:, 1]
    return float(np.mean((share - y.mean()) ** 2))


def _logistic(
    hierarchies: Sequence[Hierarchy], original: NDArray[np.int32], published: NDArray[np.int32]
) -> Propensity:
    both = np.concatenate([original, published])
    parts = [np.ones((len(both), 1))]
    for hierarchy, column in zip(hierarchies, both.T, strict=True):
        counts = np.bincount(column, minlength=hierarchy.n_values)
        grouping = group_values(hierarchy, counts)
        group = grouping.of_leaf[column]
        filled = np.unique(group)
        # One group is told by the others; an empty one by nothing.
        parts.append((group[:, None] == filled[None, 1:]).astype(np.float64))
    x = np.concatenate(parts, axis=1)
    kept = _independent(x.T @ x)
    x = x[:, kept]
    y = np.repeat([0.0, 1.0], [len(original), len(published)])
    share = len(published) / len(both)
    fitted = _fitted(x, y, share)
    expected = (x.shape[1] - 1) * (1 - share) ** 2 * share / len(both)
    return Propensity(method="logistic", pmse=float(np.mean((fitted - share) ** 2)), expected=expected)


def _independent(gram: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return columns that none of the others tells, by elimination."""
    left = gram.copy()
    kept = []
    for j in range(len(gram)):
        if left[j, j] > LEAST_PIVOT * max(gram[j, j], 1.0):
            kept.append(j)
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return np.array(kept, np.int64)


def _fitted(x: NDArray[np.float64], y: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the fitted probabilities of a logistic regression, by Newton's method."""
    weights = np.zeros(x.shape[1])
    weights[0] = np.log(share / (1 - share))
    fitted = np.full(len(y), share)
    for _ in range(STEPS):
        curvature = x.T @ (x * (fitted * (1 - fitted))[:, None])
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(curvature)), x.T @ (y - fitted))
        # Rows that only one of the tables has would carry a weight to infinity.
        weights = np.clip(weights + np.clip(step, -2, 2), -15, 15)
        fitted = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        if np.abs(step).max() < SMALL_CHANGE:
            break
    return fitted
