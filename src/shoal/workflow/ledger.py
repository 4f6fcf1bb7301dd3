"""What was published before, kept in a private file: boxes and sets of sensitive values, and no more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

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
        "classes": table.cells.tolist(),
        "sensitive": {
            name: {
                "texts": list(found.texts),
                "values": [
                    found.codes[a:b].tolist() for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)
                ],
            }
            for name, found in table.sensitive.items()
        },
    }


def _side(side: Side) -> dict[str, Any]:
    known = {"values": side.values, "ends": side.ends}
    return {"label": side.label, **{key: list(value) for key, value in known.items() if value is not None}}


def _table(number: int, entry: Mapping[str, Any]) -> PublishedTable:
    sides = {name: tuple(map(_read_side, found)) for name, found in entry["columns"].items()}
    cells = np.array(entry["classes"], np.int32).reshape(-1, len(sides))
    if any(cells[:, j].max(initial=-1) >= len(found) for j, found in enumerate(sides.values())):
        raise ValueError("a class has a label that is not there")
    sensitive = {}
    for name, found in entry["sensitive"].items():
        sizes = [len(values) for values in found["values"]]
        codes = np.array([code for values in found["values"] for code in values], np.int32)
        if len(sizes) != len(cells) or codes.max(initial=-1) >= len(found["texts"]):
            raise ValueError("a class has a value that is not there")
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sensitive[name] = PublishedValues(tuple(found["texts"]), offsets, codes)
    return PublishedTable(f"release {number} of the ledger", sides, cells, sensitive)


def _read_side(found: Mapping[str, Any]) -> Side:
    values, ends = found.get("values"), found.get("ends")
    return Side(
        found["label"],
        None if values is None else tuple(values),
        None if ends is None else (ends[0], ends[1]),
    )
