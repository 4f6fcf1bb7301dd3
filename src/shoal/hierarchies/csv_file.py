"""Hierarchies from files of the layout that ARX uses: ``leaf;level 1;...;root`` on each line, no header."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.core.hierarchy import Hierarchy
from shoal.errors import HierarchyError, ShoalWarning, SpecError
from shoal.hierarchies.reading import check_covered, distinct_values, place_values

__all__ = ["DELIMITERS", "CsvFile", "from_csv"]

DELIMITERS = (";", "\t", "|", ",")
"""Delimiters that are tried where none is given, in this order."""

Line = tuple[int, list[str]]


@dataclass(frozen=True)
class CsvFile:
    """A hierarchy file; see :func:`from_csv`."""

    path: Path
    delimiter: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise SpecError("the delimiter of a hierarchy file must be one character", fix='delimiter = ";"')

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Read the file and return its hierarchy; every leaf of the file is in the domain.

        Raises
        ------
        HierarchyError
            If the file cannot be read, is no tree, or misses values.
        """
        texts, null = distinct_values(values, column)
        lines = self._lines(column)
        leaves = [line[0] for _, line in lines]
        check_covered(texts, set(leaves), column)
        stated, order = place_values(leaves, type, column)
        try:
            return Hierarchy.from_paths(
                leaves,
                [line[1:] for _, line in lines],
                order=order,
                null=null,
                type=stated,
                column=column,
                declared=True,
            )
        except HierarchyError as error:
            named = set(error.examples)
            concerned = [number for number, line in lines if line[0] in named]
            concerned = concerned or [number for number, line in lines if named.intersection(line)]
            raise HierarchyError(
                error.problem, where=self._where(column, concerned), fix=error.fix, examples=error.examples
            ) from None

    def load(self) -> Hierarchy:
        """Return the hierarchy of the file as it stands, for no table in particular."""
        return self.build(())

    def _lines(self, column: str) -> list[Line]:
        lines = _split(self._text(column), self.delimiter, self._where(column))
        if not lines:
            raise HierarchyError("the hierarchy file is empty", where=self._where(column))
        usual = Counter(len(line) for _, line in lines).most_common(1)[0][0]
        self._refuse(
            column,
            [(number, line) for number, line in lines if len(line) != usual],
            f"line(s) of the hierarchy have a length other than {usual}, the length of most",
            "write every level on every line; a value that lies higher repeats upward",
        )
        self._refuse(
            column,
            [(number, line) for number, line in lines if any(label != label.strip() for label in line)],
            "line(s) of the hierarchy hold labels padded with blanks",
            "take the blanks away: with them two equal labels are two groups",
        )
        self._refuse(
            column,
            [(number, line) for number, line in lines if not all(line)],
            "line(s) of the hierarchy hold an empty label",
            "name the group; missing values have a place of their own under the root, so their line can go",
        )
        return self._unique(lines, column)

    def _unique(self, lines: list[Line], column: str) -> list[Line]:
        first: dict[str, Line] = {}
        repeated: list[int] = []
        torn: list[Line] = []
        for number, line in lines:
            known = first.setdefault(line[0], (number, line))
            if known[0] == number:
                continue
            if known[1] == line:
                repeated.append(number)
            else:
                torn += [known, (number, line)]
        values = {line[0] for _, line in torn}
        if torn:
            raise HierarchyError(
                f"{len(values)} value(s) stand on lines of the hierarchy that differ",
                where=self._where(column, sorted({number for number, _ in torn})),
                fix="keep one line for each value; in Python, err.examples has them",
                examples=sorted(values),
            )
        if repeated:
            warnings.warn(
                f"{len(repeated)} line(s) of a hierarchy repeat another and were passed over\n"
                f"  where: {self._where(column, repeated)}",
                ShoalWarning,
                stacklevel=4,
            )
        return list(first.values())

    def _refuse(self, column: str, wrong: Sequence[Line], problem: str, fix: str) -> None:
        if wrong:
            raise HierarchyError(
                f"{len(wrong)} {problem}",
                where=self._where(column, [number for number, _ in wrong]),
                fix=fix,
                examples=[line[0] for _, line in wrong],
            )

    def _where(self, column: str, numbers: Sequence[int] = ()) -> str:
        place = f"hierarchy file {self.path}"
        if column:
            place = f"column {column!r}, {place}"
        if numbers:
            shown = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
            place += f", line {shown}" if len(numbers) == 1 else f", lines {shown}"
        return place

    def _text(self, column: str) -> str:
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise HierarchyError(
                f"the hierarchy file cannot be read: {error.strerror}", where=self._where(column)
            ) from None
        try:
            text = data.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise HierarchyError(
                f"byte {error.start} of the hierarchy file is not {self.encoding}",
                where=self._where(column),
                fix='name the encoding it was written in, such as "latin-1"',
            ) from None
        except LookupError:
            raise SpecError(f"unknown encoding {self.encoding!r}", where=self._where(column)) from None
        return text.removeprefix("\ufeff")


def _split(text: str, delimiter: str | None, where: str) -> list[Line]:
    """Split the text into lines of fields, with the delimiter that is given or fits."""
    best: list[Line] | None = None
    wrong: csv.Error | None = None
    for candidate in DELIMITERS if delimiter is None else (delimiter,):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=candidate, strict=True)
        lines: list[Line] = []
        before = 0
        try:
            for line in reader:
                if line:
                    lines.append((before + 1, line))
                before = reader.line_num
        except csv.Error as error:
            wrong = wrong or error
            continue
        lengths = {len(line) for _, line in lines}
        if len(lengths) == 1 and min(lengths) > 1:
            return lines
        if best is None or _cut(lines) > _cut(best):
            best = lines
    if best is None:
        raise HierarchyError(f"the hierarchy file is no CSV: {wrong}", where=where)
    return best


def _cut(lines: list[Line]) -> int:
    return sum(len(line) > 1 for _, line in lines)


def from_csv(path: str | os.PathLike[str], *, delimiter: str | None = None, encoding: str = "utf-8") -> CsvFile:
    """Read a hierarchy from a file: each line a leaf and its groups up to the root, no header.

    Every leaf of the file belongs to the domain, whether it occurs or not. A leaf may repeat upward (trees of
    unequal depth), a group may have one child, and the root may have any text, or none: where the last column is
    not the same on all lines, a root is added. A line that repeats another exactly is passed over with a
    :class:`~shoal.errors.ShoalWarning`. Labels are not stripped: padded ones are refused. Numbers and dates keep
    their order where all groups are contiguous in it; for type ``"ordered"`` that of the lines counts.

    Parameters
    ----------
    path : path
        The file; it is read when the hierarchy is built.
    delimiter : str, optional
        Detected among ``;``, tab, ``|`` and ``,`` where left out.
    encoding : str, default "utf-8"
        A byte order mark is passed over.

    Returns
    -------
    CsvFile

    Raises
    ------
    HierarchyError
        When built: if the file cannot be read or decoded, has lines of unequal length, padded or empty labels, a
        value on two lines that differ, a group with two parents, or misses values of the column. The message
        names lines and counts; the values are on ``err.examples``.
    """
    return CsvFile(Path(path), delimiter, encoding)
