"""What a client asks of a table, as the command the rules know. Who asks is told by the session, never by the message.

The time of every command is the house's (R-10), a VIP level and the outcome of a spin are too: none of them has a place
in a message.
"""

from __future__ import annotations

from typing import assert_never

from ventuno.core.messages import commands as core
from ventuno.core.messages.commands import Command, Spot
from ventuno.core.rules.money import PlayerId
from ventuno.web.messages import client_messages


def to_command(player: PlayerId, doing: client_messages.TableCommand) -> Command:
    match doing:
        case client_messages.Sit(box):
            return core.TakeSeat(player, box, 0)
        case client_messages.StandUp(box):
            return core.LeaveSeat(player, box, 0)
        case client_messages.Bring(amount):
            return core.BringMoney(player, amount, 0)
        case client_messages.Take(amount):
            return core.TakeMoney(player, amount, 0)
        case client_messages.AllowBehind(allowed):
            return core.AllowBehind(player, allowed, 0)
        case client_messages.Follow(box, double, split):
            return core.ChooseFollow(player, box, double, split, 0)
        case (
            client_messages.Bet()
            | client_messages.Remove()
            | client_messages.Undo()
            | client_messages.Clear()
            | client_messages.Repeat()
            | client_messages.Double()
            | client_messages.Deal()
        ):
            return to_betting_command(player, doing)
        case client_messages.Decide(box, action):
            return core.Act(player, box, action, 0)
        case client_messages.DecideAll(action):
            return core.ActAll(player, action, 0)
        case client_messages.DecideEarly(box, action):
            return core.ActEarly(player, box, action, 0)
        case client_messages.SpinWheel(box):
            return core.SpinWheel(player, box, "", 0)
        case client_messages.SpinBoard(box):
            return core.SpinBoard(player, box, {}, 0)
        case _:
            assert_never(doing)


Betting = (
    client_messages.Bet
    | client_messages.Remove
    | client_messages.Undo
    | client_messages.Clear
    | client_messages.Repeat
    | client_messages.Double
    | client_messages.Deal
)


def to_betting_command(player: PlayerId, doing: Betting) -> Command:
    match doing:
        case client_messages.Bet(spots, amount, exact):
            return core.PlaceBet(player, tuple(Spot(place.box, place.bet) for place in spots), amount, 0, exact)
        case client_messages.Remove(spot, amount):
            return core.RemoveBet(player, Spot(spot.box, spot.bet), 0, amount)
        case client_messages.Undo():
            return core.UndoBet(player, 0)
        case client_messages.Clear():
            return core.ClearBets(player, 0)
        case client_messages.Repeat(times):
            return core.RepeatBets(player, 0, times)
        case client_messages.Double():
            return core.DoubleBets(player, 0)
        case client_messages.Deal():
            return core.DealNow(player, 0)
        case _:
            assert_never(doing)
