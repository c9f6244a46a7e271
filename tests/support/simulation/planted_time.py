"""Faults of time and order, and of the players' protection."""

from __future__ import annotations

from typing import Any

from tests.support.simulation.fault import Any_, fault
from ventuno.core.messages.commands import Pause, Resume, SpinBoard, SpinWheel, Void
from ventuno.core.messages.events import DecisionTaken, HandDoubled, MoneyTaken
from ventuno.core.table import betting, fold, legal, progress, supervision
from ventuno.core.table.round import Action
from ventuno.core.table.state import Phase
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.player_limits import LimitSet, PlayerLimits
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.tables import authority
from ventuno.house.tables.authority import Authority


@fault((betting, "check_now"))
def late_bet_is_taken(right: Any_) -> Any:
    return lambda held, player, at: right(held, player, min(at, (held.deadline or at + 1) - 1))


@fault((betting, "check_now"))
def bell_is_one_millisecond_late(right: Any_) -> Any:
    return lambda held, player, at: right(held, player, at - 1)


@fault((betting, "check_now"))
def final_bets_are_changed(right: Any_) -> Any:
    def refused_now(held: Any, player: str, at: int) -> Any:
        found = right(held, player, at)
        return None if type(found).__name__ == "BetsFinal" else found

    return refused_now


@fault((legal, "may_act"))
def late_decision_is_taken(right: Any_) -> Any:
    return lambda held, player, box, action, _at: right(held, player, box, action, 0)


@fault((legal, "may_act"))
def anybody_plays_any_box(right: Any_) -> Any:
    def may_act(held: Any, player: str, number: int, action: Action, at: int) -> Any:
        box = held.round.box(number) if held.round else None
        return right(held, box.player if box else player, number, action, at)

    return may_act


@fault((progress, "tick"))
def clock_strikes_early(right: Any_) -> Any:
    return lambda held, at: right(held, at + 2)


@fault((progress, "_clock"))
def decision_has_a_second_less(right: Any_) -> Any:
    return lambda seconds, *rest, **more: right(seconds and seconds - 1, *rest, **more)


@fault((supervision, "_deadline"))
def resumed_table_leaves_no_time(_right: Any_) -> Any:
    return lambda _table, remaining, at: None if remaining is None else at + remaining


@fault((supervision, "resume"))
def floor_of_deal_now_does_not_wait_for_the_pause(right: Any_) -> Any:
    return lambda held, event: right(held._replace(pause=held.pause._replace(at=None)), event)


@fault((supervision, "close_table"))
def closed_table_keeps_the_money(right: Any_) -> Any:
    return lambda held: [event for event in right(held) if not isinstance(event, MoneyTaken)]


@fault((supervision, "may_close"))
def table_closes_over_an_open_round(_right: Any_) -> Any:
    return lambda held: held.phase is not Phase.CLOSED


@fault((fold, "_decide_first"))
def paused_table_plays_on(right: Any_) -> Any:
    return lambda held, command: right(held._replace(pause=None), command) if _speaks(command) else right(held, command)


def _speaks(command: Any) -> bool:
    return not isinstance(command, Pause | Resume | Void | SpinWheel | SpinBoard)


@fault((Authority, "_check_limits"))
def limit_is_not_asked_on_a_double(right: Any_) -> Any:
    return lambda self, events, at: right(self, [one for one in events if not isinstance(one, HandDoubled)], at)


@fault((Authority, "_check_limits"))
def limit_is_not_asked_where_the_card_is_awaited(right: Any_) -> Any:
    return lambda self, events, at: right(self, [one for one in events if not isinstance(one, DecisionTaken)], at)


@fault((authority, "find_withdrawal"))
def follower_s_limit_stops_the_table(_right: Any_) -> Any:
    return lambda *_given: None


@fault((PlayerLimits, "check_play"))
def excluded_player_plays(_right: Any_) -> Any:
    return lambda _self, _at: None


@fault((LimitCheck, "_measure_limits"))
def limit_counts_only_what_is_asked(right: Any_) -> Any:
    return lambda self, player, held, at, kinds, _more=0: right(self, player, held, at, kinds)


@fault((player_limits, "set_limit"))
def limit_is_raised_at_once(_right: Any_) -> Any:
    return lambda _held, name, amount, _at, _profile: [LimitSet(name, amount or 10**9)]
