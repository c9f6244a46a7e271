"""Whom a change of a table concerns: whose own view of it can be another now, and whether anybody else sees it.

Most of what happens concerns one or two of those who watch; for the rest nothing is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.state import Slip, Table

SHARED = ("phase", "pause", "closing", "limits", "seats", "forbids")
"""Parts of a table that every own view depends on."""
OF_PLAYERS = ("purses", "vip", "slips", "previous")
"""Parts that have an entry for each player; an own view depends on its player's."""


def find_viewers_concerned(before: Table, table: Table) -> set[PlayerId] | None:
    """The players whose own view can have changed; None where it can be anybody.

    What is shown of a box and of the turn concerns its owner and who bets behind it.
    """
    read_shared, read_entries = attrgetter(*SHARED), attrgetter(*OF_PLAYERS)
    if read_shared(before) != read_shared(table):
        return None
    players: set[PlayerId] = set()
    for old, new in zip(read_entries(before), read_entries(table), strict=True):
        players |= _find_differing(old, new)
    play, was = table.round, before.round
    if play is was:
        return players
    if play is None or was is None or len(play.boxes) != len(was.boxes) or was._replace(boxes=play.boxes) != play:
        return None
    for box, earlier in zip(play.boxes, was.boxes, strict=True):
        if box is not earlier:
            players |= {box.player, earlier.player, *[bettor.player for bettor in (*box.behind, *earlier.behind)]}
    return players | {turn[0].player for turn in (legal.turn(was), legal.turn(play)) if turn}


def _find_differing(before: Mapping[PlayerId, object], after: Mapping[PlayerId, object]) -> set[PlayerId]:
    if before is after:
        return set()
    return {player for player in (*before, *after) if before.get(player) != after.get(player)}


def is_hidden(before: Table, table: Table) -> bool:
    """Whether only unfinished bets were moved: nobody else sees any of it (V-37)."""
    is_still = table._replace(slips=before.slips, purses=before.purses) == before
    return is_still and _list_final_slips(before) == _list_final_slips(table)


def _list_final_slips(table: Table) -> list[tuple[PlayerId, Slip]]:
    return [(player, slip) for player, slip in table.slips.items() if slip.final]
