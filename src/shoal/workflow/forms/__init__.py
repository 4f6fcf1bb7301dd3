"""From a decision to a published table, proven and told: one form per kind of recoding."""

from __future__ import annotations

from shoal.core.buckets import Buckets
from shoal.core.perturbation import Perturbation
from shoal.core.recoding import Recoding, regions_of
from shoal.workflow.forms.boxes import Boxes
from shoal.workflow.forms.bucketed import Bucketed
from shoal.workflow.forms.form import Form
from shoal.workflow.forms.noisy import Noisy
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared

__all__ = ["Form", "form_of"]


def form_of(recoding: Recoding, prepared: Prepared, plan: Plan) -> Form:
    """Return a decision in the form in which it is published."""
    if isinstance(recoding, Buckets):
        return Bucketed(prepared, plan, recoding)
    if isinstance(recoding, Perturbation):
        return Noisy(prepared, plan, recoding)
    return Boxes(prepared, plan, regions_of(recoding, prepared.table))
