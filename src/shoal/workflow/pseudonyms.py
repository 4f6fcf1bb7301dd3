"""Pseudonyms for identifiers: keyed, the same in every table made with the same key, and never anonymous."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

import polars as pl

from shoal.core.schema import Schema
from shoal.engines.encode import encode
from shoal.errors import SpecError
from shoal.io.texts import text_expr

__all__ = ["MIN_KEY", "check_key", "pseudonym", "pseudonymized"]

MIN_KEY = 16
"""Fewest bytes of a key: with a short one every identifier can be tried."""

LENGTH = 32
"""Hexadecimal digits of a pseudonym, 128 bits: two people share one by chance in no table that exists."""


def check_key(schema: Schema, key: bytes | None) -> None:
    """Refuse a run that needs a key and has none, or a weak one.

    Raises
    ------
    SpecError
        The message never holds the key.
    """
    if not schema.pseudonyms:
        return
    if key is None:
        raise SpecError(
            "the spec asks for pseudonyms and no key is given",
            where=", ".join(schema.pseudonyms),
            fix="set SHOAL_PSEUDONYM_KEY, or name a file with --pseudonym-key-file; keep it apart from the tables",
        )
    if not isinstance(key, bytes):
        raise SpecError(
            "the key of the pseudonyms must be bytes", fix='such as os.environb[b"SHOAL_PSEUDONYM_KEY"]'
        )
    if len(key) < MIN_KEY:
        raise SpecError(
            f"the key of the pseudonyms has {len(key)} bytes; with fewer than {MIN_KEY} it can be guessed",
            fix='make one: python3 -c "import secrets; print(secrets.token_hex(32))"',
        )


def pseudonym(key: bytes, text: str) -> str:
    """Return the pseudonym of an identifier: HMAC-SHA-256 of its text, cut to 128 bits.

    Parameters
    ----------
    key : bytes
    text : str
        The identifier as its table writes it.

    References
    ----------
    .. [1] Krawczyk, Bellare, Canetti (1997), RFC 2104. doi:10.17487/RFC2104

    Examples
    --------
    >>> pseudonym(b"a key of 16 bytes", "patient 7") == pseudonym(b"a key of 16 bytes", "patient 7")
    True
    """
    return hmac.new(key, text.encode("utf-8"), hashlib.sha256).hexdigest()[:LENGTH]


def pseudonymized(frame: pl.LazyFrame, names: Sequence[str], key: bytes) -> pl.DataFrame:
    """Return pseudonyms in the place of identifiers, row by row; missing stays missing.

    Parameters
    ----------
    frame : LazyFrame
        Holds the columns, declared missing texts already null.
    names : sequence of str
    key : bytes
    """
    types = frame.collect_schema()
    encoded = encode(frame, names, {name: text_expr(name, types[name]) for name in names})
    columns = []
    for name in names:
        made = [None if text is None else pseudonym(key, text) for text in encoded[name].texts]
        texts = pl.Series(name, made, dtype=pl.String)
        columns.append(texts.gather(pl.Series(encoded[name].codes)))
    return pl.DataFrame(columns)
