"""No account of a player is ever below zero, in memory and in the store (I-2)."""

from __future__ import annotations

import pytest

from ventuno.core.table.ledger import Posting
from ventuno.house.money.wallet import Unbalanced, Wallet
from ventuno.house.store.store import check_overdrawn

ACCOUNTS = ("player:7", "player:7:table", "player:7:in-play", "player:0", "player:70123:table")


@pytest.mark.parametrize("account", ACCOUNTS)
def test_i2_no_account_of_a_player_is_overdrawn(account: str) -> None:
    """I-2: free money, money at a table, money in play; to the last cent and no further."""
    wallet = Wallet({account: 100, "house": -100})
    with pytest.raises(Unbalanced):
        wallet.post([Posting(account, -101), Posting("house", 101)])
    assert wallet.balances() == {account: 100, "house": -100}
    assert wallet.find_faults() == []
    wallet.post([Posting(account, -100), Posting("house", 100)])
    assert wallet.balances() == {}
    assert Wallet({account: -1, "house": 1}).find_faults() == [f"{account} is -1"]


@pytest.mark.parametrize("account", ACCOUNTS)
def test_i2_the_store_refuses_an_overdraft_of_any_account(account: str) -> None:
    """I-2: both stores ask this of the balances that they have just written."""
    check_overdrawn([(account, 0), ("house", -5_000)])
    with pytest.raises(ValueError, match=f"{account} is -1"):
        check_overdrawn([("player:8", 5), (account, -1), ("house", -5_000)])


def test_a_movement_is_sound_as_a_whole_or_not_made() -> None:
    """The sum of all its postings counts, not one after the other; and they sum to zero."""
    wallet = Wallet({"player:7": 100})
    wallet.post([Posting("player:7", -150), Posting("player:7", 60), Posting("house", 90)])
    assert wallet.balances() == {"player:7": 10, "house": 90}
    with pytest.raises(Unbalanced):
        wallet.post([Posting("player:7", -5), Posting("house", 4)])


def test_i2_an_account_below_zero_may_be_paid_into_and_moved_through() -> None:
    """I-2: refused is what takes from it, not what leaves it as it is or fills it up."""
    wallet = Wallet({"player:7": -50, "house": 50})
    wallet.post([Posting("player:7", 10), Posting("player:7", -10)])
    wallet.post([Posting("player:7", 20), Posting("house", -20)])
    assert wallet.balances() == {"player:7": -30, "house": 30}
    with pytest.raises(Unbalanced):
        wallet.post([Posting("player:7", -1), Posting("house", 1)])
