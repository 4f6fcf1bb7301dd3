"""The composition attack on published tables, as frames and as files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.core.published import PublishedTable
from shoal.core.schema import Column, Schema
from shoal.engines.published import read_buckets, read_published
from shoal.errors import SchemaError, SpecError, nearest_name
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.io.texts import declared_type
from shoal.workflow.attack_people import People, people_of
from shoal.workflow.attack_result import CompositionAttack
from shoal.workflow.attack_tables import attack_tables
from shoal.workflow.beside import BUCKET, ReleaseFacts, checked_groups
from shoal.workflow.ledger import Ledger
from shoal.workflow.prepare import numbers, text_expressions
from shoal.workflow.released_frame import frame_of
from shoal.workflow.spec import Spec

__all__ = ["attack_composition", "attack_composition_files"]


def attack_composition(
    releases: Sequence[Any],
    schema: Schema,
    *,
    truth: Any = None,
    targets: Any = None,
    person: str | None = None,
    ledger: str | Path | None = None,
    groups: Any = None,
    bucket: str = BUCKET,
    own: str | Sequence[str] | None = None,
) -> CompositionAttack:
    """Tell what releases give away together of people who are in all of them.

    Parameters
    ----------
    releases : sequence of Release or DataFrame
        Two or more published tables, of this or of other tools, in any frame that narwhals knows. A ``Release``
        brings its groups with it.
    schema : Schema
        Quasi-identifiers and sensitive columns. A hierarchy of a quasi-identifier says what its labels cover;
        without one, the values of the people and what the labels look like say it.
    truth : DataFrame or sequence of them, optional
        The private table, if everybody in it is in all releases, or one for each release.
    targets : DataFrame, optional
        What is known of the people who are looked for, one row each; columns that are not there are not known.
    person : str, optional
        Column that names people in *truth* and *targets*; needed to join several private tables.
    ledger : path, optional
        A ledger of releases that were published before; they come before *releases*.
    groups : sequence of sequence of str, optional
        Columns that were shuffled together within buckets, in the releases that have a column *bucket*; or one
        such sequence, or None, for each release. ``manifest["buckets"]["groups"]`` has them.
    bucket : str, default "bucket"
        The column that numbers the buckets.
    own : str or sequence of str, optional
        Column of the private tables that says in which bucket each row was published, missing where it was not;
        or one column for each release. Without it, it is the bucket that fits and holds the row's value, where
        there is only one.

    Returns
    -------
    CompositionAttack

    Raises
    ------
    SpecError
        If there are fewer than two releases.
    SchemaError
        If columns are missing.
    HierarchyError
        If labels cannot be read.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "3*"], "disease": ["flu", "cold", "flu"]})
    >>> b = pl.DataFrame({"age": ["<25", "<25", ">=25"], "disease": ["cold", "ulcer", "flu"]})
    >>> schema = Schema(quasi_identifiers=["age"], sensitive=["disease"])
    >>> attack = attack_composition([a, b], schema, targets=pl.DataFrame({"age": [21, 27]}))
    >>> [target.candidates for target in attack.findings[0].targets]
    [('cold',), ('flu',)]
    """
    tables = () if truth is None else (truth if isinstance(truth, (list, tuple)) else (truth,))
    with ExitStack() as opened:

        def of(frame: Any) -> Source:
            return opened.enter_context(from_frame(frame))

        read = [frame_of(given) for given in releases]
        return _attack(
            [of(frame) for frame, _ in read],
            [f"release {i}" for i in range(1, len(releases) + 1)],
            schema,
            facts=[
                known.with_groups(found, bucket)
                for (_, known), found in zip(read, _each(groups, len(releases)), strict=True)
            ],
            truth=[of(frame) for frame in tables],
            targets=None if targets is None else of(targets),
            person=person,
            ledger=ledger,
            own=own,
            grouped=groups is not None,
        )


def attack_composition_files(
    releases: Sequence[str | Path],
    spec: Spec,
    *,
    truth: Sequence[str | Path] = (),
    targets: str | Path | None = None,
    person: str | None = None,
    ledger: str | Path | None = None,
    groups: Any = None,
    own: str | Sequence[str] | None = None,
) -> CompositionAttack:
    """Tell what published files give away together; as :func:`attack_composition`, with the roles of a spec.

    Groups of buckets are read from the manifest beside each file, where there is one.
    """
    schema = spec.schema()
    with ExitStack() as opened:

        def of(path: str | Path) -> Source:
            source = opened.enter_context(open_source(path, **spec.input, decimal_columns=numbers(schema)))
            opened.enter_context(reading(source))
            return source

        return _attack(
            [of(path) for path in releases],
            [str(path) for path in releases],
            schema,
            facts=[
                ReleaseFacts.beside(path).with_groups(found)
                for path, found in zip(releases, _each(groups, len(releases)), strict=True)
            ],
            truth=[of(path) for path in truth],
            targets=None if targets is None else of(targets),
            person=person,
            ledger=ledger,
            own=own,
            grouped=groups is not None,
        )


def _each(groups: Any, n_releases: int) -> list[Any]:
    """Return groups for each release, where they are given for all of them or one by one."""
    if groups is None:
        return [None] * n_releases
    given = list(groups)
    first = next((found for found in given if found is not None), None)
    if first is not None and len(first) and all(isinstance(name, str) for name in first):
        return [given] * n_releases
    if len(given) != n_releases:
        raise SpecError(
            f"groups for {len(given)} of {n_releases} releases",
            fix="give one list of groups for all of them, or one for each, None where there are no buckets",
        )
    return given


def _attack(
    releases: Sequence[Source],
    names: Sequence[str],
    schema: Schema,
    *,
    facts: Sequence[ReleaseFacts],
    truth: Sequence[Source],
    targets: Source | None,
    person: str | None,
    ledger: str | Path | None,
    own: str | Sequence[str] | None,
    grouped: bool,
) -> CompositionAttack:
    private = [*truth, *([] if targets is None else [targets])]
    schema = _as_it_was_read(schema, private, facts)
    remembered = [] if ledger is None else Ledger.read(ledger).releases
    published = list(zip(releases, names, facts, strict=True))
    tables = [*remembered, *(_table(source, schema, name, known) for source, name, known in published)]
    if len(tables) < 2:
        raise SpecError(
            "a composition attack needs two releases or more", fix="name two published tables, or a ledger"
        )
    if len(truth) > 1 and len(truth) != len(tables):
        raise SpecError(
            f"{len(truth)} private tables for {len(tables)} releases",
            fix="give one for all of them, or one for each in the same order",
        )
    _check_used(truth=truth, targets=targets, person=person, own=own)
    if grouped and not any(known.bucket in source.columns for source, _, known in published):
        raise SchemaError(
            "groups of columns are given, and no release has a column that numbers buckets",
            where=", ".join(names),
            fix="leave the groups out for tables without buckets",
        )
    sensitive = [name for name in schema.sensitive if all(name in table.sensitive for table in tables)]
    if not sensitive:
        raise SchemaError(
            "no sensitive column is in every release", fix="name with --sensitive a column that all of them have"
        )
    places = _own(own, len(tables))
    proven = None
    if truth:
        proven = people_of(truth, schema, person=person, sensitive=sensitive, places=places or ())
    looked_for = None if targets is None else _targets(targets, schema, person)
    found = attack_tables(tables, schema, sensitive, truth=proven, targets=looked_for, own=places)
    unread = [name for source, name, known in published if known.bucket in source.columns and not known.known]
    notes = [
        f"{name}: the column {BUCKET!r} was not used; if it numbers buckets, give the groups of columns"
        for name in unread
        if BUCKET not in schema.quasi_identifiers and BUCKET not in schema.sensitive
    ]
    return replace(found, notes=(*found.notes, *notes))


def _as_it_was_read(schema: Schema, private: Sequence[Source], facts: Sequence[ReleaseFacts]) -> Schema:
    """Give each column the type by which its hierarchy was built: labels are texts, and do not tell it."""

    def told(column: Column) -> str | None:
        if private:
            types = {source.schema()[column.name] for source in private if column.name in source.columns}
            kinds = {declared_type(dtype) for dtype in types}
        else:
            kinds = {known.types.get(column.name) for known in facts}
        return kinds.pop() if len(kinds) == 1 else None

    return Schema(
        columns=[
            replace(column, type=told(column)) if column.hierarchy is not None and column.type is None else column
            for column in schema.columns
        ]
    )


def _check_used(
    *,
    truth: Sequence[Source],
    targets: Source | None,
    person: str | None,
    own: str | Sequence[str] | None,
) -> None:
    """Refuse what would be passed over in silence: columns that are named and stand nowhere.

    Raises
    ------
    SpecError
        If there is no table that could have them.
    SchemaError
        If none of the tables has them.
    """
    if own is not None and not truth:
        raise SpecError(
            "the column with the bucket of each row is one of the private table, which is not given",
            fix="name the private table with --truth",
        )
    if person is not None and not truth:
        if targets is None:
            raise SpecError(
                f"column {person!r} is to name people, and none are given",
                fix="name a file with --targets or --truth",
            )
        if person not in targets.columns:
            raise SchemaError(
                f"no column {person!r}, the person, in the table",
                where=targets.name,
                fix=nearest_name(person, targets.columns),
            )


def _own(own: str | Sequence[str] | None, n_tables: int) -> Sequence[str] | None:
    if own is None:
        return None
    columns = [own] if isinstance(own, str) else list(own)
    if len(columns) not in (1, n_tables):
        raise SpecError(
            f"{len(columns)} columns say in which bucket rows were published, for {n_tables} releases",
            fix="name one column for all of them, or one for each",
        )
    return columns


def _targets(source: Source, schema: Schema, person: str | None) -> People:
    return people_of([source], schema, person=person if person in source.columns else None)


def _table(source: Source, schema: Schema, name: str, facts: ReleaseFacts) -> PublishedTable:
    quasi = [column for column in schema.quasi_identifiers if column in source.columns]
    sensitive = [column for column in schema.sensitive if column in source.columns]
    for found, role, wanted in (
        (quasi, "quasi-identifier", schema.quasi_identifiers),
        (sensitive, "sensitive column", schema.sensitive),
    ):
        if not found:
            raise SchemaError(
                f"no {role} is a column of {name}", fix=nearest_name(next(iter(wanted), ""), source.columns)
            )
    frame = source.scan()
    if not facts.groups or facts.bucket not in source.columns:
        texts = frame.select(text_expressions(frame, [*quasi, *sensitive]).values())
        return read_published(texts, quasi, sensitive, name=name)
    groups = checked_groups(facts.groups, [*quasi, *sensitive], where=name)
    texts = frame.select(text_expressions(frame, [*quasi, *sensitive, facts.bucket]).values())
    return read_buckets(texts, quasi, sensitive, name=name, groups=groups, bucket=facts.bucket)
