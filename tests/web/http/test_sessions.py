"""The cookie and the session behind it: flags, rotation, idling, the end of all of them (ASVS 3.3, ASVS 7)."""

from __future__ import annotations

from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest

from tests.support.house import PASSWORD
from tests.support.in_process_house import InProcessHouse, opened
from ventuno.house.accounts.player_limits import MINUTE

HTTPS = {"public_origin": "https://play.example.org"}


def cookies(answer: httpx.Response) -> dict[str, dict[str, str]]:
    """Every cookie that an answer sets, with its flags in small letters."""
    found: dict[str, dict[str, str]] = {}
    for line in answer.headers.get_list("set-cookie"):
        for name, morsel in SimpleCookie(line).items():
            flags = {key.lower(): str(value).lower() for key, value in morsel.items() if value != ""}
            found[name] = {"value": morsel.value, **flags}
    return found


def faults(answer: httpx.Response, *, secure: bool) -> list[str]:
    """What is wrong with the session's cookie in an answer."""
    held = cookies(answer)
    name = "__Host-ventuno" if secure else "ventuno"
    if list(held) != [name]:
        return [f"the cookies are {sorted(held)}"]
    one = held[name]
    wanted = {"path": "/", "httponly": "true", "samesite": "strict", **({"secure": "true"} if secure else {})}
    found = [key for key, value in wanted.items() if one.get(key) != value]
    found += ["domain"] if "domain" in one else []
    return found + (["secure"] if "secure" in one and not secure else [])


@pytest.mark.parametrize(("settings", "secure"), [({}, False), (HTTPS, True)])
async def test_the_flags_of_the_cookie(tmp_path: Path, settings: dict[str, str], secure: bool) -> None:
    async with opened(tmp_path, settings) as entrance, entrance.client() as client:
        form = {"name": "Ada", "password": PASSWORD}
        for call in (
            client.post("/api/guest"),
            client.post("/api/guest/upgrade", json=form),
            client.post("/api/login", json=form),
            client.post("/api/register", json={**form, "name": "Bea"}),
            client.post("/api/logout"),
        ):
            answer = await call
            assert answer.is_success, answer.text
            assert faults(answer, secure=secure) == []


async def test_planted_weaker_cookie_is_caught() -> None:
    for weaker in ("HttpOnly", "SameSite=Strict", "Secure", "Path=/"):
        flags = [one for one in ("HttpOnly", "SameSite=Strict", "Secure", "Path=/") if one != weaker]
        answer = httpx.Response(200, headers={"set-cookie": "; ".join(["__Host-ventuno=abc", *flags])})
        assert faults(answer, secure=True) == [weaker.split("=")[0].lower()]
    assert faults(httpx.Response(200, headers={"set-cookie": "ventuno=abc"}), secure=True)


async def test_only_the_cookie_of_these_settings_is_read(tmp_path: Path) -> None:
    """A page of a neighbour could set `ventuno`, never `__Host-ventuno`: on https the first is not looked at."""
    async with opened(tmp_path, HTTPS) as entrance:
        player = await entrance.joined("Ada")
        token = await entrance.token(player)
        async with entrance.client() as client:
            client.cookies.set("ventuno", token)
            assert (await client.get("/api/me")).status_code == 401
            client.cookies.set("__Host-ventuno", token)
            assert (await client.get("/api/me")).json()["player"] == player


async def test_a_login_begins_a_new_session_and_ends_the_one_before(entrance: InProcessHouse) -> None:
    await entrance.joined("Ada")
    async with entrance.client() as client, entrance.client() as thief:
        await client.post("/api/guest")
        planted = client.cookies["ventuno"]
        thief.cookies.set("ventuno", planted)
        assert (await thief.get("/api/me")).is_success
        answer = await client.post("/api/login", json={"name": "Ada", "password": PASSWORD})
        assert answer.is_success
        assert client.cookies["ventuno"] != planted
        assert len(client.cookies["ventuno"]) == 64
        assert (await thief.get("/api/me")).json()["error"]["code"] == "SessionOver"


async def test_a_guest_who_becomes_an_account_has_a_new_session(entrance: InProcessHouse) -> None:
    async with entrance.client() as client, entrance.client() as thief:
        first = (await client.post("/api/guest")).json()
        thief.cookies.set("ventuno", client.cookies["ventuno"])
        then = (await client.post("/api/guest/upgrade", json={"name": "Ada", "password": PASSWORD})).json()
        assert (then["player"], then["name"], then["guest"]) == (first["player"], "Ada", False)
        assert (await thief.get("/api/me")).status_code == 401
        assert (await client.get("/api/me")).json()["guest"] is False


async def test_half_an_hour_without_a_call_ends_a_session(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        for _ in range(3):
            entrance.clock.move(29 * MINUTE)
            assert (await client.get("/api/me")).is_success
        entrance.clock.move(30 * MINUTE)
        answer = await client.get("/api/me")
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "SessionOver")


async def test_twelve_hours_end_a_session_however_busy(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        for _ in range(25):
            entrance.clock.move(28 * MINUTE)
            assert (await client.get("/api/me")).is_success
        entrance.clock.move(20 * MINUTE)
        assert (await client.get("/api/me")).status_code == 401


async def test_one_sees_and_ends_ones_own_sessions(entrance: InProcessHouse) -> None:
    ada, here = await entrance.visitor("Ada")
    there = entrance.client(await entrance.token(ada))
    async with here, there:
        listed = (await here.get("/api/sessions")).json()["sessions"]
        assert len(listed) == 2
        mine = next(one for one in listed if one["current"])
        other = next(one for one in listed if not one["current"])
        assert (await here.delete(f"/api/sessions/{other['id']}")).status_code == 204
        assert (await there.get("/api/me")).status_code == 401
        assert (await here.get("/api/me")).json()["session"] == mine["id"]
        assert "token" not in str(listed)


async def test_logout_everywhere_and_a_new_password_end_the_others(entrance: InProcessHouse) -> None:
    ada, here = await entrance.visitor("Ada")
    async with here, entrance.client(await entrance.token(ada)) as there:
        new = "another horse battery"
        assert (await here.put("/api/password", json={"old": PASSWORD, "new": new})).status_code == 204
        assert (await there.get("/api/me")).status_code == 401
        assert (await here.get("/api/me")).is_success
        assert (await here.delete("/api/sessions")).json() == {"ended": 1}
        assert (await here.get("/api/me")).status_code == 401


@pytest.mark.parametrize("value", ["", "x", "0" * 64, "ventuno", "\x7f" * 300, "a=b; c", '"quoted"', "é" * 40])
async def test_a_cookie_that_means_nothing_is_nobodys(entrance: InProcessHouse, value: str) -> None:
    async with entrance.client() as client:
        answer = await client.get("/api/me", headers=[(b"Cookie", f"ventuno={value}".encode("latin-1"))])
        assert answer.status_code == 401
        assert (await client.get("/api/lobby")).is_success
