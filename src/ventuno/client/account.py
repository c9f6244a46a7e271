"""What one has: the answers of the cashier."""

from __future__ import annotations

from ventuno.core.rules.frozen_record import FrozenRecord


class Movement(FrozenRecord):
    """Money that came or went: `balance` is what the account had right after it, in cents."""

    amount: int
    balance: int
    reference: str


class Login(FrozenRecord):
    """Who one is."""

    player: str
    name: str
    role: str
    guest: bool
    session: str
