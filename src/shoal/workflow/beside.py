"""What a reader of a published table must know beside its rows: groups of shuffled columns, and sampling."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.core.schema import Role
from shoal.errors import SchemaError, SpecError, nearest_name

__all__ = ["BUCKET", "ReleaseFacts", "checked_groups"]

BUCKET = "bucket"
"""The column that numbers the buckets of a release."""

Groups = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """What a manifest tells of how the rows of a release are to be read.

    Parameters
    ----------
    groups : tuple of tuple of str
        Columns that were shuffled together within buckets; empty for a release without buckets.
    bucket : str, default "bucket"
        The column that numbers the buckets.
    sampling_rate : float, default 1
        Share of the records that were published at all, in (0, 1].
    fakes_per_bucket : int or None
        Invented rows in each bucket, where that is known.
    is_noise : bool, default False
        Whether rows were made from noisy counts.
    known : bool, default False
        Whether a manifest was there; without one, buckets are not known to be there or not.
    types : mapping of str to str
        As what each quasi-identifier was read.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    bucket: str = BUCKET
    sampling_rate: float = 1.0
    fakes_per_bucket: int | None = None
    is_noise: bool = False
    known: bool = False
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> ReleaseFacts:
        """Read a public manifest.

        Examples
        --------
        >>> facts = ReleaseFacts.of_manifest({"buckets": {"column": "bucket", "groups": [["age"], ["disease"]]}})
        >>> facts.groups
        (('age',), ('disease',))
        """
        buckets = manifest.get("buckets") or {}
        rate = manifest.get("sampling_rate", (manifest.get("perturbation") or {}).get("sampling_rate", 1.0))
        return cls(
            groups=tuple(tuple(group) for group in buckets.get("groups", ())),
            bucket=buckets.get("column", BUCKET),
            sampling_rate=float(rate),
            fakes_per_bucket=buckets.get("fakes_per_bucket"),
            is_noise="perturbation" in manifest,
            known=True,
            types={
                column["name"]: column["type"]
                for column in manifest.get("treatment", ())
                if column["role"] == Role.QUASI_IDENTIFIER and column.get("type")
            },
        )

    @classmethod
    def beside(cls, published: str | Path) -> ReleaseFacts:
        """Read ``PUBLISHED.manifest.json`` where it is there.

        Raises
        ------
        SpecError
            If it is no manifest.
        """
        path = Path(f"{published}.manifest.json")
        if not path.is_file():
            return cls()
        try:
            return cls.of_manifest(json.loads(path.read_text("utf-8")))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise SpecError("the manifest beside the table cannot be read", where=str(path)) from None

    def with_groups(self, groups: Groups | None, bucket: str | None = None) -> ReleaseFacts:
        """Return the facts with groups that a user gave instead."""
        if groups is None:
            return self
        return replace(
            self, groups=tuple(tuple(group) for group in groups), bucket=bucket or self.bucket, known=True
        )


def checked_groups(groups: Groups, columns: Iterable[str], *, where: str) -> tuple[tuple[str, ...], ...]:
    """Hold groups against the columns of a release that are read.

    Returns
    -------
    tuple of tuple of str
        Without columns that are not read, and without groups that are empty then.

    Raises
    ------
    SchemaError
        If a column is in two groups, or one that is read is in none.
    """
    wanted = list(columns)
    named = [name for group in groups for name in group]
    twice = sorted({name for name in named if named.count(name) > 1})
    if twice:
        raise SchemaError(
            "a column is in two groups", where=f"{where}: {', '.join(twice)}", fix="name each column once"
        )
    missing = [name for name in wanted if name not in named]
    if missing:
        raise SchemaError(
            f"{len(missing)} column(s) are in no group of {where}",
            where=", ".join(missing),
            fix=f'give all groups, as in "age,zip|sex,disease"; {nearest_name(missing[0], named)}',
        )
    kept = (tuple(name for name in group if name in wanted) for group in groups)
    return tuple(group for group in kept if group)
