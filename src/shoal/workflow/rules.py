"""What a policy asks of one run, and whether the run met it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.protocols import PrivacyModel
from shoal.core.regions import Regions
from shoal.errors import PolicyError, SpecError
from shoal.risk.reidentification import Risk
from shoal.workflow.forms import Form
from shoal.workflow.policy import Policy, PolicyVerdict
from shoal.workflow.policy_checks import Evidence, check_policy

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """A policy and the reason why less is enough; both may be left out.

    Parameters
    ----------
    policy : Policy or None
    because : str or None
    """

    policy: Policy | None = None
    because: str | None = None

    @classmethod
    def of(cls, policy: str | Policy | None, because: str | None) -> Rules:
        """Look a policy up.

        Raises
        ------
        SpecError
            If there is none of that name, or a reason is given and nothing that it could be for.
        """
        if policy is None and because is not None:
            raise SpecError(
                "a reason is given for asking less than a policy, and no policy",
                fix="name the policy too, or leave the reason out",
            )
        return cls(Policy.named(policy) if isinstance(policy, str) else policy, because)

    def models_for(self, models: Iterable[PrivacyModel] | PrivacyModel) -> tuple[PrivacyModel, ...]:
        """Return the models that a run must meet."""
        given = tuple(models) if isinstance(models, Iterable) else (models,)
        return given if self.policy is None else self.policy.models_for(given, because=self.because)

    def held(self, frame: pl.LazyFrame, form: Form, risk: Risk | None) -> PolicyVerdict | None:
        """Hold the published rows against the policy.

        Raises
        ------
        PolicyError
            If a check fails and no reason was given.
        """
        if self.policy is None:
            return None
        # Policies are held against classes of look-alikes only; asked for any other kind, they were refused.
        assert form.cells is not None  # noqa: S101
        assert risk is not None  # noqa: S101
        regions, table = form.cells, form.table
        classes = regions.classes(table)
        evidence = Evidence(
            frame=frame,
            schema=form.prepared.schema,
            risk=risk,
            rows=table.n_rows,
            suppressed=regions.suppressed_rows,
            cells=[_codes(regions, j) for j in range(table.n_qi)],
            counts=classes.size,
        )
        verdict = check_policy(self.policy, evidence, because=self.because)
        if not verdict.satisfied:
            told = "; ".join(f"{r.check.title}: {r.evidence}" for r in verdict.failed)
            raise PolicyError(
                f"the output does not meet policy {self.policy.id!r}; nothing was written",
                where=told,
                fix="change the spec, or say why it is accepted (--because)",
            )
        return verdict


def _codes(regions: Regions, j: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return a code of each box's side of one column, int32 [n_regions]."""
    sides = np.stack([regions.lo[:, j], regions.hi[:, j]], axis=1)
    return np.unique(sides, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
