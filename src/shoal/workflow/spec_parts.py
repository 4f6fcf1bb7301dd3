"""The tables of a spec as types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any

__all__ = ["ColumnSpec", "InputSpec", "MethodSpec", "PopulationSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """How the input is read.

    Parameters
    ----------
    delimiter : str or None
        Character between the fields of a CSV file; None: found by itself.
    encoding : str or None
        Encoding of a CSV file; None: UTF-8.
    missing : tuple of str, default ("",)
        Texts that mean that a value is missing.
    decimal_comma : bool or None
        Whether numbers are written with a decimal comma; None: found by itself.
    """

    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ("",)
    decimal_comma: bool | None = None

    def keys(self) -> tuple[str, ...]:
        """Return the options that are given, so that ``open_source(path, **spec.input)`` works."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) is not None)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationSpec:
    """The file of the population that the table is a sample of, and how it is read.

    Parameters
    ----------
    file : str
        Its path, relative to the spec: a file with the same quasi-identifiers, one row per person.
    delimiter : str or None
        Character between the fields of a CSV file; None: as the input's, or found by itself.
    encoding : str or None
        Encoding of a CSV file; None: as the input's.
    missing : tuple of str or None
        Texts that mean that a value is missing; None: as the input's.
    decimal_comma : bool or None
        Whether numbers are written with a decimal comma; None: as the input's, or found by itself.
    """

    file: str = ""
    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None
    decimal_comma: bool | None = None

    def reading(self) -> dict[str, Any]:
        """Return the options that are given, those of :class:`InputSpec`."""
        options = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "file"}
        return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpec:
    """What a column is for and how it is generalized.

    Parameters
    ----------
    role : str or None
        One of :class:`shoal.core.schema.Role`; None: dropped and listed.
    type : str or None
        One of :data:`shoal.core.schema.COLUMN_TYPES`; None: the hierarchy decides.
    weight : Decimal or None
        Weight of a quasi-identifier in the loss, above 0; None: 1.
    max_level : int or None
        Highest level a quasi-identifier may be generalized to; None: its root.
    hierarchy : mapping or None
        How its values are generalized, as :func:`shoal.hierarchies.from_spec` reads it; None: automatic.
    pseudonym : bool, default False
        Whether an identifier is published as a keyed pseudonym. The table is not anonymous then.
    """

    role: str | None = None
    type: str | None = None
    weight: Decimal | None = None
    max_level: int | None = None
    hierarchy: Mapping[str, Any] | None = None
    pseudonym: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodSpec:
    """How the recoding is searched for.

    Parameters
    ----------
    algorithm : str or None
        None: that of :func:`shoal.workflow.default.default_algorithm`.
    loss : str, default "ncp"
        The objective.
    suppression_limit : int, Decimal or str, default 0
        Largest share of records that may be suppressed, in [0, 1].
    labels : str or None
        What the published cells of a local recoding may say; None: the algorithm's default.
    budget_s : int, Decimal or None
        Seconds after which the best recoding found so far is taken.
    suppressed : {"star", "drop", "blank-sensitive"}, default "star"
        What becomes of suppressed records.
    insensitive : {"refuse", "copy"}, default "refuse"
        What fake rows of a bucket hold in insensitive columns: none may be there, or those of one genuine row.
    settings : mapping
        Further settings of the algorithm; they stand beside the others in ``[method]``.
    """

    algorithm: str | None = None
    loss: str = "ncp"
    suppression_limit: int | Decimal | str = 0
    labels: str | None = None
    budget_s: int | Decimal | None = None
    suppressed: str = "star"
    insensitive: str = "refuse"
    settings: Mapping[str, Any] = field(default_factory=dict)
