"""The cashier, VIP levels and display currencies (V-53, V-73, D-05, L-05, R-33, R-36, R-38)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.house_in_memory import HouseInMemory
from ventuno.core.messages.commands import TakeMoney
from ventuno.core.messages.refusals import AmountNotPositive, FundsMissing, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.players import NoSuchLevel
from ventuno.house.money.cashier import Approval, Cashier, CashMovement, PlayMoney, ProviderDeclined
from ventuno.house.money.currency import NotARate, parse_rate
from ventuno.house.money.wallet import Wallet
from ventuno.house.store.records import KeyReused
from ventuno.house.tables.lobby import list_tables


def done(outcome: CashMovement | Refusal) -> CashMovement:
    assert isinstance(outcome, CashMovement), outcome
    return outcome


def test_v73_deposit_and_withdrawal_in_double_entry() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    first = done(foyer.cashier.deposit(ada, 12_345, "a", foyer.now))
    foyer.keep(first.batch)
    second = done(foyer.cashier.withdraw(ada, 345, "b", foyer.now))
    foyer.keep(second.batch)
    assert (first.balance, second.balance) == (12_345, 12_000)
    assert foyer.disk.balances() == {"cashier": -12_000, f"player:{ada}": 12_000}
    assert {row.criterion for row in foyer.disk.postings} == {"V-73"}
    assert all(row.arithmetic for row in foyer.disk.postings)
    assert foyer.authority.find_faults() == []


def test_transaction_list_newest_first() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    for amount in (100, 200, 300):
        foyer.deposit(ada, amount)
        foyer.wait(1)
    foyer.keep(done(foyer.cashier.withdraw(ada, 50, "w", foyer.now)).batch)
    foyer.crash()
    assert [one.amount for one in foyer.cashier.list_transactions(ada)] == [-50, 300, 200, 100]
    assert [one.amount for one in foyer.cashier.list_transactions(ada, before=2, limit=1)] == [200]
    cash = foyer.accounts[ada].cash
    assert (cash.deposited, cash.withdrawn) == (600, 50)


def test_same_key_same_answer_other_body_error_for_life() -> None:
    """I-4, G-7: also after a crash, also the other way round."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    first = done(foyer.cashier.deposit(ada, 500, "k", foyer.now))
    foyer.keep(first.batch)
    for _ in range(2):
        again = done(foyer.cashier.deposit(ada, 500, "k", foyer.now))
        assert (again.amount, again.balance, again.reference, again.batch) == (500, 500, first.reference, None)
        assert foyer.cashier.deposit(ada, 501, "k", foyer.now) == KeyReused("k")
        assert foyer.cashier.withdraw(ada, 500, "k", foyer.now) == KeyReused("k")
        foyer.crash()
    assert foyer.authority.wallet.balance(f"player:{ada}") == 500


def test_r36_a_deposit_that_is_repeated_under_a_limit_is_the_one_that_was_made() -> None:
    """I-4, R-36: the same key is the same deposit, though another of that amount would be too much by now."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    foyer.keep(foyer.protection.set_limit(ada, "deposit:day", 800, foyer.now))
    first = done(foyer.cashier.deposit(ada, 500, "k", foyer.now))
    foyer.keep(first.batch)
    again = done(foyer.cashier.deposit(ada, 500, "k", foyer.now))
    assert (again.amount, again.balance, again.reference, again.batch) == (500, 500, first.reference, None)
    assert isinstance(foyer.cashier.deposit(ada, 500, "other", foyer.now), Refusal)
    third = done(foyer.cashier.deposit(ada, 300, "third", foyer.now))
    foyer.keep(third.batch)
    assert isinstance(foyer.cashier.deposit(ada, 1, "fourth", foyer.now), Refusal)
    assert foyer.authority.wallet.balance(f"player:{ada}") == 800


@pytest.mark.parametrize("amount", [0, -1, -(10**30)])
def test_amounts_must_be_positive(amount: Cents) -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 100)
    assert foyer.cashier.deposit(ada, amount, "x", foyer.now) == AmountNotPositive(amount)
    assert foyer.cashier.withdraw(ada, amount, "y", foyer.now) == AmountNotPositive(amount)


def test_withdrawal_takes_free_money_only() -> None:
    """Money at a table comes back first."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 10_000)
    table = foyer.open("ventuno", "T1")
    foyer.sit(ada, table, 1, 9_000)
    assert foyer.cashier.withdraw(ada, 1_001, "a", foyer.now) == FundsMissing(1_001, 1_000)
    foyer.say(table, TakeMoney(ada, 9_000, foyer.now), ada)
    assert done(foyer.cashier.withdraw(ada, 10_000, "b", foyer.now)).balance == 0


class Moody:
    """A provider that declines, and counts how often it is asked."""

    name = "moody"

    def __init__(self) -> None:
        self.asked = 0

    def deposit(self, player: PlayerId, amount: Cents, key: str) -> Approval | ProviderDeclined:
        del player, amount, key
        self.asked += 1
        return ProviderDeclined(self.name, "not today")

    withdraw = deposit


def test_a_provider_that_declines_moves_nothing() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 1_000)
    moody = Moody()
    cashier = Cashier(foyer.accounts, foyer.authority, foyer.guard, moody)
    before = foyer.authority.wallet.balances()
    assert cashier.deposit(ada, 5, "a", foyer.now) == ProviderDeclined("moody", "not today")
    assert isinstance(cashier.withdraw(ada, 5, "b", foyer.now), ProviderDeclined)
    assert foyer.authority.wallet.balances() == before


def test_r36_the_limit_is_asked_before_the_provider() -> None:
    foyer = HouseInMemory()
    ada = foyer.joined("Ada")
    moody = Moody()
    cashier = Cashier(foyer.accounts, foyer.authority, foyer.guard, moody)
    foyer.keep(foyer.protection.set_limit(ada, "deposit:day", 10, foyer.now))
    assert isinstance(cashier.deposit(ada, 11, "a", foyer.now), Refusal)
    assert moody.asked == 0
    assert isinstance(PlayMoney(100).deposit(ada, 101, "k"), ProviderDeclined)


def test_the_wallet_is_the_authoritys_own_also_after_recovery() -> None:
    """Planted fault: a cashier that keeps the wallet it first saw pays from money that is gone."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 1_000)
    stale = foyer.authority.wallet
    foyer.authority.recover((), (), {})
    assert isinstance(foyer.cashier.withdraw(ada, 1_000, "x", foyer.now), FundsMissing)

    class Kept:
        wallet: Wallet = stale

    planted = Cashier(foyer.accounts, Kept(), foyer.guard, PlayMoney())
    assert isinstance(planted.withdraw(ada, 1_000, "x", foyer.now), CashMovement)


def test_d05_l05_vip_level_sets_the_limits() -> None:
    """The level is the house's word: it comes with the money, from the account."""
    foyer = HouseInMemory()
    ada = foyer.joined("Ada", 1_000_000)
    for level, factor in ((0, 1), (1, 2), (2, 5), (9, 5)):
        foyer.keep(foyer.reception.set_vip(ada, level, "sup", foyer.now))
        table = foyer.open("duello", f"D{level}", ada)
        foyer.sit(ada, table, 1, 10_000)
        held = foyer.authority.tables[table].table
        least, most = held.limits["main"]
        assert held.limit("main", ada) == (least, most * factor)
        shown = next(line for line in list_tables(foyer.authority.tables.values(), ada, level) if line.table == table)
        assert shown.limits["main"] == held.limit("main", ada)
    assert isinstance(foyer.reception.set_vip(ada, 10, "sup", foyer.now), NoSuchLevel)
    assert isinstance(foyer.reception.set_vip(ada, -1, "sup", foyer.now), NoSuchLevel)


def test_v53_rates_are_exact() -> None:
    assert [parse_rate(text) for text in ("1.0837", "171.25", "1/3")] == [
        Fraction(10_837, 10_000),
        Fraction(685, 4),
        Fraction(1, 3),
    ]


@pytest.mark.parametrize("text", ["", "0", "-1", "1e5", "nan", "inf", "1/0", "1,5", " 1", "٣", "1.", "0/5"])
def test_v53_what_is_no_rate(text: str) -> None:
    with pytest.raises(NotARate):
        parse_rate(text)
