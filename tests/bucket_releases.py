"""Small algorithms that decide by hand, so that what becomes of a decision is tested without a search."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.core.algorithm import Solution
from shoal.core.buckets import Buckets, Fakes
from shoal.core.perturbation import Guarantee, Perturbation, Spent
from shoal.core.regions import SUPPRESSED, WITHHELD, Regions


@dataclass(frozen=True, kw_only=True)
class Dealt:
    """Deals the rows of the sorted table to buckets of a fixed number of rows, the rest to the last.

    ``widened`` makes the cells of the last group that are no sensitive value ``*``; ``suppressed`` leaves out that
    many rows; ``fakes`` invents that many rows per bucket; ``change`` may spoil the decision.
    """

    name: ClassVar[str] = "dealt"
    publishes: ClassVar[str] = "buckets"
    rows: int = 4
    groups: tuple[tuple[str, ...], ...] = ()
    fakes: int = 0
    widened: bool = False
    suppressed: int = 0
    linked: int = 0
    change: object = field(default=None, repr=False)

    def search(self, table, problem, rng):
        sensitive = table.sensitive_names[0]
        groups = self.groups or (table.names, (sensitive,))
        # Rows in the order of sensitive values are dealt in turn, so that each bucket gets different ones.
        of_row = np.repeat(np.arange(table.n_items), table.counts)
        n_buckets = max(1, (table.n_rows - self.suppressed) // self.rows)
        turn = np.argsort(np.argsort(table.sensitive[of_row, 0], kind="stable"), kind="stable")
        bucket = np.where(turn < table.n_rows - self.suppressed, turn % n_buckets, SUPPRESSED)
        pairs, rows = np.unique(np.stack([of_row, bucket]), axis=1, return_counts=True)
        offsets = np.searchsorted(pairs[0], np.arange(table.n_items + 1))
        lo = table.codes[table.point_of_item[pairs[0]]].astype(np.int32)
        hi = lo.copy()
        if self.widened:
            for j, name in enumerate(table.names):
                if name in groups[-1]:
                    lo[:, j], hi[:, j] = 0, table.hierarchies[j].n_values - 1
        fakes = Fakes.none(len(groups))
        if self.fakes:
            inside = [np.flatnonzero(pairs[1] == b) for b in range(n_buckets) for _ in range(self.fakes)]
            source = np.array([[rng.choice(some) for _ in groups] for some in inside], np.int64)
            values = rng.integers(0, table.sensitive_hierarchies[0].n_values, len(inside)).astype(np.int32)
            fakes = Fakes(np.repeat(np.arange(n_buckets), self.fakes).astype(np.int32), source, values)
        buckets = Buckets(
            groups,
            offsets.astype(np.int64),
            pairs[1].astype(np.int32),
            rows.astype(np.int64),
            lo,
            hi,
            n_buckets,
            fakes,
            linked=self.linked,
        )
        return Solution(recoding=self.change(buckets) if self.change else buckets)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Publishes every box of the table's points with hand-made numbers."""

    name: ClassVar[str] = "drawn"
    publishes: ClassVar[str] = "noise"
    sampling_rate: float = 1.0
    holds: bool = True

    def search(self, table, problem, rng):
        n_values = table.sensitive_hierarchies[0].n_values
        region = np.repeat(np.arange(table.n_points), n_values).astype(np.int32)
        values = np.tile(np.arange(n_values), table.n_points).astype(np.int32)
        counts = rng.integers(0, 3, len(region)).astype(np.int64)
        kept = counts > 0
        guarantee = Guarantee(
            epsilon=1.0,
            holds=self.holds,
            limits=("The domain was declared.",),
            ledger=(Spent("structure", 0.5), Spent("counts", 0.5)),
        )
        return Solution(
            recoding=Perturbation(
                table.codes,
                table.codes,
                region[kept],
                values[kept],
                counts[kept],
                table.sensitive_names[0],
                guarantee,
                self.sampling_rate,
            )
        )


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """Publishes every second row of each item as ``*`` in every quasi-identifier but the first."""

    name: ClassVar[str] = "sampled"

    def search(self, table, problem, rng):
        taken = (table.counts + 1) // 2
        offsets, region, rows = [0], [], []
        lo, hi = (
            np.zeros((1, table.n_qi), np.int32),
            np.array([[h.n_values - 1 for h in table.hierarchies]], np.int32),
        )
        first = table.codes[table.point_of_item, 0]
        firsts, of_item = np.unique(first, return_inverse=True)
        lo, hi = np.repeat(lo, len(firsts), axis=0), np.repeat(hi, len(firsts), axis=0)
        lo[:, 0] = hi[:, 0] = firsts
        for i in range(table.n_items):
            for where, n in ((of_item[i], taken[i]), (WITHHELD, table.counts[i] - taken[i])):
                if n:
                    region.append(where)
                    rows.append(n)
            offsets.append(len(rows))
        return Solution(
            recoding=Regions(
                lo,
                hi,
                np.array(offsets, np.int64),
                np.array(region, np.int32),
                np.array(rows, np.int64),
                sampling_rate=0.5,
            )
        )
