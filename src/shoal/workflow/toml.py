"""Writing TOML that reads back as the same document, key order included."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

__all__ = ["write_toml"]

WIDTH = 100
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def write_toml(document: Mapping[str, Any]) -> str:
    r"""Write a document of texts, whole numbers, decimals, booleans, lists and mappings.

    Mappings of mappings become ``[a.b]`` tables, lists of mappings ``[[a]]``; everything below is written on
    one line where it fits.

    Examples
    --------
    >>> from decimal import Decimal
    >>> print(write_toml({"version": 1, "columns": {"age": {"role": "drop"}}, "models": [{"t": Decimal("0.10")}]}))
    version = 1
    <BLANKLINE>
    [columns.age]
    role = "drop"
    <BLANKLINE>
    [[models]]
    t = 0.10
    <BLANKLINE>
    """
    blocks = [_lines({key: v for key, v in document.items() if not _is_block(v)})]
    for key, value in document.items():
        if isinstance(value, Mapping):
            nested = value and all(isinstance(inner, Mapping) for inner in value.values())
            for name, inner in value.items() if nested else [("", value)]:
                path = [key, name] if nested else [key]
                blocks += _table(path, inner)
        elif _is_block(value):
            blocks += [["[[" + _key(key) + "]]", *_lines(inner)] for inner in value]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _is_block(value: object) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, list) and bool(value) and all(isinstance(inner, Mapping) for inner in value)


def _table(path: list[str], table: Mapping[str, Any]) -> list[list[str]]:
    """Return the blocks of one table; mappings at its end that are too long for a line get tables of their own."""
    items = list(table.items())
    below: list[tuple[str, Mapping[str, Any]]] = []
    # A sub-table ends its parent, so only the last keys can be written as one without changing their order.
    while items and isinstance(items[-1][1], Mapping) and len(_line(*items[-1])) > WIDTH:
        below.insert(0, items.pop())
    blocks = [["[" + ".".join(map(_key, path)) + "]", *_lines(dict(items))]]
    for key, inner in below:
        blocks += _table([*path, key], inner)
    return blocks


def _lines(table: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in table.items():
        line = _line(key, value)
        if len(line) > WIDTH and isinstance(value, list):
            lines += [f"{_key(key)} = [", *_wrapped([_value(item) for item in value]), "]"]
        else:
            lines.append(line)
    return lines


def _wrapped(items: list[str]) -> list[str]:
    lines = [""]
    for item in items:
        if lines[-1] and len(lines[-1]) + len(item) + 7 > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + item + ","
    return [f"    {line}" for line in lines]


def _line(key: str, value: object) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_line(key, inner) for key, inner in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _text(value)


def _decimal(value: Decimal) -> str:
    """Write the digits as they are; a TOML float needs a point or an exponent."""
    text = str(value)
    return text if "." in text or "E" in text else text + ".0"


def _text(text: str) -> str:
    plain = "".join(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c) for c in text)
    return f'"{plain}"'
