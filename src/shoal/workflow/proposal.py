"""What ``shoal init`` proposes for a table, and the commented spec that it writes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from shoal.core.schema import Role
from shoal.workflow.toml import write_toml

__all__ = ["ColumnProposal", "Proposal", "about"]

MANY_QUASI_IDENTIFIERS = 15
WIDTH = 110


def about(count: int) -> str:
    """Return a count as a text that no cell can be read from: small ones hidden, the others rounded.

    Examples
    --------
    >>> about(7), about(48_842)
    ('fewer than 10', 'about 49,000')
    """
    if count < 10:
        return "fewer than 10"
    unit = 10 ** (len(str(count)) - 2)
    return f"about {round(count / unit) * unit:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProposal:
    """What is proposed for one column.

    Parameters
    ----------
    name : str
        Its name.
    role : Role
        What it is for.
    reason : str
        Why, in one sentence without a cell value.
    type : str or None
        How its texts are read; None: left to the hierarchy.
    hierarchy : mapping or None
        How it is generalized, as a spec writes it; quasi-identifiers only.
    warnings : tuple of str
        What to look at before the spec is used; no cell values either.
    """

    name: str
    role: Role
    reason: str
    type: str | None = None
    hierarchy: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed spec for a table.

    Parameters
    ----------
    columns : tuple of ColumnProposal
        In the table's order.
    n_rows : int
        Rows of the table.
    input : mapping
        How the table is read: the ``[input]`` of the spec.
    distinct : mapping of str to int
        Number of distinct values of each sensitive column, estimated.
    markers : tuple of str
        Texts in the table that often mean missing and are not declared so.
    """

    columns: tuple[ColumnProposal, ...]
    n_rows: int
    input: Mapping[str, Any]
    distinct: Mapping[str, int]
    markers: tuple[str, ...] = ()

    def names(self, role: Role | str) -> tuple[str, ...]:
        """Return the columns with a role, in order."""
        return tuple(column.name for column in self.columns if column.role == role)

    def as_dict(self) -> dict[str, Any]:
        """Return the proposal as plain data, for ``--json``."""
        return {
            "version": 1,
            "input": dict(self.input),
            "markers": list(self.markers),
            "columns": [
                {
                    "name": column.name,
                    "role": str(column.role),
                    "type": column.type,
                    "hierarchy": None if column.hierarchy is None else _plain(column.hierarchy),
                    "reason": column.reason,
                    "warnings": list(column.warnings),
                }
                for column in self.columns
            ],
        }

    def to_toml(self) -> str:
        """Return a commented spec. It parses as TOML and holds no cell value.

        Examples
        --------
        >>> import tomllib
        >>> age = ColumnProposal(name="age", role=Role.DROP, reason="an example")
        >>> spec = Proposal(columns=(age,), n_rows=50, input={"missing": [""]}, distinct={}).to_toml()
        >>> tomllib.loads(spec)["columns"]
        {'age': {'role': 'drop'}}
        """
        blocks = [
            list(self._head()),
            list(self._input()),
            *(list(_column(column)) for column in self.columns),
            list(self._models()),
            list(_METHOD),
        ]
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    def _head(self) -> Iterator[str]:
        yield from _comment(
            "A proposal by `shoal init`, from the names of the columns and what their cells look like. It cannot "
            "know what an attacker knows: read every reason, change what is wrong, then run "
            "`shoal audit INPUT --spec` with this file."
        )
        yield from _comment(
            f"The table has {about(self.n_rows)} rows. Roles: identifier, quasi-identifier, sensitive, "
            "insensitive, drop, weight, unit (the person a row belongs to), household (who belongs together)."
        )
        if self.n_rows < 30:
            yield from _comment("So few rows say little: whether values repeat may be chance.")
        quasi = self.names(Role.QUASI_IDENTIFIER)
        if not quasi:
            yield from _comment("No quasi-identifier was found; a run needs one. Choose what others may know.")
        if len(quasi) > MANY_QUASI_IDENTIFIERS:
            yield from _comment(
                f"{len(quasi)} quasi-identifiers are more than a release can keep useful: generalizing so many at "
                "once leaves little. Drop the columns that nobody needs, and make insensitive only those that "
                "nobody outside can know."
            )
        yield "version = 1"

    def _input(self) -> Iterator[str]:
        yield from _toml({"input": dict(self.input)})
        if self.markers:
            yield from _comment("These texts occur and often mean missing. Declare those that do here:")
            yield from _aside({"missing": [*self.input.get("missing", ()), *self.markers]})

    def _models(self) -> Iterator[str]:
        yield from _comment("Every published record looks like at least k - 1 others in its quasi-identifiers.")
        if self.n_rows < 10:
            yield from _comment("With so few rows, k = 5 may be out of reach.")
        yield from _toml({"models": [{"model": "k-anonymity", "k": 5}]})
        # In a column of measures every class is diverse, which says nothing.
        shared = {name: n for name, n in self.distinct.items() if n <= max(self.n_rows / 2, 10)}
        if shared:
            yield ""
            yield from _comment(
                "k-anonymity does not hide a sensitive value that a whole class shares; l-diversity does. "
                "Take the # away from the lines below to ask for it."
            )
        for name, n in shared.items():
            yield "#"
            model = {"model": "l-diversity", "sensitive": name, "l": max(2, min(3, n)), "kind": "distinct"}
            yield from _aside({"models": [model]})


_METHOD = (
    "[method]",
    'algorithm = "best"         # see `shoal list algorithms`',
    'labels = "nodes"           # nodes | ranges | sets | stars',
    'loss = "ncp"               # the objective; see `shoal list losses`',
    "suppression_limit = 0      # share of records that may be suppressed, in [0, 1]",
)


def _column(column: ColumnProposal) -> Iterator[str]:
    yield from _comment(column.reason)
    for warning in column.warnings:
        yield from _comment(f"Look: {warning}")
    table: dict[str, Any] = {"role": str(column.role)}
    if column.type is not None:
        table["type"] = column.type
    if column.hierarchy is not None:
        table["hierarchy"] = dict(column.hierarchy)
    yield from _toml({"columns": {column.name: table}})


def _toml(document: Mapping[str, Any]) -> list[str]:
    return write_toml(document).rstrip("\n").split("\n")


def _aside(document: Mapping[str, Any]) -> list[str]:
    """Return TOML as comments, which a user turns on by taking the marks away."""
    return [f"# {line}" for line in _toml(document)]


def _comment(text: str) -> list[str]:
    # A comment ends where a line does, so nothing may break it but the wrapping itself.
    return [f"# {line}" for line in textwrap.wrap(" ".join(text.split()), WIDTH, break_on_hyphens=False)]


def _plain(hierarchy: Mapping[str, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(item) for item in value]
        return float(value) if isinstance(value, Decimal) else value

    return {key: plain(value) for key, value in hierarchy.items()}
