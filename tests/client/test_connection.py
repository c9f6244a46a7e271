"""The client on lines that are lost: nothing is done twice, nothing is forgotten, and what is final is said (X-15)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.support.patience import PATIENCE
from tests.support.scripted_socket import LOST, Frame, React, ScriptedSocket, answer, close
from ventuno.client import ClientError, ConnectionEnded, LineLost, Refused, Table, TableGone
from ventuno.client.connection import Connection

WHOLE: Frame = {"type": "table", "table": "T", "version": 1, "public": {"cards": ["9H"]}, "mine": {"balance": 0}}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ventuno.client.connection.RETRY_SECONDS", (0.0,))
    monkeypatch.setattr("ventuno.client.connection.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("ventuno.client.table.BUSY_SECONDS", 0.0)


@asynccontextmanager
async def connected(*lines: ScriptedSocket) -> AsyncIterator[Table]:
    """A table that is shown over these lines, one after the other; after the last the house cannot be reached."""
    left = list(lines)

    async def open_socket() -> Any:
        if left:
            return left.pop(0)
        return await asyncio.Event().wait()

    connection = Connection(open_socket, lambda _: None)
    table = Table("T", "7", 1, connection)
    connection.watch(table)
    connection.start()
    try:
        async with asyncio.timeout(PATIENCE):
            await table.wait_for(lambda shown: shown.version >= 0)
            yield table
    finally:
        await connection.close()


def line(react: React = lambda _: ()) -> ScriptedSocket:
    return ScriptedSocket(react, WHOLE)


def rejoined(react: React) -> ScriptedSocket:
    """A line on which the table is joined again without news."""
    return ScriptedSocket(lambda sent: (answer(sent),) if sent["type"] == "join" else react(sent))


async def test_a_command_without_an_answer_is_asked_again_under_its_key() -> None:
    first, second = line(lambda _: (LOST,)), rejoined(lambda sent: (answer(sent),))
    async with connected(first, second) as table:
        await table.bring(500)
    (ask,), (join, again) = first.sent, second.sent
    assert (join["type"], join["version"]) == ("join", 1), "the table comes first, with the version one has"
    assert again == ask
    assert ask["command"] == {"do": "bring", "amount": 500}


async def test_two_wishes_have_two_keys() -> None:
    house = line(lambda sent: (answer(sent),))
    async with connected(house) as table:
        await table.deal()
        await table.deal()
    assert len({sent["key"] for sent in house.sent}) == 2


async def test_a_busy_house_is_asked_again_under_the_same_key() -> None:
    busy = iter(("HouseBusy", "TableOpening", ""))
    house = line(lambda sent: (answer(sent, code=next(busy), milliseconds=0),))
    async with connected(house) as table:
        await table.deal()
    assert [sent["key"] for sent in house.sent] == [house.sent[0]["key"]] * 3


async def test_x19_a_refusal_has_its_code_and_numbers() -> None:
    async with connected(line(lambda sent: (answer(sent, code="LimitReached", maximum=500),))) as table:
        with pytest.raises(Refused) as caught:
            await table.bet([(1, "main")], 600)
    assert (caught.value.code, caught.value.numbers) == ("LimitReached", {"maximum": 500})


async def test_a_chat_message_is_not_said_twice() -> None:
    second = rejoined(lambda sent: (answer(sent),))
    async with connected(line(lambda _: (LOST,)), second) as table:
        with pytest.raises(LineLost):
            await table.say("buona fortuna")
        await table.deal()
    assert [sent["type"] for sent in second.sent] == ["join", "ask"]


def step(after: int, version: int, card: str) -> Frame:
    return {"type": "step", "table": "T", "after": after, "version": version, "public": [[["cards", after], card]]}


async def test_steps_are_applied_and_a_gap_is_filled() -> None:
    """The third step came without the second: the table is asked for once, from the version that is there."""

    def react(sent: Frame) -> list[Frame]:
        return [step(1, 2, "6D"), step(2, 3, "KS"), step(3, 4, "2C"), answer(sent, 4)]

    house = ScriptedSocket(react, WHOLE, step(2, 3, "KS"), step(3, 4, "2C"))
    async with connected(house) as table:
        await table.wait_for(lambda shown: shown.version == 4)
        assert table._trees["public"] == {"cards": ["9H", "6D", "KS", "2C"]}
    assert [(sent["type"], sent["version"]) for sent in house.sent] == [("join", 1)]


async def test_each_change_is_seen_also_where_frames_come_together() -> None:
    house = ScriptedSocket(lambda sent: (step(1, 2, "6D"), step(2, 3, "KS"), step(3, 4, "2C"), answer(sent, 4)), WHOLE)
    seen = list[int]()

    async def look(table: Table) -> None:
        while table.version < 4:
            await table.changed()
            seen.append(table.version)

    async with connected(house) as table, asyncio.TaskGroup() as group:
        group.create_task(look(table))
        group.create_task(table.deal())
    assert seen == [2, 3, 4]


async def test_a_table_that_one_left_is_gone() -> None:
    async with connected(line(lambda sent: (answer(sent),))) as table:
        await table.leave()
        assert table.is_gone
        with pytest.raises(TableGone, match="T: left"):
            await table.deal()


async def test_x15_a_ping_is_answered_at_once() -> None:
    house = ScriptedSocket(lambda _: (), {"type": "ping", "nonce": "4", "now": 0}, WHOLE)
    async with connected(house):
        assert house.sent == [{"type": "pong", "nonce": "4"}]


@pytest.mark.parametrize("code", [4000, 4004, 4005, 4008])
async def test_a_line_that_ends_for_good_is_not_taken_up_again(code: int) -> None:
    second = rejoined(lambda sent: (answer(sent),))
    async with connected(line(lambda _: (close(code),)), second) as table:
        with pytest.raises(ConnectionEnded) as caught:
            await table.deal()
        for again in (table.deal, table.changed):
            with pytest.raises(ConnectionEnded):
                await again()
    assert caught.value.code == code
    assert second.sent == []


@pytest.mark.parametrize("code", [4002, 4003, 4006, 4007, 1011])
async def test_others_are_taken_up_again(code: int) -> None:
    async with connected(line(lambda _: (close(code),)), rejoined(lambda sent: (answer(sent),))) as table:
        await table.deal()


async def test_a_table_that_is_gone_when_one_comes_back() -> None:
    """Who waits for it hears so."""
    second = ScriptedSocket(lambda sent: (answer(sent, code="NoSuchTable"),))
    async with connected(ScriptedSocket(lambda _: (), WHOLE, LOST), second) as table:
        with pytest.raises(TableGone, match="T: NoSuchTable"):
            await table.changed()


async def test_a_frame_that_the_house_did_not_take_is_an_error() -> None:
    def react(sent: Frame) -> list[Frame]:
        return [{"type": "fault", "code": "Malformed", "detail": "amount", "id": "5f", "about": sent["id"]}]

    async with connected(line(react)) as table:
        with pytest.raises(ClientError, match=r"Malformed: amount \(5f\)"):
            await table.bring(-1)


async def test_a_frame_that_is_not_understood_ends_the_wait() -> None:
    async with connected(line(lambda _: ({"type": "step", "table": "T"},))) as table:
        with pytest.raises(ClientError, match="not understood"):
            await table.deal()


async def test_x01_a_shoe_is_cut_and_nothing_revealed_without_the_list() -> None:
    shoe: Frame = {"type": "shoe", "table": "T", "players": ["7"], "promised": [], "revealed": [], "promises": None}

    def listed(digest: str) -> Frame:
        promises = {"listed": {"promises": [{"player": "7", "promise": digest}]}}
        return {**shoe, "phase": "reveals", "promised": ["7"], "promises": promises}

    async with connected(line()) as table:
        (promise,) = table.hear({**shoe, "phase": "promises"})
        assert table.hear(listed("00" * 32)) == [], "another promise than mine"
        (reveal,) = table.hear(listed(promise["digest"]))
        assert (promise["type"], reveal["type"]) == ("promise", "reveal")
        assert table.hear({**listed(promise["digest"]), "revealed": ["7"]}) == []
        assert table.hear({**shoe, "phase": "promises", "players": ["8"]}) == []
