"""The answer to "does this table meet the model?"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from shoal.core.classes import Classes
from shoal.core.context import Context
from shoal.core.protocols import PrivacyModel
from shoal.core.settings import settings_of

__all__ = ["Verdict", "judge"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one model says of a table.

    Parameters
    ----------
    model : str
        Name of the model.
    settings : mapping
        Its parameters as plain values.
    columns : tuple of str
        Sensitive columns that it reads.
    satisfied : bool
    required, achieved : float or None
        The threshold, and the strictest one that every class meets (None where there is no class).
    violating_classes, violating_rows : int
    figures : mapping of str to float or None
        Further figures by name, of models that bound more than one thing: those that have a method
        ``figures(classes, context)``. Plain data.
    """

    model: str
    settings: Mapping[str, Any]
    columns: tuple[str, ...]
    satisfied: bool
    required: float
    achieved: float | None
    violating_classes: int
    violating_rows: int
    figures: Mapping[str, float | None] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)


def judge(models: Iterable[PrivacyModel], classes: Classes, context: Context) -> tuple[Verdict, ...]:
    """Test every model on all classes."""
    verdicts = []
    for model in models:
        violating = model.violating(classes, context)
        figures = getattr(model, "figures", None)
        verdicts.append(
            Verdict(
                model=model.name,
                settings={key: value for key, value in settings_of(model).items() if key != "name"},
                columns=model.columns,
                satisfied=not violating.any(),
                required=model.required,
                achieved=model.achieved(classes, context),
                violating_classes=int(violating.sum()),
                violating_rows=int(classes.rows[violating].sum()),
                figures=figures(classes, context) if figures else {},
            )
        )
    return tuple(verdicts)
