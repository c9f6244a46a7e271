"""The bet behind: what a stake on somebody else's hand returns, by what its owner follows (V-30, V-31)."""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.odds.exact.hand_tree import HandTree, Play
from ventuno.odds.exact.returns import Figure, compute_figure, measure_first_hands
from ventuno.odds.exact.rules import Bools
from ventuno.odds.exact.splits import Splits, measure_hands, measure_stakes, measure_undoubled, measure_value


def solve_behind(table: HandTree, splits: Splits, play: Play, insured: Bools) -> Mapping[tuple[bool, bool], Figure]:
    """The part of one up-card in the figures by (follow_double, follow_split), the owner of the box playing best.

    A split not followed keeps the first hand (reading 5). Insurance is the bettor's own decision (V-29) and is taken
    where it gains.
    """
    figures: dict[tuple[bool, bool], Figure] = {}
    for double in (False, True):
        worth, staked = (measure_value, measure_stakes) if double else (measure_undoubled, measure_hands)
        values, staked_values = worth(table, play.act), staked(table, play.act)
        after, staked_after = splits.sum_hands(play, worth, values), splits.sum_hands(play, staked, staked_values)
        for split in (False, True):
            figures[double, split] = compute_figure(
                table,
                measure_first_hands(table, play, values, after[split]),
                measure_first_hands(table, play, staked_values, staked_after[split]),
                insured,
                even_money=False,
            )
    return figures
