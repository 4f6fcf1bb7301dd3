"""Every k tried with every algorithm, on a table that is counted once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.algorithm import Algorithm, check_support
from shoal.core.problem import Problem
from shoal.core.protocols import LossMetric, PrivacyModel
from shoal.core.rational import Exact
from shoal.core.recoding import regions_of
from shoal.core.schema import Schema
from shoal.core.settings import settings_of
from shoal.errors import InfeasibleError, ShoalError, SpecError
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import Source, reading
from shoal.loss.measure import measure
from shoal.models import KAnonymity
from shoal.risk.reidentification import risk_of
from shoal.workflow.frontier import knee, marked
from shoal.workflow.plan import Plan
from shoal.workflow.population import population_file, population_frame
from shoal.workflow.prepare import Prepared, numbers, prepare
from shoal.workflow.seed import seed_of
from shoal.workflow.spec import Spec
from shoal.workflow.sweep_result import Point, Sweep

__all__ = ["sweep", "sweep_file"]

Progress = Callable[[float | None, str], None]


def sweep(
    data: Any,
    schema: Schema,
    *,
    k: Iterable[int] = (2, 3, 5, 10),
    algorithms: Iterable[str | Algorithm] | None = None,
    models: Iterable[PrivacyModel] | PrivacyModel = (),
    loss: str | LossMetric = "ncp",
    suppression_limit: Exact = 0,
    population: Any = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Try every k with every algorithm on a frame that is counted once.

    Parameters
    ----------
    data : DataFrame
        Any frame that narwhals knows.
    schema : Schema
    k : iterable of int, default (2, 3, 5, 10)
    algorithms : iterable of str or Algorithm, optional
        Where left out, the one that :func:`shoal.anonymize` takes by itself.
    models : iterable of PrivacyModel, optional
        What else must hold; k-anonymity among them gives way to each *k*.
    loss : str or LossMetric, default "ncp"
    suppression_limit : number or text, default 0
    population : DataFrame, optional
        The people that the table is a sample of, for models that count them.
    seed : int, optional
        Of random choices; fresh entropy where left out.
    progress : callable, optional
        Called with (share done or None, what is being done).

    Returns
    -------
    Sweep
        An infeasible choice is a point with the reason, not an exception.

    Raises
    ------
    SpecError
        If a k is below 1, or no k or no algorithm is given.
    """
    models = tuple(models) if isinstance(models, Iterable) else (models,)
    plans = [
        Plan.resolve(models=_models(models, size), algorithm=name, loss=loss, suppression_limit=suppression_limit)
        for size in sorted(set(k))
        for name in ([None] if algorithms is None else algorithms)
    ]
    with from_frame(data) as source, population_frame(population) as people:
        return _sweep((source, people), schema, plans, seed=seed, progress=progress)


def sweep_file(
    source: str | Path,
    spec: Spec,
    *,
    k: Iterable[int] = (2, 3, 5, 10),
    algorithms: Iterable[str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Try every k with every algorithm on a file; see :func:`sweep`. Left out, the algorithm is the spec's."""
    schema = spec.schema()
    own = spec.algorithm().name
    names = list(algorithms or [own])
    specs = {
        # The settings of the spec's own algorithm are no others'.
        name: spec if name == own else _with_algorithm(spec, name)
        for name in names
    }
    plans = [specs[name].plan(models=_models(spec.models(), size)) for size in sorted(set(k)) for name in specs]
    with (
        open_source(source, **spec.input, decimal_columns=numbers(schema)) as opened,
        reading(opened),
        population_file(spec, numbers(schema)) as people,
    ):
        return _sweep((opened, people), schema, plans, seed=seed, progress=progress)


def _with_algorithm(spec: Spec, name: str) -> Spec:
    return replace(spec, method=replace(spec.method, algorithm=name, settings={}))


def _models(models: Sequence[PrivacyModel], k: int) -> tuple[PrivacyModel, ...]:
    return (KAnonymity(k=k), *(model for model in models if not isinstance(model, KAnonymity)))


def _size(plan: Plan) -> int:
    return next(model.k for model in plan.models if isinstance(model, KAnonymity))


def _sweep(
    sources: tuple[Source, Source | None],
    schema: Schema,
    plans: Sequence[Plan],
    *,
    seed: int | None,
    progress: Progress | None,
) -> Sweep:
    if not plans:
        raise SpecError("there is nothing to try", fix="give at least one k and one algorithm")
    report: Progress = progress or (lambda _share, _text: None)
    report(None, "reading and counting")
    source, people = sources
    prepared = prepare(source, schema, sensitive=plans[0].columns, population=people)
    if not prepared.n_rows:
        raise InfeasibleError("the table has no records", choices=["check the input: it holds only a header"])
    drawn = seed_of(seed)
    points = []
    for number, plan in enumerate(plans):
        report(number / len(plans), f"k = {_size(plan)}, {plan.algorithm.name}")
        points.append(_point(prepared, plan, drawn))
    choices = marked(points)
    best, reason = knee(choices)
    return Sweep(points=choices, recommended=best, reason=reason, loss=plans[0].loss.name, rows=prepared.n_rows)


def _point(prepared: Prepared, plan: Plan, seed: int) -> Point:
    """Search once on the shared table and measure what was found."""
    started = time.perf_counter()
    table, context = prepared.table, prepared.context
    problem = Problem(
        models=plan.models,
        loss=plan.loss,
        context=context,
        suppression_limit=plan.suppression_limit,
        weights=plan.weights,
        max_levels=plan.max_levels,
        budget_s=plan.budget_s,
    )
    named: dict[str, Any] = {"k": _size(plan), "algorithm": _named(plan.algorithm)}
    try:
        check_support(plan.algorithm, plan.models)
        solution = plan.algorithm.search(table, problem, np.random.default_rng([seed, 1]))
    except (InfeasibleError, SpecError) as error:
        # One algorithm that does not serve these models is no reason to try no other.
        return _not_feasible(error, named, time.perf_counter() - started)
    regions = regions_of(solution.recoding, table)
    risk = risk_of(regions.classes(table), suppressed_rows=regions.suppressed_rows, by_people=context.by_people)
    if not risk.n_classes:
        return _not_feasible(
            InfeasibleError("every record would be suppressed"), named, time.perf_counter() - started
        )
    return Point(
        **named,
        feasible=True,
        loss=measure(plan.loss, table, regions, plan.weights),
        risk=risk.average,
        highest_risk=risk.highest,
        suppressed=regions.suppressed_rows,
        classes=risk.n_classes,
        optimal=solution.optimal,
        seconds=time.perf_counter() - started,
    )


def _named(algorithm: Algorithm) -> str:
    """Return the name of an algorithm with the settings that are not its defaults."""
    told = settings_of(algorithm)
    settings: list[Any] = list(fields(algorithm)) if is_dataclass(algorithm) else []
    own = [
        f"{setting.name} = {told[setting.name]}"
        for setting in settings
        if setting.name in told and getattr(algorithm, setting.name) != setting.default
    ]
    return algorithm.name + (f" ({', '.join(own)})" if own else "")


def _not_feasible(error: ShoalError, named: dict[str, Any], seconds: float) -> Point:
    return Point(**named, feasible=False, why=error.problem, seconds=seconds)
