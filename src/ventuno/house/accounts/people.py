"""The people of a house, as its doors see them: who comes in, what he has, how he protects himself (R-33…R-44).

Each call decides in memory, in order with all others, and answers when what it changed is durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts import passwords, unique_names
from ventuno.house.accounts.login import Joined
from ventuno.house.accounts.players import Form
from ventuno.house.accounts.second_factor_commands import Enrolled, Offer
from ventuno.house.accounts.sessions import Session, SessionClock, SessionOver, clock
from ventuno.house.accounts.tokens import Entered, Known
from ventuno.house.money.cash_entries import Transaction
from ventuno.house.money.cashier import Done
from ventuno.house.protection.departure import Departure
from ventuno.house.services import Staff
from ventuno.house.store.records import Batch

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

    def __init__(self, staff: Staff) -> None:
        self.staff, self.house = staff, staff.house
        self.departure = Departure(staff.house, staff.accounts)
        self._farewells: list[Farewell] = []
        self.leaving: set[PlayerId] = set()
        """Whose play has just been closed: what lies at the tables comes back before he is sent away."""

    async def commit(self, outcome: Batch | Refusal) -> Refusal | None:
        """Wait until it is durable; a refusal, and a batch with nothing in it, wait for all that came before."""
        await self.house.write(Batch() if isinstance(outcome, Refusal) else outcome)
        return outcome if isinstance(outcome, Refusal) else None

    def on_leaving(self, told: Farewell) -> None:
        self._farewells.append(told)

    async def _hashed(self, password: str) -> str:
        return await asyncio.get_running_loop().run_in_executor(
            self.staff.hashers, self.staff.fittings.hasher.hash, password
        )

    async def _opens(self, stored: str, password: str) -> bool:
        verify = self.staff.fittings.hasher.verify
        return await asyncio.get_running_loop().run_in_executor(self.staff.hashers, verify, stored, password)

    async def guest(self, address: str, agent: str) -> Entered | Refusal:
        entered = self.staff.reception.guest(address, agent, self.house.now())
        await self.commit(entered if isinstance(entered, Refusal) else entered.batch)
        return entered

    async def bot(self, name: str, address: str) -> Entered | Refusal:
        """A session for a player of the house's own; he plays through the doors as everybody does (X-09)."""
        entered = self.staff.reception.bot(name, address, self.house.now())
        await self.commit(entered if isinstance(entered, Refusal) else entered.batch)
        return entered

    async def register(self, form: Form, password: str, guest: PlayerId = "") -> PlayerId | Refusal:
        """A new account, or a guest's own; hashing is done beside the tables, names are claimed in the store (R-42)."""
        desk = self.staff.reception
        if no := desk.refused_form(form, password, self.house.now(), guest):
            return no
        hashed = await self._hashed(password)
        rows = desk.claims(form, self.house.now(), guest)
        if isinstance(rows, Refusal):
            return rows
        if taken := await self.house.reserve(rows):
            return unique_names.refused(taken, form.name)
        now = self.house.now()
        joined = desk.upgrade(guest, form, hashed, now) if guest else desk.join(form, hashed, now, rows[0].owner)
        if isinstance(joined, Refusal):
            self.house.release(rows)
        await self.commit(joined.batch if isinstance(joined, Joined) else joined)
        return joined.player if isinstance(joined, Joined) else joined

    async def login(self, name: str, password: str, address: str, agent: str, code: str = "") -> Entered | Refusal:
        """SecondFactorNeeded or WrongCode where the account has a second factor and the code is wrong (ASVS 6.3)."""
        asked = self.staff.reception.challenge(name, address, self.house.now())
        if isinstance(asked, Refusal):
            return asked
        opened = await self._opens(asked.stored, password)
        outcome = self.staff.reception.admit(asked, agent, self.house.now(), opened=opened, code=code)
        if isinstance(outcome, Entered):
            await self.commit(outcome.batch)
            return outcome
        await self.commit(outcome[1])
        return outcome[0]

    async def enrol(self, player: PlayerId, address: str, code: str = "") -> Offer | Refusal:
        """A secret for an app, shown once; who has a second factor gives a code of it."""
        offer = self.staff.reception.enrolment.offer(player, code, address, self.house.now())
        await self.commit(offer if isinstance(offer, Refusal) else offer.batch)
        return offer

    async def confirm_enrolment(self, player: PlayerId, code: str, address: str) -> Enrolled | Refusal:
        """The second factor is in force; the recovery codes are shown once."""
        enrolled = self.staff.reception.enrolment.confirm(player, code, address, self.house.now())
        await self.commit(enrolled if isinstance(enrolled, Refusal) else enrolled.batch)
        return enrolled

    async def drop_factor(self, player: PlayerId, code: str, address: str) -> Refusal | None:
        return await self.commit(self.staff.reception.enrolment.drop(player, code, address, self.house.now()))

    async def who(self, token: str) -> Known | SessionOver:
        return await self._noted(self.staff.tokens.who(token, self.house.now()))

    async def active(self, player: PlayerId, session: str) -> Known | SessionOver:
        """He has done something over a socket that his session opened."""
        return await self._noted(self.staff.tokens.active(player, session, self.house.now()))

    async def _noted(self, known: Known | SessionOver) -> Known | SessionOver:
        if isinstance(known, Known) and known.batch:
            await self.commit(known.batch)
        return known

    async def logout(self, player: PlayerId, session: str) -> Refusal | None:
        return await self.commit(self.staff.tokens.close(player, session, self.house.now()))

    async def deposit(self, player: PlayerId, amount: Cents, key: str) -> Done | Refusal:
        return await self._moved(self.staff.cashier.deposit(player, amount, key, self.house.now()))

    async def withdraw(self, player: PlayerId, amount: Cents, key: str) -> Done | Refusal:
        return await self._moved(self.staff.cashier.withdraw(player, amount, key, self.house.now()))

    async def _moved(self, done: Done | Refusal) -> Done | Refusal:
        await self.commit(done if isinstance(done, Refusal) else done.batch or Batch())
        return done

    async def means(self, player: PlayerId) -> Means:
        wallet, account, now = self.house.authority.wallet, self.staff.accounts[player], self.house.now()
        free, there, play = (wallet.balance(f"player:{player}{end}") for end in ("", ":table", ":in-play"))
        net = self.staff.guard.net(player, account.sessions.sitting)
        await self.commit(Batch())
        return Means(free, there, play, clock(account.sessions, net, account.shield.reality_minutes, now))

    async def set_limit(self, player: PlayerId, name: str, amount: Cents | None) -> Refusal | None:
        return await self.commit(self.staff.protection.set_limit(player, name, amount, self.house.now()))

    async def confirm_limit(self, player: PlayerId, name: str) -> Refusal | None:
        return await self.commit(self.staff.protection.confirm(player, name, self.house.now()))

    async def choose_reality(self, player: PlayerId, minutes: int) -> Refusal | None:
        return await self.commit(self.staff.protection.choose_reality(player, minutes, self.house.now()))

    async def acknowledge(self, player: PlayerId) -> None:
        net = self.staff.guard.net(player, self.staff.accounts[player].sessions.sitting)
        await self.commit(self.staff.tokens.acknowledge(player, net, self.house.now()))

    async def change_settings(self, player: PlayerId, changes: Mapping[str, Mapping[str, object]]) -> Refusal | None:
        return await self.commit(self.staff.accounts.change_settings(player, changes, self.house.now()))

    async def cool_off(self, player: PlayerId, until: int) -> Refusal | None:
        return await self._closed(player, self.staff.protection.cool_off(player, until, self.house.now()), "cool-off")

    async def exclude(self, player: PlayerId, days: int) -> Refusal | None:
        """In force with this call: no stake is taken after it, bets that can go back do, seats are left, and free money
        comes home; what an open round holds follows when it is over (R-38).
        """
        return await self._closed(player, self.staff.protection.exclude(player, days, self.house.now()), "excluded")

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
        await self.departure.leave(player, why)
        for watcher in self._farewells:
            watcher(player, why)

    async def change_password(self, player: PlayerId, old: str, new: str, session: str, address: str) -> Refusal | None:
        """The old one is asked for, and counted like a login where it is wrong; every other session ends."""
        desk, name = self.staff.reception, self.staff.accounts[player].player.name
        asked = desk.challenge(name, address, self.house.now())
        if isinstance(asked, Refusal):
            return asked
        opened = await self._opens(asked.stored, old)
        if wrong := desk.refused_old(asked, self.house.now(), opened=opened):
            await self.commit(wrong[1])
            return wrong[0]
        if no := passwords.refused(new, name):
            return no
        hashed = await self._hashed(new)
        return await self.commit(desk.change_password(player, hashed, session, self.house.now()))

    def sessions(self, player: PlayerId) -> list[Session]:
        return self.staff.tokens.listed(player, self.house.now())

    async def transactions(self, player: PlayerId, before: int | None = None, limit: int = 50) -> list[Transaction]:
        found = self.staff.cashier.transactions(player, before, limit)
        await self.commit(Batch())
        return found
