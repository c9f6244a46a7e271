"""What one player alone sees of a table: a `PrivateView`, built up from his own facts (H-4, H-5, H-6, X-06).

The view is a function of the table alone. Its options are those of the open window: whether a deadline has passed is
decided when something is asked, so that nothing shown depends on the moment of looking. Each has its price, or the
reasons why not (X-19). The same few come again and again: each is made once, so that one that stays is the same object.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache, partial
from typing import TypeVar

from ventuno.core.games import blackjack
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules import hand
from ventuno.core.rules.frozen_record import QuickRecord
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import legal, seats
from ventuno.core.table import round as table_round
from ventuno.core.table.round import CHOOSING, PLAY, PLAYING, Action, Round
from ventuno.core.table.state import BETTING, NO_SLIP, ROUND, Table
from ventuno.core.views.public_view import Chips
from ventuno.core.views.shared_parts import SharedParts


class Reason(QuickRecord):
    """Why not (X-19): the name of the refusal, and the numbers that explain it. Words are in catalogues."""

    code: str
    numbers: Mapping[str, object]


class Option(QuickRecord):
    """Something one could do: its price in cents where it is open, every reason where it is closed."""

    price: Cents | None
    reasons: tuple[Reason, ...]


class DecisionOption(Option):
    """`total` is what the hand would show, where a decision takes a card that lies open (D-08)."""

    box: int
    action: str
    total: str


class SpotOption(Option):
    """`price` is how much the spot still takes, up to its maximum."""

    box: int
    bet: str


Kind = TypeVar("Kind", bound=Option)


class Options(QuickRecord):
    decisions: tuple[DecisionOption, ...]
    early: tuple[DecisionOption, ...]
    betting: Mapping[str, Option]
    spots: tuple[SpotOption, ...]


class OwnBox(QuickRecord):
    """What is one's own at one's own box: the early decision, the answer on insurance, the cash-out offer."""

    box: int
    early: str | None
    insurance: Cents | None
    even_money: bool
    offer: Cents | None


class OwnBehind(QuickRecord):
    """What is one's own of a bet behind: the answer on insurance and the pre-decisions."""

    box: int
    insurance: Cents | None
    follow_double: bool
    follow_split: bool


class ChipChoice(QuickRecord):
    value: Cents
    enabled: bool


class Limit(QuickRecord):
    least: Cents
    most: Cents


class PrivateView(QuickRecord):
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


Restrict = Callable[[legal.Options], legal.Options]
"""What is refused beyond the rules, in the words of those refusals: the options with less of them open (X-19)."""


@lru_cache(maxsize=4_096)
def make_reason(refusal: Refusal) -> Reason:
    return Reason(refusal.code, asdict(refusal))


@lru_cache(maxsize=32_768)
def _make_option(kind: type[Kind], verdict: legal.Verdict, place: tuple[int, str] | tuple[()] = (), *more: str) -> Kind:
    if isinstance(verdict, tuple):
        return kind(None, tuple([make_reason(refusal) for refusal in verdict]), *place, *more)
    return kind(verdict, (), *place, *more)


def build_empty_view(player: PlayerId) -> PrivateView:
    """Who has brought no money here has nothing of his own (X-06)."""
    return PrivateView(player, 0, 0, (), (), (), (), {}, Options((), (), {}, ()), "", "", (), None)


def build_private_view(
    table: Table,
    player: PlayerId,
    session: str = "",
    participation: str = "",
    *,
    restrict: Restrict | None = None,
    shared: SharedParts | None = None,
) -> PrivateView:
    """What is this player's own. The ids are those under which he plays here (V-75).

    Each part that is as it was when `shared` was last used is the very same object.
    """
    if player not in table.purses:
        return build_empty_view(player)
    shared = SharedParts() if shared is None else shared
    play, purse, vip, chips = table.round, table.purse(player), table.vip.get(player), table.sheet.stakes.chips
    return PrivateView(
        player,
        purse,
        table.total_stake_of(player),
        _list_chips(chips, bisect_right(chips, purse)),
        shared.take(
            "bets", (table.phase, play and play.table_bets, table.slips.get(player)), _list_bets, table, player
        ),
        _list_boxes(table, play, player, shared) if play else (),
        _list_behind(play, player) if play else (),
        shared.take("limits", (table.sheet, table.limits, vip), _list_limits, table, player),
        _list_options(table, player, restrict, shared),
        session,
        participation,
        warned := seats.find_warned(table, player),
        table.deadline if warned and table.phase is BETTING else None,
    )


@lru_cache(maxsize=1_024)
def _list_chips(chips: tuple[Cents, ...], covered: int) -> tuple[ChipChoice, ...]:
    """The chips of the sheet, from the smallest; only so many are enabled as the purse covers (V-46)."""
    return tuple([ChipChoice(chip, place < covered) for place, chip in enumerate(chips)])


def _list_limits(table: Table, player: PlayerId) -> Mapping[str, Limit]:
    return {bet: Limit(*table.limit(bet, player)) for bet in table.limits}


def _list_bets(table: Table, player: PlayerId) -> tuple[Chips, ...]:
    """His bets for the coming round, final or not; in a running round those that lie at no box."""
    if table.phase is ROUND and table.round:
        return tuple([Chips(by, 0, bet, stake) for by, bet, stake in table.round.table_bets if by == player])
    totals = table.slips.get(player, NO_SLIP).totals()
    return tuple([Chips(player, box, bet, amount) for (box, bet), amount in totals.items()])


def _list_boxes(table: Table, play: Round, player: PlayerId, shared: SharedParts) -> tuple[OwnBox, ...]:
    own = [
        (box.number, box.early, box.insurance, box.even_money, find_offer(table, play, box))
        for box in play.boxes
        if box.player == player
    ]
    return shared.take("boxes", own, _make_boxes, own)


def _make_boxes(own: list[tuple[int, Action | None, Cents | None, bool, Cents | None]]) -> tuple[OwnBox, ...]:
    return tuple([OwnBox(*each) for each in own])


def find_offer(table: Table, play: Round, box: table_round.Box) -> Cents | None:
    """The amount on the cash-out button, to the cent, rounded down (F-09)."""
    first = box.hands[0] if box.hands else None
    if first is None or not table.sheet.cash_out.offered or play.stage is not PLAY:
        return None
    if first.status is not PLAYING or len(first.cards) != 2 or first.split:
        return None
    return first.stake * blackjack.offer(table.sheet, first, play) // 100


def _list_behind(play: Round, player: PlayerId) -> tuple[OwnBehind, ...]:
    backed = [(box.number, box.behind) for box in play.boxes if box.behind]
    return tuple(
        [
            OwnBehind(number, bettor.insurance, bettor.follow_double, bettor.follow_split)
            for number, behind in backed
            for bettor in behind
            if bettor.player == player
        ]
    )


def _list_options(table: Table, player: PlayerId, restrict: Restrict | None, shared: SharedParts) -> Options:
    moment = 0 if table.deadline is None else table.deadline - 1
    place = "spots with bets" if table.slips.get(player, NO_SLIP).steps else "spots without"
    options = legal.legal(table, player, moment, shared.get(place) or shared.get("spots without"))
    if not options.closed:
        shared[place] = table, options.spots
    decisions, early, betting, spots, closed = restrict(options) if restrict else options
    totals = _total_choices(table.round) if table.round else {}
    if totals:
        choices = tuple([_make_option(DecisionOption, one, at, totals.get(at, "")) for at, one in decisions.items()])
    else:
        choices = shared.take_each("decisions", decisions, _make_decision)
    if closed:
        acts, places = _close_acts(closed), _close_spots(tuple(spots), closed)
    else:
        acts = {act: _make_option(Option, verdict) for act, verdict in betting.items()}
        places = shared.take_each("spots", spots, partial(_make_option, SpotOption))
    parts = choices, shared.take_each("early", early, _make_decision), acts, places
    return shared.take("options", parts, Options, *parts)


def _make_decision(verdict: legal.Verdict, place: tuple[int, Action]) -> DecisionOption:
    option: DecisionOption = _make_option(DecisionOption, verdict, place, "")
    return option


@lru_cache(maxsize=64)
def _close_spots(spots: tuple[Spot, ...], closed: Refusal) -> tuple[SpotOption, ...]:
    """Every spot where one reason is against them all."""
    return tuple([_make_option(SpotOption, (closed,), spot) for spot in spots])


@lru_cache(maxsize=64)
def _close_acts(closed: Refusal) -> Mapping[str, Option]:
    """Every act of betting where one reason is against them all."""
    return dict.fromkeys(legal.WORDS, _make_option(Option, (closed,)))


def _total_choices(play: Round) -> Mapping[tuple[int, str], str]:
    """What each hand that chooses would have with the left or the right community card (D-07, D-08)."""
    if not play.community:
        return {}
    return {
        (box.number, action): hand.format_total((*box.hands[0].cards, card))
        for box in play.boxes
        if box.hands and box.hands[0].status is CHOOSING
        for action, card in zip((Action.LEFT, Action.RIGHT), play.community, strict=True)
    }
