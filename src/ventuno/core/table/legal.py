"""One answer to every "may I?": each action with its price, or with all its refusals (X-19)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from ventuno.core.games import insurance
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import (
    ActionNotAllowed,
    CardAwaited,
    DrawNeeded,
    LimitReached,
    NotYourTurn,
    Refusal,
    RoundCapReached,
    TablePaused,
    TooLate,
    WrongPhase,
)
from ventuno.core.rules.cards import VALUES, is_ace, rank
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.table import betting, ledger
from ventuno.core.table.round import CHOOSING, HIT, INSURANCE, OPEN, PLAY, PLAYING, STAND, Action, Box, Hand, Round
from ventuno.core.table.state import BETTING, NO_SLIP, ROUND, Table

Verdict = Cents | tuple[Refusal, ...]
Verdicts = Mapping[tuple[int, Action], Verdict]
Spots = Mapping[Spot, Verdict]

PLAYED = (Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT, Action.SURRENDER, Action.CASH_OUT)
CHOICES = (Action.FOLD, Action.LEFT, Action.RIGHT)
DUEL_ACTIONS = (*CHOICES, Action.HIT, Action.STAND)
ANSWERS = (Action.INSURE, Action.EVEN_MONEY, Action.DECLINE)
DECISIONS = (*PLAYED, *CHOICES)
WORDS = ("undo", "clear", "repeat", "repeat-double", "double", "deal")


@lru_cache(maxsize=4_096)
def refuse(refusal: Refusal) -> tuple[Refusal, ...]:
    """A verdict with one reason against; the same reason gives the very same verdict."""
    return (refusal,)


class Options(NamedTuple):
    """All that a player may do now, and why the rest is closed; `closed` is the reason where he can bet nothing."""

    decisions: Mapping[tuple[int, Action], Verdict]
    early: Mapping[tuple[int, Action], Verdict]
    betting: Mapping[str, Verdict]
    spots: Spots
    closed: Refusal | None = None


def turn(play: Round) -> tuple[Box, int] | None:
    """The box and hand being played; hand -1 is its bonus (V-10, L-21)."""
    playing = play.stage is PLAY
    for box in play.boxes:
        bonus = box.bonus
        if bonus is not None and bonus.prize is None:
            return box, -1
        if playing:
            for index, hand in enumerate(box.hands):
                status = hand.status
                if status is PLAYING or status is CHOOSING:
                    return box, index
    return None


def price(table: Table, box: Box, index: int, action: Action) -> Verdict:
    """The cost of a decision on this hand when it is asked, or every reason against it."""
    hand = box.hands[index]
    if table.sheet.game.family == DUEL:
        return _duel_price(table, box, hand, action)
    sheet = table.sheet
    if action is HIT or action is STAND:
        return 0
    if reason := _forbidden(sheet, box, hand, action):
        return refuse(ActionNotAllowed(action, reason, sheet.split.hands if reason == "hands-at-most" else 0))
    if action is Action.DOUBLE or action is Action.SPLIT:
        return insurance.price_stake(table, box.player, hand.stake)
    return 0


def _duel_price(table: Table, box: Box, hand: Hand, action: Action) -> Verdict:
    choosing = hand.status is CHOOSING
    if action not in DUEL_ACTIONS:
        return refuse(ActionNotAllowed(action, "not-asked"))
    if action not in (CHOICES if choosing else (Action.HIT, Action.STAND)):
        return refuse(ActionNotAllowed(action, "choose-or-fold" if choosing else "hit-or-stand"))
    if action in (Action.LEFT, Action.RIGHT):
        return insurance.price_stake(table, box.player, box.main, raised=box.main)
    return 0


def _forbidden(sheet: Sheet, box: Box, hand: Hand, action: Action) -> str:
    """Why the rules, funds apart, forbid this decision, as a code; empty where they allow it."""
    if action not in PLAYED:
        return "not-asked"
    if (action is Action.CASH_OUT and not sheet.cash_out.offered) or (
        action is Action.SURRENDER and sheet.surrender != "late"
    ):
        return "not-offered"
    if len(hand.cards) != 2:
        return "first-two-cards"
    if action is Action.DOUBLE:
        return _double_forbidden(sheet, hand)
    if action is Action.SPLIT:
        return _split_forbidden(sheet, box, hand)
    return "after-split" if hand.split else ""


def _double_forbidden(sheet: Sheet, hand: Hand) -> str:
    if hand.split and not sheet.double.after_split:
        return "no-double-after-split"
    return "" if hand.total in sheet.double.totals else f"only-{sheet.double.on}"


def _split_forbidden(sheet: Sheet, box: Box, hand: Hand) -> str:
    first, second = hand.cards
    same = rank(first) == rank(second) if sheet.split.equal == "rank" else VALUES[first] == VALUES[second]
    if not same:
        return f"equal-{sheet.split.equal}"
    if len(box.hands) >= sheet.split.hands:
        return "hands-at-most"
    return "split-aces" if hand.split and is_ace(first) and sheet.split.aces == "one-card" else ""


def may_act(table: Table, player: PlayerId, box_number: int, action: Action, at: int) -> Verdict:
    """The price of a decision by this player on this box now, or the refusals (V-28, V-55)."""
    asked = _find_asked(table, player, box_number, at)
    return refuse(asked) if isinstance(asked, Refusal) else _answer(table, player, asked, action)


def _find_asked(table: Table, player: PlayerId, box_number: int, at: int) -> tuple[Box, int] | Refusal:
    """The box and hand this player may be asked about now, or why he is not; hand 0 while insurance is asked."""
    play = table.round
    if table.pause:
        return TablePaused(table.pause.reason)
    if play is None or table.phase is not ROUND:
        return WrongPhase(table.phase)
    if table.deadline is not None and at >= table.deadline:
        return TooLate(table.deadline, at)
    if play.stage is INSURANCE:
        box = play.box(box_number)
        return (box, 0) if box else NotYourTurn(box_number)
    now = turn(play)
    if now is None or now[0].number != box_number or now[0].player != player:
        return NotYourTurn(box_number)
    if play.pending is not None:
        return CardAwaited(box_number)
    return DrawNeeded(box_number) if now[1] < 0 else now


def _answer(table: Table, player: PlayerId, asked: tuple[Box, int], action: Action) -> Verdict:
    if table.round and table.round.stage is INSURANCE:
        return insurance.price(table, player, asked[0], action)
    return price(table, *asked, action)


def may_act_early(table: Table, player: PlayerId, box_number: int, action: Action) -> Verdict:
    """The first decision may be chosen before the turn comes (V-54)."""
    asked = _find_asked_early(table, player, box_number)
    return price(table, asked, 0, action) if isinstance(asked, Box) else _refuse_early(asked, action)


def _find_asked_early(table: Table, player: PlayerId, box_number: int) -> Box | Refusal | str:
    """The box for which this player may choose before its turn, or why he is not asked; a code where it is a rule."""
    play = table.round
    if table.pause:
        return TablePaused(table.pause.reason)
    if not table.sheet.options.early_decisions:
        return "no-early"
    box = play.box(box_number) if play and table.phase is ROUND else None
    if play is None or box is None or box.player != player:
        return NotYourTurn(box_number)
    if not any(hand.status in OPEN for hand in box.hands):
        return "hand-over"
    played = len(box.hands) > 1 or len(box.hands[0].cards) > 2 or box.hands[0].status is not PLAYING
    now = turn(play) if play.stage is PLAY and not played else None
    return "turn-came" if played or (now is not None and now[0].number == box_number) else box


def _refuse_early(reason: Refusal | str, action: Action) -> Verdict:
    return refuse(ActionNotAllowed(action, reason) if isinstance(reason, str) else reason)


def legal(table: Table, player: PlayerId, at: int, last: tuple[Table, Spots] | None = None) -> Options:
    """Buttons, tooltips and bots read this; decide refuses with the same codes.

    Where a player can bet nothing at all, the one reason is given for every act of betting and every spot. With an
    earlier state in which he could bet, and its spots, those that cannot have changed since are taken over.
    """
    decisions, early = _decision_options(table, player, at) if table.phase is ROUND else ({}, {})
    closed = TablePaused(table.pause.reason) if table.pause else betting.check_now(table, player, at)
    if closed:
        acts, places = dict.fromkeys(WORDS, refuse(closed)), dict.fromkeys(spots(table), refuse(closed))
        return Options(decisions, early, acts, places, closed)
    updated = _update_spots(table, player, *last) if last else None
    return Options(decisions, early, _betting(table, player), updated or _spots(table, player))


def _decision_options(table: Table, player: PlayerId, at: int) -> tuple[Verdicts, Verdicts]:
    """The decisions on this player's boxes, and those he may choose before his turn; none without a purse."""
    play = table.round if player in table.purses else None
    decisions: Verdicts = {}
    early: Verdicts = {}
    for box in play.boxes if play else ():
        mine, number, asking = box.player == player, box.number, play is not None and play.stage is INSURANCE
        if mine or (asking and [bettor for bettor in box.behind if bettor.player == player]):
            asked, words = _find_asked(table, player, number, at), ANSWERS if asking else DECISIONS
            if isinstance(asked, Refusal):
                verdicts: Verdicts = _refuse_all(number, words, asked)
            else:
                verdicts = {(number, word): _answer(table, player, asked, word) for word in words}
            decisions = {**decisions, **verdicts} if decisions else verdicts
        if mine and table.sheet.options.early_decisions:
            before = _find_asked_early(table, player, number)
            if isinstance(before, Box):
                choices: Verdicts = {(number, word): price(table, before, 0, word) for word in PLAYED}
            else:
                choices = _refuse_all_early(number, before)
            early = {**early, **choices} if early else choices
    return decisions, early


@lru_cache(maxsize=1_024)
def _refuse_all(number: int, words: tuple[Action, ...], refusal: Refusal) -> Verdicts:
    """One reason against all that could be decided at a box: the very same mapping, until another reason is."""
    return dict.fromkeys([(number, word) for word in words], refuse(refusal))


@lru_cache(maxsize=1_024)
def _refuse_all_early(number: int, reason: Refusal | str) -> Verdicts:
    """The same of what could be chosen before the turn."""
    return {(number, word): _refuse_early(reason, word) for word in PLAYED}


def _betting(table: Table, player: PlayerId) -> dict[str, Verdict]:
    """The acts of betting that name no spot: what each takes from the purse, or why not."""
    return {
        word: refuse(answer)
        if isinstance(answer, Refusal)
        else sum([amount for event in answer for _, amount in ledger.stakes(event)])
        for word, answer in betting.decide_all_acts(table, player).items()
    }


def spots(table: Table) -> tuple[Spot, ...]:
    """Every spot of the felt while bets are taken."""
    if table.phase is not BETTING or table.pause:
        return ()
    return _list_spots(tuple([(bet, *_boxes(table, bet)) for bet in table.limits]))


@lru_cache(maxsize=64)
def _list_spots(bets: tuple[tuple[str, *tuple[int, ...]], ...]) -> tuple[Spot, ...]:
    return tuple([Spot(box, bet) for bet, *boxes in bets for box in boxes])


def _boxes(table: Table, bet: str) -> Iterable[int]:
    """Where a bet of this kind may lie: on each box, or once for the whole table."""
    side = table.sheet.sides.get(bet)
    return (0,) if side and side.kind == "dealer-pair" else range(1, len(table.seats) + 1)


def _spots(table: Table, player: PlayerId) -> dict[Spot, Verdict]:
    """Each spot with what it still takes, or why it takes nothing."""
    slip, refused = table.slips.get(player, NO_SLIP), betting.check_at_box
    totals, staked = slip.totals(), slip.total
    verdicts: dict[Spot, Verdict] = {}
    for bet in table.limits:
        most = table.limit(bet, player)[1]
        for box in _boxes(table, bet):
            spot = Spot(box, bet)
            refusal = (
                refused(table, player, box, bet, totals) if box else betting.check_spot(table, player, spot, totals)
            )
            verdicts[spot] = (refusal,) if refusal else _room(table, bet, most, totals.get(spot, 0), staked)
    return verdicts


def _room(table: Table, bet: str, most: Cents, on_spot: Cents, staked: Cents = 0) -> Verdict:
    """What a spot still takes, and all stakes of the round with it (S-10)."""
    cap, unit = table.sheet.stakes.round_cap, table.sheet.stakes.unit
    if on_spot >= most:
        return (LimitReached(bet, most, on_spot + unit),)
    if cap and staked + unit > cap:
        return (RoundCapReached(cap, staked + unit),)
    return min(most - on_spot, cap - staked) if cap else most - on_spot


def _update_spots(table: Table, player: PlayerId, before: Table, spots: Spots) -> Spots | None:
    """The spots after chips were moved: those with other chips, and where spots got their first or lost their last
    all others of these boxes and those of the whole table. None where all stakes together have a limit.
    """
    same = table.limits is before.limits and table.seats == before.seats and table.forbids == before.forbids
    if not same or table.vip.get(player) != before.vip.get(player) or table.sheet.stakes.round_cap:
        return None
    totals, before_totals = (state.slips.get(player, NO_SLIP).totals() for state in (table, before))
    changed = {Spot(*spot) for spot, amount in totals.items() if before_totals.get(spot) != amount}
    if boxes := {box for box, _ in totals.keys() ^ before_totals.keys()}:
        beside = [Spot(box, bet) for box in (*boxes, 0) for bet in table.limits]
        changed.update([spot for spot in beside if spot in spots])
    verdicts = dict(spots)
    for spot in changed:
        refusal, most = betting.check_spot(table, player, spot, totals), table.limit(spot.bet, player)[1]
        verdicts[spot] = (refusal,) if refusal else _room(table, spot.bet, most, totals.get(spot, 0))
    return verdicts
