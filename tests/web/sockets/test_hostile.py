"""T-8: clients that lie, repeat, reorder, steal, flood and dawdle, against a real server.

After each of them the house is alive, serves somebody else, its books are sound, and everything that its customers were
told of their money is explained (T-9). Faults of single frames are in `test_fuzz`, limits of one socket in
`test_limits`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.crowded_house import (
    check_undisturbed,
    open_crowded_house,
)
from tests.support.history_clients import Customer
from tests.support.house import LIVE, key
from tests.support.http_house import ServedHouse, Visitor, read_handshake_refusal, wait_until
from tests.support.raw_client import Raw, closed, framed
from ventuno.house.store.clock import JumpingClock
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.tickets import LIFE
from ventuno.web.sockets.websocket_protocol import BUFFER

HUNDRED = 100
FLOOD = 10_000


def money(doors: ServedHouse, player: str) -> tuple[int, int]:
    """What a player has in his account and at the tables, by the house's own books."""
    balance = doors.application.host.authority.wallet.balance
    return balance(f"player:{player}"), balance(f"player:{player}:table")


async def test_g7_a_hundred_times_the_same_key_at_once(tmp_path: Path) -> None:
    """One effect, and a hundred times the same answer; with another body an error, and no effect."""
    async with open_crowded_house(tmp_path) as doors:
        ada = await Customer.come(doors)
        once = key()

        async def deposit(amount: int) -> tuple[int, str]:
            answer = await ada.http.post(
                "/api/cashier/deposits", json={"amount": amount}, headers={"Idempotency-Key": once}
            )
            return answer.status_code, answer.text

        answers = await asyncio.gather(*[deposit(7_000) for _ in range(HUNDRED)])
        assert len(set(answers)) == 1
        assert answers[0][0] == 200
        assert money(doors, ada.player) == (107_000, 0)
        others = await asyncio.gather(*[deposit(7_001 + number) for number in range(10)])
        assert all(status == 409 and '"KeyReused"' in text for status, text in others)
        once, first = key(), once
        assert (await deposit(1))[0] == 200
        once = first
        assert await deposit(7_000) == answers[0], "whatever has happened to the balance since"
        assert money(doors, ada.player) == (107_001, 0)
        await ada.leave()


async def test_g7_a_hundred_times_the_same_key_over_sockets(tmp_path: Path) -> None:
    """From one socket all at once, then from another device: one effect; the answers differ in their ids alone."""
    async with open_crowded_house(tmp_path) as doors:
        ada = await Customer.come(doors)
        first, once = await ada.go(), key()
        body = {"table": LIVE, "key": once, "command": {"do": "bring", "amount": 5_000}}
        for number in range(HUNDRED):
            await first.send({"type": "ask", "id": f"a{number}", **body})
        await first.until(lambda: sum(one["id"].startswith("a") for one in first.of("answer")) == HUNDRED)
        second = await ada.go()
        for number in range(HUNDRED):
            await second.send({"type": "ask", "id": f"b{number}", **body})
        await second.until(lambda: sum(one["id"].startswith("b") for one in second.of("answer")) == HUNDRED)
        told = [one for visitor in (first, second) for one in visitor.of("answer") if one["id"][0] in "ab"]
        assert {(one["table"], str(one["refused"])) for one in told} == {(LIVE, "None")}
        assert money(doors, ada.player) == (95_000, 5_000)
        other = await second.ask("bring", amount=5_001, again=once)
        assert (other["refused"]["code"], other["refused"]["numbers"]) == ("KeyReused", {"key": once})
        elsewhere = await second.ask("take", amount=5_000, again=once)
        assert elsewhere["refused"]["code"] == "KeyReused"
        assert money(doors, ada.player) == (95_000, 5_000)
        await ada.leave()


SCRIPT: tuple[dict[str, Any], ...] = (
    {"do": "bring", "amount": 10_000},
    {"do": "sit", "box": 3},
    {"do": "allow-behind", "allowed": False},
    {"do": "bet", "spots": [{"box": 3, "bet": "main"}], "amount": 1_000},
    {"do": "bet", "spots": [{"box": 3, "bet": "perfect-pairs"}], "amount": 500},
    {"do": "undo"},
    {"do": "take", "amount": 2_000},
    {"do": "remove", "spot": {"box": 3, "bet": "main"}, "amount": 500},
    {"do": "clear"},
    {"do": "stand-up", "box": 3},
)


def messages(script: Any = SCRIPT) -> list[dict[str, Any]]:
    return [{"type": "ask", "table": LIVE, "key": key(), "command": one} for one in script]


async def sent(visitor: Visitor, listed: list[dict[str, Any]], mark: str) -> list[str]:
    """Everything at once, without waiting; the codes of the answers in the order of the messages, empty where done."""
    for number, message in enumerate(listed):
        await visitor.send({**message, "id": f"{mark}{number}"})
    wanted = {f"{mark}{number}" for number in range(len(listed))}
    await visitor.until(lambda: wanted <= {one["id"] for one in visitor.of("answer")})
    found = {one["id"]: (one["refused"] or {}).get("code", "") for one in visitor.of("answer")}
    return [found[f"{mark}{number}"] for number in range(len(listed))]


async def dealing(doors: ServedHouse, visitor: Visitor) -> None:
    """Until bets are taken: somebody has to sit, and the shoe has to be cut."""
    await doors.seated("Friend-of-all", 7)
    await visitor.until(lambda: visitor.public()["phase"] == "betting")


async def test_everything_twice_is_done_once(tmp_path: Path) -> None:
    async with open_crowded_house(tmp_path, clock=JumpingClock()) as doors:
        ada, bea = await Customer.come(doors), await Customer.come(doors)
        for one in (ada, bea):
            await dealing(doors, await one.go()) if one is ada else await one.go()
        twice = [message for message in messages() for _ in range(2)]
        assert ada.visitor is not None
        assert bea.visitor is not None
        doubled = await sent(ada.visitor, twice, "d")
        assert doubled[::2] == doubled[1::2] == [""] * len(SCRIPT)
        single = await sent(bea.visitor, messages(), "s")
        assert single == [""] * len(SCRIPT)
        assert money(doors, ada.player) == money(doors, bea.player) == (90_000 + 2_000, 8_000)
        for one in (ada, bea):
            await one.leave()


async def test_in_any_order_nothing_is_done_that_was_refused(tmp_path: Path) -> None:
    """Frames that overtake each other: what is accepted explains the money to the cent."""
    async with open_crowded_house(tmp_path, clock=JumpingClock()) as doors:
        rng = Random(8)
        for number in range(8):
            ada = await Customer.come(doors)
            visitor = await ada.go()
            if not number:
                await dealing(doors, visitor)
            listed = messages()
            rng.shuffle(listed)
            codes = await sent(visitor, listed, "r")
            free, purse, staked = 100_000, 0, 0
            for message, code in zip(listed, codes, strict=True):
                command = message["command"]
                if code or command["do"] not in ("bring", "take"):
                    continue
                moved = command["amount"] if command["do"] == "bring" else -command["amount"]
                free, purse = free - moved, purse + moved
            staked = visitor.mine()["staked"]
            assert money(doors, ada.player) == (free, purse - staked), codes
            assert visitor.mine()["balance"] == purse - staked
            assert (await ada.read())["at_tables"] == purse - staked
            await visitor.ask("clear")
            await visitor.ask("stand-up", box=3)
            await ada.leave()


async def test_what_was_recorded_is_worth_nothing_in_another_session(tmp_path: Path) -> None:
    """Replayed by the same player it is done already; by another it is his own doing and touches nobody else."""
    async with open_crowded_house(tmp_path, clock=JumpingClock()) as doors:
        ada, bea = await Customer.come(doors), await Customer.come(doors, 3_000)
        visitor = await ada.go()
        await dealing(doors, visitor)
        recorded = messages(SCRIPT[:4])
        assert await sent(visitor, recorded, "x") == [""] * 4
        before = money(doors, ada.player), doors.application.host.committed[LIVE].table.slips[ada.player]
        again = await doors.enter(ada.player, await doors.session(ada.player))
        await again.join()
        assert await sent(again, recorded, "x") == [""] * 4
        thief = await bea.go()
        codes = await sent(thief, recorded, "x")
        assert codes == ["FundsMissing", "BoxTaken", "UnknownPlayer", "UnknownPlayer"], "he has brought no money"
        assert (money(doors, ada.player), doors.application.host.committed[LIVE].table.slips[ada.player]) == before
        assert money(doors, bea.player) == (3_000, 0)
        for one in (ada, bea):
            await one.leave()


async def test_a_session_that_is_over_replays_nothing(tmp_path: Path) -> None:
    """The socket closes, the cookie opens nothing, its tickets are void."""
    async with open_crowded_house(tmp_path) as doors:
        ada = await Customer.come(doors)
        visitor = await ada.go()
        ticket = doors.app.state.tickets.issue(ada.session.session)
        assert (await ada.http.post("/api/logout")).is_success
        assert await visitor.ended() == 4004
        assert (await ada.http.get("/api/me")).status_code == 401
        cookie = doors.headers(ada.session.token)
        assert (await read_handshake_refusal(doors, ticket, cookie, doors.origin))[0] == 401
        await ada.leave()


async def test_forged_seats_boxes_rounds_and_tables(tmp_path: Path) -> None:
    """Whatever number he puts in a message, a player acts for himself and where he may."""
    async with open_crowded_house(tmp_path, clock=JumpingClock()) as doors:
        ada, bea = await Customer.come(doors), await Customer.come(doors)
        visitor, thief = await ada.go(), await bea.go()
        solo = await doors.application.tables.open_solo(ada.player, "duello")
        practice = await doors.application.tables.open_practice(ada.player, "ventuno")
        await dealing(doors, visitor)
        for one, box in ((visitor, 1), (thief, 5)):
            await one.must("bring", amount=20_000)
            await one.must("sit", box=box)
            await one.must("bet", spots=[{"box": box, "bet": "main"}], amount=1_000)
        before = doors.application.host.committed[LIVE].table
        forged = [
            {"do": "sit", "box": 1},
            {"do": "stand-up", "box": 1},
            {"do": "remove", "spot": {"box": 1, "bet": "main"}},
            {"do": "bet", "spots": [{"box": 1, "bet": "main"}], "amount": 1_000},
            {"do": "bet", "spots": [{"box": 5, "bet": "main"}, {"box": 1, "bet": "21+3"}], "amount": 500},
            {"do": "bet", "spots": [{"box": 0, "bet": "dealer-pair"}], "amount": 100},
            {"do": "decide", "box": 1, "action": "stand"},
            {"do": "decide-early", "box": 1, "action": "stand"},
            {"do": "spin-wheel", "box": 1},
            {"do": "take", "amount": 10**6},
        ]
        assert "" not in await sent(thief, messages(forged), "f")
        for table in (str(solo), practice, "T1 ", "t1", "table:T1", "sealed:T1", "..", "T2"):
            assert (await thief.tell("join", table))["refused"]["code"] == "NoSuchTable", table
            assert (await thief.ask("bring", table, amount=100))["refused"]["code"] == "NotJoined"
        after = doors.application.host.committed[LIVE].table
        assert (after.seats, after.slips, after.purses) == (before.seats, before.slips, before.purses)
        for path in (f"/api/tables/{solo}/proofs", f"/api/tables/{practice}/receipt", "/api/history/T1-1"):
            assert (await bea.http.get(path)).status_code == 404
        for act in ("pause", "closing", "void/preparation"):
            path, once = f"/api/supervisor/tables/{LIVE}/{act}", {"Idempotency-Key": key()}
            answer = await bea.http.post(path, json={"reason": "mine now"}, headers=once)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "NotSupervisor")
        for customer in (ada, bea):
            await customer.leave()


async def test_v44_tickets_cookies_and_origins_of_others(tmp_path: Path) -> None:
    """Refused before the socket opens: no ticket, a used, expired or foreign one; a foreign cookie; a foreign page."""
    clock = JumpingClock()
    async with open_crowded_house(tmp_path, clock=clock) as doors:
        ada, bea = await doors.session(await doors.joined("Ada")), await doors.session(await doors.joined("Bea"))
        again, tickets = await doors.session(ada.player), doors.app.state.tickets
        mine, home = doors.headers(ada.token), doors.origin
        used, expired = tickets.issue(ada.session), tickets.issue(ada.session)
        line = await doors.enter(ada.player, ada)
        assert (await read_handshake_refusal(doors, used, doors.headers(bea.token), home))[0] == 403
        clock.move(LIFE)
        for ticket, cookie, origin, status in (
            (used, mine, home, 403),
            (expired, mine, home, 403),
            ("", mine, home, 403),
            (tickets.issue(bea.session), mine, home, 403),
            (tickets.issue(again.session), mine, home, 403),
            (tickets.issue(ada.session), doors.headers(bea.token), home, 403),
            (tickets.issue(ada.session), {}, home, 401),
            (tickets.issue(ada.session), doors.headers("0" * 64), home, 401),
            (tickets.issue(ada.session), mine, None, 403),
            (tickets.issue(ada.session), mine, "null", 403),
            (tickets.issue(ada.session), mine, "https://evil.example", 403),
            (tickets.issue(ada.session), mine, f"http://127.0.0.1:{doors.port + 1}", 403),
        ):
            assert (await read_handshake_refusal(doors, ticket, cookie, origin))[0] == status, (ticket, cookie, origin)
        assert doors.hub.sockets == 1
        await line.close()


async def test_who_asks_much_and_reads_nothing_is_dropped(tmp_path: Path) -> None:
    """At a bounded buffer; the others do not notice."""
    async with open_crowded_house(tmp_path) as doors:
        slow = await Raw.enter(doors, await doors.session(await doors.joined("Slow")), receive_buffer=4_096)
        join = framed(b'{"type":"join","id":"m","table":"T1"}')
        async with check_undisturbed(doors):
            (channel,) = [
                one
                for held in doors.hub.connections.values()
                for one in held
                if doors.find_protocol(one).client == address(slow)
            ]
            line, most = doors.find_protocol(channel), 0
            for _ in range(20_000):
                slow.send(join)
                await asyncio.sleep(0)
                most = max(most, line.transport.get_write_buffer_size())
                if channel.is_closing:
                    break
            assert channel.is_closing, "he was never dropped"
            assert BUFFER < most < BUFFER + 64_000
            await wait_until(lambda: channel not in doors.hub.connections.get(channel.player, []))
        slow.vanish()


def address(line: Raw) -> tuple[str, int]:
    found: tuple[str, int] = line.writer.get_extra_info("sockname")
    return found


async def test_a_flood_of_ten_thousand_a_second_is_shed(tmp_path: Path) -> None:
    """The bucket lets through what a hand could send; then the socket is closed with its reason."""
    async with open_crowded_house(tmp_path, bounds=SocketLimits(late_joins=10**6, late_asks=10**6)) as doors:
        async with check_undisturbed(doors):
            flood = await Raw.enter(doors, await doors.session(await doors.joined("Flood")))
            before = doors.hub.requests
            part = framed(b'{"type":"part","id":"m","table":"T9"}') * (FLOOD // 10)
            for _ in range(10):
                flood.send(part)
                await asyncio.sleep(0)
            data = await flood.rest()
            assert closed(data) == 4002
            assert doors.hub.requests - before < 200
        await flood.drop()


async def test_who_vanishes_is_counted_out(tmp_path: Path) -> None:
    """Half-open: connected and silent, upgraded and dead to pings, or gone without a word."""
    async with open_crowded_house(tmp_path, server={"ws_ping_interval": 0.3, "ws_ping_timeout": 0.3}) as doors:
        session = await doors.session(await doors.joined("Ada"))
        for _ in range(5):
            (await Raw.enter(doors, session)).vanish()
        dead = [await Raw.enter(doors, session) for _ in range(3)]
        await wait_until(lambda: doors.hub.sockets <= 3)
        await wait_until(lambda: doors.hub.sockets == 0)
        assert doors.app.state.rates._connections == {}
        for line in dead:
            assert closed(await line.rest()) == 1011
            await line.drop()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (framed(b" " * 4_097), 4001),
        (framed(b"x" * 9_000), 1009),
        (b"\x81\xff" + (2**62).to_bytes(8, "big") + bytes(4), 1009),
        (framed(b"x" * 3_000, last=False) + framed(b"x" * 3_000, 0), 4001),
        (framed(b"\xff\xfe"), 1007),
        (framed(b"{}", masked=False), 1002),
        (framed(b"{}", bits=0x40), 1002),
        (framed(b"{}", 3), 1002),
    ],
)
async def test_frames_that_are_too_large_or_none(tmp_path: Path, data: bytes, code: int) -> None:
    async with open_crowded_house(tmp_path) as doors:
        line = await Raw.enter(doors, await doors.session(await doors.joined("Ada")))
        line.send(data)
        assert closed(await line.rest()) == code
        await line.drop()
