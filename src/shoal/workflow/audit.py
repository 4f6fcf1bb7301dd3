"""A table as it stands: what it satisfies, how risky it is, and why, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.classes import Classes
from shoal.core.population import count_labels, members_of
from shoal.core.protocols import PrivacyModel
from shoal.core.rational import Exact
from shoal.core.schema import Column, Role, Schema
from shoal.core.table import FrequencyTable
from shoal.core.verdict import judge
from shoal.errors import SchemaError, nearest_name
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.risk.journalist import population_risk
from shoal.risk.reidentification import Risk, risk_of
from shoal.workflow.audit_measures import (
    count_missing,
    measure_columns_of,
    measure_sensitive,
    suppressed_points,
    without_points,
)
from shoal.workflow.audit_result import Audit
from shoal.workflow.audit_words import sentences_of
from shoal.workflow.direct_identifiers import find_direct_identifiers
from shoal.workflow.policy import Policy
from shoal.workflow.policy_checks import Evidence, check_policy
from shoal.workflow.population import cover_of, population_by_itself, population_file, population_frame
from shoal.workflow.prepare import Prepared, numbers, prepare
from shoal.workflow.propose import propose
from shoal.workflow.quick import quick_document
from shoal.workflow.rules import Rules
from shoal.workflow.spec import Spec
from shoal.workflow.spec_build import build_model
from shoal.workflow.survey import Survey, estimate_population

__all__ = ["audit", "audit_file", "audit_unknown"]


def audit(
    data: Any,
    schema: Schema | None = None,
    *,
    models: Iterable[PrivacyModel] | PrivacyModel = (),
    population: Any = None,
    sampling_fraction: Exact | None = None,
    policy: str | Policy | None = None,
    suda_max_size: int | None = None,
) -> Audit:
    """Say what a frame satisfies as it stands, and how risky it is.

    Parameters
    ----------
    data : DataFrame
        Any frame that narwhals knows.
    schema : Schema, optional
        Roles; hierarchies of quasi-identifiers are not needed. Where left out, roles are proposed from names and
        contents.
    models : iterable of PrivacyModel, optional
        Models to test.
    population : DataFrame, optional
        The people that the table is a sample of, with the same quasi-identifiers, one row per person.
    sampling_fraction : int, float, str or Fraction, optional
        Share of the population that is in the table, in (0, 1]; from the weights where there is a weight.
    policy : str or Policy, optional
        Checks to make, by its name (``shoal list presets``) or as an object.
    suda_max_size : int, optional
        Columns of the largest sets in which people are looked for who stand alone; as many as are quick where left
        out. The time grows with the number of such sets.

    Returns
    -------
    Audit
        A model that is not met is not an exception here.
    """
    given = tuple(models) if isinstance(models, Iterable) else (models,)
    with from_frame(data) as source, population_frame(population) as people:
        known = _proposed(source) if schema is None else schema
        return _audit(
            source,
            known,
            given,
            population=people,
            sampling_fraction=sampling_fraction,
            proposed=schema is None,
            policy=Rules.of(policy, None).policy,
            suda_max_size=suda_max_size,
        )


def audit_file(
    source: str | Path,
    spec: Spec,
    *,
    sampling_fraction: Exact | None = None,
    policy: str | Policy | None = None,
    suda_max_size: int | None = None,
) -> Audit:
    """Say what a file satisfies as it stands; see :func:`audit`."""
    schema, asked = spec.schema(), Rules.of(policy, None).policy
    with (
        open_source(source, **spec.input, decimal_columns=numbers(schema)) as opened,
        reading(opened),
        population_file(spec, numbers(schema)) as people,
    ):
        return _audit(
            opened,
            schema,
            spec.models(),
            population=people,
            sampling_fraction=sampling_fraction,
            policy=asked,
            suda_max_size=suda_max_size,
        )


def audit_unknown(
    source: str | Path,
    *,
    input: Mapping[str, Any] | None = None,  # noqa: A002
    sensitive: Sequence[str] = (),
    unit: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    population: str | Path | None = None,
    sampling_fraction: Exact | None = None,
    policy: str | Policy | None = None,
    suda_max_size: int | None = None,
    **thresholds: Any,
) -> Audit:
    """Say what a file satisfies whose roles nobody gave: they are proposed from names and contents.

    Parameters
    ----------
    source : str or Path
    input : mapping, optional
        Keys of ``[input]``.
    sensitive : sequence of str
        Sensitive columns, instead of those that would be proposed.
    unit, household, weight : str, optional
        Who a row is of, who belongs together, and how many people a row stands for, instead of what would be
        proposed.
    population : str or Path, optional
        File of the people that the table is a sample of.
    sampling_fraction : int, float, str or Fraction, optional
    policy : str or Policy, optional
    suda_max_size : int, optional
    **thresholds
        ``k``, ``l``, ``t`` and ``alpha`` of :func:`shoal.workflow.quick.quick_document`.
    """
    how = {key: value for key, value in (input or {}).items() if value is not None}
    with open_source(source, **how) as opened, reading(opened):
        single = {Role.UNIT: unit, Role.HOUSEHOLD: household, Role.WEIGHT: weight}
        schema = _proposed(opened, sensitive=sensitive, single=single)
        wanted = quick_document(schema.quasi_identifiers, sensitive=schema.sensitive, **thresholds)["models"]
        models = tuple(build_model(table) for table in wanted)
        options: dict[str, Any] = {
            "sampling_fraction": sampling_fraction,
            "proposed": True,
            "policy": Rules.of(policy, None).policy,
            "suda_max_size": suda_max_size,
        }
        if population is None:
            return _audit(opened, schema, models, population=None, **options)
        with open_source(population, **how) as people, reading(people):
            return _audit(opened, schema, models, population=people, **options)


def _proposed(
    source: Source, *, sensitive: Sequence[str] = (), single: Mapping[Role, str | None] | None = None
) -> Schema:
    """Return what the columns seem to be; *single* names those of roles that one column has."""
    given = {role: name for role, name in (single or {}).items() if name is not None}
    if unknown := [name for name in (*given.values(), *sensitive) if name not in source.columns]:
        raise SchemaError(
            f"column {unknown[0]!r} is not in the table", fix=nearest_name(unknown[0], source.columns)
        )
    proposal = propose(source.scan(), missing=source.missing)
    columns = []
    # A table without anything that others may know is one whose columns never vary: these are looked at then.
    some = bool(proposal.names(Role.QUASI_IDENTIFIER))
    for proposed in proposal.columns:
        role = proposed.role
        if not some and role is Role.INSENSITIVE:
            role = Role.QUASI_IDENTIFIER
        if sensitive and role is Role.SENSITIVE and proposed.name not in sensitive:
            role = Role.INSENSITIVE
        if proposed.name in sensitive:
            role = Role.SENSITIVE
        if role in given:
            role = Role.DROP if role is Role.WEIGHT else Role.IDENTIFIER
        role = next((own for own, name in given.items() if name == proposed.name), role)
        columns.append(Column(proposed.name, role, proposed.type))
    return Schema(columns=columns)


def _audit(
    source: Source,
    schema: Schema,
    models: Sequence[PrivacyModel],
    *,
    population: Source | None,
    sampling_fraction: Exact | None = None,
    proposed: bool = False,
    policy: Policy | None = None,
    suda_max_size: int | None = None,
) -> Audit:
    sensitive = tuple(dict.fromkeys([name for model in models for name in model.columns] + list(schema.sensitive)))
    prepared = prepare(source, schema, sensitive=sensitive, flat_quasi_identifiers=True)
    context, whole = prepared.context, prepared.table
    residue = suppressed_points(whole)
    table = without_points(whole, residue)
    if population is not None:
        context = replace(context, population=population_by_itself(population, schema, table.names))
    reads = frozenset().union(*(getattr(model, "reads", ()) for model in models))
    classes = _classes(table, sensitive, reads, context.population)
    everything = _classes(whole, sensitive, reads, context.population) if residue.any() else classes
    suppressed = int(whole.point_rows[residue].sum())
    by_people = context.by_people
    class_of_point = np.where(residue, -1, np.cumsum(~residue) - 1)
    class_of_row = class_of_point[whole.point_of_item[prepared.item_of_row]]
    survey, households = Survey.of(prepared).measure(class_of_row, table.n_points)
    fraction, estimate = estimate_population(table, classes.size, sampling_fraction, survey)
    alone, columns, special, sets = measure_columns_of(table, sampling_fraction=fraction, m=suda_max_size)
    readings = count_missing(whole)
    verdicts = judge(models, classes, context)
    risk = risk_of(classes, suppressed_rows=suppressed, by_people=by_people)
    found = Audit(
        rows=prepared.n_rows,
        people=context.people,
        classes=len(classes),
        alone=alone,
        suppressed=suppressed,
        verdicts=verdicts,
        verdicts_with_suppressed=judge(models, everything, context) if suppressed else verdicts,
        risk=risk,
        risk_with_suppressed=risk_of(everything, suppressed_rows=suppressed, by_people=by_people),
        population_risk=None if context.population is None else population_risk(classes),
        survey_risk=survey,
        household_risk=households,
        population_uniqueness=estimate,
        special_uniques=special,
        column_sets=sets,
        missing={reading: None if both is None else both[0] for reading, both in readings.items()},
        alone_by_missing={reading: None if both is None else both[1] for reading, both in readings.items()},
        columns=columns,
        sensitive=measure_sensitive(table, classes, context),
        direct_identifiers=find_direct_identifiers(source, schema),
        roles={str(role): names for role in Role if (names := schema.names(role))},
        proposed=proposed,
        policy=None if policy is None else check_policy(policy, _evidence(prepared, table, risk, suppressed)),
    )
    return replace(found, sentences=sentences_of(found, table.names))


def _evidence(prepared: Prepared, table: FrequencyTable, risk: Risk, suppressed: int) -> Evidence:
    return Evidence(
        frame=prepared.source.scan(),
        schema=prepared.schema,
        risk=risk,
        rows=prepared.n_rows,
        suppressed=suppressed,
        cells=[table.codes[:, j] for j in range(table.n_qi)],
        counts=table.classes(table.point_of_item, table.n_points).size,
    )


def _classes(table: FrequencyTable, sensitive: Sequence[str], reads: frozenset[str], population: Any) -> Classes:
    """Count the points as classes, with what models read of them."""
    point = table.point_of_item.astype(np.int32)
    classes = table.classes(point, table.n_points, sensitive)
    if "cells" in reads:
        members = None if table.unit is None else members_of(point, table.unit, table.n_points, table.n_units)
        classes = replace(classes, cells=table.codes, members=members)
    if population is not None:
        pairs = zip(population.hierarchies, table.hierarchies, strict=True)
        covers = [cover_of(theirs, ours.leaves) for theirs, ours in pairs]
        counts, outside = count_labels(table.codes, covers, population)
        classes = replace(classes, population=counts, outside=outside)
    return classes
