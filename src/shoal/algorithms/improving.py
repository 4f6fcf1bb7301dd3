"""Improving a recoding round by round: in each, other classes are neighbours."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.algorithms.asked import asked_of, is_bounded
from shoal.algorithms.atoms import kinds, link, parted
from shoal.algorithms.side_prices import SidePrices
from shoal.algorithms.testing import class_tester
from shoal.core.problem import Problem
from shoal.core.regions import SUPPRESSED, Regions
from shoal.core.table import FrequencyTable
from shoal.kernels.improving.asked import Asked
from shoal.kernels.improving.exchange import exchange_hoods
from shoal.kernels.improving.linked import State, fit_class
from shoal.kernels.improving.neighbourhoods import neighbourhoods
from shoal.kernels.improving.resplit import resplit_hoods
from shoal.kernels.improving.round import improve_hoods

__all__ = ["Effort", "Improver"]

HOOD = 96
"""Classes of a neighbourhood at most."""

MIXED = 4
"""How often each class releases a record of any sensitive value, in each round."""

DRAWS = 4096
"""Random numbers of a round, which are used in turn."""

PAIR = 24
"""Records of two classes that are divided anew at most."""

PART = 16
"""Neighbourhoods between two looks at the clock."""

MOST_COUNTS = 40_000_000
"""Counts of sensitive values in classes that are held at once."""

SINGLE_ROWS = 300_000
"""Rows up to which rows of one record may part, but for what no class needs."""

SAVES = 2e-5
"""Share of the loss that two rounds save together at the least, else the search ends."""

SAVES_MIXED = 0.02
"""The same where shares are bounded or classes close to the table, as rounds are slow then."""

ROOM = 1.1
"""Classes there is room for, in those there are."""


@dataclass(frozen=True, eq=False)
class Effort:
    """How long a search may go on.

    Parameters
    ----------
    moves : int
        Changes at most.
    deadline : float
        By :func:`time.monotonic`.
    rounds : int
        Rounds at most.
    """

    moves: int
    deadline: float
    rounds: int


class Improver:
    """The classes of a recoding, which exchange records; any state between two rounds passes.

    Parameters
    ----------
    table : FrequencyTable
    problem : Problem
        Its models are closed under union.
    start : Regions
        Normalized boxes whose classes pass.
    prices : SidePrices
    most : int, optional
        Rows of the largest class that others may join.
    singles : int or None
        Rows of one record in a class that can leave one by one; as many as a class needs where it is None.
    """

    def __init__(
        self,
        table: FrequencyTable,
        problem: Problem,
        start: Regions,
        prices: SidePrices,
        *,
        most: int | None = None,
        singles: int | None = None,
    ) -> None:
        self.table, self.start, self.prices = table, start, prices
        self.asked, column, self.exact = asked_of(table, problem)
        n_values = len(self.asked.shares)
        if start.n_regions * n_values > MOST_COUNTS:
            column, n_values, self.exact = -1, 1, False
            one = np.ones(1, np.int64)
            self.asked = Asked(self.asked.least, 1, np.ones(1, np.bool_), one, one, np.ones(1), 1.0)
        if most is not None:
            self.asked = self.asked._replace(most=most)
        self.fails = None if self.exact else class_tester(table, problem, by_item=True)
        kept = np.flatnonzero(start.region >= 0)
        item, region, rows = start.item_of_share[kept], start.region[kept], start.rows[kept]
        if table.n_rows <= SINGLE_ROWS:
            most = max(1, self.asked.least) if singles is None else singles
            item, region, rows = parted(item, region, rows, most)
        self.item = item
        self.kind = kinds(table, problem, item, rows)
        n, n_classes = len(item), start.n_regions
        room = int(n_classes * ROOM) + 64
        value = table.sensitive[item, column] if column >= 0 else np.zeros(n, np.int32)
        lo, hi = (np.zeros((room, table.n_qi), np.int32) for _ in range(2))
        lo[:n_classes], hi[:n_classes] = start.lo, start.hi
        self.state = State(
            codes=np.ascontiguousarray(table.codes[table.point_of_item[item]], np.int32),
            rows=rows.astype(np.int64),
            value=np.ascontiguousarray(value, np.int32),
            owner=region.astype(np.int32),
            after=np.empty(n, np.int32),
            head=np.empty(room, np.int32),
            atoms=np.zeros(room, np.int64),
            size=np.zeros(room, np.int64),
            lo=lo,
            hi=hi,
            price=np.zeros(room),
            counts=np.zeros((room, n_values), np.int64),
            change=np.full(room, -1, np.int64),
        )
        self.made = 0
        link(self.state)
        for c in range(n_classes):
            fit_class(self.state, prices.prices, c)

    @property
    def cost(self) -> float:
        """Rows times prices, without the constants of the records."""
        return float(self.state.price @ self.state.size)

    def improve(
        self, effort: Effort, rng: np.random.Generator, progress: Callable[[float, int], None]
    ) -> tuple[int, int, bool]:
        """Exchange records until nothing is saved or the effort is spent.

        *progress* is called with the cost and the changes made, after each part of a round.

        Returns
        -------
        changes, rounds : int
        out_of_time : bool
        """
        atoms, before = (np.empty(len(self.state.rows), np.int64) for _ in range(2))
        last = [self.cost]
        rounds, late = 0, False
        while rounds < effort.rounds and self.made < effort.moves and not late:
            order, starts = self.hoods(rng, HOOD)
            for first in range(0, len(starts) - 1, PART):
                if time.monotonic() >= effort.deadline:
                    late = True
                    break
                if self.made >= effort.moves:
                    break
                some = starts[first : first + PART + 1]
                if self.kind is not None:
                    mixed = MIXED if self.exact else 0
                    self.made += self.exchange(order, some, rng, mixed=mixed, moves=effort.moves - self.made)
                self._improve_some(order, some, effort, (atoms, before))
                if self.exact and not self.prices.prices.fixed.any():
                    self.made += resplit_hoods(
                        self.state, self.prices.prices, self.asked, some, order, PAIR, effort.moves - self.made
                    )
                progress(self.cost, self.made)
            rounds += 1
            last.append(self.cost)
            saves = SAVES_MIXED if is_bounded(self.asked) else SAVES
            if len(last) > 2 and last[-3] - last[-1] <= saves * last[-3]:
                break
        return self.made, rounds, late

    def hoods(self, rng: np.random.Generator, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the classes, sorted into neighbourhoods, and where each of these begins and the last ends."""
        order = np.flatnonzero(self.state.head >= 0)
        starts = np.zeros(2 * len(order) + 2, np.int64)
        n = neighbourhoods(self.state, self.prices.prices, order, most, rng.random(DRAWS), starts)
        return order, starts[: n + 1]

    def exchange(
        self,
        order: NDArray[np.int64],
        starts: NDArray[np.int64],
        rng: np.random.Generator,
        *,
        mixed: int,
        alike: bool = True,
        weight: float = math.inf,
        moves: int = 2**62,
    ) -> int:
        """Let many classes exchange records at once; return how many changes were made.

        Records *alike* first, whose exchange no model can tell, then *mixed* times any.
        """
        kind = self.kind if alike else None
        kind = np.empty(0, np.int32) if kind is None else kind
        return int(
            exchange_hoods(
                self.state, self.prices.prices, self.asked, starts, order, kind, rng.random(DRAWS), mixed, weight,
                moves,
            )
        )  # fmt: skip

    def _improve_some(
        self,
        order: NDArray[np.int64],
        starts: NDArray[np.int64],
        effort: Effort,
        room: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        s, p = self.state, self.prices.prices
        empty = np.flatnonzero(s.head < 0)[::-1].copy()
        s.change[:] = -1
        once = self.fails is not None
        saved = (s.owner.copy(), s.lo.copy(), s.hi.copy()) if once else None
        done, _ = improve_hoods(
            s, p, self.asked, starts, order, empty, len(empty), once, effort.moves - self.made, self.made, *room
        )
        if saved is not None and self.fails is not None and done:
            changed = np.flatnonzero(s.change >= 0)
            place = np.full(len(s.head), -1, np.int64)
            place[changed] = np.arange(len(changed))
            failing = self.fails(self.item, place[s.owner], s.rows, len(changed)) & (s.size[changed] > 0)
            if failing.any():
                wrong = np.isin(s.change, np.unique(s.change[changed[failing]])) & (s.change >= 0)
                done -= len(np.unique(s.change[wrong]))
                owner, lo, hi = saved
                back = wrong[s.owner] | wrong[owner]
                s.owner[back] = owner[back]
                s.lo[wrong], s.hi[wrong] = lo[wrong], hi[wrong]
                link(s)
                for c in np.flatnonzero(wrong).tolist():
                    fit_class(s, p, c)
        self.made += done

    def regions(self, labels: str) -> Regions:
        """Return the classes as normalized boxes; what the start suppressed stays suppressed."""
        s = self.state
        lost = np.flatnonzero(self.start.region < 0)
        item = np.concatenate([self.item, self.start.item_of_share[lost]])
        region = np.concatenate([s.owner, np.full(len(lost), SUPPRESSED, np.int32)])
        rows = np.concatenate([s.rows, self.start.rows[lost]])
        order = np.lexsort((region, item))
        counts = np.bincount(item, minlength=self.table.n_items)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        found = Regions(s.lo, s.hi, offsets, region[order].astype(np.int32), rows[order], labels)
        return found.normalized(self.table.hierarchies)
