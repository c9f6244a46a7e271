"""How much anybody may ask: token buckets, addresses behind proxies, bounded memory (ASVS 2.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.in_process_house import PLENTY, InProcessHouse, opened
from ventuno.web.http.client_address import NOWHERE, Proxies, address_group
from ventuno.web.http.rate_limits import BucketSize, RateLimiter, RateLimits, TokenBuckets

FEW = RateLimits(address=BucketSize(5, 1), account=PLENTY.account, entry=PLENTY.entry)


def test_a_bucket_gives_its_burst_and_then_fills_by_time() -> None:
    held = TokenBuckets(BucketSize(3, 2))
    assert [held.take("a", 0) for _ in range(4)] == [0, 0, 0, 500]
    assert held.take("b", 0) == 0
    assert held.take("a", 499) > 0
    assert held.take("a", 1000) == 0
    assert [held.take("a", 100_000) for _ in range(4)] == [0, 0, 0, 500]


def test_a_refused_call_costs_nothing_and_a_dear_one_more() -> None:
    held = TokenBuckets(BucketSize(10, 1))
    assert held.take("a", 0, 8) == 0
    assert held.take("a", 0, 8) == 6000
    assert held.take("a", 0, 2) == 0


def test_a_clock_that_goes_back_fills_nothing() -> None:
    held = TokenBuckets(BucketSize(1, 1))
    assert held.take("a", 10_000) == 0
    assert held.take("a", 0) > 0


def test_the_memory_of_buckets_is_bounded() -> None:
    held = TokenBuckets(BucketSize(2, 1), most=100)
    for number in range(10_000):
        held.take(str(number), number)
    assert len(held) == 100


def test_planted_bucket_that_forgets_who_asks_now_would_be_caught() -> None:
    """The one that is forgotten is the one that asked longest ago, never the one that floods."""
    held = TokenBuckets(BucketSize(2, 0.001), most=3)
    taken = []
    for number in range(50):
        taken.append(held.take("flood", number) == 0)
        held.take(f"other {number}", number)
    assert sum(taken) == 2


def test_sockets_are_counted_by_address() -> None:
    rates = RateLimiter(RateLimits(connections=2), lambda: 0)
    assert [rates.connect("a"), rates.connect("a"), rates.connect("a"), rates.connect("b")] == [True, True, False, True]
    rates.disconnect("a")
    assert rates.connect("a")
    rates.disconnect("a")
    rates.disconnect("a")
    rates.disconnect("a")
    assert not rates._connections.get("a")


async def test_too_many_calls_are_told_when_to_come_back(tmp_path: Path) -> None:
    async with opened(tmp_path, allowances=FEW) as entrance, entrance.client() as client:
        for _ in range(5):
            assert (await client.get("/api/lobby")).is_success
        answer = await client.get("/api/lobby")
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TooMany")
        assert answer.headers["retry-after"] == "1"
        assert (await client.get("/")).is_success
        entrance.clock.move(1_000)
        assert (await client.get("/api/lobby")).is_success


async def test_an_account_is_counted_wherever_it_calls_from(tmp_path: Path) -> None:
    few = RateLimits(PLENTY.address, BucketSize(4, 1), PLENTY.entry)
    async with opened(tmp_path, allowances=few) as entrance:
        ada, one = await entrance.visitor("Ada")
        other = entrance.client(await entrance.token(ada), **{"X-Forwarded-For": "198.51.100.7"})
        async with one, other:
            for client in (one, other, one, other):
                assert (await client.get("/api/me")).is_success
            assert (await one.get("/api/me")).status_code == 429
            assert (await other.get("/api/me")).status_code == 429
            _, bea = await entrance.visitor("Bea")
            assert (await bea.get("/api/me")).is_success


async def test_what_costs_a_hash_or_an_account_is_rare(tmp_path: Path) -> None:
    few = RateLimits(PLENTY.address, PLENTY.account, BucketSize(3, 0.1))
    async with opened(tmp_path, allowances=few) as entrance, entrance.client() as client:
        answers = [(await client.post("/api/guest")).status_code for _ in range(6)]
        assert answers == [200, 200, 200, 429, 429, 429]
        answer = await client.post("/api/login", json={"name": "Ada", "password": "wrong word"})
        assert answer.status_code == 429
        assert not entrance.hasher.verified
        other = entrance.client(**{"X-Forwarded-For": "198.51.100.7"})
        assert (await other.post("/api/guest")).status_code == 200


def scope(peer: str, *told: str) -> dict[str, object]:
    return {"client": (peer, 1), "headers": [(b"x-forwarded-for", one.encode()) for one in told]}


@pytest.mark.parametrize(
    ("peer", "told", "found"),
    [
        ("203.0.113.9", [], "203.0.113.9"),
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["10.9.9.9, 198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, 10.0.0.7"], "198.51.100.1"),
        ("127.0.0.1", ["6.6.6.6", "198.51.100.1, 10.0.0.7"], "198.51.100.1"),
        ("127.0.0.1", ["nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1, nonsense"], "127.0.0.1"),
        ("127.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("::1", ["2001:db8::1%eth0"], "2001:db8::1"),
        ("", ["198.51.100.1"], NOWHERE),
    ],
)
def test_only_a_proxy_of_ours_says_where_a_call_comes_from(peer: str, told: list[str], found: str) -> None:
    """Read from the right: what stands left of the nearest stranger may be made up."""
    assert Proxies(("127.0.0.1", "::1", "10.0.0.0/24")).client(scope(peer, *told)) == found


def test_one_line_of_ipv6_is_one_household() -> None:
    assert address_group("2001:db8:1:2:3:4:5:6") == address_group("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    assert address_group("2001:db8:1:3::1") != address_group("2001:db8:1:2::1")
    assert address_group("203.0.113.9") == "203.0.113.9"
    assert address_group(NOWHERE) == NOWHERE


async def test_a_stranger_cannot_hide_behind_the_header(tmp_path: Path) -> None:
    async with opened(tmp_path, {"proxies": []}, allowances=FEW) as entrance:
        answers = []
        for number in range(8):
            async with entrance.client(**{"X-Forwarded-For": f"198.51.100.{number}"}) as client:
                answers.append((await client.get("/api/lobby")).status_code)
        assert answers == [200] * 5 + [429] * 3


async def test_the_address_of_a_session_is_the_players_own(entrance: InProcessHouse) -> None:
    async with entrance.client(**{"X-Forwarded-For": "198.51.100.7"}) as client:
        await client.post("/api/guest")
        assert (await client.get("/api/sessions")).json()["sessions"][0]["address"] == "198.51.100.7"
