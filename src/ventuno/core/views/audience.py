"""The view of a table in two parts: what everybody sees of it, and what is one viewer's own (H-4, H-5, H-6, X-06).

The first is the same for all and does not depend on the moment: it is told once for each state of the table. The
second is told to its owner, and of somebody who only watches there is next to nothing. Together they are his `view`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import INSURANCE, Line, Round
from ventuno.core.table.state import NO_SLIP, ROUND, Table
from ventuno.core.views.view import (
    BehindView,
    BoxView,
    DealerView,
    SeatView,
    TableView,
    bets_shown,
    box_shown,
    chips,
    dealer_shown,
    lying,
    offer,
    seats_shown,
)

NOBODY: PlayerId = ""
Bets = Mapping[PlayerId, tuple[tuple[int, str, Cents], ...]]


class Public(NamedTuple):
    """What everybody sees. `spots` are all places for a bet while bets are taken."""

    table: str
    game: str
    name: str
    sheet: str
    phase: str
    stage: str
    code: str
    deadline: int | None
    paused: str | None
    closing: str | None
    shoe: int
    cards_left: int
    seats: tuple[SeatView, ...]
    dealer: DealerView
    boxes: tuple[BoxView, ...]
    turn: tuple[int, int] | None
    bets: Bets
    lines: tuple[Line, ...]
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class OwnBox:
    """What the owner alone sees of his box: his answer while others are asked, his early decision, his offer."""

    box: int
    insurance: Cents | None
    even_money: bool
    early: str | None
    offer: Cents | None


@dataclass(frozen=True, slots=True)
class OwnBehind:
    """What a bettor behind a box alone sees of his bet: his answer and his pre-decisions."""

    box: int
    insurance: Cents | None
    follow_double: bool
    follow_split: bool


class Private(NamedTuple):
    """What one viewer alone sees. Where `closed` says why he can bet nothing now, the options list nothing to bet."""

    player: PlayerId
    balance: Cents
    staked: Cents
    chips: tuple[tuple[Cents, bool], ...]
    limits: Mapping[str, tuple[Cents, Cents]]
    bets: Bets
    boxes: tuple[OwnBox, ...]
    behind: tuple[OwnBehind, ...]
    options: legal.Options
    closed: Refusal | None


class Told(NamedTuple):
    """A state of a table, and what was told of it to all."""

    table: Table
    seen: Public


def public(table: Table, last: Told | None = None) -> Public:
    """The table as it is told to all. Whatever lies as it lay in the last state is the very part that was told then."""
    play, shoe, rules = table.round, table.shoe, table.sheet.game
    running = play if table.phase is ROUND else None
    now = legal.turn(running) if running and running.stage is not INSURANCE else None
    kept = last if last and last.table.sheet is table.sheet else None
    as_before = kept if kept and _is_alike(play, kept.table.round) else None
    return Public(
        table.id,
        rules.id,
        rules.name,
        table.sheet.hash,
        table.phase,
        running.stage if running else "",
        play.code if play else "",
        table.deadline,
        table.pause.reason if table.pause else None,
        table.closing,
        shoe.number if shoe else 0,
        shoe.remaining if shoe else 0,
        kept.seen.seats if kept and _seats_lie(table, kept.table) else seats_shown(table),
        as_before.seen.dealer if as_before else dealer_shown(play),
        _all_boxes(table, play, as_before) if play else (),
        (now[0].number, now[1] + 1) if now else None,
        kept.seen.bets if as_before and kept and _bets_lie(table, kept.table) else bets_shown(table, NOBODY),
        play.lines if play else (),
        kept.seen.spots if kept and _spots_lie(table, kept.table) else tuple(legal.spots(table)),
    )


def _is_alike(play: Round | None, before: Round | None) -> bool:
    """Whether nothing of a round but its boxes has changed."""
    return play is before or bool(play and before and before._replace(boxes=play.boxes) == play)


def _all_boxes(table: Table, play: Round, last: Told | None) -> tuple[BoxView, ...]:
    """Each box is shown by itself: where the rest of the round is alike, only those that changed are shown anew."""
    before = last.table.round if last else None
    if last and before and len(before.boxes) == len(play.boxes):
        if before.boxes is play.boxes:
            return last.seen.boxes
        told = zip(play.boxes, before.boxes, last.seen.boxes, strict=True)
        return tuple([seen if box is was else box_shown(table, play, box, NOBODY) for box, was, seen in told])
    return tuple([box_shown(table, play, box, NOBODY) for box in play.boxes])


def _seats_lie(table: Table, before: Table) -> bool:
    return table.seats is before.seats and table.streaks is before.streaks and table.forbids is before.forbids


def _bets_lie(table: Table, before: Table) -> bool:
    return table.phase is before.phase and table.slips is before.slips


def _spots_lie(table: Table, before: Table) -> bool:
    same = table.phase is before.phase and table.limits is before.limits and len(table.seats) == len(before.seats)
    return same and (table.pause is None) == (before.pause is None)


class Kept(NamedTuple):
    """A state of a table, what was one viewer's own in it, and the spots of the last state in which he could bet."""

    table: Table
    own: Private
    felt: tuple[Table, legal.Spots] | None


def keep(table: Table, own: Private, last: Kept | None) -> Kept:
    before = last.felt if last else None
    return Kept(table, own, (table, own.options.spots) if own.options.spots else before)


def private(table: Table, player: PlayerId, at: int, last: Kept | None = None) -> Private:
    """What is this viewer's own at this moment. Nothing lies on the felt of somebody who has brought no money."""
    known = player in table.purses
    play = table.round if known else None
    options, closed = legal.compact_options(table, player, at, last.felt if last else None)
    return Private(
        player,
        table.purse(player),
        table.total_stake_of(player) if known else 0,
        last.own.chips if last and _chips_lie(table, last.table, player) else chips(table, player),
        last.own.limits if last and _limits_lie(table, last.table, player) else _limits(table, player),
        _bets(table, player),
        _boxes(table, play, player) if play else (),
        _behind(play, player) if play else (),
        options,
        closed,
    )


def _limits(table: Table, player: PlayerId) -> Mapping[str, tuple[Cents, Cents]]:
    return {bet: table.limit(bet, player) for bet in table.limits}


def _chips_lie(table: Table, before: Table, player: PlayerId) -> bool:
    return table.sheet is before.sheet and table.purse(player) == before.purse(player)


def _limits_lie(table: Table, before: Table, player: PlayerId) -> bool:
    same = table.limits is before.limits and table.sheet is before.sheet
    return same and table.vip.get(player) == before.vip.get(player)


def _bets(table: Table, player: PlayerId) -> Bets:
    """His bets for the coming round, final or not; in a running round those that lie at no box."""
    if player == NOBODY:
        return {}
    if table.phase is ROUND and table.round:
        mine = tuple([(0, bet, stake) for by, bet, stake in table.round.table_bets if by == player])
        return {player: mine} if mine else {}
    return {player: lying(table.slips.get(player, NO_SLIP))}


def _boxes(table: Table, play: Round, player: PlayerId) -> tuple[OwnBox, ...]:
    return tuple(
        [
            OwnBox(box.number, box.insurance, box.even_money, box.early, offer(table, play, box))
            for box in play.boxes
            if box.player == player
        ]
    )


def _behind(play: Round, player: PlayerId) -> tuple[OwnBehind, ...]:
    return tuple(
        [
            OwnBehind(box.number, one.insurance, one.follow_double, one.follow_split)
            for box in play.boxes
            for one in box.behind
            if one.player == player
        ]
    )


def merged(seen: Public, own: Private) -> TableView:
    """The view of one viewer, out of what all see and what is his own."""
    return TableView(
        table=seen.table,
        game=seen.game,
        name=seen.name,
        sheet=seen.sheet,
        viewer=own.player,
        phase=seen.phase,
        stage=seen.stage,
        code=seen.code,
        deadline=seen.deadline,
        paused=seen.paused,
        closing=seen.closing,
        shoe=seen.shoe,
        cards_left=seen.cards_left,
        seats=seen.seats,
        dealer=seen.dealer,
        boxes=_merged_boxes(seen, own),
        turn=seen.turn,
        bets={**seen.bets, **own.bets},
        lines=seen.lines,
        balance=own.balance,
        staked=own.staked,
        chips=own.chips,
        limits=own.limits,
        options=legal.with_closed_betting(own.options, own.closed, seen.spots) if own.closed else own.options,
    )


def _merged_boxes(seen: Public, own: Private) -> tuple[BoxView, ...]:
    boxes = {box.box: box for box in seen.boxes}
    for one in own.boxes:
        boxes[one.box] = replace(
            boxes[one.box], insurance=one.insurance, even_money=one.even_money, early=one.early, offer=one.offer
        )
    for bet in own.behind:
        box = boxes[bet.box]
        behind = [_merged_bet(one, bet) if one.player == own.player else one for one in box.behind]
        boxes[bet.box] = replace(box, behind=tuple(behind))
    return tuple(boxes.values())


def _merged_bet(seen: BehindView, own: OwnBehind) -> BehindView:
    return BehindView(seen.player, seen.stakes, own.insurance, own.follow_double, own.follow_split)
