"""The composition attack on tables that are read already: one space for all of them, links, figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.composition import Composition, Links
from shoal.core.bucket_entries import GroupEntries, PairedValues
from shoal.core.hierarchy import Hierarchy
from shoal.core.published import LeafSets, PublishedBuckets, PublishedClasses, PublishedTable, Side
from shoal.core.schema import Schema
from shoal.errors import HierarchyError, SchemaError
from shoal.kernels.grouping import rank_columns
from shoal.risk.composition import composition_risk
from shoal.workflow.attack_domain import covered, domain_of
from shoal.workflow.attack_people import People
from shoal.workflow.attack_result import CompositionAttack, Finding, Target

__all__ = ["attack_tables", "link_tables"]


@dataclass(frozen=True, eq=False)
class _Space:
    """The columns that everything is compared over."""

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    sides: tuple[tuple[LeafSets, ...], ...]


def attack_tables(
    tables: Sequence[PublishedTable],
    schema: Schema,
    sensitive: Iterable[str],
    *,
    truth: People | None = None,
    targets: People | None = None,
    own: Sequence[str] | None = None,
) -> CompositionAttack:
    """Attack tables that are read already; the arguments are as in :func:`attack_composition`."""
    everybody = [people for people in (truth, targets) if people is not None]
    columns = [
        name
        for name in schema.quasi_identifiers
        if all(people.has(name) for people in everybody) and any(name in table.sides for table in tables)
    ]
    if not columns:
        raise SchemaError(
            "no quasi-identifier is known of everybody and published",
            fix="give the columns the names that they have in the published tables",
        )
    space, notes = _space(columns, tables, schema, everybody)
    unused = [name for name in schema.quasi_identifiers if name not in columns]
    if unused:
        notes.append(f"not known of people, so not used: {', '.join(unused)}")
    return CompositionAttack(
        releases=tuple(table.name for table in tables),
        columns=space.columns,
        findings=tuple(_finding(tables, space, name, truth=truth, targets=targets, own=own) for name in sensitive),
        notes=tuple(notes),
    )


def _space(
    columns: Sequence[str], tables: Sequence[PublishedTable], schema: Schema, everybody: Sequence[People]
) -> tuple[_Space, list[str]]:
    notes, hierarchies = [], []
    sides: list[list[LeafSets]] = [[] for _ in tables]
    for name in columns:
        labels: list[Side] = [side for table in tables for side in table.sides.get(name, ())]
        known = set[str | None]().union(*(people.texts(name) for people in everybody))
        hierarchy, unknown = domain_of(schema[name], known, labels)
        missing = [text for text in known if text not in hierarchy.codes]
        if missing:
            raise HierarchyError(
                f"the hierarchy of column {name!r} lacks {len(missing)} value(s) of the people",
                where=f"column {name!r}",
                fix="add a line for each; in Python, err.examples has them",
                examples=missing,
            )
        if unknown:
            notes.append(
                f"{name}: {unknown} label(s) are no value of the people, and were read as values that nobody has; "
                "if they are groups, give the hierarchy"
            )
        hierarchies.append(hierarchy)
        for table, found in zip(tables, sides, strict=True):
            if name in table.sides:
                found.append(covered(hierarchy, table.sides[name], column=name))
            else:
                notes.append(f"{name}: not a column of {table.name}, where it can be anything")
                found.append(LeafSets.everything(hierarchy.n_values))
    return _Space(tuple(columns), tuple(hierarchies), tuple(tuple(found) for found in sides)), notes


def _classes(
    table: PublishedTable, space: _Space, sides: tuple[LeafSets, ...], name: str, code_of: Mapping[Any, int]
) -> PublishedClasses | PublishedBuckets:
    """Return the classes of a table in code space, with the values of one sensitive column."""
    values = table.sensitive[name]
    code = np.array([code_of[text] for text in values.texts] or [0], np.int32)
    at = {column: j for j, column in enumerate(table.sides)}
    if table.groups:
        return _buckets(table, space, sides, name, code)
    nothing = np.zeros(table.cells.shape[0], np.int32)
    cells = [table.cells[:, at[column]] if column in at else nothing for column in space.columns]
    return PublishedClasses(np.stack(cells, axis=1), sides, values.offsets, code[values.codes])


def _buckets(
    table: PublishedTable, space: _Space, sides: tuple[LeafSets, ...], name: str, code: NDArray[np.int32]
) -> PublishedBuckets:
    """Leave out columns that are not compared, and add those that the table lacks, where everybody fits."""
    values, place = table.sensitive[name], {column: j for j, column in enumerate(space.columns)}
    columns = list(table.sides)
    groups, paired = [], None
    for number, group in enumerate(table.groups):
        kept = [c for c, j in enumerate(group.columns) if columns[j] in place]
        if not kept:
            continue
        entries, entry_of = _narrowed(group, kept, len(table.sensitive[name].offsets) - 1)
        groups.append(
            GroupEntries(
                tuple(place[columns[group.columns[c]]] for c in kept),
                entries.cells,
                entries.offsets,
                entries.buckets,
            )
        )
        pairs = table.pairs.get(name)
        if pairs is not None and pairs.group == number:
            paired = _paired(pairs, len(groups) - 1, entry_of, code)
    lacking = [j for column, j in place.items() if column not in columns]
    if lacking:
        n = len(values.offsets) - 1
        everybody = np.zeros((1, len(lacking)), np.int32)
        everywhere = np.array([0, n], np.int64)
        groups.append(GroupEntries(tuple(lacking), everybody, everywhere, np.arange(n, dtype=np.int32)))
    return PublishedBuckets(tuple(groups), sides, values.offsets, code[values.codes], paired)


def _narrowed(group: GroupEntries, kept: Sequence[int], n_buckets: int) -> tuple[GroupEntries, NDArray[np.int32]]:
    """Return the entries by some of their columns, and which of these each was."""
    cells = group.cells[:, list(kept)]
    entry_of, first = rank_columns(list(cells.T), [int(column.max(initial=0)) + 1 for column in cells.T])
    owner = np.repeat(entry_of, np.diff(group.offsets)).astype(np.int64)
    held = np.unique(owner * n_buckets + group.buckets)
    offsets = np.searchsorted(held // n_buckets, np.arange(len(first) + 1)).astype(np.int64)
    return GroupEntries(tuple(kept), cells[first], offsets, (held % n_buckets).astype(np.int32)), entry_of


def _paired(pairs: PairedValues, group: int, entry_of: NDArray[np.int32], code: NDArray[np.int32]) -> PairedValues:
    n_buckets, entry, value = len(pairs.offsets) - 1, entry_of[pairs.entries], code[pairs.values]
    bucket = np.repeat(np.arange(n_buckets), np.diff(pairs.offsets))
    sizes = [max(n_buckets, 1), int(entry.max(initial=0)) + 1, int(value.max(initial=0)) + 1]
    _, first = rank_columns([bucket, entry, value], sizes)
    offsets = np.searchsorted(bucket[first], np.arange(n_buckets + 1)).astype(np.int64)
    return PairedValues(group, offsets, entry[first], value[first])


def _releases(
    tables: Sequence[PublishedTable], space: _Space, name: str, more: set[str | None]
) -> tuple[list[PublishedClasses | PublishedBuckets], list[str | None]]:
    """Return the tables in code space, and the values of a sensitive column by their codes."""
    texts = more.union(*(table.sensitive[name].texts for table in tables))
    values = sorted(texts, key=lambda text: (text is None, text))
    code_of = {text: code for code, text in enumerate(values)}
    releases = [
        _classes(table, space, sides, name, code_of) for table, sides in zip(tables, space.sides, strict=True)
    ]
    return releases, values


def link_tables(tables: Sequence[PublishedTable], schema: Schema, sensitive: str, people: People) -> Links:
    """Return what tables that are read already tell together of *people*, in one sensitive column.

    Of a bucket, values count that stand beside cells that fit.
    """
    columns = [name for name in schema.quasi_identifiers if any(name in table.sides for table in tables)]
    space, _ = _space(columns, tables, schema, [people])
    releases, _ = _releases(tables, space, sensitive, set())
    return Composition().link(releases, _known(people, space, len(releases)), paired=True)


def _finding(
    tables: Sequence[PublishedTable],
    space: _Space,
    name: str,
    *,
    truth: People | None,
    targets: People | None,
    own: Sequence[str] | None,
) -> Finding:
    releases, values = _releases(tables, space, name, set() if truth is None else truth.texts(name))
    code_of = {text: code for code, text in enumerate(values)}
    attack = Composition()
    met = attack.meet(releases[0], releases[1]) if len(releases) == 2 else None
    risk, figures = None, _figures(None, None)
    if truth is not None:
        known = _known(truth, space, len(releases))
        links = attack.link(releases, known)
        true = truth.truth(name, code_of, len(releases))
        matched, where = attack.true_matches(releases, links, true, _own(tables, truth, own))
        risk = composition_risk(links.matches, matched, true, where, triples=None if met is None else met.triples)
        if any(isinstance(release, PublishedBuckets) and release.pairs for release in releases):
            links = attack.link(releases, known, paired=True)
        figures = _figures(links, np.asarray((true >= 0).all(axis=1), np.bool_))
        figures["correct"] = _correct(links, true)
    told: tuple[Target, ...] = ()
    if targets is not None:
        links = attack.link(releases, _known(targets, space, len(releases)), paired=True)
        figures = _figures(links, np.ones(len(targets), np.bool_))
        told = _told(links, targets, values)
    return Finding(sensitive=name, targets=told, risk=risk, meetings=met, **figures)


def _own(tables: Sequence[PublishedTable], truth: People, own: Sequence[str] | None) -> NDArray[np.int32] | None:
    """Return the bucket in which each person was published, -1 for none and -2 where it is not known."""
    if own is None:
        return None
    columns = []
    for number, table in enumerate(tables):
        code_of = {label: code for code, label in enumerate(table.bucket_labels)}
        told = truth.places(own[number] if len(own) > 1 else own[0], code_of, number)
        columns.append(told if table.groups else np.full(len(truth), -2, np.int32))
    return np.stack(columns, axis=1)


def _known(people: People, space: _Space, n_releases: int) -> list[NDArray[np.int32]]:
    columns = [
        people.codes(name, hierarchy, n_releases)
        for name, hierarchy in zip(space.columns, space.hierarchies, strict=True)
    ]
    return [np.stack([column[i] for column in columns], axis=1) for i in range(n_releases)]


def _figures(links: Links | None, attacked: NDArray[np.bool_] | None) -> dict[str, Any]:
    if links is None or attacked is None:
        return dict.fromkeys(("people", "excluded", "disclosed", "disclosed_alone", "newly"), 0)
    sizes = links.together.sizes[attacked]
    disclosed, alone = links.disclosed[attacked], links.disclosed_alone[attacked]
    return {
        "people": int(attacked.sum()),
        "excluded": int((sizes == 0).sum()),
        "disclosed": int(disclosed.sum()),
        "disclosed_alone": int(alone.sum()),
        "newly": int((disclosed & ~alone).sum()),
        "mean_candidates": float(sizes[sizes > 0].mean()) if (sizes > 0).any() else None,
    }


def _correct(links: Links, truth: NDArray[np.int32]) -> int:
    """Count people whose one value is what every private table says."""
    everywhere = (truth >= 0).all(axis=1) & (truth == truth[:, :1]).all(axis=1)
    right = links.together.at(truth[:, 0]) >= 0
    return int((links.disclosed & everywhere & right).sum())


def _told(links: Links, people: People, values: Sequence[str | None]) -> tuple[Target, ...]:
    return tuple(
        Target(
            person=None if people.names is None else people.names[u],
            row=u,
            alone=tuple(tuple(values[code] for code in sets.of(u)) for sets in links.alone),
            candidates=tuple(values[code] for code in links.together.of(u)),
        )
        for u in range(len(people))
    )
