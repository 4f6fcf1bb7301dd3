"""The objective of a run: a loss that a search can keep small."""

from __future__ import annotations

from shoal.core.protocols import CellLoss, ClassLoss, LossMetric, ReleaseLoss
from shoal.errors import SpecError
from shoal.loss import LOSSES, MEASURES

__all__ = ["objective_of"]


def objective_of(loss: object) -> LossMetric:
    """Return a loss, by its name or as it is, that can steer a search.

    Raises
    ------
    SpecError
        If it is unknown, no loss, or measures a finished release alone.
    """
    if isinstance(loss, str):
        loss = (MEASURES if loss in MEASURES and loss not in LOSSES else LOSSES).make(loss)
    if isinstance(loss, ReleaseLoss):
        raise SpecError(
            f"{loss.name!r} measures a finished release and cannot steer a search",
            fix=f'search with another loss, such as "ncp", and ask release.measure("{loss.name}") afterwards',
        )
    if isinstance(loss, type) or not isinstance(loss, CellLoss | ClassLoss):
        raise SpecError("the objective is not a loss", fix='name one of `shoal list losses`, such as "ncp"')
    return loss
