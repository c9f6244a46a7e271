"""Faults planted one at a time: each must break a world within the seeds of one run (G-6).

A fault takes the place of one function of the house or of the core, as a careless change would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from tests.faults import opening, world
from tests.faults.disk import Disk
from ventuno.core import (
    betting,
    blackjack,
    code,
    dealing,
    evolution,
    hand,
    insurance,
    ledger,
    legal,
    link,
    progress,
    seats,
    settlement,
    sidebets,
    supervision,
    table,
)
from ventuno.core.commands import BringMoney, LoadShoe, Pause, Resume, SpinBoard, SpinWheel, Tick, TimeOut, Void
from ventuno.core.events import BetRemoved, HandDoubled, HandSplit, RoundSettled, RoundVoided
from ventuno.core.money import EVEN
from ventuno.core.refusals import BoxTaken, NothingToVoid, NotSeated
from ventuno.core.round import Action, Round
from ventuno.core.settlement import LOSE, WIN
from ventuno.house import authority, records, room, shield
from ventuno.house.authority import Authority
from ventuno.house.guard import Guard
from ventuno.house.records import Head, KeyRow
from ventuno.house.requests import Answer, Request
from ventuno.house.shield import LimitSet, Shield
from ventuno.house.wallet import Wallet

Any_ = Callable[..., Any]


class Fault(NamedTuple):
    """What is wrong, where, and how: `mutant` makes the wrong function out of the right one."""

    name: str
    places: tuple[tuple[Any, str], ...]
    mutant: Callable[[Any_], Any]


FAULTS: list[Fault] = []


def fault(*places: tuple[Any, str]) -> Callable[[Callable[[Any_], Any]], Callable[[Any_], Any]]:
    def note(mutant: Callable[[Any_], Any]) -> Callable[[Any_], Any]:
        FAULTS.append(Fault(mutant.__name__.replace("_", "-"), places, mutant))
        return mutant

    return note


@contextmanager
def planted(one: Fault) -> Iterator[None]:
    """The house with this fault; the shared openings are made anew, before and after."""
    rights = [(owner, name, getattr(owner, name)) for owner, name in one.places]
    opening.opening.cache_clear()
    for owner, name, right in rights:
        setattr(owner, name, one.mutant(right))
    try:
        yield
    finally:
        for owner, name, right in rights:
            setattr(owner, name, right)
        opening.opening.cache_clear()


# Keys, senders, recovery, the chain


@fault((Authority, "handle"))
def key_is_not_looked_up(right: Any_) -> Any:
    def handle(self: Authority, request: Request) -> Any:
        self._keys.pop(request.key, None)
        return right(self, request)

    return handle


@fault((Request, "digest"))
def key_serves_for_any_body(_right: Any_) -> Any:
    return lambda _self: b"same"


@fault((Authority, "handle"))
def key_is_remembered_of_what_was_refused(right: Any_) -> Any:
    def handle(self: Authority, request: Request) -> Any:
        decided = right(self, request)
        if decided.batch is None and request.key not in self._keys:
            answer = msgspec.json.encode(Answer(request.table, decided.answer.version))
            self._keys[request.key] = KeyRow(request.key, request.digest(), answer)
        return decided

    return handle


@fault((Authority, "recover"))
def keys_are_lost_in_a_crash(right: Any_) -> Any:
    return lambda self, streams, _keys, balances: right(self, streams, (), balances)


@fault((Authority, "recover"))
def last_record_is_lost_in_a_crash(right: Any_) -> Any:
    return lambda self, streams, keys, balances: right(self, [one[:-1] for one in streams], keys, balances)


@fault((Authority, "recover"))
def stakes_in_play_are_lost_in_a_crash(right: Any_) -> Any:
    def recover(self: Authority, streams: Any, keys: Any, balances: dict[str, int]) -> None:
        right(self, streams, keys, {name: sum_ for name, sum_ in balances.items() if "in-play" not in name})

    return recover


@fault((room, "recovered"))
def cards_are_drawn_again_after_a_crash(right: Any_) -> Any:
    def recovered(*given: Any) -> Any:
        found = right(*given)
        shoe = found.table.shoe
        return replace(found, table=found.table._replace(shoe=shoe and shoe.after(1)))

    return recovered


@fault((Disk, "commit"))
def acknowledged_batch_is_not_written(right: Any_) -> Any:
    return lambda self, batch: None if batch.rounds else right(self, batch)


@fault((Authority, "_spoken"))
def anybody_speaks_for_anybody(right: Any_) -> Any:
    def spoken(self: Authority, held: Any, request: Request) -> Any:
        return right(self, held, replace(request, player=getattr(request.command, "player", "")))

    return spoken


@fault((Authority, "_spoken"))
def players_say_what_the_house_says(right: Any_) -> Any:
    def spoken(self: Authority, held: Any, request: Request) -> Any:
        house = isinstance(request.command, Tick | TimeOut | LoadShoe | Pause | Resume | Void)
        return request.command if house else right(self, held, request)

    return spoken


@fault((Authority, "_spoken"))
def money_is_brought_that_is_not_there(right: Any_) -> Any:
    def spoken(self: Authority, held: Any, request: Request) -> Any:
        same = isinstance(request.command, BringMoney) and request.command.player == request.player
        return request.command if same else right(self, held, request)

    return spoken


@fault((records, "check"), (room, "check"), (world, "check"))
def damage_to_the_chain_is_not_seen(_right: Any_) -> Any:
    return lambda listed, head=None: Head(listed[-1].seq, listed[-1].hash) if listed else head


@fault((records, "link"))
def hash_leaves_out_the_body(right: Any_) -> Any:
    return lambda previous, stream, seq, at, kind, _body: right(previous, stream, seq, at, kind, b"")


@fault((code, "game_code"), (dealing, "game_code"))
def round_codes_repeat(right: Any_) -> Any:
    return lambda name, _at, _number: right(name, 0, 1)


# Money


@fault((Wallet, "post"))
def wallet_forgets_the_house(right: Any_) -> Any:
    return lambda self, rows: right(self, [one for one in rows if not one.account.startswith("house")])


@fault((Authority, "_spoken"), (Wallet, "post"))
def wallet_overdraws_players(right: Any_) -> Any:
    if right is Authority._spoken:
        return money_is_brought_that_is_not_there(right)

    def post(self: Wallet, rows: Any) -> None:
        for row in rows:
            self._balances[row.account] = self._balances.get(row.account, 0) + row.amount

    return post


@fault((Authority, "_written"))
def practice_tables_post_money(right: Any_) -> Any:
    return lambda self, before, after, *rest: right(self, before, replace(after, practice=False), *rest)


@fault((evolution, "_paid_in"))
def purse_is_not_charged_for_a_double(right: Any_) -> Any:
    return lambda held, event: held.purses if isinstance(event, HandDoubled) else right(held, event)


@fault((ledger, "stakes"))
def second_stake_of_a_split_is_free(right: Any_) -> Any:
    return lambda event: event.follows if isinstance(event, HandSplit) else right(event)


@fault((ledger, "stakes"))
def follower_is_charged_to_the_owner(right: Any_) -> Any:
    def stakes(event: Any) -> Any:
        if isinstance(event, HandDoubled | HandSplit):
            return tuple((event.player, amount) for _, amount in right(event))
        return right(event)

    return stakes


@fault((ledger, "stakes"))
def removed_bet_comes_back_twice(right: Any_) -> Any:
    def stakes(event: Any) -> Any:
        return right(event) * 2 if isinstance(event, BetRemoved) else right(event)

    return stakes


@fault((supervision, "_void"))
def void_refunds_only_the_first(right: Any_) -> Any:
    return _refunding(right, lambda refunds: refunds[:1])


@fault((supervision, "_void"))
def void_refunds_the_wrong_player(right: Any_) -> Any:
    def turned(refunds: Any) -> Any:
        return tuple(
            one._replace(player=other.player)
            for one, other in zip(refunds, (*refunds[1:], *refunds[:1]), strict=True)
        )

    return _refunding(right, turned)


def _refunding(right: Any_, how: Any_) -> Any:
    def void(*given: Any) -> Any:
        found = right(*given)
        if isinstance(found, list) and isinstance(found[0], RoundVoided):
            return [replace(found[0], refunds=how(found[0].refunds)), *found[1:]]
        return found

    return void


@fault((Round, "staked"))
def void_forgets_the_table_bets(right: Any_) -> Any:
    return lambda self, player: right(self._replace(table_bets=()), player)


@fault((supervision, "_void"))
def settled_round_is_voided(right: Any_) -> Any:
    def void(held: Any, by: str, reason: str, at: int) -> Any:
        found = right(held, by, reason, at)
        return [RoundVoided(by, reason, (), at, at)] if isinstance(found, NothingToVoid) else found

    return void


@fault((progress, "_in_round"))
def round_is_settled_twice(right: Any_) -> Any:
    def in_round(*given: Any) -> Any:
        found = right(*given)
        return [found[0], *found] if found and isinstance(found[0], RoundSettled) else found

    return in_round


# Bets and payouts


@fault((betting, "refused_spot"))
def bet_is_taken_on_a_foreign_box(right: Any_) -> Any:
    def refused_spot(*given: Any) -> Any:
        found = right(*given)
        return None if isinstance(found, NotSeated) else found

    return refused_spot


@fault((seats, "refused_seat"))
def taken_seat_is_given_away(right: Any_) -> Any:
    def refused_seat(*given: Any) -> Any:
        found = right(*given)
        return None if isinstance(found, BoxTaken) else found

    return refused_seat


@fault((table.Table, "limit"))
def maximum_is_not_kept(right: Any_) -> Any:
    return lambda self, bet, player: (right(self, bet, player)[0], 10**9)


@fault((dealing, "_playable"))
def bet_below_the_minimum_is_played(_right: Any_) -> Any:
    return lambda _table, totals: totals


@fault((settlement, "_insurance"))
def insurance_pays_without_blackjack(right: Any_) -> Any:
    return lambda *given: right(*given)._replace(returned=given[5] * 3)


@fault((insurance, "_stake"))
def insurance_costs_the_whole_stake(right: Any_) -> Any:
    return lambda player, box: right(player, box) * 2


@fault((settlement, "result"))
def blackjack_pays_even(right: Any_) -> Any:
    def result(*given: Any) -> Any:
        found = right(*given)
        return replace(found, odds=EVEN) if found.outcome == "blackjack" else found

    return result


@fault((settlement, "_compared"))
def push_loses(right: Any_) -> Any:
    return lambda mine, dealer: LOSE if mine == dealer else right(mine, dealer)


@fault((settlement, "_compared"))
def tie_wins_at_twenty(right: Any_) -> Any:
    return lambda mine, dealer: WIN if mine == dealer == 20 else right(mine, dealer)


@fault((settlement, "_hand_lines"))
def behind_is_paid_to_the_owner(right: Any_) -> Any:
    def lines(criterion: str, box: Any, index: int, how: Any, player: str, words: Any, stakes: Any) -> Any:
        return right(criterion, box, index, how, box.player if words[0] == "behind" else player, words, stakes)

    return lines


@fault((sidebets, "won"))
def worst_category_pays(_right: Any_) -> Any:
    def won(side: Any, cards: Any) -> Any:
        paid = [(name, side.pays[name]) for name in sidebets.categories(side.kind, cards) if name in side.pays]
        return min(paid, key=lambda one: one[1].total, default=None)

    return won


@fault((blackjack, "offer"))
def cash_out_pays_another_row(right: Any_) -> Any:
    return lambda sheet, one, play: right(sheet, one, play) + 1


@fault((link, "prize"))
def full_board_pays_one_more(right: Any_) -> Any:
    return lambda *given: right(*given) + 1


@fault((hand, "dealer_draws"))
def dealer_stands_on_sixteen(right: Any_) -> Any:
    return lambda cards, **rules: hand.total(cards) < 16 and right(cards, **rules)


@fault((evolution, "_streaks"))
def streak_survives_a_loss(right: Any_) -> Any:
    return lambda streaks, lines: {**streaks, **right(streaks, lines)}


# Time, order, protection


@fault((betting, "refused_now"))
def late_bet_is_taken(right: Any_) -> Any:
    return lambda held, player, at: right(held, player, min(at, (held.deadline or at + 1) - 1))


@fault((betting, "refused_now"))
def bell_is_one_millisecond_late(right: Any_) -> Any:
    return lambda held, player, at: right(held, player, at - 1)


@fault((betting, "refused_now"))
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


@fault((table, "_first"))
def paused_table_plays_on(right: Any_) -> Any:
    return lambda held, command: right(held._replace(pause=None), command) if _speaks(command) else right(held, command)


def _speaks(command: Any) -> bool:
    return not isinstance(command, Pause | Resume | Void | SpinWheel | SpinBoard)


@fault((Authority, "_guarded"))
def limit_is_not_asked_on_a_double(right: Any_) -> Any:
    return lambda self, events, at: right(self, [one for one in events if not isinstance(one, HandDoubled)], at)


@fault((authority, "withdrawal"))
def follower_s_limit_stops_the_table(_right: Any_) -> Any:
    return lambda *_given: None


@fault((Shield, "closed"))
def excluded_player_plays(_right: Any_) -> Any:
    return lambda _self, _at: None


@fault((Guard, "_over"))
def limit_counts_only_what_is_asked(right: Any_) -> Any:
    return lambda self, player, held, kind, _new, asked, at: right(self, player, held, kind, asked, asked, at)


@fault((shield, "set_limit"))
def limit_is_raised_at_once(_right: Any_) -> Any:
    return lambda _held, name, amount, _at, _profile: [LimitSet(name, amount or 10**9)]
