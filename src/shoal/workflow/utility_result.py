"""What a release is still good for, as figures and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.report.words import count, percent
from shoal.utility.classification import Accuracy
from shoal.utility.count_queries import QueryError
from shoal.utility.distances import Distance
from shoal.utility.propensity import Propensity

__all__ = ["Utility"]


@dataclass(frozen=True, kw_only=True)
class Utility:
    """What a published table tells beside its original.

    Parameters
    ----------
    rows_original, rows_published : int
        The second counts invented rows too, where there are such.
    columns : tuple of str
        Quasi-identifiers and sensitive columns that were compared.
    distortion : mapping of str to float
        By its readings, ``tree`` and ``ncp``, each in [0, 1]; 0 for the original.
    queries : tuple of QueryError
        By dimension and estimator; 0 for the original.
    accuracies : tuple of Accuracy
        By target and protocol, each beside that of the original.
    propensity : Propensity or None
    distances : tuple of Distance
        Of each column and each pair; 0 for the original.
    notes : tuple of str
        How tables were read, and what could not be measured.
    """

    rows_original: int
    rows_published: int
    columns: tuple[str, ...]
    distortion: Mapping[str, float]
    queries: tuple[QueryError, ...] = ()
    accuracies: tuple[Accuracy, ...] = ()
    propensity: Propensity | None = None
    distances: tuple[Distance, ...] = ()
    notes: tuple[str, ...] = ()

    def distance(self, *columns: str) -> float | None:
        """Return how far a column, or a pair of them, moved; in [0, 1].

        Raises
        ------
        KeyError
            If it was not compared.
        """
        for found in self.distances:
            if set(found.columns) == set(columns):
                return found.distance
        raise KeyError(columns)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "rows_original": self.rows_original,
            "rows_published": self.rows_published,
            "columns": list(self.columns),
            "distortion": dict(self.distortion),
            "queries": [error.as_dict() for error in self.queries],
            "classification": [accuracy.as_dict() for accuracy in self.accuracies],
            "propensity": None if self.propensity is None else self.propensity.as_dict(),
            "distances": [{"columns": list(d.columns), "distance": d.distance} for d in self.distances],
            "notes": list(self.notes),
            "sentences": list(self.sentences),
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words, without a value of a cell."""
        said = [
            f"{count(self.rows_published, 'row')} were published of {count(self.rows_original)}.",
            f"Cells climbed {percent(self.distortion['tree'])} of the way to *.",
        ]
        for error in self.queries:
            if error.estimator == "expected" and error.mean is not None:
                kind = "of yours" if error.dimension is None else f"over {error.dimension} of the columns"
                said.append(
                    f"Counts {kind} are off by {percent(error.mean)} on average, half of them by at most "
                    f"{percent(error.median)} ({count(error.queries, 'query', 'queries')})."
                )
        for found in self.accuracies:
            how = "on rows drawn from the cells" if found.protocol == "drawn" else "on original rows held out"
            said.append(
                f"A tree predicts {found.target} {how} for {percent(found.published)}, for "
                f"{percent(found.original)} where it learns from the original, and guessing gives "
                f"{percent(found.majority)}."
            )
        if self.propensity is not None and self.propensity.ratio is not None:
            said.append(
                f"Told from the original by {self.propensity.method}: {self.propensity.ratio:,.1f} times as well "
                "as a table that draws its rows anew (pMSE ratio)."
            )
        pairs = [(d.distance, d.columns) for d in self.distances if len(d.columns) == 2 and d.distance is not None]
        if pairs:
            moved, columns = max(pairs)
            said.append(f"The pair that moved most is {' and '.join(columns)}: {percent(moved)} of the records.")
        return tuple(said)
