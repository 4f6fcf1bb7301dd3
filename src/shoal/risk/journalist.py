"""Risk for an attacker who knows the population, and not who is in the table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.core.classes import Classes
from shoal.core.population import counted_population
from shoal.core.rational import Exact, exact

__all__ = ["PopulationRisk", "population_risk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRisk:
    """Journalist and marketer risk: 1/F for each member of a class that F people of the population share.

    Parameters
    ----------
    members : int
        Records, or people where a unit is given.
    highest : float or None
        Journalist risk of the class with the fewest people, in [0, 1].
    average : float or None
        Marketer risk: the mean over members, the share of the table that an attacker who links it to the
        population as a whole finds, in [0, 1].
    expected : float
        The same as a number of members.
    threshold : float
    share_above : float or None
        Share of members whose risk is above *threshold*, in [0, 1].
    smallest : int or None
        Fewest people of the population in a class: the k of k-map.
    uniques : int
        Members who are the only one of their kind in the population.
    unknown : int
        Members in classes that the population has fewer people of than the table; the table's count is taken for
        these.
    """

    members: int
    highest: float | None
    average: float | None
    expected: float
    threshold: float
    share_above: float | None
    smallest: int | None
    uniques: int
    unknown: int

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def population_risk(classes: Classes, *, threshold: Exact = "0.2") -> PopulationRisk:
    """Measure the risk of a table by a population that it is a sample of.

    Parameters
    ----------
    classes : Classes
        With their population.
    threshold : int, float, str or Fraction, default "0.2"

    Raises
    ------
    SpecError
        If the classes were counted without a population.

    References
    ----------
    .. [1] El Emam, K. (2013), Guide to the de-identification of personal health information.
       doi:10.1201/b14764

    Examples
    --------
    >>> risk = population_risk(Classes.from_counts([1, 2], population=[4, 10]))
    >>> risk.highest, risk.average, risk.expected
    (0.25, 0.15, 0.45)
    """
    filled = classes.size > 0
    size, people = classes.size[filled], counted_population(classes)[filled]
    known = np.maximum(people, size)
    limit = exact(threshold, "threshold")
    members = int(size.sum())
    expected = float((size / known).sum())
    above = known * limit.numerator < limit.denominator
    return PopulationRisk(
        members=members,
        highest=1 / int(known.min()) if members else None,
        average=expected / members if members else None,
        expected=expected,
        threshold=float(limit),
        share_above=int(size[above].sum()) / members if members else None,
        smallest=int(people.min()) if members else None,
        uniques=int(size[known == 1].sum()),
        unknown=int(size[people < size].sum()),
    )
