"""What an attacker knows of people, and what is true of them: targets, and private tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.hierarchy import Hierarchy
from shoal.core.schema import Schema
from shoal.engines.encode import EncodedColumn, encode
from shoal.errors import InputError, SchemaError, SpecError, nearest_name
from shoal.io.source import Source
from shoal.workflow.prepare import text_expressions

__all__ = ["People", "people_of"]


@dataclass(frozen=True, eq=False)
class People:
    """People, each with a row in one or more tables.

    Parameters
    ----------
    tables : tuple of mapping of str to EncodedColumn
        One for all releases, or one for each.
    rows : int64 [n_people, n_tables]
        Row of each person in each table, -1 where he is not in it.
    names : tuple of str or None
        Text of the person column; None without one.
    """

    tables: tuple[Mapping[str, EncodedColumn], ...]
    rows: NDArray[np.int64]
    names: tuple[str | None, ...] | None

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def has(self, column: str) -> bool:
        """Tell whether every table has the column."""
        return all(column in table for table in self.tables)

    def texts(self, column: str) -> set[str | None]:
        """Return the values of a column in all tables."""
        return {text for table in self.tables for text in table[column].texts}

    def codes(self, column: str, hierarchy: Hierarchy, n_releases: int) -> list[NDArray[np.int32]]:
        """Return for each release the leaf of each person in a column, int32 [n_people].

        Of somebody who is not in a table, the attacker knows what the first other table says.
        """
        found = self._coded(column, hierarchy.codes)
        known = np.full(len(self), -1, np.int32)
        for codes in found:
            known = np.where(known < 0, codes, known)
        filled = [np.where(codes < 0, known, codes).astype(np.int32) for codes in found]
        return filled * n_releases if len(filled) == 1 else filled

    def truth(self, column: str, code_of: Mapping[str | None, int], n_releases: int) -> NDArray[np.int32]:
        """Return the sensitive value of each person in each table, int32 [n_people, n_releases]; -1: not in it."""
        found = self._coded(column, code_of)
        return np.stack(found * n_releases if len(found) == 1 else found, axis=1)

    def places(self, column: str, code_of: Mapping[str | None, int], release: int) -> NDArray[np.int32]:
        """Return the code of a column in the table of a release, int32 [n_people]; -1: missing, or not in it."""
        table = 0 if len(self.tables) == 1 else release
        encoded, row = self.tables[table][column], self.rows[:, table]
        code = np.array(
            [-1 if text is None else code_of.get(text, -1) for text in encoded.texts] or [-1], np.int32
        )
        codes = np.full(len(self), -1, np.int32)
        codes[row >= 0] = code[encoded.codes[row[row >= 0]]]
        return codes

    def _coded(self, column: str, code_of: Mapping[str | None, int]) -> list[NDArray[np.int32]]:
        coded = []
        for table, row in zip(self.tables, self.rows.T, strict=True):
            encoded = table[column]
            code = np.array([code_of[text] for text in encoded.texts] or [-1], np.int32)
            codes = np.full(len(self), -1, np.int32)
            codes[row >= 0] = code[encoded.codes[row[row >= 0]]]
            coded.append(codes)
        return coded


def people_of(
    sources: Sequence[Source],
    schema: Schema,
    *,
    person: str | None,
    sensitive: Sequence[str] = (),
    places: Sequence[str] = (),
) -> People:
    """Read people from one table, or from one for each release.

    Parameters
    ----------
    sources : sequence of Source
    schema : Schema
    person : str, optional
        Column that names a person; needed where there are several tables.
    sensitive : sequence of str
        Columns whose true values are read too.
    places : sequence of str
        Columns that say in which bucket rows were published: one of each table, or all of the only one.

    Raises
    ------
    SchemaError
        If a column is missing, or no quasi-identifier is in every table.
    SpecError
        If there are several tables and no column says who is who.
    InputError
        If the person is missing in a row, or has two.
    """
    if len(sources) > 1 and person is None:
        raise SpecError(
            "several tables tell of the same people, and no column says who is who",
            fix="name the column that is the same person in each table, with --person",
        )
    quasi = [name for name in schema.quasi_identifiers if all(name in source.columns for source in sources)]
    if not quasi:
        raise SchemaError(
            "no quasi-identifier is a column of what is known of people",
            where=", ".join(source.name for source in sources),
            fix="give the columns the names that they have in the published tables",
        )
    tables, ids = [], []
    for number, source in enumerate(sources):
        several = len(sources) > 1 and len(places) > 1
        own = [places[number]] if several else list(places)
        for name in (*sensitive, *own, *([person] if person is not None else [])):
            if name not in source.columns:
                raise SchemaError(f"no column {name!r}", where=source.name, fix=nearest_name(name, source.columns))
        wanted = list(dict.fromkeys([*quasi, *sensitive, *own, *([person] if person is not None else [])]))
        frame = source.scan()
        table = encode(frame, wanted, text_expressions(frame, wanted))
        tables.append(table)
        ids.append(None if person is None else _ids(table[person], source.name, person))
    if len(tables) == 1:
        n_rows = len(tables[0][quasi[0]].codes)
        return People(tuple(tables), np.arange(n_rows)[:, None], ids[0])
    return _joined(tables, [found for found in ids if found is not None])


def _ids(column: EncodedColumn, where: str, name: str) -> tuple[str | None, ...]:
    if None in column.texts:
        missing = int((column.codes == len(column.texts) - 1).sum())
        raise InputError(f"column {name!r}, the person, is missing in {missing} row(s)", where=where)
    return tuple(column.texts[code] for code in column.codes.tolist())


def _joined(tables: Sequence[Mapping[str, EncodedColumn]], ids: Sequence[tuple[Any, ...]]) -> People:
    names = sorted({name for found in ids for name in found})
    number = {name: at for at, name in enumerate(names)}
    rows = np.full((len(names), len(tables)), -1, np.int64)
    for t, found in enumerate(ids):
        at = np.fromiter((number[name] for name in found), np.int64, len(found))
        if len(np.unique(at)) < len(at):
            raise InputError(
                f"{len(at) - len(np.unique(at))} row(s) of table {t + 1} are of a person with another row there",
                fix="keep one row of each person in a table",
            )
        rows[at, t] = np.arange(len(at))
    return People(tuple(tables), rows, tuple(names))
