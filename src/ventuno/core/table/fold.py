"""The whole table as a fold: `decide` says what follows from a command, `evolve` what an event changes.

`advance` does both at once and is what a running table uses; `decide` is its first half, `replay` folds a log. `evolve`
is total over the whole vocabulary of events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, get_args

from ventuno.core.games import link
from ventuno.core.games.engines import engine
from ventuno.core.messages import commands, desk_events, events, refusals
from ventuno.core.messages.commands import Command
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Shoe
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import SCANNED, Sheet
from ventuno.core.rules.sheet_checks import has_room_for_round
from ventuno.core.rules.switches import SheetError
from ventuno.core.table import betting, decisions, ledger, progress, scanning, seats, shoes, supervision
from ventuno.core.table.round import DONE, BonusGame, Line, Round
from ventuno.core.table.shoes import count_cards
from ventuno.core.table.state import (
    BETTING,
    CLOSED,
    NO_SLIP,
    RESULTS,
    ROUND,
    Phase,
    Seat,
    Slip,
    Studio,
    Table,
    list_wagers,
)

_Outcome = list[Event] | Refusal
_HOUSE = (commands.Pause, commands.Resume, commands.Void, commands.CloseTable, commands.LoadShoe, commands.ChangeLimits)
_ALLOWED_WHILE_PAUSED: tuple[type, ...] = (
    *_HOUSE,
    commands.BringMoney,
    commands.TakeMoney,
    commands.AllowBehind,
    commands.LeaveSeat,
    *(commands.TakeDesk, commands.LeaveDesk, commands.ResumeDesk, commands.DeclareMisdeal, commands.CallHelp),
)
"""What may be asked of a paused table."""
Purses = Mapping[PlayerId, Cents]
_OutsideRound: TypeAlias = (
    events.MoneyBrought
    | events.MoneyTaken
    | events.SeatTaken
    | events.SeatLeaving
    | events.SeatFreed
    | events.SeatWarned
    | events.SeatKept
    | events.BehindAllowed
    | events.FollowChosen
    | events.ShoeLoaded
    | events.ShoeRetired
    | events.EarlyChosen
    | events.WheelSpun
    | events.BoardSpun
    | events.DecisionReplaced
    | events.RoundAbandoned
    | events.FollowSkipped
    | supervision.Supervised
    | desk_events.DeskEvent
    | events.DecisionTaken
)
_OUTSIDE_ROUND = frozenset(get_args(_OutsideRound))


def open_table(
    name: str, sheet: Sheet, owner: PlayerId | None = None, purses: Mapping[PlayerId, Cents] | None = None
) -> Table:
    """A new table on a sheet; a game for one belongs to its owner, who holds every box."""
    if not has_room_for_round(sheet):
        raise SheetError(f"a full round of {sheet.seats.count} boxes does not fit in {sheet.shoe.decks} decks")
    if sheet.game.solo and owner is None:
        raise SheetError(f"{sheet.game.name} is a table for one: an owner is needed")
    seat = Seat(owner) if sheet.game.solo and owner is not None else None
    places = (seat,) * sheet.seats.count
    studio = Studio() if sheet.shoe.cards == SCANNED else None
    return Table(
        name, sheet, Phase.SHUFFLING, places, purses=dict(purses or {}), limits=sheet.stakes.limits, studio=studio
    )


def decide(table: Table, command: Command) -> list[Event] | Refusal:
    """The events that a command leads to, or why not. The table itself stays as it is."""
    outcome = advance(table, command)
    return outcome if isinstance(outcome, Refusal) else outcome[0]


def advance(table: Table, command: Command) -> tuple[list[Event], Table] | Refusal:
    """Decide and evolve together, with all that follows by itself."""
    try:
        batch = _decide_first(table, command)
        if not isinstance(batch, list):
            return batch
        log: list[Event] = []
        while batch:
            for event in batch:
                table = evolve(table, event)
            log += batch
            batch = progress.next_events(table, command.at, log)
    except shoes.OutOfCards as fault:
        return fault.refusal
    return log, table


def replay(table: Table, log: Iterable[Event]) -> Table:
    """The state after a log: recovery, audit and history are this fold."""
    for event in log:
        table = evolve(table, event)
    return table


def _decide_first(table: Table, command: Command) -> _Outcome:
    if table.phase is CLOSED:
        return refusals.TableClosing(table.closing or "")
    if table.pause and not isinstance(command, _ALLOWED_WHILE_PAUSED):
        return refusals.TablePaused(table.pause.reason)
    match command:
        case (
            commands.PlaceBet()
            | commands.DealNow()
            | commands.RepeatBets()
            | commands.UndoBet()
            | commands.ClearBets()
            | commands.DoubleBets()
            | commands.RemoveBet()
        ):
            return betting.decide(table, command)
        case (
            commands.Act()
            | commands.SpinBoard()
            | commands.SpinWheel()
            | commands.ActEarly()
            | commands.TimeOut()
            | commands.ActAll()
        ):
            return decisions.decide(table, command)
        case commands.Tick():
            return progress.tick(table, command.at)
        case (
            commands.TakeSeat()
            | commands.LeaveSeat()
            | commands.KeepSeat()
            | commands.AllowBehind()
            | commands.ChooseFollow()
        ):
            return seats.decide(table, command)
        case commands.LoadShoe():
            return shoes.load(table, command)
        case commands.BringMoney(player, amount, _, vip):
            return _bring(table, player, amount, vip)
        case commands.TakeMoney(player, amount):
            return _take(table, player, amount)
        case commands.Pause() | commands.Resume() | commands.Void() | commands.ChangeLimits() | commands.CloseTable():
            return supervision.decide(table, command)
        case _:
            return scanning.decide(table, command)


def _bring(table: Table, player: PlayerId, amount: Cents, vip: int | None) -> _Outcome:
    if amount <= 0 or (vip is not None and vip < 0):
        return refusals.AmountNotPositive(amount)
    if table.sheet.game.solo and player != table.owner(1):
        return refusals.SoloTable()
    cap, brought = table.sheet.stakes.session_cap, table.brought.get(player, 0) + amount
    if cap and brought > cap:
        return refusals.SessionCapReached(cap, brought)
    return [events.MoneyBrought(player, amount, vip)]


def _take(table: Table, player: PlayerId, amount: Cents) -> _Outcome:
    if amount <= 0:
        return refusals.AmountNotPositive(amount)
    if amount > table.purse(player):
        return refusals.FundsMissing(amount, table.purse(player))
    return [events.MoneyTaken(player, amount)]


def evolve(table: Table, event: Event) -> Table:
    """The table after an event; what comes most often is asked first."""
    if type(event) in _OUTSIDE_ROUND:
        return _evolve_outside_round(table, event)  # type: ignore[arg-type]  # the set holds what the union names
    match event:
        case events.BetPlaced(player, wagers):
            slip = table.slips.get(player, NO_SLIP)
            slips = {**table.slips, player: Slip((*slip.steps, wagers), slip.final)}
            return table._replace(slips=slips, purses=_take_stakes(table, event))
        case events.DecisionAsked():
            return table._replace(deadline=event.deadline)
        case events.BettingOpened():
            return _open_betting(table, event)
        case events.BettingEnded():
            return _begin_round(table, event)
        case events.HandsDealt() | events.DuelDealt():
            return _deal(table, event)
        case events.HoleTurned() | events.HandStood():
            return _evolve_round(table, event, 0)
        case events.HandHit() | events.DealerDrew():
            return _evolve_round(table, event, 1)
        case events.RoundSettled():
            return table._replace(
                phase=RESULTS,
                round=_round(table)._replace(stage=DONE, lines=event.lines),
                purses=_pay_returns(table, event),
                streaks=_streaks(table.streaks, event.lines),
                deadline=event.deadline,
            )
        case events.BetsFinalised(player):
            return table._replace(slips={**table.slips, player: Slip(table.slips[player].steps, True)})
        case events.HandDoubled():
            return _evolve_round(table, event, 1, _take_stakes(table, event))
        case events.HandSplit():
            return _evolve_round(table, event, 2, _take_stakes(table, event))
        case events.CommunityChosen():
            return _evolve_round(table, event, 0, _take_stakes(table, event))
        case events.InsuranceAnswered():
            play = engine(table.sheet).evolve(table.sheet, _round(table), event)
            return table._replace(round=play, purses=_take_stakes(table, event))
        case events.Peeked() | events.InsuranceClosed() | events.HandCashedOut() | events.HandSurrendered():
            return _evolve_round(table, event, 0)
        case events.HandFolded() | events.DealerChose() | events.HiddenTurned():
            return _evolve_round(table, event, 0)
        case events.BetRemoved(player, wagers):
            slip = table.slips[player]
            slips = {**table.slips, player: Slip(betting.remove_wagers(slip.steps, wagers), slip.final)}
            return table._replace(slips=slips, purses=_take_stakes(table, event))
        case events.RoundVoided(deadline=deadline):
            purses = _pay_returns(table, event)
            voided = scanning.clear_table(table) if table.studio else table
            return voided._replace(phase=RESULTS, round=None, slips={}, purses=purses, pause=None, deadline=deadline)
        case _:
            return _evolve_outside_round(table, event)


def _evolve_outside_round(table: Table, event: _OutsideRound) -> Table:
    """Events of money, seats, shoes and supervision, and notices that change nothing but what is known."""
    match event:
        case events.ShoeLoaded(cards, start, cut, number):
            shoe = Shoe(cards, start, cut, number)
            if table.shoe:
                return table._replace(spare=shoe, shoes=number)
            return table._replace(shoe=shoe, shoes=number)
        case events.ShoeRetired():
            return table._replace(shoe=table.spare, spare=None, phase=Phase.SHUFFLING, deadline=None)
        case events.MoneyBrought(player, amount, vip):
            brought = {**table.brought, player: table.brought.get(player, 0) + amount}
            purses = {**table.purses, player: table.purse(player) + amount}
            levels = table.vip if vip is None else {**table.vip, player: vip}
            return table._replace(purses=purses, brought=brought, vip=levels)
        case events.MoneyTaken(player, amount):
            return table._replace(purses={**table.purses, player: table.purse(player) - amount})
        case events.SeatTaken(player, box) | events.SeatKept(player, box):
            return table._replace(seats=seats.with_seat(table, box, Seat(player)))
        case events.SeatLeaving(player, box):
            return table._replace(seats=seats.with_seat(table, box, Seat(player, leaving=True)))
        case events.SeatFreed(_, box):
            return table._replace(seats=seats.with_seat(table, box, None))
        case events.BehindAllowed(player, allowed):
            return table._replace(forbids=table.forbids - {player} if allowed else table.forbids | {player})
        case events.FollowChosen(player, box, double, split):
            changed = table._replace(follows={**table.follows, (player, box): (double, split)})
            return _change_follows(changed, event)
        case events.EarlyChosen(box=number, action=action):
            play = _round(table)
            changed_box = play.get_box(number)._replace(early=action)
            return table._replace(round=play._replace(boxes=play.with_box(changed_box)))
        case events.WheelSpun(_, number, segment, boxes, start):
            return _change_bonus(table, number, lambda _: link.spin_wheel(table.sheet.bonus, segment, boxes, start))
        case events.BoardSpun(_, number, locks, diamonds):
            return _change_bonus(
                table, number, lambda bonus_game: link.spin_board(table.sheet.bonus, bonus_game, locks, diamonds)
            )
        case (
            events.LimitsChanged()
            | events.TablePausedBy()
            | events.TableResumed()
            | events.TableClosingBy()
            | events.TableClosed()
        ):
            return supervision.evolve(table, event)
        case events.RoundAbandoned():
            return table._replace(round=_round(table)._replace(abandoned=True), deadline=None)
        case events.SeatWarned() | events.DecisionReplaced() | events.FollowSkipped():
            return table
        case _:
            return scanning.evolve(table, event)


def _round(table: Table) -> Round:
    play = table.round
    if play is None:
        raise LookupError(f"table {table.id} has no round")
    return play


def _evolve_round(table: Table, event: Event, cards: int, purses: Purses | None = None) -> Table:
    """The engine's part; so many cards have left the shoe, and whoever was asked has answered."""
    sheet, shoe = table.sheet, table.shoe
    play = engine(sheet).evolve(sheet, _round(table), event)
    if play.pending is not None:
        play = play._replace(pending=None)
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


def _pay_returns(table: Table, event: events.RoundSettled | events.RoundVoided) -> Purses:
    """The purses with what the round gives back."""
    purses = {**table.purses}
    for player, amount in ledger.returns(event):
        purses[player] += amount
    return purses


def _open_betting(table: Table, event: events.BettingOpened) -> Table:
    """Limits that were changed meanwhile are in force from now on, unless bets lie under the old ones (V-43)."""
    if table.next_limits and not any(slip.steps for slip in table.slips.values()):
        table = table._replace(limits={**table.limits, **table.next_limits}, next_limits={})
    if event.missed:
        table = table._replace(seats=seats.count_idle_round(table))
    return table._replace(phase=BETTING, deadline=event.deadline, opened=event.at)


def _begin_round(table: Table, event: events.BettingEnded) -> Table:
    slips = {player: slip.totals() for player, slip in table.slips.items() if slip.steps}
    if table.studio:
        table = scanning.begin_round(table)
    return table._replace(
        phase=ROUND,
        round=betting.make_round(table, event, slips),
        rounds=table.rounds + 1,
        seats=seats.count_idle_round(table),
        slips={},
        previous={**table.previous, **{player: list_wagers(totals) for player, totals in slips.items()}},
        deadline=None,
    )


def _deal(table: Table, event: events.HandsDealt | events.DuelDealt) -> Table:
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


def _change_follows(table: Table, event: events.FollowChosen) -> Table:
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
    box = play.get_box(number)
    changed = box._replace(bonus=how(box.bonus or BonusGame()))
    return table._replace(round=play._replace(boxes=play.with_box(changed)), deadline=None)
