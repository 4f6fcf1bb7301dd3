"""Builders as the inline tables of a spec, and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from shoal.core.schema import HierarchyBuilder
from shoal.errors import SpecError, nearest_name
from shoal.hierarchies.auto import Auto, auto
from shoal.hierarchies.csv_file import CsvFile, from_csv
from shoal.hierarchies.dates import Dates, dates
from shoal.hierarchies.flat import Flat, flat
from shoal.hierarchies.intervals import Intervals, intervals
from shoal.hierarchies.ordered import Ordered, ordered
from shoal.hierarchies.prefix import Prefix, prefix
from shoal.hierarchies.tree import Parents, Tree, parents, tree

__all__ = ["KEYS", "from_spec", "to_spec"]

KEYS = {
    "intervals": ("cuts", "low", "high", "bottom", "top", "origin"),
    "cuts": ("low", "high", "bottom", "top"),
    "prefix": ("length", "mask"),
    "dates": (),
    "tree": (),
    "parents": (),
    "order": ("fanout",),
    "file": ("delimiter", "encoding"),
    "flat": (),
    "auto": (),
}
"""What names each kind of hierarchy, and the keys that may stand beside it."""


def from_spec(table: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".") -> HierarchyBuilder:
    """Return the builder that an inline table of a spec describes.

    Parameters
    ----------
    table : mapping
        Such as ``{"intervals": [5, 10, 20], "top": 90}`` or ``{"file": "age.csv", "delimiter": ";"}``.
    folder : path, default "."
        Where the path of a file starts: the folder of the spec.

    Raises
    ------
    SpecError
        If no key names a kind, two do, a key is unknown there, or a setting is wrong.

    Examples
    --------
    >>> from_spec({"prefix": 5})
    Prefix(n=5, length=None, mask='*')
    """
    if not isinstance(table, Mapping):
        raise SpecError("a hierarchy is a table", fix="hierarchy = { auto = true }")
    kinds = [kind for kind in KEYS if kind in table]
    if "intervals" in kinds and "cuts" in kinds:
        kinds.remove("cuts")
    if not kinds:
        named = next(iter(table), "")
        raise SpecError(
            "a hierarchy names no kind", where=", ".join(map(str, table)), fix=nearest_name(str(named), KEYS)
        )
    if len(kinds) > 1:
        raise SpecError("a hierarchy names two kinds", where=" and ".join(kinds), fix="keep one")
    kind = kinds[0]
    for key in table:
        if key != kind and key not in KEYS[kind]:
            raise SpecError(
                f"a hierarchy with {kind!r} has no key {key!r}", fix=nearest_name(str(key), (kind, *KEYS[kind]))
            )
    settings = {key: value for key, value in table.items() if key != kind}
    if kind == "file":
        return _file(table[kind], settings, Path(folder))
    return _MAKERS[kind](table[kind], **settings)


def _file(given: Any, settings: dict[str, Any], folder: Path) -> HierarchyBuilder:
    if not isinstance(given, str) or not given:
        raise SpecError("the file of a hierarchy is not a path", fix='file = "age.csv"')
    for key, value in settings.items():
        if not isinstance(value, str):
            raise SpecError(f"the {key} of a hierarchy file is not text", fix=f"write {key} in quotes")
    return from_csv(folder / given, **settings)


_MAKERS: dict[str, Callable[..., HierarchyBuilder]] = {
    "intervals": lambda given, **settings: intervals(*_sequence(given, "intervals"), **settings),
    "cuts": lambda given, **settings: intervals(cuts=given, **settings),
    "prefix": prefix,
    "dates": lambda given: dates(*_sequence(given, "dates")),
    "tree": lambda given: tree(_table(given, "tree")),
    "parents": lambda given: parents(_table(given, "parents")),
    "order": lambda given, **settings: ordered(_sequence(given, "order"), **settings),
    "flat": lambda given: flat() if given is True else _refuse_switch("flat"),
    "auto": lambda given: auto() if given is True else _refuse_switch("auto"),
}


def _refuse_switch(key: str) -> NoReturn:
    raise SpecError(f"{key!r} of a hierarchy is not true", fix=f"{key} = true")


def _sequence(given: Any, key: str) -> list[Any]:
    if not isinstance(given, (list, tuple)):
        raise SpecError(f"{key!r} of a hierarchy is not a list", fix=f"{key} = [...]")
    return list(given)


def _table(given: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise SpecError(f"{key!r} of a hierarchy is not a table", fix=f"{key} = {{ ... }}")
    return given


def to_spec(builder: HierarchyBuilder, *, folder: str | os.PathLike[str] = ".") -> dict[str, Any]:
    """Return the inline table that :func:`from_spec` reads back as an equal builder.

    Parameters
    ----------
    builder : HierarchyBuilder
        One of this package.
    folder : path, default "."
        Folder of the spec, to which paths are relative.

    Raises
    ------
    SpecError
        If the builder is of another package.

    Examples
    --------
    >>> to_spec(intervals(5, 10, top=90))
    {'intervals': [5, 10], 'top': 90}
    """
    match builder:
        case Intervals():
            return _intervals_table(builder)
        case Prefix():
            table: dict[str, Any] = {"prefix": builder.n, "length": builder.length, "mask": builder.mask}
            return _without_defaults(table, length=None, mask="*")
        case Dates():
            return {"dates": list(builder.periods)}
        case Ordered():
            fanout = list(builder.fanout) if len(builder.fanout) > 1 else builder.fanout[0]
            return _without_defaults({"order": list(builder.values), "fanout": fanout}, fanout=2)
        case Tree():
            return {"tree": _members_table(builder.members)}
        case Parents():
            # TOML has no null: a group without a parent names itself.
            return {"parents": {child: child if above is None else above for child, above in builder.pairs}}
        case CsvFile():
            table = {
                "file": _relative(builder.path, Path(folder)),
                "delimiter": builder.delimiter,
                "encoding": builder.encoding,
            }
            return _without_defaults(table, delimiter=None, encoding="utf-8")
        case Flat():
            return {"flat": True}
        case Auto():
            return {"auto": True}
    raise SpecError(
        f"a {type(builder).__name__} cannot be written into a spec", fix="write_csv, then name the file"
    )


def _intervals_table(builder: Intervals) -> dict[str, Any]:
    table: dict[str, Any] = {}
    if builder.cuts:
        levels = [[_plain(cut) for cut in level] for level in builder.cuts]
        table["cuts"] = levels if len(levels) > 1 else levels[0]
    else:
        table["intervals"] = [_plain(width) for width in builder.widths]
    for key in ("low", "high", "bottom", "top"):
        bound = getattr(builder, key)
        if bound is not None:
            table[key] = _plain(bound)
    if builder.origin and not builder.cuts:
        table["origin"] = _plain(builder.origin)
    return table


def _plain(number: Decimal) -> int | float | str:
    """Return a number as TOML writes it, exactly."""
    if number == number.to_integral_value():
        return int(number)
    return float(number) if Decimal(str(float(number))) == number else str(number)


def _members_table(members: tuple[Any, ...]) -> Any:
    if all(not isinstance(member, str) for member in members):
        table = {label: _members_table(below) for label, below in members}
        if len(table) == len(members):
            return table
    return [member if isinstance(member, str) else {member[0]: _members_table(member[1])} for member in members]


def _without_defaults(table: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in defaults or value != defaults[key]}


def _relative(path: Path, folder: Path) -> str:
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()
