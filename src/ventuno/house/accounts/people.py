"""The people of a house, as its doors see them: who comes in, what he has, how he protects himself (R-33…R-44).

Each call decides in memory, in order with all others, and answers when what it changed is durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts import passwords, registration
from ventuno.house.accounts.cash_entries import Transaction
from ventuno.house.accounts.login import Joined
from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.second_factor import Enrolled, Offer
from ventuno.house.accounts.sessions import Session, SessionClock, SessionOver, make_clock
from ventuno.house.accounts.tokens import Entered, Identity
from ventuno.house.money.cashier import CashMovement
from ventuno.house.services import Services
from ventuno.house.store.records import Batch
from ventuno.house.tables.departures import Departures

Farewell = Callable[[PlayerId, str], None]
"""Told who may no longer play, and why: live connections close (R-40)."""


class Means(NamedTuple):
    """What a player has, and how long he has been here (R-37)."""

    free: Cents
    at_tables: Cents
    in_play: Cents
    clock: SessionClock


class People:
    """Accounts, sessions, money and limits."""

    def __init__(self, staff: Services) -> None:
        self.services, self.host = staff, staff.host
        self.departure = Departures(staff.host, staff.accounts)
        self._farewells: list[Farewell] = []
        self.leaving: set[PlayerId] = set()
        """Whose play has just been closed: what lies at the tables comes back before he is sent away."""

    async def commit(self, outcome: Batch | Refusal) -> Refusal | None:
        """Wait until it is durable; a refusal, and a batch with nothing in it, wait for all that came before."""
        await self.host.write(Batch() if isinstance(outcome, Refusal) else outcome)
        return outcome if isinstance(outcome, Refusal) else None

    def on_leaving(self, told: Farewell) -> None:
        self._farewells.append(told)

    async def _hashed(self, password: str) -> str:
        return await asyncio.get_running_loop().run_in_executor(
            self.services.hashers, self.services.config.hasher.hash, password
        )

    async def _opens(self, stored: str, password: str) -> bool:
        verify = self.services.config.hasher.verify
        return await asyncio.get_running_loop().run_in_executor(self.services.hashers, verify, stored, password)

    async def guest(self, address: str, agent: str) -> Entered | Refusal:
        entered = self.services.reception.enter_guest(address, agent, self.host.now())
        await self.commit(entered if isinstance(entered, Refusal) else entered.batch)
        return entered

    async def bot(self, name: str, address: str) -> Entered | Refusal:
        """A session for a player of the house's own; he plays through the doors as everybody does (X-09)."""
        entered = self.services.reception.enter_bot(name, address, self.host.now())
        await self.commit(entered if isinstance(entered, Refusal) else entered.batch)
        return entered

    async def register(self, form: Form, password: str, guest: PlayerId = "") -> PlayerId | Refusal:
        """A new account, or a guest's own; hashing is done beside the tables, names are claimed in the store (R-42)."""
        desk = self.services.reception
        if no := desk.check_form(form, password, self.host.now(), guest):
            return no
        hashed = await self._hashed(password)
        rows = desk.make_claims(form, self.host.now(), guest)
        if isinstance(rows, Refusal):
            return rows
        if taken := await self.host.reserve(rows):
            return registration.refuse_claim(taken, form.name)
        now = self.host.now()
        joined = desk.upgrade(guest, form, hashed, now) if guest else desk.join(form, hashed, now, rows[0].owner)
        if isinstance(joined, Refusal):
            self.host.release(rows)
        await self.commit(joined.batch if isinstance(joined, Joined) else joined)
        return joined.player if isinstance(joined, Joined) else joined

    async def login(self, name: str, password: str, address: str, agent: str, code: str = "") -> Entered | Refusal:
        """Log in; SecondFactorNeeded or WrongCode where the second factor is not shown (ASVS 6.3)."""
        asked = self.services.reception.challenge(name, address, self.host.now())
        if isinstance(asked, Refusal):
            return asked
        opened = await self._opens(asked.stored, password)
        outcome = self.services.reception.admit(asked, agent, self.host.now(), opened=opened, code=code)
        if isinstance(outcome, Entered):
            await self.commit(outcome.batch)
            return outcome
        await self.commit(outcome[1])
        return outcome[0]

    async def enrol(self, player: PlayerId, address: str, code: str = "") -> Offer | Refusal:
        """A secret for an app, shown once; who has a second factor gives a code of it."""
        offer = self.services.reception.enrolment.offer(player, code, address, self.host.now())
        await self.commit(offer if isinstance(offer, Refusal) else offer.batch)
        return offer

    async def confirm_enrolment(self, player: PlayerId, code: str, address: str) -> Enrolled | Refusal:
        """The second factor is in force; the recovery codes are shown once."""
        enrolled = self.services.reception.enrolment.confirm(player, code, address, self.host.now())
        await self.commit(enrolled if isinstance(enrolled, Refusal) else enrolled.batch)
        return enrolled

    async def drop_factor(self, player: PlayerId, code: str, address: str) -> Refusal | None:
        return await self.commit(self.services.reception.enrolment.drop(player, code, address, self.host.now()))

    async def who(self, token: str) -> Identity | SessionOver:
        return await self._noted(self.services.tokens.identify(token, self.host.now()))

    async def active(self, player: PlayerId, session: str) -> Identity | SessionOver:
        """He has done something over a socket that his session opened."""
        return await self._noted(self.services.tokens.identify_session(player, session, self.host.now()))

    async def _noted(self, known: Identity | SessionOver) -> Identity | SessionOver:
        if isinstance(known, Identity) and known.batch:
            await self.commit(known.batch)
        return known

    async def logout(self, player: PlayerId, session: str) -> Refusal | None:
        return await self.commit(self.services.tokens.close(player, session, self.host.now()))

    async def deposit(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | Refusal:
        return await self._moved(self.services.cashier.deposit(player, amount, key, self.host.now()))

    async def withdraw(self, player: PlayerId, amount: Cents, key: str) -> CashMovement | Refusal:
        return await self._moved(self.services.cashier.withdraw(player, amount, key, self.host.now()))

    async def _moved(self, done: CashMovement | Refusal) -> CashMovement | Refusal:
        await self.commit(done if isinstance(done, Refusal) else done.batch or Batch())
        return done

    async def means(self, player: PlayerId) -> Means:
        wallet, account, now = self.host.authority.wallet, self.services.accounts[player], self.host.now()
        free, there, play = (wallet.balance(f"player:{player}{end}") for end in ("", ":table", ":in-play"))
        net = self.services.guard.sum_result(player, account.sessions.sitting)
        await self.commit(Batch())
        return Means(free, there, play, make_clock(account.sessions, net, account.player_limits.reality_minutes, now))

    async def set_limit(self, player: PlayerId, name: str, amount: Cents | None) -> Refusal | None:
        return await self.commit(self.services.protection.set_limit(player, name, amount, self.host.now()))

    async def confirm_limit(self, player: PlayerId, name: str) -> Refusal | None:
        return await self.commit(self.services.protection.confirm(player, name, self.host.now()))

    async def choose_reality(self, player: PlayerId, minutes: int) -> Refusal | None:
        return await self.commit(self.services.protection.choose_reality(player, minutes, self.host.now()))

    async def acknowledge(self, player: PlayerId) -> None:
        net = self.services.guard.sum_result(player, self.services.accounts[player].sessions.sitting)
        await self.commit(self.services.tokens.acknowledge(player, net, self.host.now()))

    async def change_settings(self, player: PlayerId, changes: Mapping[str, Mapping[str, object]]) -> Refusal | None:
        return await self.commit(self.services.accounts.change_settings(player, changes, self.host.now()))

    async def cool_off(self, player: PlayerId, until: int) -> Refusal | None:
        return await self._closed(player, self.services.protection.cool_off(player, until, self.host.now()), "cool-off")

    async def exclude(self, player: PlayerId, days: int) -> Refusal | None:
        """In force with this call: no stake is taken after it, bets that can go back do, seats are left, and free money
        comes home; what an open round holds follows when it is over (R-38).
        """
        return await self._closed(player, self.services.protection.exclude(player, days, self.host.now()), "excluded")

    async def _closed(self, player: PlayerId, outcome: Batch | Refusal, why: str) -> Refusal | None:
        """Play is closed to a player: he leaves every table, and his money with him."""
        self.leaving.add(player)
        try:
            done = await self.commit(outcome)
            if done is None:
                await self._leave(player, why)
            return done
        finally:
            self.leaving.discard(player)

    async def _leave(self, player: PlayerId, why: str) -> None:
        await self.departure.leave_all_tables(player, why)
        for watcher in self._farewells:
            watcher(player, why)

    async def change_password(self, player: PlayerId, old: str, new: str, session: str, address: str) -> Refusal | None:
        """The old one is asked for, and counted like a login where it is wrong; every other session ends."""
        desk, name = self.services.reception, self.services.accounts[player].player.name
        asked = desk.challenge(name, address, self.host.now())
        if isinstance(asked, Refusal):
            return asked
        opened = await self._opens(asked.stored, old)
        if wrong := desk.check_old_password(asked, self.host.now(), opened=opened):
            await self.commit(wrong[1])
            return wrong[0]
        if no := passwords.check_password(new, name):
            return no
        hashed = await self._hashed(new)
        return await self.commit(desk.change_password(player, hashed, session, self.host.now()))

    def sessions(self, player: PlayerId) -> list[Session]:
        return self.services.tokens.list_sessions(player, self.host.now())

    async def transactions(self, player: PlayerId, before: int | None = None, limit: int = 50) -> list[Transaction]:
        found = self.services.cashier.list_transactions(player, before, limit)
        await self.commit(Batch())
        return found
