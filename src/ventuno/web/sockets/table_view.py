"""A table as it travels: the part that is equal for everybody, and one player's own part beside it.

Both are functions of the table alone. The options are those of the open window: whether a deadline has passed is
decided when something is asked, so that nothing shown depends on the moment of looking. The form of the trees is that
of `wire.views`; they are built as plain trees because each is compared with the one before, and most of it is equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import Line
from ventuno.core.table.state import Table
from ventuno.core.views import audience
from ventuno.core.views.audience import Kept, OwnBox, Private, Public, Told
from ventuno.core.views.view import BoxView
from ventuno.house.protection.limit_check import Allowance
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.live_table import LiveTable
from ventuno.web.sockets import option_views

Tree = option_views.Tree
Named = Callable[[PlayerId], Tree]
"""Who a player is, as everybody may know him: a `Person`."""
_plain: Callable[[object], Any] = msgspec.to_builtins
_NO_OPTIONS = legal.Options({}, {}, {}, {})
_NO_TREE: Tree = {"boxes": []}


class Shown(NamedTuple):
    """What was shown to all: the state, the core's view of it, and the tree that travels."""

    told: Told
    tree: Tree


def public(live: LiveTable, named: Named) -> Tree:
    """What everybody sees of a table: a `PublicView`."""
    return shown(live, named).tree


def shown(live: LiveTable, named: Named, last: Shown | None = None) -> Shown:
    """The public tree. A part that lies as it lay is the very one of the last tree: not built, not compared."""
    table = live.table
    seen = audience.public(table, last.told if last else None)
    old, tree = (last.told.seen, last.tree) if last else (None, _NO_TREE)
    people: Iterable[PlayerId] = tree["people"] if old and _same_people(seen, old) else _people(seen)
    return Shown(
        Told(table, seen),
        {
            "table": seen.table,
            "game": seen.game,
            "name": seen.name,
            "sheet": seen.sheet,
            "practice": live.practice,
            "closing": seen.closing is not None,
            "phase": str(seen.phase),
            "stage": str(seen.stage),
            "code": seen.code,
            "deadline": seen.deadline,
            "paused": seen.paused,
            "shoe": seen.shoe,
            "cards_left": seen.cards_left,
            "people": {player: named(player) for player in people},
            "seats": tree["seats"] if old and seen.seats is old.seats else _plain(seen.seats),
            "dealer": tree["dealer"] if old and seen.dealer is old.dealer else _plain(seen.dealer),
            "boxes": _boxes(seen, old, tree["boxes"]),
            "turn": {"box": seen.turn[0], "hand": seen.turn[1]} if seen.turn else None,
            "bets": tree["bets"] if old and seen.bets is old.bets else _bets(seen),
            "lines": tree["lines"] if old and seen.lines is old.lines else [_line(one) for one in seen.lines],
        },
    )


class Own(NamedTuple):
    """What was shown to one player alone: the core's view, the tree that travels, and the spots while he could bet."""

    kept: Kept
    tree: Tree
    felt: list[Tree]


def private(table: Table, player: PlayerId, admission: Admission | None) -> Tree:
    """What this player alone sees of a table where he has a purse: a `PrivateView`."""
    return own(table, player, admission).tree


def own(
    table: Table,
    player: PlayerId,
    admission: Admission | None,
    last: Own | None = None,
    barred: tuple[int, ...] = (),
    allowance: Allowance | None = None,
) -> Own:
    """The private tree; spots that are as they were are the very ones of the last tree.

    `barred` are the boxes behind which the house lets him bet nothing (H-5), `allowance` is what his own limits leave
    him (R-36): the options say so (X-19).
    """
    seen = audience.private(table, player, _moment(table), last.kept if last else None)
    old, lying = (last.kept.own, last.tree) if last else (None, _NO_TREE)
    tree: Tree = {
        "player": player,
        "balance": seen.balance,
        "staked": seen.staked,
        "chips": lying["chips"] if old and seen.chips is old.chips else _tray(seen),
        "bets": _chips(player, seen.bets.get(player, ())),
        "boxes": [_own(one) for one in seen.boxes],
        "behind": [_plain(one) for one in seen.behind],
        "limits": lying["limits"] if old and seen.limits is old.limits else _limits(seen),
        "options": _options(seen, table, last),
        "session": admission.session if admission else "",
        "participation": admission.participation if admission else "",
    }
    felt = _felt(seen, tree, last)
    if barred and not seen.closed:
        tree["options"] = option_views.barred(tree["options"], table, player, barred)
    if allowance:
        tree["options"] = option_views.allowed(tree["options"], table, allowance)
    return Own(audience.keep(table, seen, last.kept if last else None), tree, felt)


def _felt(seen: Private, tree: Tree, last: Own | None) -> list[Tree]:
    spots: list[Tree] = tree["options"]["spots"] if seen.options.spots else last.felt if last else []
    return spots


def stranger(player: PlayerId) -> Tree:
    """What is his own of somebody who has brought no money here: nothing (X-06)."""
    nothing: Tree = {"decisions": [], "early": [], "betting": {}, "spots": []}
    lists: Tree = {"chips": [], "bets": [], "boxes": [], "behind": [], "limits": {}, "options": nothing}
    return {"player": player, "balance": 0, "staked": 0, **lists, "session": "", "participation": ""}


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


def _same_people(seen: Public, old: Public) -> bool:
    """Whether nobody can have come or gone: players change with their seats, boxes, bets and lines alone."""
    if seen.seats is not old.seats or seen.bets is not old.bets or seen.lines is not old.lines:
        return False
    return seen.boxes is old.boxes or (seen.code == old.code and len(seen.boxes) == len(old.boxes))


def _boxes(seen: Public, old: Public | None, trees: list[Tree]) -> list[Tree]:
    if old is None or len(old.boxes) != len(seen.boxes):
        return [_box(one) for one in seen.boxes]
    if seen.boxes is old.boxes:
        return trees
    lying = zip(seen.boxes, old.boxes, trees, strict=True)
    return [tree if one is was else _box(one) for one, was, tree in lying]


def _bets(seen: Public) -> list[Tree]:
    return [chip for player, bets in seen.bets.items() for chip in _chips(player, bets)]


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


def _tray(seen: Private) -> list[Tree]:
    return [{"value": value, "enabled": enabled} for value, enabled in seen.chips]


def _limits(seen: Private) -> Tree:
    return {bet: {"least": least, "most": most} for bet, (least, most) in seen.limits.items()}


def _line(one: Line) -> Tree:
    return one._asdict()


def _options(seen: Private, table: Table, last: Own | None) -> Tree:
    options, closed = seen.options, seen.closed
    betting, spots = _shut(closed, tuple(legal.spots(table))) if closed else _bettable(options, last)
    return {
        "decisions": [
            option_views.decision(box, action.value, said) for (box, action), said in options.decisions.items()
        ],
        "early": [option_views.decision(box, action.value, said) for (box, action), said in options.early.items()],
        "betting": betting,
        "spots": spots,
    }


def _bettable(options: legal.Options, last: Own | None = None) -> tuple[Tree, list[Tree]]:
    betting = {name: option_views.option(said) for name, said in options.betting.items()}
    before = last.kept.felt[1] if last and last.kept.felt else {}
    if last and before.keys() == options.spots.keys():
        lying = zip(options.spots.items(), before.values(), last.felt, strict=True)
        return betting, [tree if said is was else option_views.spot(*spot, said) for (spot, said), was, tree in lying]
    return betting, [option_views.spot(box, bet, said) for (box, bet), said in options.spots.items()]


@lru_cache(maxsize=1_024)
def _shut(closed: Refusal, places: tuple[Spot, ...]) -> tuple[Tree, list[Tree]]:
    """Every act of betting and every spot while there is one reason against them all."""
    return _bettable(legal.with_closed_betting(_NO_OPTIONS, closed, places))
