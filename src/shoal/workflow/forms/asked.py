"""What cannot be asked of a kind of release, said before a long run begins."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from shoal.core.algorithm import Algorithm
from shoal.core.schema import Role, Schema
from shoal.errors import SchemaError, ShoalWarning, SpecError
from shoal.workflow.beside import BUCKET
from shoal.workflow.plan import Plan

__all__ = ["Asked", "check_asked", "form_named_by", "not_explained"]

KINDS = {"buckets": "a bucket release", "noise": "a release of noisy counts"}
OTHERWISE = "or name an algorithm that generalizes, such as mondrian"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run is asked for, as far as not every kind of release has it.

    Parameters
    ----------
    plan : Plan
    schema : Schema
    policy, explain, ledger, keep_order : bool
        Whether there is a policy, an explanation, a ledger, or the order of rows is to be kept.
    """

    plan: Plan
    schema: Schema
    policy: bool
    explain: bool
    ledger: bool
    keep_order: bool


def form_named_by(algorithm: Algorithm) -> str:
    """Return what an algorithm says that it publishes: ``"boxes"``, ``"buckets"`` or ``"noise"``."""
    kind: str = getattr(algorithm, "publishes", "boxes")
    return kind


def check_asked(kind: str, asked: Asked) -> None:
    """Refuse what this kind of release cannot have.

    Raises
    ------
    SpecError
        If a policy or an explanation is asked for, a ledger of noise, or a column has the name of the bucket's.
    SchemaError
        If a column has a role that it cannot have there.
    """
    if kind == "boxes":
        return
    what, schema = KINDS[kind], asked.schema
    if asked.policy:
        raise SpecError(
            f"a policy speaks of groups of look-alikes, which {what} does not have",
            where="--policy",
            fix=f"leave it out, {OTHERWISE}",
        )
    if asked.explain:
        raise not_explained()
    if asked.ledger and kind == "noise":
        raise SpecError(
            "a ledger remembers which values people can have, and of rows from noisy counts that is not known",
            where="--ledger",
            fix=f"add up the budgets of the releases instead, {OTHERWISE}",
        )
    if schema.pseudonyms:
        raise SchemaError(
            f"{what} has no row of one person, so it cannot hold pseudonyms",
            where=", ".join(schema.pseudonyms),
            fix=f"take the role away, {OTHERWISE}",
        )
    if kind == "noise" and len(schema.sensitive) != 1:
        raise SchemaError(
            f"rows are drawn with one sensitive column, and there are {len(schema.sensitive)}",
            where=", ".join(schema.sensitive),
            fix='give one column role "sensitive", and to others role "drop" or "quasi-identifier"',
        )
    others = [name for name in schema.sensitive if name not in asked.plan.columns]
    if kind == "buckets" and others:
        raise SchemaError(
            f"{what} protects the link to one sensitive column, and no model names {len(others)} other(s)",
            where=", ".join(others),
            fix=f'give them role "drop", {OTHERWISE}',
        )
    free = schema.names(Role.INSENSITIVE, Role.WEIGHT)
    if kind == "noise" and free:
        raise SchemaError(
            "rows that are made from noisy counts have no cells of insensitive columns",
            where=", ".join(free),
            fix=f'give them role "drop", {OTHERWISE}',
        )
    if kind == "buckets" and BUCKET in schema.published:
        raise SpecError(
            f"a column is called {BUCKET!r}, which is the column that a bucket release adds",
            where=f"column {BUCKET!r}",
            fix="rename the column of the input",
        )
    if asked.keep_order:
        order = "rows lie by bucket" if kind == "buckets" else "no row of the input is behind a published one"
        warnings.warn(f"the order of rows cannot be kept: {order}", ShoalWarning, stacklevel=2)


def not_explained() -> SpecError:
    """Return the error for whoever asks why cells were generalized where they were not."""
    return SpecError(
        "an explanation tells why cells were generalized, and these were not published as boxes",
        where="--explain",
        fix=f"leave it out, {OTHERWISE}",
    )
