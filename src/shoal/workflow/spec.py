"""The spec: one run of shoal as a text file, the same for the command line, Python and the web app."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

from shoal.core.algorithm import Algorithm
from shoal.core.protocols import LossMetric, PrivacyModel
from shoal.core.rational import exact
from shoal.core.schema import Column, Role, Schema
from shoal.errors import SpecError
from shoal.workflow.plan import Plan
from shoal.workflow.quick import add_to_columns, match_hierarchies, quick_document
from shoal.workflow.script import script_of
from shoal.workflow.spec_build import build_algorithm, build_hierarchy, build_loss, build_model
from shoal.workflow.spec_parts import ColumnSpec, InputSpec, MethodSpec, PopulationSpec
from shoal.workflow.spec_read import read_document
from shoal.workflow.spec_write import document_of, json_of, plain
from shoal.workflow.toml import write_toml

__all__ = ["ColumnSpec", "InputSpec", "MethodSpec", "PopulationSpec", "Spec", "json_schema"]


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One run: how to read a table, what its columns are, what must hold and how to search.

    Parameters
    ----------
    input : InputSpec
    columns : mapping of str to ColumnSpec
    requirements : tuple of mapping
        The ``[[models]]`` tables as written, each with its ``"model"``.
    method : MethodSpec
    population : PopulationSpec or None
        The file of the people that the table is a sample of.
    folder : Path
        Where relative paths start; not part of what a spec says.

    Raises
    ------
    SpecError
        With all faults of the spec at once, each with its place.

    Examples
    --------
    >>> spec = Spec.from_toml('''
    ... version = 1
    ... [columns.age]
    ... role = "quasi-identifier"
    ... [[models]]
    ... model = "k-anonymity"
    ... k = 5
    ... ''')
    >>> spec.models()
    (KAnonymity(k=5),)
    >>> Spec.from_toml(spec.to_toml()) == spec
    True
    """

    input: InputSpec = field(default_factory=InputSpec)
    columns: Mapping[str, ColumnSpec] = field(default_factory=dict)
    requirements: tuple[Mapping[str, Any], ...] = ()
    method: MethodSpec = field(default_factory=MethodSpec)
    population: PopulationSpec | None = None
    folder: Path = field(default=Path(), compare=False)

    def __post_init__(self) -> None:
        self._take(read_document(self._document(), Path(self.folder)))

    def _take(self, parts: Mapping[str, Any]) -> None:
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, folder: str | Path | None = None) -> Spec:
        """Read a spec from the mapping that its TOML stands for.

        Raises
        ------
        SpecError
            With all faults at once, each with its place.
        """
        spec = object.__new__(cls)
        spec._take(read_document(plain(document), Path(folder or ".")))
        return spec

    @classmethod
    def from_toml(cls, path_or_text: str | Path, *, folder: str | Path | None = None) -> Spec:
        """Read a spec from a file or a text.

        Parameters
        ----------
        path_or_text : str or Path
            A text with a line break or ``=`` is the spec itself, everything else the path of a file.
        folder : str or Path, optional
            Where relative paths start; the file's folder, or the current one for a text.

        Raises
        ------
        SpecError
            With all faults at once, each with its place.
        """
        if isinstance(path_or_text, str) and ("\n" in path_or_text or "=" in path_or_text):
            text, where = path_or_text, ""
        else:
            path = Path(path_or_text)
            text, where = _text_of(path), str(path)
            folder = path.parent if folder is None else folder
        try:
            document = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise SpecError(
                f"the spec is not TOML: {error}", where=where, fix="see docs/reference/spec.md"
            ) from None
        return cls.from_dict(document, folder=folder)

    @classmethod
    def quick(cls, quasi_identifiers: Iterable[str], **options: Any) -> Spec:
        """Make a spec from a few options, those of :func:`shoal.workflow.quick.quick_document`."""
        return cls.from_dict(quick_document(quasi_identifiers, **options))

    def as_dict(self) -> dict[str, Any]:
        """Return the spec as plain JSON data, the same shape as its TOML."""
        data: dict[str, Any] = json_of(self._document())
        return data

    def to_toml(self) -> str:
        """Write the spec; :meth:`from_toml` reads exactly this spec back."""
        return write_toml(self._document())

    def to_python(self) -> str:
        """Write a Python script that makes the same run; see :func:`shoal.workflow.script.script_of`."""
        return script_of(self.input, self.columns, self.requirements, self.method, population=self.population)

    def _document(self) -> dict[str, Any]:
        return document_of(self.input, self.columns, self.requirements, self.method, self.population)

    def schema(self) -> Schema:
        """Build the roles, types and hierarchies.

        Raises
        ------
        HierarchyError
            If a hierarchy file cannot be read.
        """
        return Schema(
            columns=[
                Column(
                    name, Role(column.role), column.type, build_hierarchy(column, self.folder), column.pseudonym
                )
                for name, column in self.columns.items()
                if column.role is not None
            ]
        )

    def files(self) -> list[Path]:
        """Return the files that are read beside the table: the population and hierarchies."""
        named = [] if self.population is None else [self.population.file]
        named += [c.hierarchy["file"] for c in self.columns.values() if c.hierarchy and "file" in c.hierarchy]
        return [self.folder / name for name in named]

    def models(self) -> tuple[PrivacyModel, ...]:
        """Build the models."""
        return tuple(build_model(table) for table in self.requirements)

    def algorithm(self) -> Algorithm:
        """Build the algorithm with its settings."""
        return build_algorithm(self.method, self.models())

    def loss(self) -> LossMetric:
        """Build the objective."""
        return build_loss(self.method)

    def weights(self) -> dict[str, float]:
        """Return the weights of quasi-identifiers in the loss, where given."""
        return {name: float(c.weight) for name, c in self.columns.items() if c.weight is not None}

    def max_levels(self) -> dict[str, int]:
        """Return the highest levels of quasi-identifiers, where given."""
        return {name: c.max_level for name, c in self.columns.items() if c.max_level is not None}

    def plan(self, *, models: Iterable[PrivacyModel] | None = None) -> Plan:
        """Resolve what is asked for, as the workflow takes it; other *models* take the place of the spec's."""
        asked = self.models() if models is None else tuple(models)
        return Plan.resolve(
            models=asked,
            algorithm=build_algorithm(self.method, asked),
            loss=self.loss(),
            suppression_limit=self.suppression_limit,
            suppressed=self.method.suppressed,
            insensitive=self.method.insensitive,
            weights=self.weights(),
            max_levels=self.max_levels(),
            budget_s=self.budget_s,
        )

    @property
    def suppression_limit(self) -> Fraction:
        """Largest share of records that may be suppressed."""
        return exact(self.method.suppression_limit, "suppression_limit")

    @property
    def budget_s(self) -> float | None:
        """Seconds for the search, or None."""
        return None if self.method.budget_s is None else float(self.method.budget_s)

    def changed(
        self,
        *,
        input: Mapping[str, Any] | None = None,  # noqa: A002
        method: Mapping[str, Any] | None = None,
        columns: Mapping[str, Mapping[str, Any]] | None = None,
        hierarchies: str | Path | None = None,
        population: str | Path | None = None,
    ) -> Spec:
        """Return the spec with some keys of ``[input]``, ``[method]`` or its columns replaced.

        Parameters
        ----------
        input, method : mapping, optional
            Keys and their new values.
        columns : mapping, optional
            Keys of some columns and their new values, such as ``{"age": {"weight": 3}}``.
        hierarchies : path, optional
            A folder whose files replace the hierarchies of the quasi-identifiers that they fit, see
            :func:`shoal.workflow.quick.match_hierarchies`.
        population : path, optional
            The file of the population, relative to the current folder.

        Raises
        ------
        SpecError
            If the new spec has a fault, or there is no such column.
        """
        document = self._document()
        document["input"] = {**document.get("input", {}), **(input or {})}
        document["method"] = {**document.get("method", {}), **(method or {})}
        add_to_columns(document["columns"], columns or {})
        if population is not None:
            document["population"] = {**document.get("population", {}), "file": str(Path(population).absolute())}
        if hierarchies is not None:
            quasi = [name for name, column in self.columns.items() if column.role == Role.QUASI_IDENTIFIER]
            for name, path in match_hierarchies(hierarchies, quasi).items():
                document["columns"][name]["hierarchy"] = {"file": str(path.absolute())}
        return Spec.from_dict(document, folder=self.folder)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a spec that is shipped with shoal."""
    schema: dict[str, Any] = json.loads(files("shoal.workflow").joinpath("schema.json").read_text("utf-8"))
    return schema


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SpecError(
            f"the spec cannot be read: {error.strerror}", where=str(path), fix="make one with `shoal init`"
        ) from None
    except UnicodeDecodeError as error:
        raise SpecError(
            "the spec is not UTF-8 text",
            where=f"{path}, byte {error.start}",
            fix="is it the spec, and not the data?",
        ) from None
