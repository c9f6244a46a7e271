"""The cashier's window: money in, money out, and the list of both (V-73, R-33)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ventuno.house.money.cashier import Done
from ventuno.web.http.errors import granted
from ventuno.web.http.identity import House, Once, Visitor
from ventuno.web.messages.account import CashierTold, MoneyBody, Movement, TransactionLine, TransactionsTold

router = APIRouter(prefix="/api/cashier", tags=["cashier"])


@router.get("")
async def window(who: Visitor, premises: House) -> CashierTold:
    means = await premises.means(who.player)
    desk = premises.staff.cashier
    return CashierTold(means.free, means.at_tables, premises.staff.fittings.provider.name, desk.prompts(who.player))


@router.post("/deposits")
async def deposit(body: MoneyBody, key: Once, who: Visitor, premises: House) -> Movement:
    """Gross deposits are limited in this very decision."""
    return _moved(granted(await premises.deposit(who.player, body.amount, key)))


@router.post("/withdrawals")
async def withdraw(body: MoneyBody, key: Once, who: Visitor, premises: House) -> Movement:
    """Always possible, also for who is excluded; money at a table is taken back there first (R-38)."""
    return _moved(granted(await premises.withdraw(who.player, body.amount, key)))


def _moved(done: Done) -> Movement:
    return Movement(done.amount, done.balance, done.reference)


@router.get("/transactions")
async def transactions(
    who: Visitor,
    premises: House,
    before: Annotated[int | None, Query(ge=0, le=10**9, description="`before` of the last page")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> TransactionsTold:
    held = len(premises.staff.accounts[who.player].cash.transactions)
    end = held if before is None else min(before, held)
    found = await premises.transactions(who.player, end, limit)
    lines = tuple(
        TransactionLine(end - 1 - place, one.at, one.amount, one.provider, one.reference)
        for place, one in enumerate(found)
    )
    return TransactionsTold(lines, end - len(lines) if end > len(lines) else None)
