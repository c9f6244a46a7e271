"""R-08: a settled round is put right by two persons, in an entry of its own that is signed and never taken back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from tests.support.house import OpenHouse, examined, key
from tests.support.house_in_memory import BY_HASH
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.account_service import NotSupervisor, ReasonMissing
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.history import export
from ventuno.house.history.account_history import NoSuchRound
from ventuno.house.money import corrections
from ventuno.house.money.corrections import (
    AmountUnfit,
    CorrectionLine,
    CorrectionMade,
    Corrections,
    CorrectionWaiting,
    NoSuchCorrection,
    NotInRound,
    Overdrawn,
    OwnMoney,
    ProposedCorrection,
    SamePerson,
)
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import Corrected, CorrectionAsked
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Head, Journal, Record, Unreadable, chain_events
from ventuno.house.store.signing_key import SigningKey
from ventuno.sheets import GAMES

EXPIRES = 24 * 60 * 60 * 1000
"""Milliseconds for which a proposal waits."""


class Case(OpenHouse):
    """A house with a settled round of Ada's, and two supervisors."""

    async def begin(self) -> None:
        self.certify(*GAMES)
        await self.open()
        self.ada, self.bea = await self.joined("Ada"), await self.joined("Bea")
        self.eva, self.ugo = await self.supervisor(), await self.supervisor("Ugo")
        table = await self.application.tables.open_solo(self.ada, "sisal")
        assert isinstance(table, str)
        await self.application.tables.bring(self.ada, table, 20_000, key())
        self.code, _ = await self.solo_round(self.ada, table, (Spot(1, "main"),))
        self.free = (await self.application.cashier.read_balances(self.ada)).free

    async def proposed(self, amount: int = 1_500, by: PlayerId = "") -> ProposedCorrection:
        found = await self.application.supervision.propose_correction(
            by or self.eva, self.code, {self.ada: amount}, "a misread card"
        )
        assert isinstance(found, ProposedCorrection), found
        return found

    async def balance(self) -> int:
        assert self.application.host.authority.find_faults() == []
        return (await self.application.cashier.read_balances(self.ada)).free - self.free


@pytest_asyncio.fixture
async def case(tmp_path: Path) -> AsyncIterator[Case]:
    made = Case(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    await made.begin()
    yield made
    await made.application.close()


async def stored(case: Case, stream: str) -> list[Record]:
    return await case.application.host.commits.store.read_records(stream)


@pytest.mark.parametrize("amount", [1_500, -1_500])
async def test_r08_two_persons_move_the_money_and_both_are_in_the_log(case: Case, amount: int) -> None:
    proposed = await case.proposed(amount)
    assert await case.balance() == 0, "nothing moves before the second person"
    assert await case.application.supervision.confirm_correction(case.ugo, proposed.number) is None
    assert await case.balance() == amount
    noted = [entry.event for entry in audit_log.read_entries(await stored(case, audit_log.STREAM))]
    assert CorrectionAsked(case.code, case.eva, proposed.number, "proposed", "a misread card") in noted
    assert Corrected(case.code, case.eva, case.ugo, "a misread card") in noted
    rows = await case.application.host.commits.store.read_postings(corrections.STREAM)
    assert sorted((row.account, row.amount, row.criterion) for row in rows) == sorted(
        [("house:sisal", -amount, "R-08"), (f"player:{case.ada}", amount, "R-08")]
    )


async def test_r08_the_round_itself_stays_as_it_was_paid(case: Case) -> None:
    before = await case.application.history.describe_round(case.ada, case.code)
    assert not isinstance(before, Refusal)
    proposed = await case.proposed()
    await case.application.supervision.confirm_correction(case.ugo, proposed.number)
    after = await case.application.history.describe_round(case.ada, case.code)
    assert not isinstance(after, Refusal)
    at = after.corrections[0].at
    assert after.corrections == (CorrectionLine(proposed.number, at, case.ada, 1_500, "a misread card"),)
    assert replace(after, corrections=()) == before
    line = (await case.application.history.list_rounds(case.ada)).lines[0]
    assert (line.code, line.corrected) == (case.code, 1_500)
    assert line.net == line.returned - line.staked


async def test_r08_the_same_person_does_not_confirm(case: Case) -> None:
    proposed = await case.proposed()
    assert await case.application.supervision.confirm_correction(case.eva, proposed.number) == SamePerson(case.eva)
    assert await case.balance() == 0
    assert await case.application.supervision.confirm_correction(case.ugo, proposed.number) is None
    again = await case.application.supervision.confirm_correction(case.ugo, proposed.number)
    assert again == NoSuchCorrection(proposed.number), "it is made once"
    assert await case.balance() == 1_500


async def test_r08_only_supervisors_with_a_second_factor_and_a_reason(case: Case) -> None:
    house = case.application
    assert await house.supervision.propose_correction(case.ada, case.code, {case.ada: 5}, "x") == NotSupervisor(
        case.ada
    )
    assert await house.supervision.propose_correction(case.eva, case.code, {case.ada: 5}, " ") == ReasonMissing()
    proposed = await case.proposed()
    assert await house.supervision.confirm_correction(case.bea, proposed.number) == NotSupervisor(case.bea)
    assert await house.supervision.list_corrections(case.bea) == NotSupervisor(case.bea)
    await house.accounts.appoint(case.bea, Role.SUPERVISOR)
    assert await house.supervision.confirm_correction(case.bea, proposed.number) == SecondFactorMissing()
    waiting = await house.supervision.list_corrections(case.ugo)
    assert not isinstance(waiting, Refusal)
    assert [one.event.number for one in waiting] == [proposed.number]


async def test_r08_a_proposal_is_of_a_round_that_is_over_and_of_who_was_in_it(case: Case) -> None:
    house = case.application
    assert await house.supervision.propose_correction(case.eva, "nothing", {case.ada: 5}, "x") == NoSuchRound("nothing")
    assert await house.supervision.propose_correction(case.eva, case.code, {case.bea: 5}, "x") == NotInRound(
        case.bea, case.code
    )
    for amounts in ({}, {case.ada: 0}, {case.ada: True}, {case.ada: 10**12}, {case.ada: 1.5}):
        found = await house.supervision.propose_correction(case.eva, case.code, amounts, "x")  # type: ignore[arg-type]
        assert isinstance(found, AmountUnfit), amounts
    first = await case.proposed()
    waits = CorrectionWaiting(first.number, case.code)
    assert await house.supervision.propose_correction(case.ugo, case.code, {case.ada: 7}, "x") == waits
    practice = await house.tables.open_practice(case.ada, "sisal")
    code, _ = await case.solo_round(case.ada, practice, (Spot(1, "main"),))
    assert await house.supervision.propose_correction(case.eva, code, {case.ada: 7}, "x") == NoSuchRound(code)


async def test_r08_nobody_corrects_a_round_of_his_own(case: Case) -> None:
    await case.application.accounts.appoint(case.ada, Role.SUPERVISOR, "JBSWY3DPEHPK3PXP")
    house = case.application
    assert await house.supervision.propose_correction(case.ada, case.code, {case.ada: 5}, "x") == OwnMoney(case.ada)
    proposed = await case.proposed()
    assert await house.supervision.confirm_correction(case.ada, proposed.number) == OwnMoney(case.ada)


async def test_r08_no_player_falls_below_zero(case: Case) -> None:
    free = (await case.application.cashier.read_balances(case.ada)).free
    proposed = await case.proposed(-free - 1)
    found = await case.application.supervision.confirm_correction(case.ugo, proposed.number)
    assert found == Overdrawn(case.ada, free + 1, free)
    assert await case.balance() == 0
    assert await case.application.supervision.withdraw_correction(case.eva, proposed.number, "too much") is None
    proposed = await case.proposed(-free)
    assert await case.application.supervision.confirm_correction(case.ugo, proposed.number) is None
    assert (await case.application.cashier.read_balances(case.ada)).free == 0


async def test_r08_a_proposal_can_be_withdrawn(case: Case) -> None:
    proposed = await case.proposed()
    assert await case.application.supervision.withdraw_correction(case.ada, proposed.number, "no") == NotSupervisor(
        case.ada
    )
    assert await case.application.supervision.withdraw_correction(case.ugo, proposed.number, "not so") is None
    assert await case.application.supervision.confirm_correction(case.ugo, proposed.number) == NoSuchCorrection(
        proposed.number
    )
    assert await case.application.supervision.withdraw_correction(case.ugo, proposed.number, "x") == NoSuchCorrection(
        proposed.number
    )
    await case.crash()
    assert await case.application.supervision.confirm_correction(case.ugo, proposed.number) == NoSuchCorrection(
        proposed.number
    )
    again = await case.proposed()
    assert again.number == proposed.number + 1, "numbers are not given twice"


async def test_r08_a_proposal_expires_after_a_day(case: Case) -> None:
    proposed = await case.proposed()
    assert proposed.expires == case.application.now() + EXPIRES
    case.clock.move(EXPIRES - 1)
    waiting = await case.application.supervision.list_corrections(case.ugo)
    assert not isinstance(waiting, Refusal)
    assert len(waiting) == 1
    case.clock.move(1)
    assert await case.application.supervision.list_corrections(case.ugo) == []
    assert await case.application.supervision.confirm_correction(case.ugo, proposed.number) == NoSuchCorrection(
        proposed.number
    )
    assert (await case.proposed()).number == proposed.number + 1


async def test_r08_all_of_it_survives_a_crash(case: Case) -> None:
    first = await case.proposed()
    await case.crash()
    assert await case.application.supervision.confirm_correction(case.eva, first.number) == SamePerson(case.eva)
    assert await case.application.supervision.confirm_correction(case.ugo, first.number) is None
    await case.crash()
    assert await case.balance() == 1_500
    assert (await case.application.history.list_rounds(case.ada)).lines[0].corrected == 1_500


async def test_r08_it_is_signed_with_the_key_of_the_house(case: Case) -> None:
    proposed = await case.proposed()
    await case.application.supervision.confirm_correction(case.ugo, proposed.number)
    made = corrections.read(*(await stored(case, corrections.STREAM))[-1][3:5])
    assert isinstance(made, CorrectionMade)
    assert bytes.fromhex(made.key) == case.application.key
    assert made.is_valid
    changes = {
        "amounts": {case.ada: 1_501},
        "reason": "another",
        "code": "another",
        "first": case.bea,
        "second": case.bea,
        "number": 9,
        "game": "link",
        "house": "x",
        "at": made.at + 1,
        "key": SigningKey.generate().public.hex(),
        "signature": "zz",
    }
    for name, value in changes.items():
        assert not replace(made, **{name: value}).is_valid, name  # type: ignore[arg-type]


async def test_r08_a_correction_that_was_changed_or_made_up_is_found(case: Case) -> None:
    """A chain made anew around it does not help: one person alone, or another amount, has no signature."""
    proposed = await case.proposed()
    await case.application.supervision.confirm_correction(case.ugo, proposed.number)
    await case.application.close()
    assert await examined(case.url) == ()
    store = await open_store(case.url, exclusive=False)
    held = await export.collect(store)
    await store.close()
    records = held.streams[corrections.STREAM]
    body = json.loads(records[-1].body)
    body["amounts"] = {case.ada: 9_999}
    entries = [(one.kind, one.body) for one in records[:-1]] + [(records[-1].kind, msgspec.json.encode(body))]
    forged, _ = chain_events(Head(), corrections.STREAM, records[-1].at, entries)
    held.streams[corrections.STREAM] = [*forged]
    faults = export.check_export(export.encode_export(held, 1, whole=True), BY_HASH).faults
    assert any("signature" in fault for fault in faults)
    await case.open()
    made = case.application.supervision._corrections
    given = made._audit, case.application.host.authority, made._key, "ventuno"
    Corrections(Journal(), *given).recover(records)
    with pytest.raises(Unreadable, match="signature"):
        Corrections(Journal(), *given).recover(forged)


async def test_x14_an_export_with_corrections_makes_every_balance_anew(case: Case, tmp_path: Path) -> None:
    proposed = await case.proposed()
    await case.application.supervision.confirm_correction(case.ugo, proposed.number)
    await case.proposed(77, case.ugo)
    await case.application.history.export(tmp_path / "whole", whole=True)
    found = export.check_export((tmp_path / "whole").read_bytes().splitlines(keepends=True), BY_HASH)
    assert found.faults == ()
    assert found.balances == {
        name: held for name, held in (await case.application.host.commits.store.read_balances()).items() if held
    }
    without = [
        line
        for line in (tmp_path / "whole").read_bytes().splitlines(keepends=True)
        if b'"criterion":"R-08"' not in line
    ]
    assert export.check_export(without, BY_HASH).faults
