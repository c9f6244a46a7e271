"""Every planted fault: each must break a world within the seeds of one run (G-6)."""

from __future__ import annotations

from tests.support.simulation import planted_house, planted_money, planted_time
from tests.support.simulation.fault import FAULTS, Fault, planted

PARTS = (planted_house, planted_money, planted_time)
"""Reading them fills the list."""

__all__ = ["FAULTS", "PARTS", "Fault", "planted"]
