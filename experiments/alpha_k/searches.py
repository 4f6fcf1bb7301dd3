"""One search measured: what it loses, by two losses, and the CPU time that it takes."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.algorithms import Best, Incognito, Mondrian, Optimal, Progressive, TopDown
from shoal.core.algorithm import Algorithm
from shoal.core.problem import Problem
from shoal.core.protocols import LossMetric, PrivacyModel
from shoal.core.recoding import regions_of
from shoal.core.table import FrequencyTable
from shoal.errors import InfeasibleError
from shoal.loss import NCP, Distortion
from shoal.loss.measure import measure

FULL_DOMAIN = "incognito"
PUBLISHED = "incognito, as published"
SUPPRESSING = "optimal, suppressing"

ALGORITHMS: dict[str, Algorithm] = {
    FULL_DOMAIN: Incognito(),
    PUBLISHED: Incognito(reuse=False),
    SUPPRESSING: Optimal(),
    "mondrian": Mondrian(),
    "top-down, publish": TopDown(remainder="publish"),
    "top-down": TopDown(),
    "progressive, level-wise": Progressive(variant="level-wise"),
    "progressive": Progressive(),
    "best": Best(),
}

OTHERS: dict[str, Algorithm] = {"best": Best()}
"""Searches that start from those above, so that they stand beside them only where they are asked for."""

FEW_SECONDS = 2.0
"""Searches that take less are run a second time, and the quicker run counts."""


@dataclass(frozen=True)
class Found:
    """What a search of one algorithm came to; losses are None where it found the task infeasible.

    Parameters
    ----------
    algorithm : str
    distortion, ncp : float or None
        In [0, 1].
    suppressed : int
        Suppressed rows.
    cpu_s : float
    """

    algorithm: str
    distortion: float | None
    ncp: float | None
    suppressed: int
    cpu_s: float


def measured(
    name: str, table: FrequencyTable, models: tuple[PrivacyModel, ...], loss: LossMetric | None = None
) -> Found:
    """Search once or twice and recount what was found."""
    limit = Fraction(1) if name == SUPPRESSING else Fraction(0)
    problem = Problem(models=models, loss=loss or Distortion(), context=table.context(), suppression_limit=limit)
    cpu_s = float("inf")
    for _ in range(2):
        gc.collect()
        before = time.process_time()
        try:
            recoding = (ALGORITHMS | OTHERS)[name].search(table, problem, np.random.default_rng(0)).recoding
        except InfeasibleError:
            return Found(name, None, None, 0, time.process_time() - before)
        cpu_s = min(cpu_s, time.process_time() - before)
        if cpu_s > FEW_SECONDS:
            break
    regions = regions_of(recoding, table)
    if problem.violating(regions.classes(table, problem.columns)).any():
        raise AssertionError(f"{name} published a class that fails")
    return Found(
        name, measure(Distortion(), table, regions), measure(NCP(), table, regions), regions.suppressed_rows, cpu_s
    )
