"""Closed-form measures of risk."""

from shoal.risk.missing_cells import class_sizes
from shoal.risk.reidentification import Risk, risk_of

__all__ = ["Risk", "class_sizes", "risk_of"]
