"""Where engine, model and algorithm meet: anonymize, audit, sweep, verify.

What is done to finished tables, attacks and utility, is imported from its own modules: a run needs none of it.
"""

from shoal.workflow.anonymize import anonymize, anonymize_file
from shoal.workflow.audit import audit, audit_file
from shoal.workflow.audit_result import Audit
from shoal.workflow.release import Release
from shoal.workflow.sweep import sweep, sweep_file
from shoal.workflow.sweep_result import Sweep
from shoal.workflow.verify import Verification, verify, verify_file

__all__ = [
    "Audit",
    "Release",
    "Sweep",
    "Verification",
    "anonymize",
    "anonymize_file",
    "audit",
    "audit_file",
    "sweep",
    "sweep_file",
    "verify",
    "verify_file",
]
