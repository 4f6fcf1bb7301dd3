"""How a delimited text is written: its delimiter, quotes, missing texts and decimal sign."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from shoal.errors import InputError, SpecError

__all__ = ["Dialect", "detect_decimal_comma", "detect_delimiter", "split_records"]

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}
_SAMPLE = 200
_COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+")
_WHOLE_NUMBER = re.compile(r"[+-]?\d+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV or TSV file is written.

    Parameters
    ----------
    delimiter : str
        One ASCII character.
    quote : str or None
        Opens and closes cells that hold a delimiter or a line end; None where quotes are letters.
    missing : tuple of str
        Texts that mean missing.
    decimal_comma : bool
        Numbers are written ``1234,50``.

    Raises
    ------
    SpecError
        If delimiter or quote cannot be used.
    """

    delimiter: str = ","
    quote: str | None = '"'
    missing: tuple[str, ...] = ("",)
    decimal_comma: bool = False

    def __post_init__(self) -> None:
        for what, sign in (("delimiter", self.delimiter), ("quote", self.quote)):
            if sign is not None and (len(sign) != 1 or not sign.isascii() or sign in "\r\n\0"):
                raise SpecError(
                    f"the {what} must be one ASCII character and no line end", fix=f'such as {what} = ";"'
                )
        if self.delimiter == self.quote:
            raise SpecError("delimiter and quote are the same character")

    @property
    def null_text(self) -> str:
        """What a missing cell is written as: the missing text where exactly one is declared, else nothing.

        A text that would need quotes is not used, since quotes make a value of it.
        """
        text = self.missing[0] if len(self.missing) == 1 else ""
        return text if not set(text) & {self.delimiter, "\t", '"', "\r", "\n"} else ""


def delimiter_name(delimiter: str) -> str:
    """Return the delimiter in words.

    Examples
    --------
    >>> delimiter_name(";")
    'semicolon'
    """
    return _NAMES.get(delimiter, repr(delimiter))


def split_records(text: str, *, delimiter: str, quote: str | None) -> Iterator[tuple[list[str], int]]:
    r"""Split a text into records: ``(cells, end)`` with the end in characters.

    Lenient, since it also serves to try delimiters: a quote inside a bare cell is a letter, what follows a
    closing quote is kept, and a quote that never closes takes the rest.

    Examples
    --------
    >>> [cells for cells, _ in split_records('a;"b\n""c"\r\n1;2', delimiter=";", quote='"')]
    [['a', 'b\n"c'], ['1', '2']]
    """
    stop = re.compile(f"[{re.escape(delimiter)}\n]")
    at, cells = 0, []
    while at < len(text):
        cell = ""
        if quote is not None and text.startswith(quote, at):
            cell, at = _quoted(text, at + 1, quote)
        match = stop.search(text, at)
        end = match.start() if match else len(text)
        rest = text[at:end]
        line_end = match is None or match.group() == "\n"
        cells.append(cell + (rest.removesuffix("\r") if line_end else rest))
        at = end + 1
        if line_end:
            yield cells, min(at, len(text))
            cells = []
        elif at == len(text):
            yield [*cells, ""], at


def _quoted(text: str, at: int, quote: str) -> tuple[str, int]:
    """Read from behind an opening quote: the cell, and where its closing quote ends."""
    parts: list[str] = []
    while True:
        end = text.find(quote, at)
        if end < 0:
            return "".join([*parts, text[at:]]), len(text)
        parts.append(text[at:end])
        if not text.startswith(quote, end + 1):
            return "".join(parts), end + 1
        parts.append(quote)
        at = end + 2


def sample(text: str, *, delimiter: str, quote: str | None, whole: bool) -> list[list[str]]:
    """Return the first records; the last one only where the text is *whole*."""
    records = [cells for cells, _ in islice(split_records(text, delimiter=delimiter, quote=quote), _SAMPLE)]
    if not whole and 1 < len(records) < _SAMPLE:
        records.pop()
    return records


def detect_delimiter(text: str, *, quote: str | None, whole: bool) -> str:
    """Find the delimiter of a sample, which begins with the header.

    A delimiter fits where header and records all have the same number of fields, two at least; so a semicolon
    wins over the decimal commas in every row. Where none fits, the one that the header holds and most records
    agree on is returned, and the check of the records says what is wrong. A header without any delimiter is
    one column, read with a comma.

    Raises
    ------
    InputError
        If two delimiters fit equally well.
    """
    fits: dict[str, int] = {}
    nearly: dict[str, float] = {}
    for delimiter in DELIMITERS:
        sizes = [len(cells) for cells in sample(text, delimiter=delimiter, quote=quote, whole=whole)]
        if not sizes or sizes[0] < 2:
            continue
        if len(set(sizes)) == 1:
            fits[delimiter] = sizes[0]
        else:
            usual, times = Counter(sizes[1:]).most_common(1)[0]
            nearly[delimiter] = times / len(sizes) if usual > 1 else 0.0
    if fits:
        most = max(fits.values())
        best = [delimiter for delimiter, size in fits.items() if size == most]
        if len(best) > 1:
            names = " and ".join(delimiter_name(delimiter) for delimiter in best)
            raise InputError(
                f"two delimiters fit the file equally well: {names}",
                where=f"each gives {most} columns",
                fix=f"say which one, such as delimiter = {best[0]!r}",
            )
        return best[0]
    if nearly:
        return max(nearly, key=lambda delimiter: nearly[delimiter])
    return ","


def detect_decimal_comma(records: Sequence[Sequence[str]], *, delimiter: str, missing: Sequence[str]) -> list[int]:
    """Return the columns of a sample whose cells are all numbers and some of them written with a comma.

    A comma that delimits cells, or groups thousands in a comma-delimited file, decides nothing: only files
    with another delimiter are looked at.
    """
    if delimiter == "," or not records:
        return []
    found = []
    for column, cells in enumerate(zip(*records, strict=False)):
        texts = [cell.strip() for cell in cells if cell not in missing]
        with_comma = [bool(_COMMA_NUMBER.fullmatch(text)) for text in texts]
        if any(with_comma) and all(
            comma or _WHOLE_NUMBER.fullmatch(text) for comma, text in zip(with_comma, texts, strict=True)
        ):
            found.append(column)
    return found
