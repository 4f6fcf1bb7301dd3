"""Why a release looks as it does: what was lost and where, what forced it, and what another k would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.core.algorithm import Algorithm
from shoal.core.problem import Problem
from shoal.core.regions import Regions
from shoal.core.table import FrequencyTable
from shoal.workflow.loss_by_group import ColumnLoss, losses_by_group
from shoal.workflow.other_k import OtherK, other_k
from shoal.workflow.tight_classes import ColumnStep, ModelHold, tight_classes

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why a release looks as it does.

    Parameters
    ----------
    columns : tuple of ColumnLoss
        What each quasi-identifier lost, and in which groups of records most.
    steps : tuple of ColumnStep
        What one step finer would break, per quasi-identifier.
    models : tuple of ModelHold
        What each model holds in place.
    loss_name : str
        Name of the objective.
    loss : float
        Its value.
    other_k : tuple of OtherK
        The objective with one more and one fewer k, where there was time.
    suppressed, rows : int
        Suppressed records, and all.
    full_domain : bool
        Whether each column was told on one level throughout, so that no class can take a step by itself.
    """

    columns: tuple[ColumnLoss, ...]
    steps: tuple[ColumnStep, ...]
    models: tuple[ModelHold, ...]
    loss_name: str
    loss: float
    other_k: tuple[OtherK, ...]
    suppressed: int
    rows: int
    full_domain: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """The explanation in words; the only cells in it are labels that are published."""
        return (
            *_lost_nothing([column.name for column in self.columns if not column.loss]),
            *(_lost(column) for column in sorted(self.columns, key=lambda c: -c.loss) if column.loss),
            *([_suppressed(self)] if self.suppressed else []),
            *(_step(step, full_domain=self.full_domain) for step in self.steps if step.classes),
            *(_hold(model) for model in self.models),
            *([_other_k(self)] if self.other_k else []),
        )

    def as_dict(self, *, private: bool = False) -> dict[str, Any]:
        """Return the explanation as plain data.

        Parameters
        ----------
        private : bool, default False
            Add the sensitive values that are in the way, with the number of classes each. They are cell values:
            not to be published.
        """
        models = []
        for model in self.models:
            entry = asdict(model)
            counts = entry.pop("value_counts")
            if private:
                entry["value_counts"] = [{"value": value, "classes": times} for value, times in counts.items()]
            models.append(entry)
        return {
            "columns": [asdict(column) for column in self.columns],
            "steps": [asdict(step) for step in self.steps],
            "models": models,
            "loss": {"name": self.loss_name, "value": self.loss},
            "other_k": [{**asdict(other), "feasible": other.feasible} for other in self.other_k],
            "sentences": list(self.sentences),
        }


def explain(
    table: FrequencyTable,
    regions: Regions,
    problem: Problem,
    algorithm: Algorithm,
    *,
    loss: float,
    full_domain: bool,
    seed: int,
    budget_s: float,
) -> Explanation:
    """Work out the explanation of a release.

    Parameters
    ----------
    table : FrequencyTable
    regions : Regions
        Normalized boxes.
    problem : Problem
    algorithm : Algorithm
        Searched, and searches again with another k.
    loss : float
        Value of the objective.
    full_domain : bool
        Whether each column was told on one level throughout.
    seed : int
        Of the release.
    budget_s : float
        Seconds for the searches with another k.
    """
    steps, models = tight_classes(table, regions, problem)
    return Explanation(
        columns=losses_by_group(table, regions),
        steps=steps,
        models=models,
        loss_name=problem.loss.name,
        loss=loss,
        other_k=other_k(table, problem, algorithm, seed=seed, budget_s=budget_s),
        suppressed=regions.suppressed_rows,
        rows=table.n_rows,
        full_domain=full_domain,
    )


def _percent(share: float) -> str:
    if 0 < share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.1f} %".replace(".0 %", " %")


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 'es' if one.endswith('s') else 's'}"


def _lost_nothing(names: Sequence[str]) -> list[str]:
    return [f"Nothing was lost of {', '.join(names)}."] if names else []


def _lost(column: ColumnLoss) -> str:
    text = (
        f"{column.name} lost {_percent(column.loss)} of its detail, {_percent(column.of_all)} of all that is lost"
    )
    if not column.most:
        return text + ", everywhere alike."
    groups = [
        f"{_percent(group.loss)} in the {_count(group.rows, 'record')} whose {group.column} is "
        + ("missing" if group.label is None else repr(group.label))
        for group in column.most
    ]
    return f"{text}; it lost most, {' and '.join(groups)}."


def _suppressed(explanation: Explanation) -> str:
    share = _percent(explanation.suppressed / max(1, explanation.rows))
    verb = "is suppressed and counts" if explanation.suppressed == 1 else "are suppressed and count"
    return f"{_count(explanation.suppressed, 'record')} ({share}) {verb} as lost in every column."


def _step(step: ColumnStep, *, full_domain: bool) -> str:
    text = f"{step.name} is generalized in {_count(step.classes, 'class')}; one step finer it would break "
    if not step.refused:
        return f"{text}no model in any of them."
    text += " and ".join(
        f"{_model(refusal.model, refusal.columns)} in {refusal.classes:,} ({_count(refusal.rows, 'record')})"
        for refusal in step.refused
    )
    if full_domain:
        return f"{text}, and the whole column is told on one level."
    return f"{text}; {step.open_classes:,} could take the step, each by itself."


def _model(name: str, columns: Sequence[str]) -> str:
    return f"{name} on {', '.join(columns)}" if columns else name


def _hold(hold: ModelHold) -> str:
    name, parts = _model(hold.model, hold.columns), []
    if hold.classes:
        share = f"{_percent(hold.of_classes)}, {_count(hold.rows, 'record')}"
        parts.append(
            f"holds {_count(hold.classes, 'class')} ({share}) in place: every column one step finer breaks it"
        )
    if hold.decisive_classes:
        rows = _count(hold.decisive_rows, "record")
        parts.append(f"is the only model to refuse some step in {_count(hold.decisive_classes, 'class')} ({rows})")
    if not parts:
        return f"{name} forces nothing: it refuses no step alone, and nowhere those of all columns."
    if hold.values:
        verb = "is" if hold.values == 1 else "are"
        parts.append(f"{_count(hold.values, 'value')} of {', '.join(hold.columns)} {verb} in the way")
    return f"{name} {'; '.join(parts)}."


def _other_k(explanation: Explanation) -> str:
    parts = []
    for other in explanation.other_k:
        if other.loss is None:
            parts.append(f"k = {other.k} cannot be met within the limits")
            continue
        change = other.loss - explanation.loss
        relative = f" ({change / explanation.loss:+.1%})".replace("%", " %") if explanation.loss else ""
        most = "" if other.complete else "at most "
        parts.append(f"with k = {other.k} it would be {most}{other.loss:.4g}{relative}")
    return f"The loss ({explanation.loss_name}) is {explanation.loss:.4g}; {', and '.join(parts)}."
