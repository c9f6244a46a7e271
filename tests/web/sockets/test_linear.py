"""T-9: what each client was told of his money, over all his devices, is explained by one order of his calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.history_clients import Customer
from tests.support.http_house import opened
from tests.support.money_histories import (
    BRING,
    DEPOSIT,
    READ,
    REFUSED,
    TAKE,
    UNKNOWN,
    WITHDRAW,
    Books,
    Call,
    unexplained,
)
from tests.support.volume import scale
from ventuno.core.table.ledger import Posting
from ventuno.house.money.cashier import Balances, CashierService
from ventuno.house.money.wallet import Wallet
from ventuno.house.store.records import PostingRow
from ventuno.web.sockets.limits import SocketLimits

CUSTOMERS, DEVICES, CALLS = max(scale(6), 3), 3, 30
PATIENT = SocketLimits(burst=10**6, late_joins=10**6, late_asks=10**6)
INF = float("inf")

GOOD: dict[str, list[Call]] = {
    "one after the other": [
        Call(DEPOSIT, 0, 1, 50, free=150),
        Call(BRING, 2, 3, 100),
        Call(READ, 4, 5, free=50, purse=100),
        Call(TAKE, 6, 7, 40),
        Call(READ, 8, 9, free=90, purse=60),
    ],
    "two at once, in either order": [
        Call(WITHDRAW, 0, 9, 80, free=20),
        Call(WITHDRAW, 1, 8, 70, REFUSED, free=20),
    ],
    "a reader beside a writer may see both": [
        Call(DEPOSIT, 0, 10, 50),
        Call(READ, 1, 2, free=100),
        Call(READ, 3, 4, free=150),
    ],
    "the same key twice counts once": [
        Call(DEPOSIT, 0, 5, 50, key="k", free=150),
        Call(DEPOSIT, 1, 6, 50, key="k", free=150),
        Call(READ, 7, 8, free=150),
    ],
    "a call without an answer has happened": [Call(DEPOSIT, 0, INF, 50, UNKNOWN), Call(READ, 5, 6, free=150)],
    "or not": [Call(DEPOSIT, 0, INF, 50, UNKNOWN), Call(READ, 5, 6, free=100)],
    "or later": [
        Call(DEPOSIT, 0, INF, 50, UNKNOWN),
        Call(READ, 5, 6, free=100),
        Call(READ, 7, 8, free=150),
    ],
}
BAD: dict[str, list[Call]] = {
    "a lost deposit": [Call(DEPOSIT, 0, 1, 50), Call(READ, 2, 3, free=100)],
    "a deposit that counts twice": [Call(DEPOSIT, 0, 1, 50, key="k"), Call(READ, 2, 3, free=200)],
    "the same key twice counts twice": [
        Call(DEPOSIT, 0, 1, 50, key="k", free=150),
        Call(DEPOSIT, 2, 3, 50, key="k", free=200),
    ],
    "a stale reader": [
        Call(DEPOSIT, 0, 1, 50, free=150),
        Call(READ, 2, 3, free=150),
        Call(READ, 4, 5, free=100),
    ],
    "a reader who knows too early": [Call(READ, 0, 1, free=150), Call(DEPOSIT, 2, 3, 50)],
    "two who spend the same money": [Call(WITHDRAW, 0, 9, 80), Call(WITHDRAW, 1, 8, 70)],
    "refused with enough": [Call(WITHDRAW, 0, 1, 50, REFUSED, free=100)],
    "money that vanished on the way": [Call(BRING, 0, 1, 40), Call(READ, 2, 3, free=60, purse=0)],
    "a read that goes back": [
        Call(DEPOSIT, 0, INF, 50, UNKNOWN),
        Call(READ, 1, 2, free=150),
        Call(READ, 3, 4, free=100),
    ],
    "taken more than was there": [Call(TAKE, 0, 1, 10)],
}


@pytest.mark.parametrize("name", GOOD)
def test_an_order_is_found_where_there_is_one(name: str) -> None:
    assert unexplained(Books(100), GOOD[name]) == []


@pytest.mark.parametrize("name", BAD)
def test_an_anomaly_is_found(name: str) -> None:
    """The check itself: every way in which books can lie to a client."""
    assert unexplained(Books(100), BAD[name])


async def wandered(folder: Path, seed: int, count: int, *, sound: bool) -> list[Customer]:
    """Customers on several devices at once at a real server, whose own books are looked at where it is to be sound."""
    async with opened(folder, bounds=PATIENT) as doors:
        customers = [await Customer.come(doors) for _ in range(count)]
        for one in customers:
            await one.go()
        devices = [
            one.wander(Random(100 * seed + 10 * place + device), CALLS)
            for place, one in enumerate(customers)
            for device in range(DEVICES)
        ]
        await asyncio.gather(*devices)
        await asyncio.sleep(0.2)
        for one in customers:
            await one.read()
            await one.leave()
        store = doors.application.host.commits.store
        assert not sound or doors.application.host.authority.find_faults() == []
        assert not sound or await store.sum_postings() == await store.read_balances()
    return customers


async def test_t9_every_answer_is_explained(tmp_path: Path) -> None:
    customers = await wandered(tmp_path, 1, CUSTOMERS, sound=True)
    calls = [call for one in customers for call in one.history.calls]
    for one in customers:
        assert one.history.anomalies() == []
    assert len(calls) > CUSTOMERS * DEVICES * CALLS // 2
    for outcome in ("done", REFUSED, UNKNOWN):
        assert sum(call.outcome == outcome for call in calls) >= 5, outcome
    overlapping = sum(
        one.began < two.began < one.ended
        for customer in customers
        for one in customer.history.calls
        for two in customer.history.calls
        if one is not two
    )
    assert overlapping > 100, "nothing happened at once"


def stale(patched: pytest.MonkeyPatch) -> None:
    """A reader that is asked a second time within a moment is told the same."""
    real, held = CashierService.read_balances, dict[str, Balances]()

    async def balances(self: CashierService, player: str) -> Balances:
        if player not in held or len(held) % 7 == 0:
            held[player] = await real(self, player)
        return held[player]

    patched.setattr(CashierService, "read_balances", balances)


def generous(patched: pytest.MonkeyPatch) -> None:
    """Small amounts are paid out and not taken from the account."""
    real, real_post = Wallet.balance, Wallet.post

    def balance(self: Wallet, account: str) -> int:
        free = real(self, account)
        return free + 30_000 if account.startswith("player:") and account.count(":") == 1 and free < 30_000 else free

    def post(self: Wallet, postings: Iterable[Posting | PostingRow]) -> None:
        movement = list(postings)
        for account in {posting.account for posting in movement}:
            self._balances[account] = balance(self, account)
        real_post(self, movement)

    patched.setattr(Wallet, "balance", balance)
    patched.setattr(Wallet, "post", post)


@pytest.mark.parametrize("plant", [stale, generous])
async def test_a_house_that_lies_about_money_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Any
) -> None:
    """The same run over a house that tells old balances, or more than there is."""
    plant(monkeypatch)
    customers = await wandered(tmp_path, 2, 3, sound=False)
    assert any(one.history.anomalies() for one in customers)
