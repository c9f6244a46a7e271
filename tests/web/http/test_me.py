"""Coming in and one's own affairs over HTTP: accounts, money, limits, settings (V-71…V-75, R-33…R-44)."""

from __future__ import annotations

import httpx
import pytest

from tests.support.house import PASSWORD, key
from tests.support.in_process_house import InProcessHouse
from ventuno.house.accounts.player_limits import DAY, MINUTE


def code(answer: httpx.Response) -> str:
    return "ok" if answer.is_success else str(answer.json()["error"]["code"])


async def deposit(client: httpx.AsyncClient, amount: int, once: str = "") -> httpx.Response:
    headers = {"Idempotency-Key": once or key()}
    return await client.post("/api/cashier/deposits", json={"amount": amount}, headers=headers)


async def test_a_guest_plays_at_once_and_keeps_everything_as_an_account(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        guest = (await client.post("/api/guest")).json()
        assert guest["guest"]
        assert code(await deposit(client, 5_000)) == "ok"
        account = (await client.post("/api/guest/upgrade", json={"name": "Ada", "password": PASSWORD})).json()
        assert (account["player"], account["guest"]) == (guest["player"], False)
        me = (await client.get("/api/me")).json()
        assert (me["name"], me["free"], me["guest"]) == ("Ada", 5_000, False)
        assert code(await client.post("/api/guest/upgrade", json={"name": "Eva", "password": PASSWORD})) == "NotAGuest"


async def test_register_login_and_the_last_login(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        form = {"name": "Ada", "password": PASSWORD}
        assert (await client.post("/api/register", json=form)).json()["last_login"] == 0
        assert code(await client.post("/api/register", json=form)) == "NameTaken"
        assert (
            code(await client.post("/api/register", json={"name": "Bea", "password": "password1"})) == "PasswordCommon"
        )
        entrance.clock.move(MINUTE)
        again = (await client.post("/api/login", json=form)).json()
        assert again["last_login"] == entrance.clock.now() - MINUTE
        assert (await client.post("/api/logout")).status_code == 204
        assert code(await client.get("/api/me")) == "NotKnown"


async def test_r37_the_clock_of_the_sitting_is_always_there(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada", 1_000)
    async with client:
        entrance.clock.move(20 * MINUTE)
        me = (await client.get("/api/me")).json()
        assert (me["clock"]["minutes"], me["clock"]["net"]) == (20, 0)
        assert me["clock"]["next_check"] == me["clock"]["started"] + 60 * MINUTE
        assert (await client.put("/api/protection/reality-check", json={"minutes": 15})).json()["reality_minutes"] == 15
        assert (await client.post("/api/protection/reality-check/acknowledgement")).status_code == 204
        me = (await client.get("/api/me")).json()
        assert me["clock"]["next_check"] == me["now"] + 15 * MINUTE


async def test_v73_the_cashier_moves_money_once_for_each_key(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        assert (await client.get("/api/cashier")).json()["prompts"] is True
        once = key()
        first, again = await deposit(client, 5_000, once), await deposit(client, 5_000, once)
        assert (
            first.json() == again.json() == {"amount": 5_000, "balance": 5_000, "reference": first.json()["reference"]}
        )
        assert code(await deposit(client, 6_000, once)) == "KeyReused"
        headers = {"Idempotency-Key": key()}
        out = await client.post("/api/cashier/withdrawals", json={"amount": 2_000}, headers=headers)
        assert (out.json()["amount"], out.json()["balance"]) == (-2_000, 3_000)
        headers = {"Idempotency-Key": key()}
        assert (
            code(await client.post("/api/cashier/withdrawals", json={"amount": 3_001}, headers=headers))
            == "FundsMissing"
        )
        assert code(await client.post("/api/cashier/deposits", json={"amount": 1})) == "BodyUnfit"
        assert (await client.get("/api/cashier")).json() == {
            "balance": 3_000,
            "at_tables": 0,
            "provider": "play-money",
            "prompts": False,
        }


async def test_the_list_of_transactions_in_pages(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        for amount in range(1, 8):
            await deposit(client, amount * 100)
        seen, before = list[int](), ""
        while True:
            page = (await client.get(f"/api/cashier/transactions?limit=3{before}")).json()
            seen += [line["amount"] for line in page["lines"]]
            if page["before"] is None:
                break
            before = f"&before={page['before']}"
        assert seen == [700, 600, 500, 400, 300, 200, 100]


async def test_v71_settings_change_together_or_not_at_all(entrance: InProcessHouse) -> None:
    ada, client = await entrance.visitor("Ada")
    async with client:
        change = {"general": {"language": "en", "four_colours": True}, "audio": {"voice_volume": 10}}
        told = (await client.patch("/api/settings", json=change)).json()
        assert (told["general"]["language"], told["audio"]["voice_volume"]) == ("en", 10)
        for bad in (
            {"general": {"language": "it"}, "audio": {"voice_volume": 101}},
            {"general": {"language": "it", "colour": 1}},
            {"general": {"language": "it"}, "sixth": {}},
            {"general": {"language": None}},
        ):
            assert code(await client.patch("/api/settings", json=bad)) == "BodyUnfit"
    async with entrance.client(await entrance.token(ada)) as elsewhere:
        assert (await elsewhere.get("/api/settings")).json() == told


def limit(told: dict[str, list[dict[str, object]]], name: str) -> dict[str, object]:
    return next(one for one in told["limits"] if one["name"] == name)


async def test_r35_a_limit_goes_down_at_once_and_up_after_a_wait_and_a_word(entrance: InProcessHouse) -> None:
    ada, client = await entrance.visitor("Ada")
    path = "/api/protection/limits/deposit:day"
    async with client:
        assert limit((await client.put(path, json={"amount": 1_000})).json(), "deposit:day")["amount"] == 1_000
        assert code(await deposit(client, 1_001)) == "ProtectionLimit"
        assert limit((await client.put(path, json={"amount": 500})).json(), "deposit:day")["amount"] == 500
        asked = limit((await client.put(path, json={"amount": None})).json(), "deposit:day")
        assert asked == {
            "name": "deposit:day",
            "amount": 500,
            "asked": {"amount": None, "ready": entrance.clock.now() + 7 * DAY},
        }
        assert code(await client.post(f"{path}/confirmation")) == "NotBefore"
    entrance.clock.move(7 * DAY)
    async with entrance.client(await entrance.token(ada)) as later:
        assert code(await deposit(later, 501)) == "ProtectionLimit"
        assert limit((await later.post(f"{path}/confirmation")).json(), "deposit:day")["amount"] is None
        assert code(await deposit(later, 501)) == "ok"
        assert code(await later.put("/api/protection/limits/deposit:year", json={"amount": 1})) == "NoSuchLimit"


async def test_r38_exclusion_counts_with_its_answer_and_money_can_leave(entrance: InProcessHouse) -> None:
    ada, client = await entrance.visitor("Ada", 5_000)
    async with client, entrance.client(await entrance.token(ada)) as elsewhere:
        told = (await client.post("/api/protection/exclusion", json={"days": 30})).json()
        assert (told["closed"], told["excluded"]["until"]) == ("PlayExcluded", entrance.clock.now() + 30 * DAY)
        answer = await deposit(elsewhere, 100)
        assert (answer.status_code, code(answer)) == (403, "PlayExcluded")
        headers = {"Idempotency-Key": key()}
        out = await elsewhere.post("/api/cashier/withdrawals", json={"amount": 5_000}, headers=headers)
        assert out.json()["balance"] == 0
        assert code(await client.post("/api/protection/exclusion", json={"days": 31})) == "NoSuchExclusion"
        assert code(await client.delete("/api/protection/exclusion")) == "Irrevocable"


async def test_a_pause_may_be_made_longer_and_never_shorter(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        until = entrance.clock.now() + 3 * DAY
        told = (await client.post("/api/protection/cool-off", json={"until": until})).json()
        assert (told["cooling"], told["closed"]) == (until, "CoolingOff")
        assert code(await client.post("/api/protection/cool-off", json={"until": until - 1})) == "PauseUnfit"
        assert code(await client.post("/api/protection/cool-off", json={"until": until + DAY})) == "ok"
        assert code(await deposit(client, 100)) == "CoolingOff"


@pytest.mark.parametrize("path", ["/api/", "/api/me/", "/api/games/nothing", "/api/history/T1-20260921-120000-1"])
async def test_what_is_not_there_is_told_in_one_form(entrance: InProcessHouse, path: str) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        answer = await client.get(path)
        assert answer.status_code == 404
        assert set(answer.json()) == {"error"}
        assert set(answer.json()["error"]) == {"code", "detail", "id", "numbers"}
