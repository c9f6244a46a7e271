"""What a client asks of a table, as the command the rules know. Who asks is told by the session, never by the message.

The time of every command is the house's (R-10), a VIP level and the outcome of a spin are too: none of them has a place
in a message.
"""

from __future__ import annotations

from typing import assert_never

from ventuno.core import commands as core
from ventuno.core.commands import Command, Spot
from ventuno.core.money import PlayerId
from ventuno.web.wire import asks


def command(player: PlayerId, doing: asks.Doing) -> Command:
    match doing:
        case asks.Sit(box):
            return core.TakeSeat(player, box, 0)
        case asks.StandUp(box):
            return core.LeaveSeat(player, box, 0)
        case asks.Bring(amount):
            return core.BringMoney(player, amount, 0)
        case asks.Take(amount):
            return core.TakeMoney(player, amount, 0)
        case asks.AllowBehind(allowed):
            return core.AllowBehind(player, allowed, 0)
        case asks.Follow(box, double, split):
            return core.ChooseFollow(player, box, double, split, 0)
        case asks.Bet() | asks.Remove() | asks.Undo() | asks.Clear() | asks.Repeat() | asks.Double() | asks.Deal():
            return _betting(player, doing)
        case asks.Decide(box, action):
            return core.Act(player, box, action, 0)
        case asks.DecideAll(action):
            return core.ActAll(player, action, 0)
        case asks.DecideEarly(box, action):
            return core.ActEarly(player, box, action, 0)
        case asks.SpinWheel(box):
            return core.SpinWheel(player, box, "", 0)
        case asks.SpinBoard(box):
            return core.SpinBoard(player, box, {}, 0)
        case _:
            assert_never(doing)


Betting = asks.Bet | asks.Remove | asks.Undo | asks.Clear | asks.Repeat | asks.Double | asks.Deal


def _betting(player: PlayerId, doing: Betting) -> Command:
    match doing:
        case asks.Bet(spots, amount, exact):
            return core.PlaceBet(player, tuple(Spot(one.box, one.bet) for one in spots), amount, 0, exact)
        case asks.Remove(spot, amount):
            return core.RemoveBet(player, Spot(spot.box, spot.bet), 0, amount)
        case asks.Undo():
            return core.UndoBet(player, 0)
        case asks.Clear():
            return core.ClearBets(player, 0)
        case asks.Repeat(times):
            return core.RepeatBets(player, 0, times)
        case asks.Double():
            return core.DoubleBets(player, 0)
        case asks.Deal():
            return core.DealNow(player, 0)
        case _:
            assert_never(doing)
