"""Losses: what a recoding costs, 0 where nothing is lost. One file each."""

from shoal.core.registry import Registry
from shoal.loss.ncp import NCP

__all__ = ["LOSSES", "NCP"]

LOSSES = Registry("loss", "shoal.loss", NCP)
