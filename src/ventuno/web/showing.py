"""A table as it travels: the part that is equal for everybody, and one player's own part beside it.

Both are functions of the table alone. The options are those of the open window: whether a deadline has passed is
decided when something is asked, so that nothing shown depends on the moment of looking. The form of the trees is that
of `wire.views`; they are built as plain trees because each is compared with the one before, and most of it is equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import msgspec

from ventuno.core import audience, legal
from ventuno.core.audience import OwnBox, Public
from ventuno.core.legal import Verdict
from ventuno.core.money import PlayerId
from ventuno.core.refusals import Refusal
from ventuno.core.round import Line
from ventuno.core.state import NO_SLIP, Table
from ventuno.core.view import BoxView
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.room import Room

Tree = dict[str, Any]
Named = Callable[[PlayerId], Tree]
"""Who a player is, as everybody may know him: a `Person`."""
_plain: Callable[[object], Any] = msgspec.to_builtins


def public(room: Room, named: Named) -> Tree:
    """What everybody sees of a table: a `PublicView`."""
    table = room.table
    seen = audience.public(table)
    return {
        "table": seen.table,
        "game": seen.game,
        "name": seen.name,
        "sheet": seen.sheet,
        "practice": room.practice,
        "closing": seen.closing is not None,
        "phase": str(seen.phase),
        "stage": str(seen.stage),
        "code": seen.code,
        "deadline": seen.deadline,
        "paused": seen.paused,
        "shoe": seen.shoe,
        "cards_left": seen.cards_left,
        "people": {player: named(player) for player in _people(seen)},
        "seats": _plain(seen.seats),
        "dealer": _plain(seen.dealer),
        "boxes": [_box(one) for one in seen.boxes],
        "turn": {"box": seen.turn[0], "hand": seen.turn[1]} if seen.turn else None,
        "bets": [chip for player, bets in seen.bets.items() for chip in _chips(player, bets)],
        "lines": [_line(one) for one in seen.lines],
    }


def private(table: Table, player: PlayerId, admission: Admission | None) -> Tree:
    """What this player alone sees of a table where he has a purse: a `PrivateView`."""
    seen = audience.private(table, player, _moment(table))
    options = legal.spelt(seen.options, seen.closed, legal.spots(table)) if seen.closed else seen.options
    return {
        "player": player,
        "balance": seen.balance,
        "staked": seen.staked,
        "chips": [{"value": value, "enabled": enabled} for value, enabled in seen.chips],
        "bets": _chips(player, seen.bets.get(player, ())),
        "boxes": [_own(one) for one in seen.boxes],
        "behind": [_plain(one) for one in seen.behind],
        "limits": {bet: {"least": least, "most": most} for bet, (least, most) in seen.limits.items()},
        "options": _options(options),
        "session": admission.session if admission else "",
        "participation": admission.participation if admission else "",
    }


def stranger(player: PlayerId) -> Tree:
    """What is his own of somebody who has brought no money here: nothing (X-06)."""
    nothing: Tree = {"decisions": [], "early": [], "betting": {}, "spots": []}
    lists: Tree = {"chips": [], "bets": [], "boxes": [], "behind": [], "limits": {}, "options": nothing}
    return {"player": player, "balance": 0, "staked": 0, **lists, "session": "", "participation": ""}


def concern(table: Table, player: PlayerId) -> tuple[object, ...]:
    """All that a player's own part of a table depends on: where it is equal, so is the part."""
    play = table.round
    mine: tuple[object, ...] = ()
    if play is not None:
        turn = legal.turn(play)
        boxes = [one for one in play.boxes if one.player == player or any(by.player == player for by in one.behind)]
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


@lru_cache(maxsize=4_096)
def reason(refusal: Refusal) -> Tree:
    """Why not: a `Reason`. The same few are said again and again, so they are made once."""
    return {"code": refusal.code, "detail": refusal.detail, "numbers": _plain(refusal)}


def _moment(table: Table) -> int:
    """A moment in the open window of this state."""
    return 0 if table.deadline is None else table.deadline - 1


def _people(seen: Public) -> Iterable[PlayerId]:
    """Everybody who is seen, once, in the order of the seats."""
    found = [seat.player for seat in seen.seats]
    for box in seen.boxes:
        found.append(box.player)
        found += [one.player for one in box.behind]
    return dict.fromkeys([*found, *seen.bets, *[line.player for line in seen.lines]])


def _box(one: BoxView) -> Tree:
    return {
        "box": one.box,
        "player": one.player,
        "hands": _plain(one.hands),
        "face_down": one.face_down,
        "sides": _plain(one.sides),
        "behind": [{"player": by.player, "stakes": by.stakes, "insurance": by.insurance} for by in one.behind],
        "insurance": one.insurance,
        "even_money": one.even_money,
        "bonus": _plain(one.bonus),
    }


def _own(one: OwnBox) -> Tree:
    early = None if one.early is None else str(one.early)
    answer = {"insurance": one.insurance, "even_money": one.even_money, "offer": one.offer}
    return {"box": one.box, "early": early, **answer}


def _chips(player: PlayerId, bets: Iterable[tuple[int, str, int]]) -> list[Tree]:
    return [{"player": player, "box": box, "bet": bet, "amount": amount} for box, bet, amount in bets]


def _line(one: Line) -> Tree:
    return one._asdict()


def _options(options: legal.Options) -> Tree:
    return {
        "decisions": [
            {"box": box, "action": action.value, **_option(said)} for (box, action), said in options.decisions.items()
        ],
        "early": [
            {"box": box, "action": action.value, **_option(said)} for (box, action), said in options.early.items()
        ],
        "betting": {name: _option(said) for name, said in options.betting.items()},
        "spots": [{"box": box, "bet": bet, **_option(said)} for (box, bet), said in options.spots.items()],
    }


def _option(verdict: Verdict) -> Tree:
    if isinstance(verdict, tuple):
        return {"price": None, "reasons": [reason(one) for one in verdict]}
    return {"price": verdict, "reasons": []}
