"""The checks that policies are made of. Each looks at the rows as they are published, or as they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import SpecError, nearest_name
from shoal.workflow.policy import FAIL, PASS, WARN, Check, CheckResult, Policy, PolicyVerdict
from shoal.workflow.policy_contents import CONTENT_CHECKS
from shoal.workflow.policy_evidence import Answer, Evidence
from shoal.workflow.policy_figures import FIGURES

__all__ = ["CHECKS", "Evidence", "check_policy"]


def _attested(_: Evidence, settings: Mapping[str, Any]) -> Answer:
    return WARN, f"a person must answer: {settings['asks']}"


CHECKS: Mapping[str, Callable[[Evidence, Mapping[str, Any]], Answer]] = {
    "attested": _attested,
    **CONTENT_CHECKS,
    **FIGURES,
}


def check_policy(policy: Policy, evidence: Evidence, *, because: str | None = None) -> PolicyVerdict:
    """Hold rows against a policy.

    Parameters
    ----------
    policy : Policy
    evidence : Evidence
    because : str, optional
        Why checks that fail are accepted; they warn then, and the reason is kept.
    """
    return PolicyVerdict(
        policy=policy,
        results=tuple(_answer(check, evidence, accepted=bool(because)) for check in policy.checks),
        because=because,
    )


def _answer(check: Check, evidence: Evidence, *, accepted: bool) -> CheckResult:
    if check.check not in CHECKS:
        raise SpecError(f"a policy has an unknown check {check.check!r}", fix=nearest_name(check.check, CHECKS))
    holds, told = CHECKS[check.check](evidence, check.settings)
    status = holds if isinstance(holds, str) else PASS if holds else check.severity
    if status == FAIL and accepted:
        status, told = WARN, f"does not hold and was accepted: {told}"
    return CheckResult(check=check, status=status, evidence=told)
