"""What one player alone sees of a table: a `PrivateView`, built up from his own facts (H-4, H-5, H-6, X-06).

The view is a function of the table alone. Its options are those of the open window: whether a deadline has passed is
decided when something is asked, so that nothing shown depends on the moment of looking. Each has its price, or the
reasons why not (X-19). The same few come again and again: each is made once, so that one that stays is the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import NamedTuple

from ventuno.core.games import blackjack
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules import hand
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import legal, seats
from ventuno.core.table import round as table_round
from ventuno.core.table.round import CHOOSING, PLAY, PLAYING, Action, Round
from ventuno.core.table.state import BETTING, NO_SLIP, ROUND, Table
from ventuno.core.views.public_view import Chips


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not (X-19): the name of the refusal, and the numbers that explain it. Words are in catalogues."""

    code: str
    numbers: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Option:
    """Something one could do: its price in cents where it is open, every reason where it is closed."""

    price: Cents | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class DecisionOption(Option):
    """`total` is what the hand would show, where a decision takes a card that lies open (D-08)."""

    box: int
    action: str
    total: str


@dataclass(frozen=True, slots=True)
class SpotOption(Option):
    """`price` is how much the spot still takes, up to its maximum."""

    box: int
    bet: str


@dataclass(frozen=True, slots=True)
class Options:
    decisions: tuple[DecisionOption, ...]
    early: tuple[DecisionOption, ...]
    betting: Mapping[str, Option]
    spots: tuple[SpotOption, ...]


@dataclass(frozen=True, slots=True)
class OwnBox:
    """What is one's own at one's own box: the early decision, the answer on insurance, the cash-out offer."""

    box: int
    early: str | None
    insurance: Cents | None
    even_money: bool
    offer: Cents | None


@dataclass(frozen=True, slots=True)
class OwnBehind:
    """What is one's own of a bet behind: the answer on insurance and the pre-decisions."""

    box: int
    insurance: Cents | None
    follow_double: bool
    follow_split: bool


@dataclass(frozen=True, slots=True)
class ChipChoice:
    value: Cents
    enabled: bool


@dataclass(frozen=True, slots=True)
class Limit:
    least: Cents
    most: Cents


@dataclass(frozen=True, slots=True)
class PrivateView:
    """What only this player sees: his purse here, his bets and choices, all he may do, and why not the rest.

    `warned` are boxes that he loses with one more round without a bet, and `warned_until` is when, where betting is
    open and that is known; he keeps them by saying that he stays (V-42).
    """

    player: PlayerId
    balance: Cents
    staked: Cents
    chips: tuple[ChipChoice, ...]
    bets: tuple[Chips, ...]
    boxes: tuple[OwnBox, ...]
    behind: tuple[OwnBehind, ...]
    limits: Mapping[str, Limit]
    options: Options
    session: str
    participation: str
    warned: tuple[int, ...]
    warned_until: int | None


class OpenSpots(NamedTuple):
    """The spots of a state in which a player could bet."""

    table: Table
    verdicts: legal.Spots
    options: tuple[SpotOption, ...]


class PrivateState(NamedTuple):
    """A player's view of a state, and the last spots he could bet on: what the next view shares parts with."""

    table: Table
    view: PrivateView
    open_spots: OpenSpots | None
    may_bet: bool


@lru_cache(maxsize=4_096)
def make_reason(refusal: Refusal) -> Reason:
    return Reason(refusal.code, asdict(refusal))


@lru_cache(maxsize=4_096)
def make_option(verdict: legal.Verdict) -> Option:
    if isinstance(verdict, tuple):
        return Option(None, tuple([make_reason(refusal) for refusal in verdict]))
    return Option(verdict, ())


@lru_cache(maxsize=4_096)
def make_decision(box: int, action: str, verdict: legal.Verdict, total: str = "") -> DecisionOption:
    option = make_option(verdict)
    return DecisionOption(option.price, option.reasons, box, action, total)


@lru_cache(maxsize=16_384)
def make_spot(box: int, bet: str, verdict: legal.Verdict) -> SpotOption:
    option = make_option(verdict)
    return SpotOption(option.price, option.reasons, box, bet)


def build_empty_view(player: PlayerId) -> PrivateView:
    """Who has brought no money here has nothing of his own (X-06)."""
    return PrivateView(player, 0, 0, (), (), (), (), {}, Options((), (), {}, ()), "", "", (), None)


def build_private_view(table: Table, player: PlayerId, session: str = "", participation: str = "") -> PrivateView:
    """What is this player's own. The ids are those under which he plays here (V-75)."""
    if player not in table.purses:
        return build_empty_view(player)
    return update_private_view(table, player, None, session, participation).view


def update_private_view(
    table: Table, player: PlayerId, last: PrivateState | None, session: str = "", participation: str = ""
) -> PrivateState:
    """The view of a player with money here. Parts that are as they were in the last state are the same objects."""
    before, old = (last.table, last.view) if last else (None, None)
    play, purse = table.round, table.purse(player)
    options, open_spots = _list_options(table, player, last.open_spots if last else None)
    view = PrivateView(
        player,
        purse,
        table.total_stake_of(player),
        tuple([_make_chip_choice(chip, chip <= purse) for chip in table.sheet.stakes.chips]),
        _list_bets(table, player),
        _list_boxes(table, play, player) if play else (),
        _list_behind(play, player) if play else (),
        old.limits if old and before and _has_same_limits(table, before, player) else _list_limits(table, player),
        options,
        session,
        participation,
        warned := seats.find_warned(table, player),
        table.deadline if warned and table.phase is BETTING else None,
    )
    return PrivateState(table, view, open_spots, open_spots is not None and open_spots.table is table)


def _has_same_limits(table: Table, before: Table, player: PlayerId) -> bool:
    is_same = table.limits is before.limits and table.sheet is before.sheet
    return is_same and table.vip.get(player) == before.vip.get(player)


@lru_cache(maxsize=1_024)
def _make_chip_choice(value: Cents, enabled: bool) -> ChipChoice:
    """A chip of the sheet; only those are enabled that the purse covers (V-46)."""
    return ChipChoice(value, enabled)


def _list_limits(table: Table, player: PlayerId) -> Mapping[str, Limit]:
    return {bet: Limit(*table.limit(bet, player)) for bet in table.limits}


def _list_bets(table: Table, player: PlayerId) -> tuple[Chips, ...]:
    """His bets for the coming round, final or not; in a running round those that lie at no box."""
    if table.phase is ROUND and table.round:
        return tuple([Chips(by, 0, bet, stake) for by, bet, stake in table.round.table_bets if by == player])
    totals = table.slips.get(player, NO_SLIP).totals()
    return tuple([Chips(player, box, bet, amount) for (box, bet), amount in totals.items()])


def _list_boxes(table: Table, play: Round, player: PlayerId) -> tuple[OwnBox, ...]:
    return tuple(
        OwnBox(box.number, box.early, box.insurance, box.even_money, find_offer(table, play, box))
        for box in play.boxes
        if box.player == player
    )


def find_offer(table: Table, play: Round, box: table_round.Box) -> Cents | None:
    """The amount on the cash-out button, to the cent, rounded down (F-09)."""
    first = box.hands[0] if box.hands else None
    if first is None or not table.sheet.cash_out.offered or play.stage is not PLAY:
        return None
    if first.status is not PLAYING or len(first.cards) != 2 or first.split:
        return None
    return first.stake * blackjack.offer(table.sheet, first, play) // 100


def _list_behind(play: Round, player: PlayerId) -> tuple[OwnBehind, ...]:
    return tuple(
        OwnBehind(box.number, bettor.insurance, bettor.follow_double, bettor.follow_split)
        for box in play.boxes
        for bettor in box.behind
        if bettor.player == player
    )


def _list_options(table: Table, player: PlayerId, last: OpenSpots | None) -> tuple[Options, OpenSpots | None]:
    at = 0 if table.deadline is None else table.deadline - 1
    options, closed = legal.compact_options(table, player, at, last[:2] if last else None)
    if closed:
        betting, spots = _close_betting(closed, tuple(legal.spots(table)))
    else:
        betting = {name: make_option(verdict) for name, verdict in options.betting.items()}
        spots = _list_spots(options.spots, last)
        last = OpenSpots(table, options.spots, spots)
    totals = _total_choices(table.round)
    decisions, early = (
        tuple([make_decision(*place, verdict, totals.get(place, "")) for place, verdict in verdicts.items()])
        for verdicts in (options.decisions, options.early)
    )
    return Options(decisions, early, betting, spots), last


def _total_choices(play: Round | None) -> Mapping[tuple[int, str], str]:
    """What each hand that chooses would have with the left or the right community card (D-07, D-08)."""
    if play is None or not play.community:
        return {}
    return {
        (box.number, action): hand.format_total((*box.hands[0].cards, card))
        for box in play.boxes
        if box.hands and box.hands[0].status is CHOOSING
        for action, card in zip((Action.LEFT, Action.RIGHT), play.community, strict=True)
    }


def _list_spots(verdicts: legal.Spots, last: OpenSpots | None) -> tuple[SpotOption, ...]:
    if last is None or last.verdicts.keys() != verdicts.keys():
        return tuple([make_spot(box, bet, verdict) for (box, bet), verdict in verdicts.items()])
    pairs = zip(verdicts.items(), last.verdicts.values(), last.options, strict=True)
    return tuple([option if verdict is was else make_spot(*spot, verdict) for (spot, verdict), was, option in pairs])


@lru_cache(maxsize=1_024)
def _close_betting(closed: Refusal, places: tuple[Spot, ...]) -> tuple[Mapping[str, Option], tuple[SpotOption, ...]]:
    """Every act of betting and every spot while there is one reason against them all."""
    verdict = (closed,)
    return dict.fromkeys(legal.WORDS, make_option(verdict)), tuple([make_spot(*spot, verdict) for spot in places])
