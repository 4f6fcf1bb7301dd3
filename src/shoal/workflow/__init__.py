"""Where engine, model and algorithm meet: anonymize, audit, verify."""

from shoal.workflow.anonymize import anonymize, anonymize_file
from shoal.workflow.attack import attack_composition, attack_composition_files
from shoal.workflow.attack_result import CompositionAttack
from shoal.workflow.audit import audit, audit_file
from shoal.workflow.audit_result import Audit
from shoal.workflow.release import Release
from shoal.workflow.sweep import Sweep, sweep, sweep_file
from shoal.workflow.utility import measure_utility, measure_utility_files
from shoal.workflow.utility_result import Utility
from shoal.workflow.verify import Verification, verify, verify_file

__all__ = [
    "Audit",
    "CompositionAttack",
    "Release",
    "Sweep",
    "Utility",
    "Verification",
    "anonymize",
    "anonymize_file",
    "attack_composition",
    "attack_composition_files",
    "audit",
    "audit_file",
    "measure_utility",
    "measure_utility_files",
    "sweep",
    "sweep_file",
    "verify",
    "verify_file",
]
