"""A table that can be scanned more than once in the same row order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import polars as pl

from shoal.errors import InputError, SchemaError, ShoalError, SpecError
from shoal.io.dialect import Dialect
from shoal.io.spool import Spool
from shoal.io.texts import decimal_texts

__all__ = ["Source", "check_names", "reading"]

Kind = Literal["csv", "tsv", "parquet", "frame"]


@dataclass(frozen=True, eq=False)
class Source:
    """An opened table. A context manager: closing it removes its temporary files.

    Keep it as long as frames that :meth:`scan` gave are used: they read its files.

    Parameters
    ----------
    kind : {"csv", "tsv", "parquet", "frame"}
        What it was opened from.
    name : str
        Path, ``"-"`` or the kind of frame, for messages.
    columns : tuple of str
        Names in the table's order.
    missing : tuple of str
        Texts that mean missing in text columns.
    dialect : Dialect or None
        How a CSV or TSV file is written.
    decimal_columns : tuple of str
        Columns whose decimal comma :meth:`scan` turns into a point.
    notes : tuple of str
        What was detected or done, one plain sentence each.
    """

    kind: Kind
    name: str
    columns: tuple[str, ...]
    missing: tuple[str, ...]
    dialect: Dialect | None
    decimal_columns: tuple[str, ...]
    notes: tuple[str, ...]
    # Given whether missing texts become null: the rows.
    _frame: Callable[[bool], pl.LazyFrame] = field(repr=False)
    _rows: int | None = field(default=None, repr=False)
    _spool: Spool = field(default_factory=Spool, repr=False)
    _check: Callable[[], None] = field(default=lambda: None, repr=False)

    def scan(self) -> pl.LazyFrame:
        """Return the rows: missing texts are null, decimal commas of *decimal_columns* are points.

        Columns of a CSV or TSV file are texts. Others keep their type, but for categories, which are texts,
        and for floating numbers that are not numbers, which are null.
        """
        self.check()
        return self._frame(True).with_columns(  # noqa: FBT003 - an internal switch
            *(decimal_texts(name) for name in self.decimal_columns)
        )

    def raw(self) -> pl.LazyFrame:
        """Return the rows with every text as it stands in the table, missing texts too."""
        self.check()
        return self._frame(False)  # noqa: FBT003 - an internal switch

    def is_told(self, name: str) -> bool:
        """Whether the text of a cell that :meth:`scan` gives leaves no doubt of the one that :meth:`raw` gives."""
        dtype = self._frame(False).collect_schema()[name]  # noqa: FBT003 - an internal switch
        # A missing cell may be each of the texts that mean so, or null where the table knows that.
        blanks = len(self.missing) + (self.dialect is None)
        return ((dtype == pl.String and blanks <= 1) or dtype.is_integer()) and name not in self.decimal_columns

    def schema(self) -> dict[str, pl.DataType]:
        """Return the type of each column of :meth:`scan`."""
        return dict(self.scan().collect_schema())

    def n_rows(self) -> int | None:
        """Return the number of rows, or None where it is not known without a pass."""
        return self._rows

    def check(self) -> None:
        """Check that the file is still as it was when it was opened.

        Raises
        ------
        InputError
            If it changed or vanished.
        """
        self._check()

    def close(self) -> None:
        """Remove the temporary files."""
        self._spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def reading(source: Source | str) -> Iterator[None]:
    """Turn what a library says while it reads the source into an error of ours.

    Error texts of parsers quote the cells that they stumble over, so they go no further. Wrap every
    ``collect`` and ``sink`` of :meth:`Source.scan` in it.

    Raises
    ------
    InputError
        If the rows cannot be read, or the file changed since it was opened.
    """
    try:
        yield
        if isinstance(source, Source):
            source.check()
    except ShoalError:
        raise
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"the rows cannot be read ({type(error).__name__})",
            where=source if isinstance(source, str) else source.name,
            fix="check that it is whole and is not changed while it is read",
        ) from None


def check_names(names: Sequence[Any], *, where: str, header_fix: str = "") -> tuple[str, ...]:
    """Check the names of a table's columns.

    Raises
    ------
    SchemaError
        If names are not texts, blank, or occur twice; with their positions, counted from 1.
    """
    fix = header_fix or "give each column a name of its own"
    problems = []
    odd = [i for i, name in enumerate(names, 1) if not isinstance(name, str)]
    if odd:
        problems.append(f"names that are no texts at positions {_listed(odd)}")
    pattern = [i for i, n in enumerate(names, 1) if isinstance(n, str) and n.startswith("^") and n.endswith("$")]
    if pattern:
        # Polars takes such a name for a pattern and would read other columns; "*" it takes for all of them.
        problems.append(f"names from ^ to $, which read as patterns, at positions {_listed(pattern)}")
    wildcard = [i for i, name in enumerate(names, 1) if name == "*"]
    if wildcard:
        problems.append(f"the name '*', which reads as all columns, at positions {_listed(wildcard)}")
    blank = [i for i, name in enumerate(names, 1) if isinstance(name, str) and not name.strip()]
    if blank:
        problems.append(f"blank names at positions {_listed(blank)}")
    at: dict[str, list[int]] = {}
    for i, name in enumerate(names, 1):
        if isinstance(name, str) and name.strip():
            at.setdefault(name, []).append(i)
    twice = [name for name, i in at.items() if len(i) > 1]
    # A file whose names are mostly alike may have no header, and cells where names are looked for.
    cells = bool(header_fix) and sum(len(at[name]) for name in twice) > len(names) / 2
    problems += [f"{'one name' if cells else f'the name {n!r}'} at positions {_listed(at[n])}" for n in twice]
    if problems:
        raise SchemaError(
            f"column names cannot be used: {'; '.join(problems)}", where=where, fix=fix, examples=twice
        )
    if not names:
        raise InputError("the table has no columns", where=where)
    return tuple(names)


def checked_missing(missing: Sequence[str]) -> tuple[str, ...]:
    """Check the texts that mean missing.

    Raises
    ------
    SpecError
        If they are one text instead of several, or no texts.
    """
    if isinstance(missing, str) or not all(isinstance(text, str) for text in missing):
        raise SpecError("missing must be a list of texts", fix='such as missing = ["", "?"]')
    return tuple(dict.fromkeys(missing))


def missing_note(missing: Sequence[str]) -> str:
    """Say which texts are treated as missing."""
    if not missing:
        return "No text is treated as missing."
    names = ", ".join("empty cells" if text == "" else repr(text) for text in missing)
    return f"Treated as missing: {names}."


def path_of(path: str | Path) -> Path:
    """Return an absolute path, so that no library reads a pattern, a home folder or an address into it."""
    return Path(path).absolute()


def _listed(positions: Sequence[int]) -> str:
    shown = ", ".join(str(i) for i in positions[:10])
    return shown + (f" and {len(positions) - 10} more" if len(positions) > 10 else "")
