"""The choices: what each k and each algorithm costs, and the risk that it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.protocols import Algorithm, LossMetric, PrivacyModel, Problem, check_support
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
from shoal.report.notebook import sweep_html
from shoal.report.page import sweep_page
from shoal.risk.reidentification import risk_of
from shoal.workflow.account.files import save, text_of
from shoal.workflow.plan import Plan
from shoal.workflow.population import population_file, population_frame
from shoal.workflow.prepare import Prepared, numbers, prepare
from shoal.workflow.seed import seed_of
from shoal.workflow.spec import Spec

__all__ = ["Point", "Sweep", "sweep", "sweep_file"]

Progress = Callable[[float | None, str], None]


@dataclass(frozen=True, kw_only=True)
class Point:
    """One choice.

    Parameters
    ----------
    k : int
    algorithm : str
    feasible : bool
    why : str
        Why it is not, where it is not.
    loss : float or None
        The objective, 0 where nothing is lost.
    risk, highest_risk : float or None
        Average and highest risk of a member, in [0, 1].
    suppressed, classes : int or None
    optimal : bool or None
        Whether the loss is proven least in what the algorithm ranges over.
    seconds : float
    dominated : bool
        Whether another choice has at most this risk and this loss, and less of one.
    """

    k: int
    algorithm: str
    feasible: bool
    why: str = ""
    loss: float | None = None
    risk: float | None = None
    highest_risk: float | None = None
    suppressed: int | None = None
    classes: int | None = None
    optimal: bool | None = None
    seconds: float = 0.0
    dominated: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the point as plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """All choices that were tried on one table.

    Parameters
    ----------
    points : tuple of Point
        By k and algorithm.
    recommended : Point or None
        Where a further step costs most for least.
    reason : str
    loss : str
        Name of the objective.
    rows : int
    """

    points: tuple[Point, ...]
    recommended: Point | None
    reason: str
    loss: str
    rows: int

    @property
    def frontier(self) -> tuple[Point, ...]:
        """Feasible choices that no other dominates, from the greatest risk down."""
        kept = (point for point in self.points if point.feasible and not point.dominated)
        return tuple(sorted(kept, key=lambda point: (-(point.risk or 0), point.loss or 0)))

    def as_dict(self) -> dict[str, Any]:
        """Return the sweep as plain data."""
        return {
            "shoal": version("shoal"),
            "rows": self.rows,
            "loss": self.loss,
            "points": [point.as_dict() for point in self.points],
            "recommended": None if self.recommended is None else self.recommended.as_dict(),
            "reason": self.reason,
        }

    def to_html(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the frontier as a page, or as JSON where the name ends so. Not for publication."""
        return save(text_of(self.as_dict(), path, sweep_page), path, private=True, force=force)

    def _repr_html_(self) -> str:
        return sweep_html(self.as_dict())


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
    marked = _marked(points)
    best, reason = _knee(marked)
    return Sweep(points=marked, recommended=best, reason=reason, loss=plans[0].loss.name, rows=prepared.n_rows)


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


def _choice(point: Point) -> str:
    return f"k = {point.k} with {point.algorithm}"


def _marked(points: Sequence[Point]) -> tuple[Point, ...]:
    """Mark the points that another one beats."""

    def beats(a: Point, b: Point) -> bool:
        pair = (a.risk or 0, a.loss or 0), (b.risk or 0, b.loss or 0)
        return all(x <= y for x, y in zip(*pair, strict=True)) and pair[0] != pair[1]

    feasible = [point for point in points if point.feasible]
    return tuple(
        replace(point, dominated=point.feasible and any(beats(other, point) for other in feasible))
        for point in points
    )


def _knee(points: Sequence[Point]) -> tuple[Point | None, str]:
    """Return the point of the frontier that lies farthest below the line between its ends.

    References
    ----------
    .. [1] Satopää, Albrecht, Irwin, Raghavan (2011), Finding a "kneedle" in a haystack, ICDCS workshops.
       doi:10.1109/ICDCSW.2011.20
    """
    kept = {(p.risk, p.loss): p for p in reversed(points) if p.feasible and not p.dominated}
    # Risks are ratios: from 50 to 25 % is as far as from 4 to 2 %.
    line = sorted((np.log(p.risk or 1), p.loss or 0.0, p.k, p) for p in kept.values() if p.risk)
    if not line:
        return None, "No choice is feasible."
    if len(line) == 1:
        return line[0][3], "It is the only choice that no other one beats."
    (low, most, *_), (high, least, *_) = line[0], line[-1]
    if len(line) == 2:
        safer = line[0][3]
        return (
            safer,
            "Of two choices that do not beat each other it is the safer one; which is enough is yours to say.",
        )
    below = [(1 - (risk - low) / (high - low)) - (loss - least) / (most - least) for risk, loss, _, _ in line]
    at = int(np.argmax(below))
    best = line[at][3]
    if at in (0, len(line) - 1):
        return line[0][3], "Each step costs about as much as the last, so the safest choice is taken."
    before, after = line[at + 1][3], line[at - 1][3]
    dearer, dearest = (best.loss or 0) - (before.loss or 0), (after.loss or 0) - (best.loss or 0)
    return best, (
        f"From {_choice(before)} to {_choice(best)} the average risk falls from {before.risk:.2%} to "
        f"{best.risk:.2%} for {dearer:.3f} more loss; the next step, to {_choice(after)}, costs {dearest:.3f} "
        f"more for a fall to {after.risk:.2%}. Whether the risk is small enough is yours to say."
    )
