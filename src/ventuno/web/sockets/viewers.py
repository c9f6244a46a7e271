"""Whom a change of a table concerns: whose own part of it can be another now, and whether anybody else sees it.

Most of what happens concerns one or two of those who watch; for the rest nothing is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import Box
from ventuno.core.table.state import NO_SLIP, Slip, Table


def concern(table: Table, player: PlayerId) -> tuple[object, ...]:
    """All that a player's own part of a table depends on: where it is equal, so is the part."""
    play = table.round
    mine: tuple[object, ...] = ()
    if play is not None:
        turn = legal.turn(play)
        boxes = [one for one in play.boxes if one.player == player or (one.behind and _is_behind(player, one))]
        bets = [bet for bet in play.table_bets if bet[0] == player]
        mine = play.stage, play.dealer, boxes, bets, turn[0].number if turn and turn[0].player == player else 0
    return (
        table.phase,
        table.pause,
        table.closing,
        table.purses.get(player),
        table.vip.get(player),
        table.slips.get(player, NO_SLIP),
        table.previous.get(player),
        table.limits,
        table.seats,
        table.forbids,
        mine,
    )


def concerned(before: Table, table: Table) -> set[PlayerId] | None:
    """Whose own part can have changed, where chips were moved or boxes played and nothing else; None: anybody's.

    What is said of a box and of the turn concerns its owner and who bets behind it, a purse and a slip theirs alone.
    """
    same: dict[str, Any] = {"slips": before.slips, "purses": before.purses, "round": before.round}
    if table._replace(shoe=before.shoe, deadline=before.deadline, **same) != before:
        return None
    found = _differing(before.slips, table.slips) | _differing(before.purses, table.purses)
    play, was = table.round, before.round
    if play is was:
        return found
    if play is None or was is None or len(play.boxes) != len(was.boxes) or was._replace(boxes=play.boxes) != play:
        return None
    for box, old in zip(play.boxes, was.boxes, strict=True):
        if box is not old:
            found |= {box.player, old.player, *[one.player for one in (*box.behind, *old.behind)]}
    return found | {turn[0].player for turn in (legal.turn(was), legal.turn(play)) if turn}


def _differing(before: Mapping[PlayerId, object], after: Mapping[PlayerId, object]) -> set[PlayerId]:
    if before is after:
        return set()
    return {one for one in (*before, *after) if before.get(one) != after.get(one)}


def is_hidden(before: Table, table: Table) -> bool:
    """Whether, of what `concerned` allows, only unfinished bets were moved: nobody else sees any of it (V-37)."""
    still = table.round is before.round and table.shoe is before.shoe and table.deadline == before.deadline
    return still and _final(before) == _final(table)


def _final(table: Table) -> list[tuple[PlayerId, Slip]]:
    return [one for one in table.slips.items() if one[1].final]


def _is_behind(player: PlayerId, box: Box) -> bool:
    return any(one.player == player for one in box.behind)
