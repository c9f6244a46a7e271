"""Programs come in by a token of a declared bot: what it opens, what it does not, when it ends (X-09, ASVS 7, R-37)."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.support.house import PASSWORD, key
from tests.support.in_process_house import InProcessHouse, opened
from ventuno.house.accounts.access_tokens import DAY
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.sessions import IDLE_LIMIT


def code(answer: httpx.Response) -> str:
    return "ok" if answer.is_success else str(answer.json()["error"]["code"])


def program(entrance: InProcessHouse, token: str, **headers: str) -> httpx.AsyncClient:
    """A caller that is no browser: it sends neither cookie nor origin nor our header."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(entrance.front, raise_app_exceptions=True),
        base_url="http://127.0.0.1:2121",
        headers={"Authorization": f"Bearer {token}", **headers},
    )


async def declare(owner: httpx.AsyncClient, days: int = 90) -> str:
    assert (await owner.put("/api/bot")).status_code == 204
    given = (await owner.post("/api/tokens", json={"label": "ladder", "days": days})).json()
    return str(given["token"])


async def test_x09_only_a_declared_bot_has_tokens_and_guests_and_staff_are_none(entrance: InProcessHouse) -> None:
    player, owner = await entrance.visitor("Ada")
    async with owner, entrance.client() as guest:
        assert code(await owner.post("/api/tokens", json={"label": "early"})) == "NotDeclared"
        await guest.post("/api/guest")
        assert code(await guest.put("/api/bot")) == "NotDeclarable"
        assert (await declare(owner)).startswith("ventuno_")
        listed = (await owner.get("/api/tokens")).json()
        assert listed["declared"]
        assert [line["label"] for line in listed["tokens"]] == ["ladder"]
    account = entrance.application.accounts[player].player
    assert (account.is_bot, account.is_house_bot) == (True, False)
    assert not entrance.application.accounts._accounts.is_house_run(player), "its bytes are a player's, not the house's"


async def test_a_token_plays_and_pays_without_cookie_header_or_origin(entrance: InProcessHouse) -> None:
    player, owner = await entrance.visitor("Ada")
    async with owner, program(entrance, await declare(owner)) as bot:
        me = (await bot.get("/api/me")).json()
        assert me["player"] == player
        paid = await bot.post("/api/cashier/deposits", json={"amount": 500}, headers={"Idempotency-Key": key()})
        assert code(paid) == "ok"
        assert code(await bot.post("/api/ticket")) == "ok"
        assert (await bot.get("/api/me")).json()["session"] == me["session"], "it stays in one session"
        sessions = (await owner.get("/api/sessions")).json()["sessions"]
        assert me["session"] in [line["id"] for line in sessions]


async def test_a_token_opens_nothing_that_makes_the_account_its_owners(entrance: InProcessHouse) -> None:
    _, owner = await entrance.visitor("Ada")
    async with owner, program(entrance, await declare(owner)) as bot:
        assert code(await bot.put("/api/password", json={"old": PASSWORD, "new": PASSWORD + "!"})) == "PersonNeeded"
        assert code(await bot.post("/api/tokens", json={"label": "another"})) == "PersonNeeded"
        assert code(await bot.post("/api/second-factor", json={})) == "PersonNeeded"
        assert code(await bot.post("/api/second-factor/confirmation", json={"code": "000000"})) == "PersonNeeded"
        assert code(await bot.post("/api/second-factor/removal", json={"code": "000000"})) == "PersonNeeded"
        assert code(await bot.put("/api/bot")) == "PersonNeeded"
        mail = {"mail": "ada@example.org", "password": PASSWORD}
        assert code(await bot.put("/api/mail", json=mail)) == "PersonNeeded"


async def test_a_page_of_another_site_gains_nothing_by_a_token(entrance: InProcessHouse) -> None:
    _, owner = await entrance.visitor("Ada")
    async with owner, program(entrance, await declare(owner), Origin="https://evil.example") as page:
        assert code(await page.post("/api/ticket")) == "ForeignOrigin"


async def test_a_wrong_token_is_refused_even_beside_a_good_cookie(entrance: InProcessHouse) -> None:
    _, owner = await entrance.visitor("Ada")
    async with owner:
        token = await declare(owner)
        for wrong in (token[:-1], token + "0", "ventuno_" + "0" * 64, "x"):
            assert code(await owner.get("/api/me", headers={"Authorization": f"Bearer {wrong}"})) == "TokenUnfit"
        assert code(await owner.get("/api/me")) == "ok"


async def test_a_token_ends_by_its_day_its_owner_a_new_password_or_a_closed_account(entrance: InProcessHouse) -> None:
    player, owner = await entrance.visitor("Ada")
    async with owner:
        day = await declare(owner, days=1)
        ended = (await owner.post("/api/tokens", json={"label": "b"})).json()
        kept = (await owner.post("/api/tokens", json={"label": "c"})).json()["token"]
        async with program(entrance, ended["token"]) as bot:
            session = (await bot.get("/api/me")).json()["session"]
            assert code(await owner.delete(f"/api/tokens/{ended['id']}")) == "ok"
            assert code(await bot.get("/api/me")) == "TokenUnfit"
            assert session not in [line["id"] for line in (await owner.get("/api/sessions")).json()["sessions"]]
        entrance.clock.move(DAY)
    accounts, now = entrance.application.accounts, entrance.application.now()
    async with program(entrance, day) as late, program(entrance, kept) as bot:
        assert code(await late.get("/api/me")) == "TokenUnfit"
        assert code(await bot.get("/api/me")) == "ok"
        commit, login = entrance.application.host.commits.commit, accounts._login
        await commit(login.disable(player, "1", "a test", now))
        assert code(await bot.get("/api/me")) == "TokenUnfit"
        await commit(login.enable(player, "1", "a test", now))
        assert code(await bot.get("/api/me")) == "ok"
        await commit(login.change_password(player, "another hash", "", now))
        assert code(await bot.get("/api/me")) == "TokenUnfit"


async def test_support_that_logs_a_bot_out_ends_its_tokens(entrance: InProcessHouse) -> None:
    player, owner = await entrance.visitor("Ada")
    async with owner, program(entrance, await declare(owner)) as bot:
        assert code(await bot.get("/api/me")) == "ok"
        accounts, now = entrance.application.accounts, entrance.application.now()
        await entrance.application.host.commits.commit(accounts._access.end_all(player, now, "ended by a supervisor"))
        assert code(await bot.get("/api/me")) == "TokenUnfit"


async def test_r37_a_program_sits_as_long_as_a_person_would(entrance: InProcessHouse) -> None:
    _, owner = await entrance.visitor("Ada")
    async with owner, program(entrance, await declare(owner)) as bot:
        first = (await bot.get("/api/me")).json()
        entrance.clock.move(20 * MINUTE)
        later = (await bot.get("/api/me")).json()
        assert (later["session"], later["clock"]["minutes"]) == (first["session"], 20)
        entrance.clock.move(IDLE_LIMIT + 31 * MINUTE)
        again = (await bot.get("/api/me")).json()
        assert again["session"] != first["session"]
        assert again["clock"]["minutes"] == 0, "away for longer than a break, it sits down anew"


async def test_an_account_has_ten_tokens_at_most_and_old_ones_make_room(entrance: InProcessHouse) -> None:
    _, owner = await entrance.visitor("Ada")
    async with owner:
        await declare(owner, days=1)
        for number in range(9):
            assert code(await owner.post("/api/tokens", json={"label": str(number)})) == "ok"
        assert code(await owner.post("/api/tokens", json={"label": "more"})) == "TooManyTokens"


async def test_tokens_and_their_sessions_outlive_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as entrance:
        _, owner = await entrance.visitor("Ada")
        async with owner:
            token = await declare(owner)
        async with program(entrance, token) as bot:
            session = (await bot.get("/api/me")).json()["session"]
    async with opened(tmp_path) as entrance, program(entrance, token) as bot:
        assert (await bot.get("/api/me")).json()["session"] == session
