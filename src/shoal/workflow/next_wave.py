"""Whether a release may be published beside those before it, and remembering it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.core.label_reading import label_interval, parse_label
from shoal.core.published import PublishedTable, Side
from shoal.core.schema import Column, Role, Schema
from shoal.engines.encode import EncodedColumn
from shoal.engines.published import read_buckets, read_published
from shoal.errors import PolicyError, ShoalWarning
from shoal.io.staged import Staged
from shoal.report.words import count, percent
from shoal.workflow.attack_people import People
from shoal.workflow.attack_tables import link_tables
from shoal.workflow.beside import ReleaseFacts, checked_groups
from shoal.workflow.ledger import Ledger
from shoal.workflow.prepare import text_expressions
from shoal.workflow.release import Release

__all__ = ["NextWave", "WaveVerdict", "next_wave"]


@dataclass(frozen=True, kw_only=True)
class WaveVerdict:
    """Whether a release is safe together with others, in one sensitive column.

    Parameters
    ----------
    releases : tuple of int
        Numbers of the earlier releases in the ledger.
    sensitive : str
    records : int
        Records of the new table.
    disclosed : int
        Those of which one sensitive value is left to somebody who knows that the person is in all of them.
    newly : int
        Those of them that no release gives away by itself.
    """

    releases: tuple[int, ...]
    sensitive: str
    records: int
    disclosed: int
    newly: int

    @property
    def safe(self) -> bool:
        """Whether the releases together give nobody away whom one of them alone does not."""
        return self.newly == 0

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        numbers = ", ".join(map(str, self.releases))
        others = f"release {numbers}" if len(self.releases) == 1 else f"releases {numbers} at once"
        if self.safe:
            return (
                f"{self.sensitive}: safe together with {others}; they give nobody away whom none of them gives "
                "away alone"
            )
        return (
            f"{self.sensitive}: not safe together with {others}; of people who are in all of them, "
            f"{count(self.newly)} of {count(self.records, 'record')} ({percent(self.newly / self.records)}) are "
            "given away by the releases together, and by none of them alone"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "releases": list(self.releases),
            "sensitive": self.sensitive,
            "safe": self.safe,
            "records": self.records,
            "disclosed": self.disclosed,
            "newly_disclosed": self.newly,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class NextWave:
    """The verdicts on a release, and the ledger that remembers it.

    Parameters
    ----------
    verdicts : tuple of WaveVerdict
        For each earlier release, and for all of them at once where there are several.
    ledger : Ledger
        With the new release.
    path : Path
    """

    verdicts: tuple[WaveVerdict, ...]
    ledger: Ledger
    path: Path

    def write(self, publish: Callable[[], None] = lambda: None) -> None:
        """Put the ledger in place, a file that only this user may read, right after *publish*.

        It is written before that, so that a table is not published and then forgotten for want of space.
        """
        with Staged(force=True) as files:
            self.ledger.stage(self.path, files)
            publish()
            files.commit()


def next_wave(path: str | Path, release: Release, *, refuse: bool) -> tuple[Release, NextWave]:
    """Hold a release that is not published yet against a ledger.

    Parameters
    ----------
    path : str or Path
        The ledger; it is begun where it is not there.
    release : Release
        With ``published``.
    refuse : bool
        Raise an error instead of a warning where it is not safe.

    Returns
    -------
    release : Release
        With the verdicts in its warnings and in its private manifest.
    wave : NextWave
        To be written once the release is published.

    Raises
    ------
    PolicyError
        If it is not safe together with an earlier release, and *refuse*.
    SpecError
        If the file is no ledger.
    """
    ledger = Ledger.read(path, missing_is_empty=True)
    new = _remembered(release, len(ledger.releases) + 1)
    verdicts = _verdicts(ledger.releases, new, release)
    wave = NextWave(verdicts=verdicts, ledger=ledger.with_release(new), path=Path(path))
    unsafe = [verdict.sentence for verdict in verdicts if not verdict.safe]
    if unsafe and refuse:
        raise PolicyError(
            "the release is not safe together with those of the ledger; nothing was published",
            where="; ".join(unsafe),
            fix="ask for a larger l or k, or coarser columns; or publish it without refusing, and accept that",
        )
    for sentence in unsafe:
        warnings.warn(sentence, ShoalWarning, stacklevel=2)
    told = {"ledger": [verdict.as_dict() for verdict in verdicts]}
    return (
        replace(release, warnings=(*release.warnings, *unsafe), private={**release.private, **told}),
        wave,
    )


def _remembered(release: Release, number: int) -> PublishedTable:
    """Read what is published of each class, and what its labels cover."""
    table = release.table
    assert release.published is not None  # noqa: S101 (a release that is about to be published has rows)
    frame = release.published()
    sensitive = [column["name"] for column in release.columns if column["role"] == Role.SENSITIVE]
    facts, name = ReleaseFacts.of_manifest(release.manifest), f"release {number} of the ledger"
    wanted = [*table.names, *sensitive, *([facts.bucket] if facts.groups else [])]
    texts = frame.select(text_expressions(frame, wanted).values())
    if facts.groups:
        groups = checked_groups(facts.groups, [*table.names, *sensitive], where=name)
        found = read_buckets(texts, table.names, sensitive, name=name, groups=groups, bucket=facts.bucket)
    else:
        found = read_published(texts, table.names, sensitive, name=name)
    sides = {
        name: tuple(_side(hierarchy, side.label) for side in found.sides[name])
        for name, hierarchy in zip(table.names, table.hierarchies, strict=True)
    }
    return replace(found, sides=sides)


def _side(hierarchy: Hierarchy, label: str | None) -> Side:
    if label is None or label == ANY:
        return Side(label)
    interval = label_interval(hierarchy, label)
    if interval is None:
        return Side(
            label, values=tuple(hierarchy.leaves[c] for c in np.flatnonzero(parse_label(hierarchy, label)))
        )
    first, last = (hierarchy.leaves[code] for code in interval)
    if hierarchy.ordered and first is not None and last is not None:
        return Side(label, ends=(first, last))
    return Side(label, values=hierarchy.leaves[interval[0] : interval[1] + 1])


def _verdicts(earlier: Sequence[PublishedTable], new: PublishedTable, release: Release) -> tuple[WaveVerdict, ...]:
    table = release.table
    columns = {
        name: EncodedColumn(hierarchy.leaves, table.codes[:, j])
        for j, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True))
    }
    people = People((columns,), np.arange(table.n_points)[:, None], None)
    rows = np.bincount(table.point_of_item, table.counts, table.n_points).astype(np.int64)
    schema = Schema(
        columns=[
            Column(name, Role.QUASI_IDENTIFIER, None, hierarchy)
            for name, hierarchy in zip(table.names, table.hierarchies, strict=True)
        ]
    )
    groups: list[tuple[int, ...]] = [(number,) for number in range(1, len(earlier) + 1)]
    if len(earlier) > 1:
        groups.append(tuple(range(1, len(earlier) + 1)))
    verdicts = []
    for group in groups:
        tables = [*(earlier[number - 1] for number in group), new]
        for name in new.sensitive:
            if not all(name in other.sensitive for other in tables):
                continue
            if not all(set(other.sides) & set(table.names) for other in tables):
                continue
            links = link_tables(tables, schema, name, people)
            verdicts.append(
                WaveVerdict(
                    releases=group,
                    sensitive=name,
                    records=int(rows.sum()),
                    disclosed=int(rows[links.disclosed].sum()),
                    newly=int(rows[links.disclosed & ~links.disclosed_alone].sum()),
                )
            )
    return tuple(verdicts)
