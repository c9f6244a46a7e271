"""From a forgotten password back in, over HTTP: the code of support, its cost, what it does not tell (ASVS 6.4)."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.in_process_house import PLENTY, InProcessHouse, opened
from ventuno.house.accounts import second_factor
from ventuno.house.accounts.password_reset import LIFE, PasswordResets
from ventuno.web.http.rate_limits import BucketSize, RateLimits
from ventuno.web.sockets import notifications
from ventuno.web.sockets.notifications import NOT_NOTIFIED

NEW = "a stable of mules"
RESET = "/api/password/reset"


async def supervise(entrance: InProcessHouse) -> httpx.AsyncClient:
    return entrance.client(await entrance.token(await entrance.supervisor()))


async def create_code(eva: httpx.AsyncClient, player: str) -> str:
    answer = await eva.post(f"/api/supervisor/players/{player}/reset-code", json={"reason": "showed her passport"})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["code"])


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, str(answer.json()["error"]["code"])


def body(code: str, password: str = NEW, name: str = "Ada") -> dict[str, str]:
    return {"name": name, "reset_code": code, "password": password}


async def test_asvs_6_4_from_forgotten_to_in_again(entrance: InProcessHouse) -> None:
    ada, client = await entrance.visitor("Ada", 5_000)
    async with client, entrance.client() as browser, await supervise(entrance) as eva:
        code = await create_code(eva, ada)
        page = (await eva.get(f"/api/supervisor/players/{ada}")).json()
        assert page["reset_until"] > page["now"]
        assert code not in str(page), "shown once"
        answer = await browser.post(RESET, json=body(code))
        assert answer.json()["player"] == ada
        assert (await browser.get("/api/me")).json()["free"] == 5_000
        assert refusal(await client.get("/api/me")) == (401, "SessionOver"), "every other session is over"
        assert (await eva.get(f"/api/supervisor/players/{ada}")).json()["reset_until"] == 0
        assert refusal(await browser.post(RESET, json=body(code, "another of mules"))) == (401, "WrongResetCode")
        lines = (await eva.get("/api/supervisor/audit")).json()
        noted = [line["fields"] for line in lines["lines"] if line["kind"] == "RightsChanged"]
        assert ("password code created: showed her passport", ada) in [(line["what"], line["player"]) for line in noted]
        assert code not in str(lines)


async def test_asvs_6_4_planted_code_that_opens_twice_is_caught(
    entrance: InProcessHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house that compares with what it kept at the first try, not with what counts now."""
    ada, client = await entrance.visitor("Ada")
    async with client, await supervise(entrance) as eva:
        code = await create_code(eva, ada)
        kept = entrance.application.accounts[ada].reset
        assert (await client.post(RESET, json=body(code))).status_code == 200
        found = type(entrance.application.accounts._accounts).find_by_name

        def find_as_before(accounts: object, name: str) -> object:
            account = found(accounts, name)  # type: ignore[arg-type]
            return account._replace(reset=kept) if account and name == "Ada" else account

        monkeypatch.setattr(type(entrance.application.accounts._accounts), "find_by_name", find_as_before)
        again = await client.post(RESET, json=body(code, "another of mules"))
        assert refusal(again) == (401, "WrongResetCode"), "looked at again once the code was compared"
        monkeypatch.setattr(PasswordResets, "_has_code", lambda *_: True)
        entrance.application.accounts._accounts._accounts[ada] = entrance.application.accounts[ada]._replace(reset=kept)
        assert (await client.post(RESET, json=body(code, "another of mules"))).status_code == 200, "the planted fault"


async def test_asvs_6_4_the_answers_do_not_tell_who_is_here(entrance: InProcessHouse) -> None:
    await entrance.joined("Ada")
    async with entrance.client() as client:
        answers = [await client.post(RESET, json=body("K7QM-4XPD-2HNT", name=name)) for name in ("Ada", "Nobody")]
        told = [answer.json()["error"] | {"id": ""} for answer in answers]
        assert told[0] == told[1]
        assert [answer.status_code for answer in answers] == [401, 401]
        assert set(answers[0].headers) == set(answers[1].headers)


async def test_asvs_6_4_resets_share_the_few_entries_of_an_address(tmp_path: Path) -> None:
    few = RateLimits(PLENTY.address, PLENTY.account, BucketSize(3, 0.1))
    async with opened(tmp_path, allowances=few) as entrance, entrance.client() as client:
        codes = [(await client.post(RESET, json=body("wrong", name=f"n{number}"))).status_code for number in range(5)]
        assert codes == [401, 401, 401, 429, 429]


async def test_h8_codes_cost_a_supervisor_ten_calls(tmp_path: Path) -> None:
    tight = RateLimits(PLENTY.address, BucketSize(30, 0.001), PLENTY.entry)
    async with opened(tmp_path, allowances=tight) as entrance, await supervise(entrance) as eva:
        ada = await entrance.joined("Ada")
        made = [
            (await eva.post(f"/api/supervisor/players/{ada}/reset-code", json={"reason": "why"})).status_code
            for _ in range(4)
        ]
        assert made == [200, 200, 429, 429]


async def test_r38_a_browser_of_an_excluded_player_stays_marked_after_the_reset(entrance: InProcessHouse) -> None:
    ada, client = await entrance.visitor("Ada")
    await entrance.application.protection.exclude(ada, 30)
    async with client, entrance.client() as browser, await supervise(entrance) as eva:
        assert (await browser.post(RESET, json=body(await create_code(eva, ada)))).status_code == 200
        assert (await browser.get("/api/protection")).json()["closed"] == "PlayExcluded"
        await browser.post("/api/logout")
        assert refusal(await browser.post("/api/guest")) == (403, "PlayExcluded")


async def test_the_second_factor_is_asked_for_only_of_who_has_the_code(entrance: InProcessHouse) -> None:
    ada, client = await entrance.visitor("Ada")
    async with client, await supervise(entrance) as eva:
        code = await create_code(eva, ada)
        await client.post("/api/second-factor", json={})
        accounts = entrance.application.accounts
        secret = accounts[ada].factor.offered

        def shown() -> str:
            step = entrance.application.now() // second_factor.STEP
            return second_factor.compute_code(second_factor.decode_secret(secret), step)

        assert (await client.post("/api/second-factor/confirmation", json={"code": shown()})).status_code == 200
        entrance.clock.move(second_factor.STEP)
        assert refusal(await client.post(RESET, json=body("K7QM-4XPD-2HNT"))) == (401, "WrongResetCode")
        assert refusal(await client.post(RESET, json=body(code))) == (401, "SecondFactorNeeded")
        assert (await client.post(RESET, json={**body(code), "code": shown()})).status_code == 200


async def test_asvs_6_4_who_is_in_is_told_once_that_there_is_a_code(entrance: InProcessHouse) -> None:
    """Who did not ask for it can do something about it; planted: a house that says nothing is caught here."""
    ada, eva = await entrance.joined("Ada"), await entrance.supervisor()
    app, at = entrance.application, entrance.application.now()
    heard, nothing = notifications.find_news(app, ada, NOT_NOTIFIED, at)
    assert nothing == []
    await app.accounts.create_reset_code(eva, ada, "asked by telephone")
    heard, told = notifications.find_news(app, ada, heard, at)
    assert [(notice.kind, notice.numbers) for notice in told] == [("reset-code", {"until": at + LIFE})]
    assert notifications.find_news(app, ada, heard, at)[1] == []
    entrance.clock.move(1_000)
    await app.accounts.create_reset_code(eva, ada, "asked again")
    assert [notice.kind for notice in notifications.find_news(app, ada, heard, at)[1]] == ["reset-code"]
