"""What each event changes: the second half of the fold, total over the whole vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, assert_never, get_args

from ventuno.core.games import link
from ventuno.core.games.engines import engine
from ventuno.core.messages.events import (
    BehindAllowed,
    BetPlaced,
    BetRemoved,
    BetsFinalised,
    BettingEnded,
    BettingOpened,
    BoardSpun,
    CommunityChosen,
    DealerChose,
    DealerDrew,
    DecisionAsked,
    DecisionReplaced,
    DuelDealt,
    EarlyChosen,
    Event,
    FollowChosen,
    FollowSkipped,
    HandCashedOut,
    HandDoubled,
    HandFolded,
    HandHit,
    HandsDealt,
    HandSplit,
    HandStood,
    HandSurrendered,
    HiddenTurned,
    HoleTurned,
    InsuranceAnswered,
    InsuranceClosed,
    LimitsChanged,
    MoneyBrought,
    MoneyTaken,
    Peeked,
    RoundAbandoned,
    RoundSettled,
    RoundVoided,
    SeatFreed,
    SeatLeaving,
    SeatTaken,
    SeatWarned,
    ShoeLoaded,
    ShoeRetired,
    TableClosed,
    TableClosingBy,
    TablePausedBy,
    TableResumed,
    Wager,
    WheelSpun,
)
from ventuno.core.rules.cards import Shoe
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import betting, dealing, ledger, seats, supervision
from ventuno.core.table.round import DONE, BonusGame, Box, Line, Round
from ventuno.core.table.shoes import count_cards
from ventuno.core.table.state import BETTING, NO_SLIP, RESULTS, ROUND, Phase, Seat, Slip, Table

Purses = Mapping[PlayerId, Cents]

_OutsideRound: TypeAlias = (
    MoneyBrought
    | MoneyTaken
    | SeatTaken
    | SeatLeaving
    | SeatFreed
    | SeatWarned
    | BehindAllowed
    | FollowChosen
    | ShoeLoaded
    | ShoeRetired
    | EarlyChosen
    | WheelSpun
    | BoardSpun
    | DecisionReplaced
    | RoundAbandoned
    | FollowSkipped
    | supervision.Supervised
)
_OUTSIDE_ROUND = frozenset(get_args(_OutsideRound))


def evolve(table: Table, event: Event) -> Table:
    """The table after an event; what comes most often is asked first."""
    if type(event) in _OUTSIDE_ROUND:
        return _evolve_outside_round(table, event)  # type: ignore[arg-type]  # the set holds what the union names
    match event:
        case BetPlaced(player, wagers):
            slip = table.slips.get(player, NO_SLIP)
            slips = {**table.slips, player: Slip((*slip.steps, wagers), slip.final)}
            return table._replace(slips=slips, purses=_take_stakes(table, event))
        case DecisionAsked():
            return table._replace(deadline=event.deadline)
        case BettingOpened():
            return _open_betting(table, event)
        case BettingEnded():
            return _begin_round(table, event)
        case HandsDealt() | DuelDealt():
            return _deal(table, event)
        case HoleTurned() | HandStood():
            return _evolve_round(table, event, 0)
        case HandHit() | DealerDrew():
            return _evolve_round(table, event, 1)
        case RoundSettled():
            return table._replace(
                phase=RESULTS,
                round=_round(table)._replace(stage=DONE, lines=event.lines),
                purses=_pay_returns(table, event),
                streaks=_streaks(table.streaks, event.lines),
                deadline=event.deadline,
            )
        case BetsFinalised(player):
            return table._replace(slips={**table.slips, player: Slip(table.slips[player].steps, True)})
        case HandDoubled():
            return _evolve_round(table, event, 1, _take_stakes(table, event))
        case HandSplit():
            return _evolve_round(table, event, 2, _take_stakes(table, event))
        case CommunityChosen():
            return _evolve_round(table, event, 0, _take_stakes(table, event))
        case InsuranceAnswered():
            play = engine(table.sheet).evolve(table.sheet, _round(table), event)
            return table._replace(round=play, purses=_take_stakes(table, event))
        case Peeked() | InsuranceClosed() | HandCashedOut() | HandSurrendered():
            return _evolve_round(table, event, 0)
        case HandFolded() | DealerChose() | HiddenTurned():
            return _evolve_round(table, event, 0)
        case BetRemoved(player, wagers):
            slip = table.slips[player]
            slips = {**table.slips, player: Slip(betting.remove_wagers(slip.steps, wagers), slip.final)}
            return table._replace(slips=slips, purses=_take_stakes(table, event))
        case RoundVoided(deadline=deadline):
            purses = _pay_returns(table, event)
            return table._replace(phase=RESULTS, round=None, slips={}, purses=purses, pause=None, deadline=deadline)
        case _:
            return _evolve_outside_round(table, event)


def _evolve_outside_round(table: Table, event: _OutsideRound) -> Table:
    """Events of money, seats, shoes and supervision, and notices that change nothing but what is known."""
    match event:
        case ShoeLoaded(cards, start, cut, number):
            shoe = Shoe(cards, start, cut, number)
            if table.shoe:
                return table._replace(spare=shoe, shoes=number)
            return table._replace(shoe=shoe, shoes=number)
        case ShoeRetired():
            return table._replace(shoe=table.spare, spare=None, phase=Phase.SHUFFLING, deadline=None)
        case MoneyBrought(player, amount, vip):
            brought = {**table.brought, player: table.brought.get(player, 0) + amount}
            purses = {**table.purses, player: table.purse(player) + amount}
            levels = table.vip if vip is None else {**table.vip, player: vip}
            return table._replace(purses=purses, brought=brought, vip=levels)
        case MoneyTaken(player, amount):
            return table._replace(purses={**table.purses, player: table.purse(player) - amount})
        case SeatTaken(player, box):
            return table._replace(seats=seats.with_seat(table, box, Seat(player)))
        case SeatLeaving(player, box):
            return table._replace(seats=seats.with_seat(table, box, Seat(player, leaving=True)))
        case SeatFreed(_, box):
            return table._replace(seats=seats.with_seat(table, box, None))
        case BehindAllowed(player, allowed):
            return table._replace(forbids=table.forbids - {player} if allowed else table.forbids | {player})
        case FollowChosen(player, box, double, split):
            changed = table._replace(follows={**table.follows, (player, box): (double, split)})
            return _change_follows(changed, event)
        case EarlyChosen(box=number, action=action):
            play = _round(table)
            changed_box = _box(play, number)._replace(early=action)
            return table._replace(round=play._replace(boxes=play.with_box(changed_box)))
        case WheelSpun(_, number, segment, boxes, start):
            return _change_bonus(table, number, lambda _: link.spin_wheel(table.sheet.bonus, segment, boxes, start))
        case BoardSpun(_, number, locks, diamonds):
            return _change_bonus(
                table, number, lambda bonus_game: link.spin_board(table.sheet.bonus, bonus_game, locks, diamonds)
            )
        case LimitsChanged() | TablePausedBy() | TableResumed() | TableClosingBy() | TableClosed():
            return supervision.evolve(table, event)
        case RoundAbandoned():
            return table._replace(round=_round(table)._replace(abandoned=True), deadline=None)
        case SeatWarned() | DecisionReplaced() | FollowSkipped():
            return table
        case _:
            assert_never(event)


def _round(table: Table) -> Round:
    play = table.round
    if play is None:
        raise LookupError(f"table {table.id} has no round")
    return play


def _box(play: Round, number: int) -> Box:
    box = play.box(number)
    if box is None:
        raise LookupError(f"no box {number} in round {play.code}")
    return box


def _evolve_round(table: Table, event: Event, cards: int, purses: Purses | None = None) -> Table:
    """The engine's part; so many cards have left the shoe, and whoever was asked has answered."""
    sheet, shoe = table.sheet, table.shoe
    play = engine(sheet).evolve(sheet, _round(table), event)
    if cards and shoe:
        shoe = shoe.after(cards)
    if purses is None:
        return table._replace(round=play, shoe=shoe, deadline=None)
    return table._replace(round=play, shoe=shoe, deadline=None, purses=purses)


def _take_stakes(table: Table, event: Event) -> Purses:
    """The purses once the stakes of this event have gone into play."""
    purses = {**table.purses}
    for player, amount in ledger.stakes(event):
        purses[player] -= amount
    return purses


def _pay_returns(table: Table, event: RoundSettled | RoundVoided) -> Purses:
    """The purses with what the round gives back."""
    purses = {**table.purses}
    for player, amount in ledger.returns(event):
        purses[player] += amount
    return purses


def _open_betting(table: Table, event: BettingOpened) -> Table:
    """Limits that were changed meanwhile are in force from now on, unless bets lie under the old ones (V-43)."""
    if table.next_limits and not any(slip.steps for slip in table.slips.values()):
        table = table._replace(limits={**table.limits, **table.next_limits}, next_limits={})
    if event.missed:
        table = table._replace(seats=seats.count_idle_round(table))
    return table._replace(phase=BETTING, deadline=event.deadline, opened=event.at)


def _begin_round(table: Table, event: BettingEnded) -> Table:
    slips = {player: slip.totals() for player, slip in table.slips.items() if slip.steps}
    previous = {**table.previous}
    for player, totals in slips.items():
        previous[player] = tuple([Wager(box, bet, stake) for (box, bet), stake in totals.items()])
    return table._replace(
        phase=ROUND,
        round=dealing.make_round(table, event, slips),
        rounds=table.rounds + 1,
        seats=seats.count_idle_round(table),
        slips={},
        previous=previous,
        deadline=None,
    )


def _deal(table: Table, event: HandsDealt | DuelDealt) -> Table:
    """Face-down cards are taken from the shoe here: the event does not hold them."""
    play, shoe = _round(table), table.shoe
    if shoe is None:
        raise LookupError(f"table {table.id} has no shoe")
    count, rules = count_cards(event), engine(table.sheet)
    after_deal = rules.apply_deal(table.sheet, play, event, rules.hidden_at_deal(shoe.next(count), len(event.hands)))
    return table._replace(round=after_deal, shoe=shoe.after(count))


def _streaks(streaks: Mapping[PlayerId, int], lines: tuple[Line, ...]) -> Mapping[PlayerId, int]:
    """Rounds won in a row: at least one hand won and none lost; a push leaves the count (V-35, reading 7)."""
    won: set[PlayerId] = set()
    lost: set[PlayerId] = set()
    for line in lines:
        if line.bet in ("main", "split", "ante") and line.returned != line.stake:
            (won if line.returned > line.stake else lost).add(line.player)
    counted = {player: count for player, count in streaks.items() if player not in lost}
    for player in sorted(won - lost):
        counted[player] = counted.get(player, 0) + 1
    return counted


def _change_follows(table: Table, event: FollowChosen) -> Table:
    """A pre-decision changed during the round counts from now on (V-32)."""
    box = table.round.box(event.box) if table.round and table.phase is Phase.ROUND else None
    if table.round is None or box is None:
        return table
    behind = tuple(
        bettor._replace(follow_double=event.double, follow_split=event.split)
        if bettor.player == event.player
        else bettor
        for bettor in box.behind
    )
    return table._replace(round=table.round._replace(boxes=table.round.with_box(box._replace(behind=behind))))


def _change_bonus(table: Table, number: int, how: Callable[[BonusGame], BonusGame]) -> Table:
    play = _round(table)
    box = _box(play, number)
    changed = box._replace(bonus=how(box.bonus or BonusGame()))
    return table._replace(round=play._replace(boxes=play.with_box(changed)), deadline=None)
