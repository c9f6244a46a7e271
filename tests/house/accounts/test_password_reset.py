"""A new password by a code of support: once, for half an hour and a few tries; nothing else opens by it (ASVS 6.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.house import FACTOR, PASSWORD, OpenHouse, QuickHasher
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts as account_streams
from ventuno.house.accounts import second_factor
from ventuno.house.accounts.account_service import NotSupervisor, ReasonMissing
from ventuno.house.accounts.login import AccountClosed, WrongCredentials
from ventuno.house.accounts.login_throttle import TryLater
from ventuno.house.accounts.password_reset import (
    LENGTH,
    LIFE,
    SIGNS,
    TRIES,
    CreatedCode,
    NoPassword,
    PasswordResets,
    StaffAccount,
    WrongResetCode,
    normalize_code,
)
from ventuno.house.accounts.passwords import PasswordCommon
from ventuno.house.accounts.player_limits import PlayExcluded
from ventuno.house.accounts.players import NoSuchPlayer, PasswordSet, Role, SecondFactorSet
from ventuno.house.accounts.second_factor import SecondFactorNeeded, WrongCode
from ventuno.house.accounts.sessions import Entered, Identity
from ventuno.house.store.audit_log import LoginFailed, PasswordReplaced, RightsChanged
from ventuno.house.store.records import Batch

NEW = "a stable of mules"
HERE = "192.0.2.7"


class Office(OpenHouse):
    """A house with Ada, who forgot her password, and Eva of support."""

    async def begin(self) -> Office:
        await self.open()
        self.ada, self.eva = await self.joined("Ada"), await self.supervisor()
        return self

    async def code(self, player: PlayerId = "", reason: str = "showed her passport") -> str:
        created = await self.application.accounts.create_reset_code(self.eva, player or self.ada, reason)
        assert isinstance(created, CreatedCode), created
        return created.code

    async def reset(self, given: str, password: str = NEW, **more: str) -> Entered | Refusal:
        asked = {"name": "Ada", "address": HERE, "agent": "browser", **more}
        return await self.application.accounts.reset_password(reset_code=given, password=password, **asked)

    async def login(self, password: str) -> Entered | Refusal:
        return await self.application.accounts.log_in("Ada", password, HERE, "browser")

    async def log(self) -> list[Any]:
        entries = await self.application.supervision.read_audit_page(self.eva, limit=200)
        assert not isinstance(entries, Refusal)
        return [entry.event for entry in entries]


@pytest_asyncio.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    made = await Office(f"sqlite:///{tmp_path}/house.db", tmp_path).begin()
    yield made
    await made.application.close()


async def test_asvs_6_4_the_code_opens_once_and_the_old_password_no_more(office: Office) -> None:
    code = await office.code()
    assert isinstance(await office.login(PASSWORD), Entered), "creating a code changes nothing yet"
    assert isinstance(await office.reset(code), Entered)
    assert await office.reset(code, "another one of mules") == WrongResetCode()
    assert await office.login(PASSWORD) == WrongCredentials()
    assert isinstance(await office.login(NEW), Entered)


async def test_asvs_6_4_planted_code_that_is_not_used_up_is_caught(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fold that forgot to end the code would open twice: the test above sees it."""
    folded = account_streams.evolve

    def keep_code(account: account_streams.Account, event: account_streams.AccountEvent, at: int) -> Any:
        after = folded(account, event, at)
        return after._replace(reset=account.reset) if isinstance(event, PasswordSet) else after

    monkeypatch.setattr(account_streams, "evolve", keep_code)
    code = await office.code()
    assert isinstance(await office.reset(code), Entered)
    assert isinstance(await office.reset(code, "another one of mules"), Entered)


async def test_asvs_6_4_two_at_once_with_one_code_are_one(office: Office) -> None:
    code = await office.code()
    both = await asyncio.gather(office.reset(code), office.reset(code, "another one of mules"))
    assert sorted(isinstance(outcome, Entered) for outcome in both) == [False, True]


async def test_asvs_6_4_every_session_ends_and_one_begins(office: Office) -> None:
    before = [await office.session(office.ada) for _ in range(3)]
    entered = await office.reset(await office.code())
    assert isinstance(entered, Entered)
    accounts = office.application.accounts
    assert [session.id for session in accounts.list_sessions(office.ada)] == [entered.session]
    for session in before:
        assert not isinstance(await accounts.identify(session.token), Identity)


async def test_asvs_6_4_a_code_is_good_for_half_an_hour(office: Office) -> None:
    code = await office.code()
    office.clock.move(LIFE - 1)
    assert office.application.accounts.get_reset_expiry(office.ada) > 0
    office.clock.move(1)
    assert office.application.accounts.get_reset_expiry(office.ada) == 0
    assert await office.reset(code) == WrongResetCode()


async def test_asvs_6_4_a_new_code_replaces_the_old(office: Office) -> None:
    first, second = await office.code(), await office.code()
    assert await office.reset(first) == WrongResetCode()
    assert isinstance(await office.reset(second), Entered)


@pytest.mark.parametrize("crash", [False, True])
async def test_asvs_6_4_a_few_wrong_tries_end_the_code_also_over_a_crash(office: Office, crash: bool) -> None:
    """From other addresses each, so that nothing but the count of the code itself holds them up."""
    code = await office.code()
    for number in range(TRIES):
        assert await office.reset("0000-0000-0000", address=f"198.51.100.{number}") == WrongResetCode()
        if crash:
            await office.crash()
    office.clock.move(60_000)
    assert await office.reset(code, address="203.0.113.1") == WrongResetCode()
    assert isinstance(await office.reset(await office.code(), address="203.0.113.1"), Entered)


async def test_asvs_6_4_tries_at_once_are_counted_before_they_are_judged(office: Office) -> None:
    """Of many guesses at one moment only so many are compared with the code; planted: without the count all are."""
    await office.code()
    hasher: QuickHasher = office.application.accounts._hasher  # type: ignore[assignment]
    hasher.verified.clear()
    await asyncio.gather(*(office.reset(f"guess {number}", address=f"198.51.100.{number}") for number in range(20)))
    assert sum(stored != hasher.decoy for stored in hasher.verified) == TRIES
    assert len(hasher.verified) == 20, "the others cost the same work"


async def test_asvs_6_4_planted_tries_that_are_not_counted_at_once_are_caught(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PasswordResets, "_has_code", lambda _self, account, _at, _way=0: bool(account.reset.hashed))
    await office.code()
    hasher: QuickHasher = office.application.accounts._hasher  # type: ignore[assignment]
    hasher.verified.clear()
    await asyncio.gather(*(office.reset(f"guess {number}", address=f"198.51.100.{number}") for number in range(20)))
    assert sum(stored != hasher.decoy for stored in hasher.verified) > TRIES


async def test_asvs_6_4_one_answer_for_no_name_no_code_and_a_wrong_code(office: Office) -> None:
    await office.joined("Bea")
    await office.code()
    hasher: QuickHasher = office.application.accounts._hasher  # type: ignore[assignment]
    for name in ("Ada", "Bea", "Nobody", "Eva"):
        hasher.verified.clear()
        assert await office.reset("K7QM-4XPD-2HNT", name=name) == WrongResetCode()
        assert len(hasher.verified) == 1
    failures = [event for event in await office.log() if isinstance(event, LoginFailed)]
    assert [event.reason for event in failures] == ["reset code"] * 4


async def test_asvs_6_4_guessing_waits_and_does_not_lock_the_login(office: Office) -> None:
    await office.code()
    outcomes = [await office.reset("0000-0000-0000") for _ in range(TRIES + 1)]
    assert isinstance(outcomes[-1], TryLater)
    entered = await office.application.accounts.log_in("Ada", PASSWORD, "203.0.113.1", "browser")
    assert isinstance(entered, Entered), "who knows her password does not wait for guesses at a code"


async def test_asvs_6_3_the_second_factor_is_still_asked_for(office: Office) -> None:
    application = office.application
    records = application.accounts._accounts.write(office.ada, application.now(), [SecondFactorSet(FACTOR)])
    await application.host.commits.commit(Batch(records=records))
    code, secret = await office.code(), second_factor.decode_secret(FACTOR)
    assert await office.reset(code) == SecondFactorNeeded()
    assert await office.reset(code, code="000000") == WrongCode()
    shown = second_factor.compute_code(secret, application.now() // second_factor.STEP)
    assert isinstance(await office.reset(code, code=shown), Entered)


async def test_r38_an_exclusion_holds_after_the_reset(office: Office) -> None:
    await office.application.protection.exclude(office.ada, 30)
    assert isinstance(await office.reset(await office.code()), Entered), "the money may still be withdrawn"
    limits = office.application.accounts[office.ada].player_limits
    assert isinstance(limits.check_play(office.application.now()), PlayExcluded)
    assert isinstance(await office.application.cashier.deposit(office.ada, 100, "another key"), PlayExcluded)


async def test_h8_no_code_for_staff_guests_and_closed_accounts(office: Office) -> None:
    accounts = office.application.accounts
    zoe = await office.supervisor("Zoe")
    guest = await accounts.enter_guest(HERE, "browser")
    assert isinstance(guest, Entered)
    ask = accounts.create_reset_code
    assert await ask(office.eva, zoe, "forgot it") == StaffAccount(zoe)
    assert await ask(office.eva, office.eva, "forgot it") == StaffAccount(office.eva)
    assert await ask(office.eva, guest.player, "forgot it") == NoPassword(guest.player)
    assert await ask(office.eva, "999", "forgot it") == NoSuchPlayer("999")
    assert await ask(office.ada, office.ada, "forgot it") == NotSupervisor(office.ada)
    assert await ask(office.eva, office.ada, " ") == ReasonMissing()
    await office.application.supervision.close_account(office.eva, office.ada, "fraud")
    assert await ask(office.eva, office.ada, "forgot it") == AccountClosed("fraud")


async def test_h8_a_code_of_who_became_staff_or_was_closed_since_opens_nothing(office: Office) -> None:
    bea = await office.joined("Bea")
    code, hers = await office.code(), await office.code(bea)
    await office.application.accounts.appoint(office.ada, Role.SUPERVISOR, FACTOR)
    await office.application.supervision.close_account(office.eva, bea, "fraud")
    assert await office.reset(code) == WrongResetCode()
    assert await office.reset(hers, name="Bea") == AccountClosed("fraud")
    assert await office.reset("0000-0000-0000", name="Bea") == WrongResetCode(), "told only to who has the code"


async def test_r17_who_created_it_for_whom_and_its_use_are_in_the_log(office: Office) -> None:
    code = await office.code()
    await office.reset(code)
    log = await office.log()
    assert RightsChanged(office.ada, office.eva, "password code created: showed her passport") in log
    assert RightsChanged(office.ada, office.eva, "password reset by code") in log
    assert PasswordReplaced(office.ada) in log


async def test_asvs_6_4_the_books_hold_no_code_and_a_crash_takes_none(office: Office) -> None:
    code = await office.code()
    await office.application.flush()
    for stream in await office.application.host.commits.store.read_heads():
        for record in await office.application.host.commits.store.read_records(stream):
            assert code.encode() not in record.body
            assert normalize_code(code).encode() not in record.body
    await office.crash()
    assert isinstance(await office.reset(code.lower().replace("-", " ")), Entered), "as it is read out"


async def test_a_new_password_that_anybody_guesses_is_refused_before_the_code_is_looked_at(office: Office) -> None:
    code = await office.code()
    assert isinstance(await office.reset(code, "password1"), PasswordCommon)
    assert isinstance(await office.reset(code), Entered)


async def test_a_password_that_was_remembered_ends_the_code(office: Office) -> None:
    code = await office.code()
    entered = await office.login(PASSWORD)
    assert isinstance(entered, Entered)
    accounts = office.application.accounts
    assert await accounts.change_password(office.ada, PASSWORD, NEW, entered.session, HERE) is None
    assert await office.reset(code, "another one of mules") == WrongResetCode()


def test_codes_are_long_and_read_out_without_doubt() -> None:
    assert len(SIGNS) ** LENGTH >= 2**60
    assert not set(SIGNS) & set("OILU")
    assert normalize_code(" k7qm 4xpd-2hnO ") == normalize_code("K7QM4XPD2HN0")
