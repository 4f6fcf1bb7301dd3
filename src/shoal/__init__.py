"""Publish tables about people so that nobody in them can be singled out, and prove it.

Every public name is imported at its first use, so that ``import shoal`` takes milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.algorithms import (
        TDS,
        TP,
        Anatomy,
        Best,
        DiffGen,
        DPCounts,
        Exhaustive,
        Hilbert,
        Hybrid,
        Incognito,
        Matching,
        Merging,
        Mondrian,
        Optimal,
        Progressive,
        Sampled,
        Slicing,
        TopDown,
        TPPlus,
    )
    from shoal.core.certificate import Certificate
    from shoal.core.hierarchy import Hierarchy
    from shoal.core.schema import Column, Role, Schema
    from shoal.errors import (
        EngineError,
        HierarchyError,
        InfeasibleError,
        InputError,
        PolicyError,
        SchemaError,
        ShoalError,
        ShoalWarning,
        SpecError,
        VerificationError,
    )
    from shoal.hierarchies import auto, dates, flat, from_csv, intervals, ordered, parents, prefix, tree, write_csv
    from shoal.loss import (
        NCP,
        AverageClassSize,
        Discernibility,
        Distortion,
        KLDivergence,
        NCPValue,
        NonUniformEntropy,
        Precision,
        Stars,
    )
    from shoal.models import (
        AlphaKAnonymity,
        AverageRisk,
        BetaLikeness,
        DAlphaLinkable,
        DeltaDisclosure,
        DeltaPresence,
        KAnonymity,
        KmAnonymity,
        KMap,
        LDiversity,
        PopulationUniqueness,
        SampleUniqueness,
        TCloseness,
    )
    from shoal.workflow import (
        Audit,
        Release,
        Sweep,
        Verification,
        anonymize,
        audit,
        sweep,
        verify,
    )
    from shoal.workflow.attack import attack_composition
    from shoal.workflow.attack_result import CompositionAttack
    from shoal.workflow.policy import Policy
    from shoal.workflow.spec import Spec
    from shoal.workflow.utility import measure_utility
    from shoal.workflow.utility_result import Utility

    __version__: str

__all__ = [
    "NCP",
    "TDS",
    "TP",
    "AlphaKAnonymity",
    "Anatomy",
    "Audit",
    "AverageClassSize",
    "AverageRisk",
    "Best",
    "BetaLikeness",
    "Certificate",
    "Column",
    "CompositionAttack",
    "DAlphaLinkable",
    "DPCounts",
    "DeltaDisclosure",
    "DeltaPresence",
    "DiffGen",
    "Discernibility",
    "Distortion",
    "EngineError",
    "Exhaustive",
    "Hierarchy",
    "HierarchyError",
    "Hilbert",
    "Hybrid",
    "Incognito",
    "InfeasibleError",
    "InputError",
    "KAnonymity",
    "KLDivergence",
    "KMap",
    "KmAnonymity",
    "LDiversity",
    "Matching",
    "Merging",
    "Mondrian",
    "NCPValue",
    "NonUniformEntropy",
    "Optimal",
    "Policy",
    "PolicyError",
    "PopulationUniqueness",
    "Precision",
    "Progressive",
    "Release",
    "Role",
    "SampleUniqueness",
    "Sampled",
    "Schema",
    "SchemaError",
    "ShoalError",
    "ShoalWarning",
    "Slicing",
    "Spec",
    "SpecError",
    "Stars",
    "Sweep",
    "TCloseness",
    "TPPlus",
    "TopDown",
    "Utility",
    "Verification",
    "VerificationError",
    "__version__",
    "anonymize",
    "attack_composition",
    "audit",
    "auto",
    "dates",
    "flat",
    "from_csv",
    "intervals",
    "measure_utility",
    "ordered",
    "parents",
    "prefix",
    "sweep",
    "tree",
    "verify",
    "write_csv",
]

_HOMES = {
    "shoal.algorithms": [
        "Anatomy",
        "Best",
        "DPCounts",
        "DiffGen",
        "Exhaustive",
        "Hilbert",
        "Hybrid",
        "Incognito",
        "Matching",
        "Merging",
        "Mondrian",
        "Optimal",
        "Progressive",
        "Sampled",
        "Slicing",
        "TDS",
        "TP",
        "TPPlus",
        "TopDown",
    ],
    "shoal.core.certificate": [
        "Certificate",
    ],
    "shoal.core.hierarchy": [
        "Hierarchy",
    ],
    "shoal.core.schema": [
        "Column",
        "Role",
        "Schema",
    ],
    "shoal.errors": [
        "EngineError",
        "HierarchyError",
        "InfeasibleError",
        "InputError",
        "PolicyError",
        "SchemaError",
        "ShoalError",
        "ShoalWarning",
        "SpecError",
        "VerificationError",
    ],
    "shoal.hierarchies": [
        "auto",
        "dates",
        "flat",
        "from_csv",
        "intervals",
        "ordered",
        "parents",
        "prefix",
        "tree",
        "write_csv",
    ],
    "shoal.loss": [
        "AverageClassSize",
        "Discernibility",
        "Distortion",
        "KLDivergence",
        "NCP",
        "NCPValue",
        "NonUniformEntropy",
        "Precision",
        "Stars",
    ],
    "shoal.models": [
        "AlphaKAnonymity",
        "AverageRisk",
        "BetaLikeness",
        "DAlphaLinkable",
        "DeltaDisclosure",
        "DeltaPresence",
        "KAnonymity",
        "KMap",
        "KmAnonymity",
        "LDiversity",
        "PopulationUniqueness",
        "SampleUniqueness",
        "TCloseness",
    ],
    "shoal.workflow": [
        "Audit",
        "Release",
        "Sweep",
        "Verification",
        "anonymize",
        "audit",
        "sweep",
        "verify",
    ],
    "shoal.workflow.attack": [
        "attack_composition",
    ],
    "shoal.workflow.attack_result": [
        "CompositionAttack",
    ],
    "shoal.workflow.policy": [
        "Policy",
    ],
    "shoal.workflow.spec": [
        "Spec",
    ],
    "shoal.workflow.utility": [
        "measure_utility",
    ],
    "shoal.workflow.utility_result": [
        "Utility",
    ],
}

_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import a public name from its home at its first use."""
        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("shoal")
        elif name in _HOME_OF:
            value = getattr(import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module 'shoal' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, imported or not."""
    return sorted(__all__)
