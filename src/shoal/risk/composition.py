"""Privacy risk of several releases together: true matches by all matches, in three readings."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["CompositionRisk", "composition_risk"]


@dataclass(frozen=True, kw_only=True)
class CompositionRisk:
    """How often a match is right, for an attacker who lays releases over each other.

    Parameters
    ----------
    true_matches : int
        People who were published in every release, and whose value is left.
    matches : int
        Matches of everybody who is in any of the tables.
    matches_overlap : int
        Matches of those who are in all of them.
    held_triples, triples : int or None
        Matching pairs of classes with a shared value, each value counted: those that hold a person of both with
        that value, and all. None for more than two releases, or where the own class of a person is not known.
    """

    true_matches: int
    matches: int
    matches_overlap: int
    held_triples: int | None = None
    triples: int | None = None

    @property
    def risk_all(self) -> Fraction | None:
        """For an attacker who does not know who is in all tables; in [0, 1], None without matches."""
        return _share(self.true_matches, self.matches)

    @property
    def risk_overlap(self) -> Fraction | None:
        """For an attacker who knows who is in all tables; in [0, 1], None without matches."""
        return _share(self.true_matches, self.matches_overlap)

    @property
    def risk_class(self) -> Fraction | None:
        """Over pairs of classes instead of people; in [0, 1], None where it is not known."""
        return _share(self.held_triples, self.triples)

    def as_dict(self) -> dict[str, float | int | None]:
        """Return the figures as plain values."""
        readings = {name: getattr(self, name) for name in ("risk_all", "risk_overlap", "risk_class")}
        return {
            **{name: None if risk is None else float(risk) for name, risk in readings.items()},
            "true_matches": self.true_matches,
            "matches": self.matches,
            "matches_overlap": self.matches_overlap,
            "held_triples": self.held_triples,
            "triples": self.triples,
        }


def _share(part: int | None, whole: int | None) -> Fraction | None:
    return Fraction(part, whole) if part is not None and whole else None


def composition_risk(
    matches: NDArray[np.int64],
    true: NDArray[np.bool_],
    truth: NDArray[np.int32],
    own: NDArray[np.int32],
    *,
    triples: int | None = None,
) -> CompositionRisk:
    """Count true and all matches.

    Parameters
    ----------
    matches : int64 [n_people]
        Matches of each person.
    true : bool [n_people]
        Whether one of them is true.
    truth : int32 [n_people, n_releases]
        Value of each person in each table, -1 where he is not in it.
    own : int32 [n_people, n_releases]
        Class in which he was published: -1 none, -2 unknown.
    triples : int, optional
        Matching pairs of classes with a shared value, where two releases are compared.

    Examples
    --------
    >>> found = composition_risk(
    ...     np.array([1, 3]), np.array([True, False]), np.array([[0, 0], [1, -1]]), np.array([[0, 0], [0, -1]])
    ... )
    >>> str(found.risk_all), str(found.risk_overlap)
    ('1/4', '1')
    """
    overlap = (truth >= 0).all(axis=1)
    known = truth.shape[1] == 2 and triples is not None and not (own[true] == -2).any()
    held = len(np.unique(np.column_stack([own[true], truth[true, 0]]), axis=0)) if known else None
    return CompositionRisk(
        true_matches=int(true.sum()),
        matches=int(matches.sum()),
        matches_overlap=int(matches[overlap].sum()),
        held_triples=held,
        triples=triples if known else None,
    )
