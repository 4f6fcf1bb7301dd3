"""What was published before, kept in a private file: boxes and sets of sensitive values, and no more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.bucket_entries import GroupEntries, PairedValues
from shoal.core.published import PublishedTable, PublishedValues, Side
from shoal.errors import SpecError
from shoal.io.staged import Staged

__all__ = ["LEDGER_FORMAT", "Ledger"]

LEDGER_FORMAT = 1
"""Version of the shape of the file."""

ABOUT = (
    "Private: keep this file to yourself. It holds, for each release, what its classes published: the labels of "
    "the quasi-identifiers with the values that they cover, and the set of sensitive values. No records or counts."
)


@dataclass(frozen=True, eq=False)
class Ledger:
    """The releases of a ledger, the oldest first.

    Parameters
    ----------
    releases : tuple of PublishedTable

    Examples
    --------
    >>> Ledger(()).as_dict()["releases"]
    []
    """

    releases: tuple[PublishedTable, ...]

    @classmethod
    def read(cls, path: str | Path, *, missing_is_empty: bool = False) -> Ledger:
        """Read a ledger.

        Parameters
        ----------
        path : str or Path
        missing_is_empty : bool, default False
            Take a file that is not there as a ledger without releases.

        Raises
        ------
        SpecError
            If the file cannot be read, or is no ledger.
        """
        fix = "it is written by shoal anonymize --ledger FILE"
        try:
            document = json.loads(Path(path).read_text("utf-8"))
            if document["format"] != LEDGER_FORMAT:
                raise SpecError("the ledger is of another version", where=str(path), fix="use a newer shoal")
            return cls(tuple(_table(i, entry) for i, entry in enumerate(document["releases"], 1)))
        except FileNotFoundError:
            if missing_is_empty:
                return cls(())
            raise SpecError("the ledger is not there", where=str(path), fix=fix) from None
        except OSError as error:
            raise SpecError(f"the ledger cannot be read: {error.strerror}", where=str(path)) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise SpecError("the file is no ledger of releases", where=str(path), fix=fix) from None

    def with_release(self, table: PublishedTable) -> Ledger:
        """Return the ledger with one release more."""
        return Ledger((*self.releases, table))

    def as_dict(self) -> dict[str, Any]:
        """Return the content of the file."""
        return {
            "format": LEDGER_FORMAT,
            "about": ABOUT,
            "releases": [_entry(number, table) for number, table in enumerate(self.releases, 1)],
        }

    def stage(self, path: str | Path, files: Staged) -> None:
        """Write the ledger to a staged private file (mode 0600)."""
        text = json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":"))
        files.add(path, private=True).write_text(text + "\n", encoding="utf-8")


def _entry(number: int, table: PublishedTable) -> dict[str, Any]:
    return {
        "release": number,
        "columns": {name: [_side(side) for side in sides] for name, sides in table.sides.items()},
        **({"groups": [_group(group) for group in table.groups]} if table.groups else {}),
        "classes": table.cells.tolist(),
        "sensitive": {
            name: {
                "texts": list(found.texts),
                "values": [
                    found.codes[a:b].tolist() for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)
                ],
                **({"pairs": _pairs(table.pairs[name])} if name in table.pairs else {}),
            }
            for name, found in table.sensitive.items()
        },
    }


def _group(group: GroupEntries) -> dict[str, Any]:
    """Write the entries of a group of columns, and the buckets that hold each."""
    return {
        "columns": list(group.columns),
        "entries": group.cells.tolist(),
        "buckets": [
            group.buckets[a:b].tolist() for a, b in zip(group.offsets[:-1], group.offsets[1:], strict=True)
        ],
    }


def _pairs(pairs: PairedValues) -> dict[str, Any]:
    """Write which values stand beside which entries of their group, bucket by bucket."""
    flat = [pairs.entries.tolist(), pairs.values.tolist()]
    return {"group": pairs.group, "offsets": pairs.offsets.tolist(), "entries": flat[0], "values": flat[1]}


def _side(side: Side) -> dict[str, Any]:
    known = {"values": side.values, "ends": side.ends}
    return {"label": side.label, **{key: list(value) for key, value in known.items() if value is not None}}


def _table(number: int, entry: Mapping[str, Any]) -> PublishedTable:
    sides = {name: tuple(map(_read_side, found)) for name, found in entry["columns"].items()}
    groups = tuple(_read_group(found, sides) for found in entry.get("groups", ()))
    n_classes = len(entry["classes"])
    cells = np.empty((n_classes, 0), np.int32)
    if not groups:
        cells = np.array(entry["classes"], np.int32).reshape(-1, len(sides))
    if any(group.buckets.max(initial=-1) >= n_classes for group in groups):
        raise ValueError("an entry stands in a bucket that is not there")
    if not groups and any(cells[:, j].max(initial=-1) >= len(found) for j, found in enumerate(sides.values())):
        raise ValueError("a class has a label that is not there")
    sensitive, pairs = {}, {}
    for name, found in entry["sensitive"].items():
        sizes = [len(values) for values in found["values"]]
        codes = np.array([code for values in found["values"] for code in values], np.int32)
        if len(sizes) != n_classes or codes.max(initial=-1) >= len(found["texts"]):
            raise ValueError("a class has a value that is not there")
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sensitive[name] = PublishedValues(tuple(found["texts"]), offsets, codes)
        if "pairs" in found:
            pairs[name] = _read_pairs(found["pairs"], groups, n_classes)
    return PublishedTable(f"release {number} of the ledger", sides, cells, sensitive, groups, pairs)


def _read_group(found: Mapping[str, Any], sides: Mapping[str, tuple[Side, ...]]) -> GroupEntries:
    columns = tuple(int(j) for j in found["columns"])
    cells = np.array(found["entries"], np.int32).reshape(-1, len(columns))
    texts = list(sides.values())
    if len(found["buckets"]) != len(cells) or any(
        cells[:, c].max(initial=-1) >= len(texts[j]) for c, j in enumerate(columns)
    ):
        raise ValueError("an entry has a label that is not there")
    offsets = np.concatenate([[0], np.cumsum([len(some) for some in found["buckets"]])]).astype(np.int64)
    return GroupEntries(
        columns, cells, offsets, np.array([b for some in found["buckets"] for b in some], np.int32)
    )


def _read_pairs(found: Mapping[str, Any], groups: tuple[GroupEntries, ...], n_classes: int) -> PairedValues:
    entries, values = (np.array(found[key], np.int32) for key in ("entries", "values"))
    offsets = np.array(found["offsets"], np.int64)
    if len(offsets) != n_classes + 1 or offsets[-1] != len(entries) or len(entries) != len(values):
        raise ValueError("pairs of another table")
    if entries.max(initial=-1) >= len(groups[found["group"]]):
        raise ValueError("a pair has an entry that is not there")
    return PairedValues(int(found["group"]), offsets, entries, values)


def _read_side(found: Mapping[str, Any]) -> Side:
    values, ends = found.get("values"), found.get("ends")
    return Side(
        found["label"],
        None if values is None else tuple(values),
        None if ends is None else (ends[0], ends[1]),
    )
