"""Estimates of a simulation by the definition of what they say."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from ventuno.odds.simulator.tally import Estimate, Faces

FACES = Faces((-1.0, 1.5, -2.0, 2.0, 0.0), (1.0, 1.0, 2.0, 2.0, 1.0))
COUNTS = np.array([480, 45, 60, 70, 345])


@pytest.mark.parametrize("base", ["initial", "total"])
def test_standard_errors_on_initial_and_on_all_stakes(base: str) -> None:
    """On all stakes the error is that of a ratio, computed here from the rounds one by one."""
    rounds = [pair for pair, n in zip(zip(FACES.won, FACES.staked, strict=True), COUNTS, strict=True) for _ in range(n)]
    won, staked = np.array(rounds).T
    ratio = won.sum() / staked.sum()
    on_initial = won.std() / sqrt(len(rounds))
    on_all = (won - ratio * staked).std() / sqrt(len(rounds)) / staked.mean()
    estimate = Estimate(FACES, COUNTS, base)
    assert estimate.error_initial == pytest.approx(on_initial, rel=1e-12)
    assert estimate.error_total == pytest.approx(on_all, rel=1e-12)
    assert abs(on_initial / on_all - 1) > 0.05
    assert estimate.error == (estimate.error_total if base == "total" else estimate.error_initial)
    assert estimate.value == pytest.approx(1 + (ratio if base == "total" else won.mean()), rel=1e-12)
