"""From the names and settings of a spec to models, losses, algorithms and hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from shoal.core.algorithm import Algorithm
from shoal.core.protocols import LossMetric, PrivacyModel
from shoal.core.registry import Registry
from shoal.errors import SchemaError, SpecError
from shoal.workflow.default import default_algorithm
from shoal.workflow.spec_parts import ColumnSpec, MethodSpec

__all__ = ["build_algorithm", "build_hierarchy", "build_loss", "build_model", "registry", "settings_of"]


def registry(kind: str) -> Registry:
    """Return the registry of ``"model"``, ``"loss"``, ``"attack"`` or ``"algorithm"``."""
    if kind == "model":
        from shoal.models import MODELS

        return MODELS
    if kind == "loss":
        from shoal.loss import LOSSES

        return LOSSES
    if kind == "attack":
        from shoal.attacks import ATTACKS

        return ATTACKS
    from shoal.algorithms import ALGORITHMS

    return ALGORITHMS


def settings_of(cls: type) -> list[str]:
    """Return the settings that a class takes."""
    return [f.name for f in fields(cls) if f.init]


def build_hierarchy(column: ColumnSpec, folder: Path) -> Any:
    """Return the builder of a column's hierarchy; None: automatic."""
    if column.hierarchy is None:
        return None
    from shoal.hierarchies import from_spec

    try:
        return from_spec(column.hierarchy, folder=folder)
    except SchemaError as error:
        raise SpecError(error.problem, where=error.where, fix=error.fix) from None


def build_model(table: Mapping[str, Any]) -> PrivacyModel:
    """Return the model of one ``[[models]]`` table."""
    settings = dict(table)
    name = settings.pop("model", None)
    if not isinstance(name, str):
        raise SpecError("the table names no model", fix='add model = "k-anonymity"')
    model: PrivacyModel = registry("model").make(name, **settings)
    return model


def build_algorithm(method: MethodSpec, models: Iterable[PrivacyModel]) -> Algorithm:
    """Return the algorithm with its settings; where none is named, the one that *models* allow."""
    algorithms = registry("algorithm")
    name = default_algorithm(models) if method.algorithm is None else method.algorithm
    settings: dict[str, Any] = dict(method.settings)
    takes_labels = "labels" in settings_of(algorithms[name])
    # A full-domain recoding publishes nodes anyway, so asking for nodes is no fault.
    if method.labels is not None and (takes_labels or method.labels != "nodes"):
        settings["labels"] = method.labels
    algorithm: Algorithm = algorithms.make(name, **settings)
    return algorithm


def build_loss(method: MethodSpec) -> LossMetric:
    """Return the objective."""
    from shoal.workflow.objective import objective_of

    return objective_of(method.loss)
