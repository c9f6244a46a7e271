"""Faults of money: wallet, postings, refunds, bets, payouts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from tests.support.simulation.fault import Any_, fault
from tests.support.simulation.planted_house import money_is_brought_that_is_not_there
from ventuno.core.games import blackjack, insurance, link, settlement, side_bets
from ventuno.core.games.settlement import LOSE, WIN
from ventuno.core.messages.events import BetRemoved, HandDoubled, HandSplit, RoundSettled, RoundVoided
from ventuno.core.messages.refusals import BoxTaken, NothingToVoid, NotSeated
from ventuno.core.rules import hand
from ventuno.core.rules.money import EVEN
from ventuno.core.table import betting, fold, ledger, progress, seats, supervision
from ventuno.core.table.round import Round
from ventuno.core.table.state import Table
from ventuno.house.money.wallet import Wallet
from ventuno.house.tables.authority import Authority


@fault((Wallet, "post"))
def wallet_forgets_the_house(right: Any_) -> Any:
    return lambda self, rows: right(self, [one for one in rows if not one.account.startswith("house")])


@fault((Authority, "_check_sender"), (Wallet, "post"))
def wallet_overdraws_players(right: Any_) -> Any:
    if right is Authority._check_sender:
        return money_is_brought_that_is_not_there(right)

    def post(self: Wallet, rows: Any) -> None:
        for row in rows:
            self._balances[row.account] = self._balances.get(row.account, 0) + row.amount

    return post


@fault((Authority, "_make_batch"))
def practice_tables_post_money(right: Any_) -> Any:
    return lambda self, before, after, *rest: right(self, before, msgspec.structs.replace(after, practice=False), *rest)


@fault((fold, "_take_stakes"))
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
            one._replace(player=other.player) for one, other in zip(refunds, (*refunds[1:], *refunds[:1]), strict=True)
        )

    return _refunding(right, turned)


def _refunding(right: Any_, how: Any_) -> Any:
    def void(*given: Any) -> Any:
        found = right(*given)
        if isinstance(found, list) and isinstance(found[0], RoundVoided):
            return [replace(found[0], refunds=how(found[0].refunds)), *found[1:]]
        return found

    return void


@fault((Round, "total_stake_of"))
def void_forgets_the_table_bets(right: Any_) -> Any:
    return lambda self, player: right(self._replace(table_bets=()), player)


@fault((supervision, "_void"))
def settled_round_is_voided(right: Any_) -> Any:
    def void(held: Any, asked: Any) -> Any:
        found = right(held, asked)
        voided = RoundVoided(asked.by, asked.reason, (), asked.at, asked.at)
        return [voided] if isinstance(found, NothingToVoid) else found

    return void


@fault((progress, "_in_round"))
def round_is_settled_twice(right: Any_) -> Any:
    def in_round(*given: Any) -> Any:
        found = right(*given)
        return [found[0], *found] if found and isinstance(found[0], RoundSettled) else found

    return in_round


@fault((betting, "check_spot"))
def bet_is_taken_on_a_foreign_box(right: Any_) -> Any:
    def refused_spot(*given: Any) -> Any:
        found = right(*given)
        return None if isinstance(found, NotSeated) else found

    return refused_spot


@fault((seats, "check_seat"))
def taken_seat_is_given_away(right: Any_) -> Any:
    def refused_seat(*given: Any) -> Any:
        found = right(*given)
        return None if isinstance(found, BoxTaken) else found

    return refused_seat


@fault((Table, "limit"))
def maximum_is_not_kept(right: Any_) -> Any:
    return lambda self, bet, player: (right(self, bet, player)[0], 10**9)


@fault((betting, "_playable"))
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


@fault((settlement, "compare"))
def push_loses(right: Any_) -> Any:
    return lambda mine, dealer: LOSE if mine == dealer else right(mine, dealer)


@fault((settlement, "compare"))
def tie_wins_at_twenty(right: Any_) -> Any:
    return lambda mine, dealer: WIN if mine == dealer == 20 else right(mine, dealer)


@fault((settlement, "_hand_lines"))
def behind_is_paid_to_the_owner(right: Any_) -> Any:
    def lines(criterion: str, box: Any, index: int, how: Any, player: str, words: Any, stakes: Any) -> Any:
        return right(criterion, box, index, how, box.player if words[0] == "behind" else player, words, stakes)

    return lines


@fault((side_bets, "find_win"))
def worst_category_pays(_right: Any_) -> Any:
    def won(side: Any, cards: Any) -> Any:
        paid = [(name, side.pays[name]) for name in side_bets.categories(side.kind, cards) if name in side.pays]
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


@fault((fold, "_streaks"))
def streak_survives_a_loss(right: Any_) -> Any:
    return lambda streaks, lines: {**streaks, **right(streaks, lines)}
