"""What a report tells of a run, as plain data: everything for the publisher, and what may be published."""

from shoal.workflow.account.external import external_account
from shoal.workflow.account.internal import internal_account

__all__ = ["external_account", "internal_account"]
