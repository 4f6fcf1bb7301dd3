"""Which classes and which models keep the published table from saying more: what one step would break."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.core.classes import Classes
from shoal.core.labels import label_intervals
from shoal.core.problem import Problem
from shoal.core.protocols import PrivacyModel
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.workflow.one_step import one_step

__all__ = ["ColumnStep", "HeldClass", "ModelHold", "Refusal", "tight_classes"]

NAMED = 3
"""Classes that are named per model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The classes in which one model refuses the step of one column.

    Parameters
    ----------
    model : str
    columns : tuple of str
        Sensitive columns that the model reads.
    classes, rows : int
    """

    model: str
    columns: tuple[str, ...]
    classes: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnStep:
    """What would happen if one column were told one step finer, each class by itself.

    Parameters
    ----------
    name : str
    classes, rows : int
        Classes in which the column is generalized.
    open_classes : int
        Those of them in which no model refuses the step.
    refused : tuple of Refusal
        By model, those that refuse most first; models that refuse nothing are left out.
    """

    name: str
    classes: int
    rows: int
    open_classes: int
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldClass:
    """A class that a model holds in place, as everybody sees it.

    Parameters
    ----------
    labels : dict of str to str or None
        What is published in each quasi-identifier; None for a missing value.
    rows : int
    """

    labels: dict[str, str | None]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHold:
    """How far one model is what holds the classes where they are.

    Parameters
    ----------
    model : str
    columns : tuple of str
        Sensitive columns that it reads.
    classes, rows : int
        Tight classes: the model refuses the step of every column that is generalized in them.
    of_classes : float
        Their share of all classes, in [0, 1].
    decisive_classes, decisive_rows : int
        Classes in which some step is refused by this model alone.
    largest : tuple of HeldClass
        The largest classes of both kinds.
    values : int or None
        Number of sensitive values that a step which it refuses would show too often; None for models that read
        no sensitive column.
    value_counts : dict of str or None to int
        These values with the number of classes each. Private: they are cell values.
    """

    model: str
    columns: tuple[str, ...]
    classes: int
    rows: int
    of_classes: float
    decisive_classes: int
    decisive_rows: int
    largest: tuple[HeldClass, ...]
    values: int | None
    value_counts: dict[str | None, int] = field(default_factory=dict, repr=False)


def tight_classes(
    table: FrequencyTable, regions: Regions, problem: Problem
) -> tuple[tuple[ColumnStep, ...], tuple[ModelHold, ...]]:
    """Test each class one step finer in each column.

    A step takes a hierarchy's node apart into its children (for stars, into values), and a range or a set of
    values into two parts with as equal numbers of rows as a cut between values can make. It is refused if a part
    that holds rows violates a model.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
        Normalized boxes.
    problem : Problem

    Returns
    -------
    steps : tuple of ColumnStep
        One per quasi-identifier.
    holds : tuple of ModelHold
        One per model.
    """
    found = _Found.of(table, regions, problem)
    steps = tuple(found.step(j, name) for j, name in enumerate(table.names))
    return steps, tuple(found.hold(m) for m in range(len(problem.models)))


@dataclass(frozen=True, eq=False)
class _Found:
    """What each model says of one step in each column and class.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
    problem : Problem
    general : bool [n_qi, n_classes]
        Where the column is generalized.
    refused : bool [n_models, n_qi, n_classes]
    blamed : list of list of int64 [2, n]
        Per model and column, (class, sensitive value) of what a refused step would show too often.
    """

    table: FrequencyTable
    regions: Regions
    problem: Problem
    general: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    blamed: list[list[NDArray[np.int64]]]

    @classmethod
    def of(cls, table: FrequencyTable, regions: Regions, problem: Problem) -> _Found:
        """Take every step and ask every model."""
        general = (regions.lo < regions.hi).T & (regions.region_rows > 0)
        refused = np.zeros((len(problem.models), *general.shape), bool)
        blamed: list[list[NDArray[np.int64]]] = [[] for _ in problem.models]
        for j in np.flatnonzero(general.any(axis=1)).tolist():
            classes, owner = one_step(table, regions, problem, j)
            for m, model in enumerate(problem.models):
                failing = model.violating(classes, problem.context)
                refused[m, j] = np.bincount(owner[failing], minlength=regions.n_regions) > 0
                if model.columns:
                    blamed[m].append(_blamed(model, classes, owner, failing, problem))
        return cls(table, regions, problem, general, refused, blamed)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Rows of each class, int64 [n_classes]."""
        return self.regions.region_rows

    def step(self, j: int, name: str) -> ColumnStep:
        """Return what each model says of the step of one column."""
        general, refused = self.general[j], self.refused[:, j]
        refusals = [
            Refusal(
                model=model.name,
                columns=model.columns,
                classes=int(mask.sum()),
                rows=int(self.rows[mask].sum()),
            )
            for model, mask in zip(self.problem.models, refused, strict=True)
            if mask.any()
        ]
        return ColumnStep(
            name=name,
            classes=int(general.sum()),
            rows=int(self.rows[general].sum()),
            open_classes=int((general & ~refused.any(axis=0)).sum()),
            refused=tuple(sorted(refusals, key=lambda refusal: -refusal.classes)),
        )

    def hold(self, m: int) -> ModelHold:
        """Return the classes that one model holds, and those that it alone holds."""
        model, refused = self.problem.models[m], self.refused[m]
        tight = self.general.any(axis=0) & (~self.general | refused).all(axis=0)
        others = np.delete(self.refused, m, axis=0).any(axis=0)
        decisive = (refused & ~others).any(axis=0)
        counts = self._values(m) if model.columns else {}
        return ModelHold(
            model=model.name,
            columns=model.columns,
            classes=int(tight.sum()),
            rows=int(self.rows[tight].sum()),
            of_classes=float(tight.mean()) if len(tight) else 0.0,
            decisive_classes=int(decisive.sum()),
            decisive_rows=int(self.rows[decisive].sum()),
            largest=self._largest(tight | decisive),
            values=len(counts) if model.columns else None,
            value_counts=counts,
        )

    def _largest(self, held: NDArray[np.bool_]) -> tuple[HeldClass, ...]:
        """Return the largest of some classes, those of one size in the order of their codes."""
        classes = np.flatnonzero(held)
        classes = classes[np.argsort(-self.rows[classes], kind="stable")][:NAMED]
        lo, hi = self.regions.lo[classes], self.regions.hi[classes]
        labels = [
            label_intervals(hierarchy, lo[:, j], hi[:, j], self.regions.labels)
            for j, hierarchy in enumerate(self.table.hierarchies)
        ]
        return tuple(
            HeldClass(labels=dict(zip(self.table.names, told, strict=True)), rows=int(self.rows[c]))
            for c, *told in zip(classes.tolist(), *labels, strict=True)
        )

    def _values(self, m: int) -> dict[str | None, int]:
        """Return in how many classes each sensitive value makes one model refuse a step."""
        leaves = self.problem.context.column(self.problem.models[m].columns[0]).hierarchy.leaves
        pairs = np.concatenate([np.empty((2, 0), np.int64), *self.blamed[m]], axis=1)
        pairs = np.unique(pairs, axis=1)
        times = np.bincount(pairs[1], minlength=len(leaves))
        return {leaves[value]: int(times[value]) for value in np.flatnonzero(times).tolist()}


def _blamed(
    model: PrivacyModel,
    classes: Classes,
    owner: NDArray[np.int64],
    failing: NDArray[np.bool_],
    problem: Problem,
) -> NDArray[np.int64]:
    """Return (class, value), int64 [2, n], of the sensitive values that a failing part shows too often.

    Where a model does not tell (``exceeding``), it is the value that is most over-represented.
    """
    column = model.columns[0]
    histogram = classes.histograms[column]
    exceeding = getattr(model, "exceeding", None)
    if exceeding is not None:
        chosen = exceeding(classes, problem.context)
    else:
        whole = problem.context.column(column).frequencies
        excess = histogram.counts / np.maximum(classes.size, 1)[histogram.owner] - whole[histogram.values]
        chosen = excess == histogram.per_class(np.maximum, excess)[histogram.owner]
    at = np.flatnonzero(chosen & failing[histogram.owner])
    return np.stack([owner[histogram.owner[at]], histogram.values[at].astype(np.int64)])
