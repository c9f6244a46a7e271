"""Guessing: slowed by account and by address, before any work; nothing tells a wrong name apart (ASVS 6.3, R-44)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import httpx
import pytest

from tests.support.busy_house import SECRET, World
from tests.support.house import PASSWORD, QuickHasher
from tests.support.in_process_house import InProcessHouse, opened
from tests.support.volume import scale
from ventuno.house.accounts import second_factor
from ventuno.house.accounts.login_throttle import Throttle
from ventuno.house.accounts.passwords import Argon2
from ventuno.house.accounts.players import Role
from ventuno.web.http.rate_limits import BucketSize, RateLimits

GUESSES, ADDRESSES = scale(10_000), scale(3_200)
HOUR = 3_600_000
OPEN = RateLimits(BucketSize(10**9, 1e6), BucketSize(10**9, 1e6), BucketSize(10**9, 1e6))


async def guesses(entrance: InProcessHouse, count: int, every: int, address: Iterable[str]) -> tuple[int, int]:
    """So many guesses at one account, one in so many milliseconds: how many cost a hash, how many were turned away."""
    before, turned = len(entrance.hasher.verified), 0
    addresses = iter(address)
    async with entrance.client() as client:
        for number in range(count):
            body = {"name": "Ada", "password": f"guess number {number}"}
            answer = await client.post("/api/login", json=body, headers={"X-Forwarded-For": next(addresses)})
            turned += answer.status_code == 429
            assert answer.status_code in (401, 429)
            entrance.clock.move(every)
    return len(entrance.hasher.verified) - before, turned


def one_address() -> Iterable[str]:
    while True:
        yield "198.51.100.1"


def many_addresses() -> Iterable[str]:
    for number in range(10**6):
        yield f"2001:db8:{number % 65_536:x}:{number // 65_536:x}::1"


async def test_thousands_of_guesses_from_one_address(tmp_path: Path) -> None:
    """Ten a second for minutes: a few are looked at."""
    async with opened(tmp_path) as entrance:
        await entrance.joined("Ada")
        hashed, turned = await guesses(entrance, GUESSES, 100, one_address())
        assert hashed + turned == GUESSES
        assert hashed <= 30
        entrance.clock.move(HOUR)
        async with entrance.client() as client:
            assert (await client.post("/api/login", json={"name": "Ada", "password": PASSWORD})).is_success


async def test_guesses_from_hundreds_of_addresses_meet_the_accounts_own_count(tmp_path: Path) -> None:
    async with opened(tmp_path, allowances=OPEN) as entrance:
        await entrance.joined("Ada")
        hashed, turned = await guesses(entrance, ADDRESSES, 1_000, many_addresses())
        assert hashed <= 20
        assert turned >= ADDRESSES - 20


async def test_planted_house_without_a_throttle_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Throttle, "refuses", lambda *_: None)
    async with opened(tmp_path) as entrance:
        await entrance.joined("Ada")
        hashed, _ = await guesses(entrance, 300, 100, one_address())
        assert hashed == 300


async def test_a_stolen_session_guesses_the_old_password_no_faster(tmp_path: Path) -> None:
    """Wrong old passwords count with failed logins, of the account and of the address, before any work (ASVS 6.3)."""
    async with opened(tmp_path) as entrance:
        _, client = await entrance.visitor("Ada")
        before = len(entrance.hasher.verified)
        async with client:
            bodies = [{"old": f"guess number {number}", "new": "another good one"} for number in range(200)]
            answers = [await client.put("/api/password", json=body) for body in bodies]
            assert {answer.status_code for answer in answers} == {401, 429}
            assert len(entrance.hasher.verified) - before <= 8
            form = {"name": "Ada", "password": PASSWORD}
            assert (await client.post("/api/login", json=form)).json()["error"]["code"] == "TryLater"
            entrance.clock.move(HOUR // 4)
            fresh = {"old": PASSWORD, "new": "another good one"}
            assert (await client.put("/api/password", json=fresh)).status_code == 204
            assert (await client.post("/api/login", json={**form, "password": fresh["new"]})).is_success
        written = await entrance.application.host.commits.store.read_records("house", 0)
        assert sum(b"old password" in one.body for one in written if one.kind == "LoginFailed") >= 5


def stripped(answer: httpx.Response) -> tuple[int, dict[str, str], object]:
    """An answer without what differs between any two: the id of the error."""
    body = answer.json()
    body["error"].pop("id")
    return answer.status_code, dict(answer.headers), body


async def test_a_wrong_name_and_a_wrong_password_get_one_answer(entrance: InProcessHouse) -> None:
    await entrance.joined("Ada")
    async with entrance.client() as client:
        wrong = await client.post("/api/login", json={"name": "Ada", "password": "not this one"})
        nobody = await client.post("/api/login", json={"name": "Zoe", "password": "not this one"})
        assert stripped(wrong) == stripped(nobody)
        assert wrong.json()["error"]["code"] == "WrongCredentials"
        assert len(entrance.hasher.verified) == 2
        assert entrance.hasher.verified[1] == QuickHasher.decoy


async def test_the_throttle_tells_nothing_either(entrance: InProcessHouse) -> None:
    await entrance.joined("Ada")
    async with entrance.client() as client:
        answers = {}
        for name in ("Ada", "Zoe"):
            entrance.clock.move(24 * HOUR)
            answers[name] = [
                stripped(await client.post("/api/login", json={"name": name, "password": "not this one"}))
                for _ in range(8)
            ]
        assert answers["Ada"] == answers["Zoe"]
        status, headers, _ = answers["Ada"][-1]
        assert status == 429
        assert int(headers["retry-after"]) >= 1


async def test_a_second_factor_is_asked_for_and_each_code_opens_once(entrance: InProcessHouse) -> None:
    world = World(entrance)
    await world.supervisor()
    name = entrance.application.accounts["1"].player.name
    secret = second_factor.decode_secret(SECRET)
    async with entrance.client() as client:
        form = {"name": name, "password": PASSWORD}
        answer = await client.post("/api/login", json=form)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "SecondFactorNeeded")
        answer = await client.post("/api/login", json={**form, "code": "000000"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "WrongCode")
        code = second_factor.compute_code(secret, entrance.clock.now() // second_factor.STEP)
        answer = await client.post("/api/login", json={**form, "code": code})
        assert answer.json()["role"] == "supervisor"
        assert (await client.get("/api/supervisor/tables")).is_success
        again = await client.post("/api/login", json={**form, "code": code})
        assert again.json()["error"]["code"] == "WrongCode"


async def test_a_supervisor_enrols_before_anything_else(entrance: InProcessHouse) -> None:
    world = World(entrance)
    eva = await world.supervisor(enrolled=False)
    async with entrance.client(await entrance.token(eva)) as client:
        assert (await client.get("/api/supervisor/tables")).json()["error"]["code"] == "SecondFactorMissing"
        offer = (await client.post("/api/second-factor", json={})).json()
        assert offer["uri"].startswith("otpauth://totp/")
        code = second_factor.compute_code(
            second_factor.decode_secret(offer["secret"]), entrance.clock.now() // second_factor.STEP
        )
        given = await client.post("/api/second-factor/confirmation", json={"code": code})
        assert len(given.json()["recovery"]) == 10
        assert (await client.get("/api/supervisor/tables")).is_success
        assert (await client.get("/api/me")).json()["second_factor"] is True
        kept = await client.post("/api/second-factor/removal", json={"code": given.json()["recovery"][0]})
        assert kept.json()["error"]["code"] == "SecondFactorKept"


async def test_hashing_leaves_the_tables_alone(tmp_path: Path) -> None:
    """Logins are hashed beside the loop and two at a time: while twenty wait, the loop goes on turning."""
    async with opened(tmp_path, hasher=Argon2()) as entrance, entrance.client() as client:
        await entrance.joined("Ada")
        loop, gaps = asyncio.get_running_loop(), []
        form = {"name": "Ada", "password": PASSWORD}
        logins = asyncio.gather(*(client.post("/api/login", json=form) for _ in range(20)))
        while not logins.done():
            before = loop.time()
            await asyncio.sleep(0)
            gaps.append(loop.time() - before)
        assert all(answer.is_success for answer in logins.result())
        assert len(gaps) > 200


@pytest.mark.parametrize(("days", "cleared"), [(30, False), (0, False), (30, True)])
async def test_r38_who_excludes_himself_is_no_guest_and_no_new_account_in_the_same_browser(
    entrance: InProcessHouse, days: int, *, cleared: bool
) -> None:
    """By the session while it lasts, and by what the browser remembers when it is over; others are let in."""
    _, client = await entrance.visitor("Ada")
    account = {"name": "Altra", "password": PASSWORD}
    async with client, entrance.client() as other:
        done = await client.post("/api/protection/exclusion", json={"days": days})
        assert done.status_code == 200
        mark = next(cookie for cookie in done.headers.get_list("set-cookie") if "-excluded=" in cookie)
        assert all(word in mark for word in ("HttpOnly", "SameSite=strict", "Max-Age="))
        if cleared:
            client.cookies.delete("ventuno-excluded")
        else:
            client.cookies.delete("ventuno")
        for path, body in (("/api/guest", None), ("/api/register", account)):
            refused = await client.post(path, json=body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "PlayExcluded")
        assert (await other.post("/api/guest")).status_code == 200
        login = await other.post("/api/login", json={"name": "Ada", "password": PASSWORD})
        assert login.status_code == 200, "he may still take his money"
        assert (await other.post("/api/guest")).status_code == 403, "another browser remembers it from the login on"
        if days:
            other.cookies.delete("ventuno")
            entrance.clock.move((days + 1) * 86_400_000)
            assert (await other.post("/api/guest")).status_code == 200


async def test_r44_strangers_who_guess_do_not_lock_the_owner_out(tmp_path: Path) -> None:
    """He comes from where he was before, or shows his second factor; strangers wait as they did."""
    own, elsewhere = {"X-Forwarded-For": "203.0.113.7"}, {"X-Forwarded-For": "203.0.113.99"}
    right = {"name": "Ada", "password": PASSWORD}
    async with opened(tmp_path) as entrance, entrance.client() as client:
        ada = await entrance.joined("Ada")
        assert (await client.post("/api/login", json=right, headers=own)).is_success
        assert (await client.post("/api/logout", headers=own)).is_success
        hashed, turned = await guesses(entrance, 200, 100, many_addresses())
        assert turned > hashed
        assert (await client.post("/api/login", json=right, headers=elsewhere)).status_code == 429
        assert (await client.post("/api/login", json=right, headers=own)).is_success
        await guesses(entrance, 200, 100, many_addresses())
        await entrance.application.accounts.appoint(ada, Role.PLAYER, SECRET)
        wrong = await client.post("/api/login", json={**right, "code": "000000"}, headers=elsewhere)
        assert wrong.status_code == 429, "a wrong code opens nothing and tells nothing"
        step = entrance.clock.now() // second_factor.STEP
        code = second_factor.compute_code(second_factor.decode_secret(SECRET), step)
        assert (await client.post("/api/login", json={**right, "code": code}, headers=elsewhere)).is_success


async def test_r44_a_known_address_guesses_no_faster_than_a_stranger(tmp_path: Path) -> None:
    async with opened(tmp_path) as entrance, entrance.client() as client:
        await entrance.joined("Ada")
        own = {"X-Forwarded-For": "198.51.100.1"}
        assert (await client.post("/api/login", json={"name": "Ada", "password": PASSWORD}, headers=own)).is_success
        hashed, _ = await guesses(entrance, 300, 100, one_address())
        assert hashed <= 30


@pytest.mark.parametrize(
    ("asked", "name"),
    [("en", "Guest"), ("en-GB,en;q=0.9", "Guest"), ("it", "Ospite"), ("de", "Ospite")],
)
async def test_a_guest_is_called_so_in_the_language_of_his_page(
    entrance: InProcessHouse, asked: str, name: str
) -> None:
    async with entrance.client() as client:
        answer = (await client.post("/api/guest", headers={"Accept-Language": asked})).json()
    assert answer["name"] == f"{name}-{answer['player']}"
