"""The bet behind: what a stake on somebody else's hand returns, by what its owner follows (V-30, V-31)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ventuno.odds.figures import Figure, figure
from ventuno.odds.play import Play, Table
from ventuno.odds.splits import Splits, hands, plain_value, stakes, value
from ventuno.odds.terms import Floats


def behind(table: Table, splits: Splits, play: Play, insured: Floats) -> Mapping[tuple[bool, bool], Figure]:
    """Figures by (follow_double, follow_split), the owner playing best; a split not followed keeps the first hand."""
    found: dict[tuple[bool, bool], Figure] = {}
    for double in (False, True):
        worth, staked = (value, stakes) if double else (plain_value, hands)
        for split in (False, True):
            found[double, split] = figure(
                *(table, play, worth(table, play.act), staked(table, play.act)),
                *(splits.sums(play, worth, others=split), splits.sums(play, staked, others=split), insured, False),
            )
    return found
