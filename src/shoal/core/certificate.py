"""A proven bound on how far a release is from the unknown optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Certificate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """How close a release by suppression of cells is to the best one, which nobody knows.

    The optimum is the least that any release loses which stars cells until every class is l-eligible: the fewest
    records with a star, and the fewest stars. TP proves a lower bound on both.

    Parameters
    ----------
    sensitive : str
        The sensitive column.
    l : int
        No value has more than the share 1/l of a class.
    phase : {1, 2, 3}
        Phase of TP in which the removed records became l-eligible; the earlier, the better its guarantee.
    n_columns : int
        Quasi-identifiers.
    lower_bound : int
        Records that every such release stars at least: max(r, l * h), where phase one removed r records and the
        most frequent sensitive value has h of them.
    records : int
        Records of this release with a starred cell, or with one that is generalized in place of a star.
    stars : int
        Such cells.
    labels : {"stars", "nodes", "ranges", "sets"}, default "stars"
        What stands for cells that differ in a class.
    coarsened : mapping of str to int
        Level to which each column was generalized first, where above 0. Optimum and bounds are then those of the
        table with these columns as they are at that level.

    Notes
    -----
    With OPT the optimum in records, TP removes OPT of them where phase one ends it, at most OPT + l - 1 in phase
    two and fewer than l * OPT in phase three; it has at most *n_columns* times as many stars as records, and
    every starred record has one star at least.

    References
    ----------
    .. [1] Xiao, X., Yi, K., Tao, Y. (2010), The hardness and approximation algorithms for l-diversity.
       doi:10.1145/1739041.1739060

    Examples
    --------
    >>> proven = Certificate(sensitive="s", l=3, phase=2, n_columns=4, lower_bound=12, records=14, stars=40)
    >>> round(proven.ratio_records, 3), round(proven.bound_records, 3), proven.bound_stars
    (1.167, 1.167, 4.666666666666667)
    """

    sensitive: str
    l: int
    phase: int
    n_columns: int
    lower_bound: int
    records: int
    stars: int
    labels: str = "stars"
    coarsened: Mapping[str, int] = field(default_factory=dict)

    @property
    def bound_records(self) -> float:
        """What the phase guarantees: starred records, in units of the optimum, at most."""
        if self.phase == 1 or not self.lower_bound:
            return 1.0
        return 1 + (self.l - 1) / self.lower_bound if self.phase == 2 else float(self.l)

    @property
    def bound_stars(self) -> float:
        """What the phase guarantees: stars, in units of the optimum, at most."""
        return self.n_columns * self.bound_records

    @property
    def ratio_records(self) -> float:
        """Starred records over the lower bound: this release has at most so many times the optimum; 1 is best."""
        return max(1.0, self.records / self.lower_bound) if self.lower_bound else 1.0

    @property
    def ratio_stars(self) -> float:
        """Stars over the lower bound: this release has at most so many times the optimum; 1 is best."""
        return max(1.0, self.stars / self.lower_bound) if self.lower_bound else 1.0

    @property
    def guarantee(self) -> str:
        """The guarantee of the phase as a formula, with OPT for the optimum in records."""
        return {1: "OPT", 2: f"OPT + {self.l - 1}", 3: f"less than {self.l} * OPT"}[self.phase]

    def as_dict(self) -> dict[str, Any]:
        """Return the certificate as plain data."""
        return {
            "sensitive": self.sensitive,
            "l": self.l,
            "phase": self.phase,
            "guarantee": self.guarantee,
            "n_columns": self.n_columns,
            "lower_bound": self.lower_bound,
            "records": self.records,
            "stars": self.stars,
            "bound_records": self.bound_records,
            "bound_stars": self.bound_stars,
            "ratio_records": self.ratio_records,
            "ratio_stars": self.ratio_stars,
            "labels": self.labels,
            "coarsened": dict(self.coarsened),
        }
