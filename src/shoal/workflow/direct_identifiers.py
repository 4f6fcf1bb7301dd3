"""Columns that name a person by themselves, by their name and by what their cells look like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from shoal.core.schema import Role, Schema
from shoal.io.source import Source
from shoal.io.texts import text_expr
from shoal.workflow.naming import is_id_like, topics_of
from shoal.workflow.patterns import found_inside, recognize

__all__ = ["HIPAA", "DirectIdentifier", "find_direct_identifiers"]

SAMPLED = 2_000
"""Rows whose cells are looked at, evenly spread."""

FEW = 20
"""Fewer different values than this are no names, whatever the column is called."""

NEARLY_UNIQUE = 0.95
VARIED = 0.1
"""Different texts per cell from which on many words are free text."""

WORDY = 4.0
"""Mean number of words from which on a column is free text."""

MONTHS = "jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez"
DATES = (
    r"(?i)^([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([T ].*)?"
    r"|[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})( .*)?"
    rf"|[0-9]{{1,2}}\.?[ -]({MONTHS})[a-zä]*\.?[ -]([0-9]{{4}}|[0-9]{{2}})"
    rf"|({MONTHS})[a-z]*\.? [0-9]{{1,2}},? [0-9]{{4}})$"
)
"""Dates with a day, as they are written in several countries."""

OLDEST = 89
"""Ages above this are an identifier by HIPAA's rule."""

HIPAA = {
    "person's name": "A",
    "address": "B",
    "place point": "B",
    "place": "B",
    "postcode": "B",
    "coordinates": "B",
    "dates": "C",
    "age": "C",
    "telephone numbers": "D",
    "phone": "D",
    "fax": "E",
    "e-mail addresses": "F",
    "email": "F",
    "social security numbers": "G",
    "official number": "G",
    "record number": "H",
    "health plan": "I",
    "IBAN account numbers with a right checksum": "J",
    "payment card numbers with a right check digit": "J",
    "account": "J",
    "licence": "K",
    "vehicle": "L",
    "vehicle identification numbers with a right check digit": "L",
    "device": "M",
    "hardware (MAC) addresses": "M",
    "web page": "N",
    "web addresses": "N",
    "IP addresses": "O",
    "online": "O",
    "biometric": "P",
    "picture": "Q",
    "universally unique identifiers (UUID)": "R",
    "key": "R",
    "free text": "R",
}
"""The letter in 45 CFR 164.514(b)(2)(i) of what a column holds; R is any other identifying number or mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectIdentifier:
    """A column that may name people.

    Parameters
    ----------
    column : str
    what : str
        What it seems to hold.
    hipaa : str
        Letter of the class of identifiers in the HIPAA Safe Harbor rule that it would fall under.
    by : {"name", "content"}
        What tells so.
    role : str or None
        The role that it has; None for a column without one.
    published : bool
        Whether a release with these roles would hold it as it is.
    """

    column: str
    what: str
    hipaa: str
    by: str
    role: str | None
    published: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return asdict(self)


def find_direct_identifiers(source: Source, schema: Schema) -> tuple[DirectIdentifier, ...]:
    """Look at the names of all columns, and at a sample of their cells.

    Parameters
    ----------
    source : Source
    schema : Schema
        Its roles say which columns would be published.

    Returns
    -------
    tuple of DirectIdentifier
        At most one per column, in the table's order. It is a heuristic: it can miss some and suspect others.
    """
    sample = _sample(source)
    roles = {column.name: column.role for column in schema.columns}
    found = []
    for name in source.columns:
        texts = sample[name].drop_nulls() if name in sample.columns else pl.Series(name, [], pl.String)
        role = roles.get(name)
        # Quasi-identifiers are published too, but generalized.
        as_it_is = role in (Role.SENSITIVE, Role.INSENSITIVE, Role.WEIGHT)
        # An age is grouped with others where it is generalized, and names nobody then.
        seen = next((sign for sign in _signs(name, texts) if as_it_is or sign[1] != "age"), None)
        if seen is None:
            continue
        what, key, by = seen
        found.append(
            DirectIdentifier(
                column=name,
                what=what,
                hipaa=HIPAA[key],
                by=by,
                role=None if role is None else str(role),
                published=as_it_is,
            )
        )
    return tuple(found)


def _sample(source: Source) -> pl.DataFrame:
    frame = source.scan()
    types = frame.collect_schema()
    rows = source.n_rows()
    if rows is None:
        rows = int(frame.select(pl.len()).collect(engine="streaming").item())
    texts = frame.select(text_expr(name, types[name]) for name in source.columns)
    return texts.gather_every(max(1, rows // SAMPLED)).collect(engine="streaming")


def _signs(name: str, texts: pl.Series) -> Iterator[tuple[str, str, str]]:
    """Yield (what it is, key of HIPAA, name or content) of each sign, the surest first."""
    distinct = texts.unique()
    values: Sequence[str] = distinct.to_list()
    content = recognize(values) if values else None
    if content is not None and content.kind in HIPAA:
        yield content.kind, content.kind, "content"
    topics = topics_of(name)
    topic = next((topic for topic in topics if topic.kind == "identifier"), None)
    category = len(texts) >= 100 and len(values) <= FEW
    if topic is not None and topic.key in HIPAA and not category:
        yield topic.means, topic.key, "name"
    if values and distinct.str.contains(DATES).mean() > 0.5:  # type: ignore[operator]
        yield "dates that are finer than a year", "dates", "content"
    wordy = bool(values) and distinct.str.count_matches(r"\S+").mean() >= WORDY  # type: ignore[operator]
    # Names of many categories have several words, too, but come back.
    if wordy and not category and len(values) >= VARIED * len(texts):
        inside = " with contact data in it" if found_inside(values) else ""
        yield f"free text{inside}", "free text", "content"
    if found_inside(values) and not category:
        yield "texts with contact data in them", "free text", "content"
    keys = {topic.key for topic in topics}
    if "postcode" in keys and not category:
        yield "postal codes", "postcode", "name"
    if keys & {"place", "birth place"} and len(values) > 1:
        yield "places, which may be smaller than a state", "place", "name"
    if "age" in keys and any(text.isdigit() and int(text) > OLDEST for text in values):
        yield f"ages above {OLDEST}", "age", "content"
    own = len(values) >= max(FEW, NEARLY_UNIQUE * len(texts))
    if is_id_like(name) and own:
        yield "a key, with a value of its own for nearly every row that was looked at", "key", "name"
    if own and distinct.str.contains(r"^\p{L}[\p{L}.'’-]*([ ,]+\p{L}[\p{L}.'’-]*){1,3}$").mean() > NEARLY_UNIQUE:  # type: ignore[operator]
        yield "words of its own for nearly every row, as names have", "person's name", "content"
