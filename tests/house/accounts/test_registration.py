"""R-42: a name and a person are one account's, in the store and not only in memory, whoever races whom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.databases import execute
from tests.support.house import PASSWORD, OpenHouse
from tests.support.house_in_memory import ADA
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import text_rules
from ventuno.house.accounts.registration import ITALIAN, KINDS, LOGIN, TAX, Form, TaxIdTaken, make_claims
from ventuno.house.accounts.sessions import Entered
from ventuno.house.accounts.text_rules import NameTaken, NameUnfit
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch

LOOKS = ("Coco", "COCO", "Ｃｏｃｏ", " Coco ", "Сосо")
"""One name: as it is, in capitals, in wide letters, among blanks, in Cyrillic letters."""


@pytest_asyncio.fixture
async def evening(url: str, tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(url, tmp_path / "data")
    await made.open()
    yield made
    await made.application.close()


async def owners(evening: OpenHouse, kind: str = LOGIN) -> dict[str, str]:
    return {row.name: row.owner for row in await evening.application.host.commits.store.list_names(kind)}


async def test_r42_of_registrations_that_race_for_one_name_one_succeeds(evening: OpenHouse) -> None:
    """However it is written, and while others are being committed."""
    forms = [Form(name) for name in LOOKS for _ in range(4)] + [Form(f"Other-{number}") for number in range(20)]
    made = await asyncio.gather(*(evening.application.accounts.register(form, PASSWORD) for form in forms))
    first = [one for one in made[: len(LOOKS) * 4] if isinstance(one, str)]
    assert len(first) == 1
    assert all(isinstance(one, str | NameTaken) for one in made)
    assert len(set(made[len(LOOKS) * 4 :])) == 20
    assert (await owners(evening))[text_rules.make_look("coco")] == first[0]
    await evening.crash()
    for name in LOOKS:
        assert isinstance(await evening.application.accounts.register(Form(name), PASSWORD), NameTaken)


async def test_r42_a_name_that_only_the_store_knows_is_taken_and_stops_nobody(evening: OpenHouse) -> None:
    """Another writer was faster: the form is refused, the writer goes on, and so does the next form."""
    await evening.application.host.commits.store.commit(Batch(names=make_claims("another", "Ada", "")))
    assert await evening.application.accounts.register(Form("ada"), PASSWORD) == NameTaken("ada")
    assert isinstance(await evening.application.accounts.register(Form("Bea"), PASSWORD), str)
    assert not evening.application.host.commits.failed.done()


async def test_r42_a_guest_takes_a_name_of_his_own_once(evening: OpenHouse) -> None:
    house = evening.application
    entered = await house.accounts.enter_guest("::1", "browser")
    assert isinstance(entered, Entered)
    assert await owners(evening) == {}, "guests claim nothing"
    made = await asyncio.gather(
        *(house.accounts.register(Form(name), PASSWORD, entered.player) for name in ("Ada", "Bea"))
    )
    assert [one for one in made if isinstance(one, str)] == [entered.player]
    held = await owners(evening)
    assert list(held.values()) == [entered.player]
    lost = "Bea" if "ada" in held else "Ada"
    assert isinstance(await house.accounts.register(Form(lost), PASSWORD), str), "what he did not get is free"


async def test_r42_one_account_for_each_tax_code(url: str, tmp_path: Path) -> None:
    class Italian(OpenHouse):
        def config(self) -> dict[str, Any]:
            return {**super().config(), "rules": ITALIAN}

    evening = Italian(url, tmp_path / "data")
    house = await evening.open()
    forms = [replace(ADA, name=f"Ada-{number}") for number in range(5)]
    made = await asyncio.gather(*(house.accounts.register(form, PASSWORD) for form in forms))
    assert sum(isinstance(one, str) for one in made) == 1
    assert all(isinstance(one, str | TaxIdTaken) for one in made)
    rows = await owners(evening, TAX)
    assert len(rows) == 1
    assert ADA.tax not in str(rows)
    free = [form.name for form, one in zip(forms, made, strict=True) if isinstance(one, Refusal)]
    assert not {text_rules.make_look(name) for name in free} & set(await owners(evening)), (
        "a refused form holds no name"
    )
    await house.close()


async def test_r42_accounts_of_an_older_house_claim_their_names_when_it_opens(evening: OpenHouse) -> None:
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    before = await owners(evening)
    await execute(evening.url, "DELETE FROM names")
    await evening.crash()
    assert await owners(evening) == before == {"ada": ada, "bea": bea}
    assert isinstance(await evening.application.accounts.register(Form("ADA"), PASSWORD), NameTaken)


async def test_r42_a_caller_that_goes_away_leaves_no_name_behind(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, asked = evening.application.host.commits.store, asyncio.Event()

    async def slow(*_: str) -> str | None:
        asked.set()
        await asyncio.Event().wait()
        return None

    with monkeypatch.context() as waiting:
        waiting.setattr(store, "find_owner", slow)
        task = asyncio.create_task(evening.application.accounts.register(Form("Ada"), PASSWORD))
        await asked.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert isinstance(await evening.application.accounts.register(Form("Ada"), PASSWORD), str)


async def test_r42_planted_fault_without_the_claim_two_get_one_name(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the races would show if nobody asked the store: the schema itself refuses, and the house stops."""

    async def blind(self: Committer, rows: Any) -> None:
        self._reserved.update({(row.kind, row.name): row.owner for row in rows})

    await evening.joined("Coco")
    monkeypatch.setattr(Committer, "reserve", blind)
    made = await asyncio.gather(evening.application.accounts.register(Form("Сосо"), PASSWORD), return_exceptions=True)
    assert isinstance(made[0], Exception)
    assert evening.application.host.commits.failed.done()


def test_r42_names_of_the_house_are_its_own_in_any_script() -> None:
    assert isinstance(text_rules.check_name("аԁм"), NameUnfit)
    assert isinstance(text_rules.check_name("ADM-1"), NameUnfit)
    assert text_rules.check_name("Мария") == "Мария"
    assert text_rules.make_look("Мария") != text_rules.make_look("Maria")
    assert set(KINDS) == {row.kind for row in make_claims("1", "Ada", "X")}
