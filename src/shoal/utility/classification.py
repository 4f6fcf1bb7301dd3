"""How well a decision tree that learned from a release predicts a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.errors import EngineError
from shoal.utility.features import features

__all__ = ["Accuracy", "Tree", "cross_validated", "held_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """How decision trees are grown: with the entropy of the classes, and pruned by cost and complexity.

    Parameters
    ----------
    min_samples_leaf : int, default 2
        Fewest records in a leaf.
    ccp_alpha : float, default 5e-3
        How much a further leaf has to gain, at least 0. The default was tuned on the original of UCI Adult, 4,500
        rows, over three targets; tune it on your original, never on a release.
    folds : int, default 10
        Parts of a cross-validation.
    """

    min_samples_leaf: int = 2
    ccp_alpha: float = 5e-3
    folds: int = 10

    def grown(self, x: NDArray[np.float32], y: NDArray[np.int32], seed: int) -> Any:
        """Return a fitted tree.

        Raises
        ------
        EngineError
            If scikit-learn is missing.
        """
        try:
            from sklearn.tree import DecisionTreeClassifier
        except ImportError:
            raise EngineError("classification needs scikit-learn", fix='pip install "shoal[learn]"') from None
        tree = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_samples_leaf,
            ccp_alpha=self.ccp_alpha,
            random_state=seed,
        )
        return tree.fit(x, y)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Share of records whose value a tree predicts, in [0, 1].

    Parameters
    ----------
    target : str
        The column that is predicted from all others.
    protocol : {"drawn", "held out"}
        ``drawn``: learned and tested, in turns, on published rows in which each cell was replaced by one of its
        values at random. ``held out``: learned on all these rows, tested on original rows that were not released.
    original : float
        Of a tree that learned from the original.
    published : float
        Of one that learned from the release.
    majority : float
        Of guessing the most frequent value of the test rows.
    """

    target: str
    protocol: str
    original: float
    published: float
    majority: float

    def as_dict(self) -> dict[str, float | str]:
        """Return it as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def _split(
    hierarchies: Sequence[Hierarchy], codes: NDArray[np.int32], target: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    others = [j for j in range(len(hierarchies)) if j != target]
    return features([hierarchies[j] for j in others], codes[:, others]), codes[:, target]


def cross_validated(
    hierarchies: Sequence[Hierarchy], codes: NDArray[np.int32], target: int, *, tree: Tree, seed: int
) -> float:
    """Return the share of rows that trees predict which did not learn from them.

    Parameters
    ----------
    hierarchies : sequence of Hierarchy
    codes : int32 [n_rows, n_columns]
        Values, none of them generalized.
    target : int
        Place of the column that is predicted.
    tree : Tree
    seed : int
        Shuffles the rows into folds, and breaks ties in trees.

    Returns
    -------
    float
        In [0, 1]; NaN for fewer than two rows.
    """
    x, y = _split(hierarchies, codes, target)
    folds = min(tree.folds, len(y))
    if folds < 2:
        return float("nan")
    fold = np.random.default_rng(seed).permutation(np.arange(len(y)) % folds)
    right = 0
    for number in range(folds):
        there = fold == number
        right += int((tree.grown(x[~there], y[~there], seed).predict(x[there]) == y[there]).sum())
    return right / len(y)


def held_out(
    hierarchies: Sequence[Hierarchy],
    learned: NDArray[np.int32],
    tested: NDArray[np.int32],
    target: int,
    *,
    tree: Tree,
    seed: int,
) -> float:
    """Return the share of *tested* rows that a tree predicts which learned from other rows.

    The arguments are as in :func:`cross_validated`; NaN where either table has no rows.
    """
    if not len(learned) or not len(tested):
        return float("nan")
    x, y = _split(hierarchies, learned, target)
    wanted, truth = _split(hierarchies, tested, target)
    return float((tree.grown(x, y, seed).predict(wanted) == truth).mean())
