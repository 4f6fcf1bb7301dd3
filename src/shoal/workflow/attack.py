"""The composition attack on published tables, as frames and as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.composition import Composition, Links
from shoal.core.hierarchy import Hierarchy
from shoal.core.published import LeafSets, PublishedClasses, PublishedTable, PublishedValues, Side
from shoal.core.schema import Schema
from shoal.engines.published import read_published
from shoal.errors import HierarchyError, SchemaError, SpecError, nearest_name
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.risk.composition import composition_risk
from shoal.workflow.attack_domain import covered, domain_of
from shoal.workflow.attack_people import People, people_of
from shoal.workflow.attack_result import CompositionAttack, Finding, Target
from shoal.workflow.ledger import Ledger
from shoal.workflow.prepare import numbers, text_expressions
from shoal.workflow.spec import Spec

__all__ = ["attack_composition", "attack_composition_files", "attack_tables", "link_tables"]


def attack_composition(
    releases: Sequence[Any],
    schema: Schema,
    *,
    truth: Any = None,
    targets: Any = None,
    person: str | None = None,
    ledger: str | Path | None = None,
) -> CompositionAttack:
    """Tell what releases give away together of people who are in all of them.

    Parameters
    ----------
    releases : sequence of DataFrame
        Two or more published tables, of this or of other tools, in any frame that narwhals knows.
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

        return _attack(
            [of(frame) for frame in releases],
            [f"release {i}" for i in range(1, len(releases) + 1)],
            schema,
            truth=[of(frame) for frame in tables],
            targets=None if targets is None else of(targets),
            person=person,
            ledger=ledger,
        )


def attack_composition_files(
    releases: Sequence[str | Path],
    spec: Spec,
    *,
    truth: Sequence[str | Path] = (),
    targets: str | Path | None = None,
    person: str | None = None,
    ledger: str | Path | None = None,
) -> CompositionAttack:
    """Tell what published files give away together; as :func:`attack_composition`, with the roles of a spec."""
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
            truth=[of(path) for path in truth],
            targets=None if targets is None else of(targets),
            person=person,
            ledger=ledger,
        )


def _attack(
    releases: Sequence[Source],
    names: Sequence[str],
    schema: Schema,
    *,
    truth: Sequence[Source],
    targets: Source | None,
    person: str | None,
    ledger: str | Path | None,
) -> CompositionAttack:
    remembered = [] if ledger is None else Ledger.read(ledger).releases
    tables = [*remembered, *(_table(source, schema, name) for source, name in zip(releases, names, strict=True))]
    if len(tables) < 2:
        raise SpecError(
            "a composition attack needs two releases or more", fix="name two published tables, or a ledger"
        )
    if len(truth) > 1 and len(truth) != len(tables):
        raise SpecError(
            f"{len(truth)} private tables for {len(tables)} releases",
            fix="give one for all of them, or one for each in the same order",
        )
    sensitive = [name for name in schema.sensitive if all(name in table.sensitive for table in tables)]
    if not sensitive:
        raise SchemaError(
            "no sensitive column is in every release", fix="name with --sensitive a column that all of them have"
        )
    proven = people_of(truth, schema, person=person, sensitive=sensitive) if truth else None
    looked_for = None if targets is None else _targets(targets, schema, person)
    return attack_tables(tables, schema, sensitive, truth=proven, targets=looked_for)


def _targets(source: Source, schema: Schema, person: str | None) -> People:
    return people_of([source], schema, person=person if person in source.columns else None)


def _table(source: Source, schema: Schema, name: str) -> PublishedTable:
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
    texts = frame.select(text_expressions(frame, [*quasi, *sensitive]).values())
    return read_published(texts, quasi, sensitive, name=name)


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
        findings=tuple(_finding(tables, space, name, truth, targets) for name in sensitive),
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
                fix="add a line for each; they are on err.examples",
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
    table: PublishedTable,
    space: _Space,
    sides: tuple[LeafSets, ...],
    values: PublishedValues,
    code_of: Mapping[Any, int],
) -> PublishedClasses:
    at = {name: j for j, name in enumerate(table.sides)}
    nothing = np.zeros(table.cells.shape[0], np.int32)
    cells = [table.cells[:, at[name]] if name in at else nothing for name in space.columns]
    codes = np.array([code_of[text] for text in values.texts] or [0], np.int32)[values.codes]
    return PublishedClasses(np.stack(cells, axis=1), sides, values.offsets, codes)


def _releases(
    tables: Sequence[PublishedTable], space: _Space, name: str, more: set[str | None]
) -> tuple[list[PublishedClasses], list[str | None]]:
    """Return the tables in code space, and the values of a sensitive column by their codes."""
    texts = more.union(*(table.sensitive[name].texts for table in tables))
    values = sorted(texts, key=lambda text: (text is None, text))
    code_of = {text: code for code, text in enumerate(values)}
    releases = [
        _classes(table, space, sides, table.sensitive[name], code_of)
        for table, sides in zip(tables, space.sides, strict=True)
    ]
    return releases, values


def link_tables(tables: Sequence[PublishedTable], schema: Schema, sensitive: str, people: People) -> Links:
    """Return what tables that are read already tell together of *people*, in one sensitive column."""
    columns = [name for name in schema.quasi_identifiers if any(name in table.sides for table in tables)]
    space, _ = _space(columns, tables, schema, [people])
    releases, _ = _releases(tables, space, sensitive, set())
    return Composition().link(releases, _known(people, space, len(releases)))


def _finding(
    tables: Sequence[PublishedTable], space: _Space, name: str, truth: People | None, targets: People | None
) -> Finding:
    releases, values = _releases(tables, space, name, set() if truth is None else truth.texts(name))
    code_of = {text: code for code, text in enumerate(values)}
    attack = Composition()
    met = attack.meet(*releases) if len(releases) == 2 else None
    risk, figures = None, _figures(None, None)
    if truth is not None:
        links = attack.link(releases, _known(truth, space, len(releases)))
        true = truth.truth(name, code_of, len(releases))
        matched, own = attack.true_matches(releases, links, true)
        risk = composition_risk(links.matches, matched, true, own, triples=None if met is None else met.triples)
        figures = _figures(links, np.asarray((true >= 0).all(axis=1), np.bool_))
        figures["correct"] = _correct(links, true)
    told: tuple[Target, ...] = ()
    if targets is not None:
        links = attack.link(releases, _known(targets, space, len(releases)))
        figures = _figures(links, np.ones(len(targets), np.bool_))
        told = _told(links, targets, values)
    return Finding(sensitive=name, targets=told, risk=risk, meetings=met, **figures)


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
