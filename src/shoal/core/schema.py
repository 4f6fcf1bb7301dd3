"""What each column of a table is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from shoal.core.hierarchy import Hierarchy
from shoal.errors import SchemaError, SpecError, nearest_name

__all__ = ["COLUMN_TYPES", "Column", "HierarchyBuilder", "Role", "Schema"]

COLUMN_TYPES = ("text", "integer", "decimal", "date", "ordered")


class Role(StrEnum):
    """What a column is for. A column without a role is dropped and listed."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"
    DROP = "drop"
    WEIGHT = "weight"
    UNIT = "unit"
    HOUSEHOLD = "household"


@runtime_checkable
class HierarchyBuilder(Protocol):
    """Makes the hierarchy of a column from the texts that occur in it.

    Builders are frozen dataclasses in :mod:`shoal.hierarchies`.
    """

    def build(self, values: Iterable[str | None], *, column: str, type: str | None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over *values* (distinct, ``None`` for missing), read as *type*.

        Where the type is None the builder infers it, and ``Hierarchy.type`` says as what.

        Raises
        ------
        HierarchyError
            If a value has no place in it; the values stand on ``err.examples``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a schema.

    Parameters
    ----------
    name : str
        Its name in the table.
    role : Role or str
        What it is for.
    type : str or None
        How its texts are read: ``"text"``, ``"integer"``, ``"decimal"``, ``"date"``, ``"ordered"``; None lets
        the hierarchy decide, which the release then states.
    hierarchy : HierarchyBuilder, Hierarchy or None
        How it is generalized (quasi-identifiers), or the order or tree of its values (sensitive columns).
    pseudonym : bool, default False
        Whether an identifier is published as a pseudonym instead of being left out. The table is not anonymous
        then.
    """

    name: str
    role: Role
    type: str | None = None
    hierarchy: HierarchyBuilder | Hierarchy | None = None
    pseudonym: bool = False

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "role", Role(self.role))
        except ValueError:
            raise SpecError(
                f"column {self.name!r} has an unknown role", fix=nearest_name(str(self.role), list(Role))
            ) from None
        if self.type is not None and self.type not in COLUMN_TYPES:
            raise SpecError(f"column {self.name!r} has an unknown type", fix=nearest_name(self.type, COLUMN_TYPES))
        if self.pseudonym and self.role is not Role.IDENTIFIER:
            raise SpecError(f"column {self.name!r} has a pseudonym", fix="only an identifier can have one")


Columns = Mapping[str, Any] | Iterable[str] | str | None


@dataclass(frozen=True, init=False)
class Schema:
    """The role of every column that is published or protects somebody.

    Parameters
    ----------
    quasi_identifiers : mapping of str to builder, or iterable of str
        Columns that an attacker may know, each with its hierarchy (``None``: made automatically).
    sensitive : mapping of str to builder, or iterable of str
        Columns whose link to a person must not become known. An order or hierarchy is needed only for
        t-closeness with that ground distance.
    identifiers : iterable of str
        Columns that name a person; never published.
    pseudonyms : iterable of str
        Columns that name a person and are published as keyed pseudonyms. The table is not anonymous then.
    insensitive : iterable of str
        Columns that are published as they are.
    drop : iterable of str
        Further columns that are never published.
    unit : str, optional
        The person that a row belongs to; classes then count people. Never published.
    household : str, optional
        The household, or another group, of which one member who is found gives away the others. Never published.
    weight : str, optional
        Survey weight of the row, published as it is.
    types : mapping of str to str, optional
        How the texts of a column are read (:data:`COLUMN_TYPES`).
    columns : iterable of Column, optional
        Columns whose roles are given one by one, before those above.

    Raises
    ------
    SchemaError
        If a column has two roles, or two are the unit, the household or the weight.

    Examples
    --------
    >>> schema = Schema(quasi_identifiers=["age", "sex"], sensitive=["disease"], identifiers=["name"])
    >>> schema.names(Role.QUASI_IDENTIFIER)
    ('age', 'sex')
    """

    columns: tuple[Column, ...]

    def __init__(
        self,
        *,
        quasi_identifiers: Columns = None,
        sensitive: Columns = None,
        identifiers: Columns = None,
        pseudonyms: Columns = None,
        insensitive: Columns = None,
        drop: Columns = None,
        unit: str | None = None,
        household: str | None = None,
        weight: str | None = None,
        types: Mapping[str, str] | None = None,
        columns: Iterable[Column] = (),
    ) -> None:
        types = dict(types or {})
        found = list(columns)
        found += [Column(name, Role.IDENTIFIER, pseudonym=True) for name in _pairs(pseudonyms)]
        for role, given in (
            (Role.QUASI_IDENTIFIER, quasi_identifiers),
            (Role.SENSITIVE, sensitive),
            (Role.IDENTIFIER, identifiers),
            (Role.INSENSITIVE, insensitive),
            (Role.DROP, drop),
            (Role.UNIT, unit),
            (Role.HOUSEHOLD, household),
            (Role.WEIGHT, weight),
        ):
            for name, hierarchy in _pairs(given).items():
                found.append(Column(name, role, types.pop(name, None), hierarchy))
        if types:
            raise SchemaError(f"{len(types)} column(s) have a type and no role", where=", ".join(sorted(types)))
        twice = sorted(name for name, times in Counter(c.name for c in found).items() if times > 1)
        if twice:
            raise SchemaError("a column has two roles", where=", ".join(twice), fix="give each column one role")
        for role in (Role.UNIT, Role.HOUSEHOLD, Role.WEIGHT):
            same = [column.name for column in found if column.role is role]
            if len(same) > 1:
                # All but the first would be passed over: people would be counted by one of them alone.
                raise SchemaError(
                    f"more than one column has the role {str(role)!r}",
                    where=", ".join(same),
                    fix='give the others role "drop"',
                )
        object.__setattr__(self, "columns", tuple(found))

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(
            f"no column {name!r} in the schema", fix=nearest_name(name, (c.name for c in self.columns))
        )

    def names(self, *roles: Role) -> tuple[str, ...]:
        """Return the columns with one of these roles, in the schema's order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Columns that an attacker may know."""
        return self.names(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns whose link to a person must not become known."""
        return self.names(Role.SENSITIVE)

    @property
    def unit(self) -> str | None:
        """The column that names the person a row belongs to, or None."""
        return next(iter(self.names(Role.UNIT)), None)

    @property
    def household(self) -> str | None:
        """The column that names the household of a row, or None."""
        return next(iter(self.names(Role.HOUSEHOLD)), None)

    @property
    def weight(self) -> str | None:
        """The column with the survey weight, or None."""
        return next(iter(self.names(Role.WEIGHT)), None)

    @property
    def pseudonyms(self) -> tuple[str, ...]:
        """Identifiers that are published as pseudonyms."""
        return tuple(column.name for column in self.columns if column.pseudonym)

    @property
    def published(self) -> tuple[str, ...]:
        """Columns that a release holds, in the schema's order."""
        roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.INSENSITIVE, Role.WEIGHT)
        return tuple(column.name for column in self.columns if column.role in roles or column.pseudonym)


def _pairs(given: Columns) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, str):
        return {given: None}
    if isinstance(given, Mapping):
        return dict(given)
    names = list(given)
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise SchemaError("a column is named twice in one role", where=", ".join(twice))
    return dict.fromkeys(names)
