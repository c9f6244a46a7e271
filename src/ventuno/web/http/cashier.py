"""The cashier's window: money in, money out, and the list of both (V-73, R-33)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ventuno.house.money.cashier import CashMovement
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import House, IdempotencyKey, SignedIn
from ventuno.web.messages.account import CashierResponse, MoneyBody, Movement, TransactionLine, TransactionsResponse

router = APIRouter(prefix="/api/cashier", tags=["cashier"])


@router.get("", name="window")
async def read_cashier(who: SignedIn, app: House) -> CashierResponse:
    """What one has in the account and at tables."""
    balances = await app.cashier.read_balances(who.player)
    offer = app.cashier.should_offer_limit(who.player)
    return CashierResponse(balances.free, balances.at_tables, app.config.provider.name, offer)


@router.post("/deposits")
async def deposit(body: MoneyBody, key: IdempotencyKey, who: SignedIn, app: House) -> Movement:
    """Gross deposits are limited in this very decision."""
    return to_movement(unwrap(await app.cashier.deposit(who.player, body.amount, key)))


@router.post("/withdrawals")
async def withdraw(body: MoneyBody, key: IdempotencyKey, who: SignedIn, app: House) -> Movement:
    """Always possible, also for who is excluded; money at a table is taken back there first (R-38)."""
    return to_movement(unwrap(await app.cashier.withdraw(who.player, body.amount, key)))


def to_movement(done: CashMovement) -> Movement:
    return Movement(done.amount, done.balance, done.reference)


@router.get("/transactions", name="transactions")
async def list_transactions(
    who: SignedIn,
    app: House,
    before: Annotated[int | None, Query(ge=0, le=10**9, description="`before` of the last page")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> TransactionsResponse:
    """One's deposits and withdrawals, the newest first, in pages."""
    count = app.cashier.count_transactions(who.player)
    end = count if before is None else min(before, count)
    page = await app.cashier.list_transactions(who.player, end, limit)
    lines = tuple(
        TransactionLine(
            end - 1 - place, transaction.at, transaction.amount, transaction.provider, transaction.reference
        )
        for place, transaction in enumerate(page)
    )
    return TransactionsResponse(lines, end - len(lines) if end > len(lines) else None)
