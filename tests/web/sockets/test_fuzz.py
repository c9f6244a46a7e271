"""Thousands of frames that nobody should send: no crash, and no change that the rules do not explain (T-8, G-18).

Most go straight to the channels of a house in memory, beside the model (`tests/support/fuzzed_house.py`);
some thousands go over real sockets. `python3 dev.py soak frames` sends a million.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.frame_grammar import Speaker, frame
from tests.support.fuzzed_house import Outside, open_fuzzed_house
from tests.support.house import LIVE
from tests.support.http_house import ServedHouse, opened
from tests.support.raw_client import Raw
from tests.support.volume import scale
from ventuno.core.views.private_view import Reason
from ventuno.house.tables.table_host import TableHost
from ventuno.house.tables.table_service import TableService
from ventuno.web.messages import client_messages, server_messages
from ventuno.web.messages.client_messages import to_command
from ventuno.web.sockets import channel as channel_module
from ventuno.web.sockets.limits import SocketLimits

FRAMES = scale(160_000)
MORE = 5
"""How often as many are sent again until what is rare, a board of the bonus, has come up."""
OVER_SOCKETS, TORN = 1_000, 120
PLANTED = 6_000
"""A house that does something else is found within fewer frames than the sound one is sent."""
PATIENT = SocketLimits(burst=10**6, faults=10**6, late_joins=10**6, late_asks=10**6)
COVERED = {
    **dict.fromkeys(("PlaceBet", "DealNow", "Act", "BringMoney", "TakeMoney", "AllowBehind", "ChooseFollow"), 20),
    **dict.fromkeys(("TakeSeat", "LeaveSeat", "UndoBet", "ClearBets", "RemoveBet", "RepeatBets", "DoubleBets"), 2),
    **dict.fromkeys(("ActAll", "ActEarly"), 2),
    "SpinWheel": 1,
    "SpinBoard": 1,
    "rounds": 60,
    "again": 4,
    "malformed": FRAMES // 3,
    "refused": FRAMES // 5,
    "taken": FRAMES // 40,
    "too long": FRAMES // 100,
}
"""What has to have come up, and how often, for the run to mean anything."""


@pytest.mark.timeout(900)
async def test_g18_no_frame_does_what_the_rules_do_not_explain(tmp_path: Path) -> None:
    async with open_fuzzed_house(tmp_path, 21) as house:
        await house.run(FRAMES)
        for _ in range(MORE):
            if not (missing := [what for what, least in COVERED.items() if house.seen[what] < least]):
                break
            await house.run(FRAMES)
    assert not missing


def test_the_grammar_speaks_every_word() -> None:
    """What is not bent is taken by the house's own reader, and nothing of the vocabulary is left out."""
    speaker, kinds, words = Speaker(Random(1), ["T1"]), set[str](), set[str]()
    for _ in range(3_000):
        asked = client_messages.client_message.validate_json(json.dumps(speaker.valid()))
        kinds.add(type(asked).__name__)
        if isinstance(asked, client_messages.Ask):
            words.add(type(asked.command).__name__)
    assert kinds == {one.__name__ for one in get_args(get_args(client_messages.ClientMessage)[0])}
    assert words == {one.__name__ for one in get_args(get_args(client_messages.TableCommand)[0])}


def test_most_frames_are_wrong_in_some_way() -> None:
    speaker, wrong = Speaker(Random(2), ["T1"]), 0
    for _ in range(2_000):
        sent = frame(speaker)
        try:
            client_messages.client_message.validate_json(sent)
        except ValueError:
            wrong += 1
    assert 1_000 < wrong < 1_700


def breaks(patched: pytest.MonkeyPatch) -> None:
    """A command that nobody foresaw."""

    def foreseen(player: str, doing: Any) -> Any:
        if doing.do == "clear":
            raise KeyError("planted")
        return to_command(player, doing)

    patched.setattr(channel_module, "to_command", foreseen)


def does_what_it_refuses(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(channel_module, "answer_reason", lambda _answer: Reason("NotYours", {}))


def pays_twice(patched: pytest.MonkeyPatch) -> None:
    def doubled(player: str, doing: Any) -> Any:
        return to_command(player, replace(doing, amount=2 * doing.amount) if doing.do == "bring" else doing)

    patched.setattr(channel_module, "to_command", doubled)


def forgets_keys(patched: pytest.MonkeyPatch) -> None:
    real = TableHost.ask

    async def forgetful(self: TableHost, request: Any) -> Any:
        self.authority.keys.clear()
        return await real(self, request)

    patched.setattr(TableHost, "ask", forgetful)


def takes_from_another(patched: pytest.MonkeyPatch) -> None:
    real = TableService.take

    async def ask(self: TableService, player: str, table: str, made: Any, key: str) -> Any:
        if type(made).__name__ == "TakeMoney":
            return await real(self, "1", table, made.amount, key)
        return await unplanted(self, player, table, made, key)

    unplanted = TableService.ask
    patched.setattr(TableService, "ask", ask)


def reads_what_is_none(patched: pytest.MonkeyPatch) -> None:
    """A reader that takes "100", 1.0 and true for amounts, and whatever else comes along."""
    lax = client_messages.client_message

    class Lax:
        def validate_json(self, text: str) -> Any:
            return lax.validate_json(text, strict=False)

    patched.setattr(client_messages, "client_message", Lax())


PLANTS = (breaks, does_what_it_refuses, pays_twice, forgets_keys, takes_from_another, reads_what_is_none)


@pytest.mark.parametrize("plant", PLANTS)
async def test_a_house_that_does_something_else_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Any
) -> None:
    """The check itself."""
    async with open_fuzzed_house(tmp_path, 3) as house:
        await house.run(50)
        plant(monkeypatch)
        with pytest.raises((Outside, AssertionError)):
            await house.run(PLANTED)


async def test_over_real_sockets(tmp_path: Path) -> None:
    """The same frames through the server: each is answered in the published form or closes its socket with a reason."""
    async with opened(tmp_path, bounds=PATIENT) as doors:
        bystander = await doors.seated("Bea", 7)
        player, rng, seen = await doors.joined("Ada"), Random(4), Counter[str]()
        speaker, left = Speaker(rng, [LIVE, LIVE, "first-person-1", "T9"], "sock"), OVER_SOCKETS
        await doors.application.tables.bring(player, LIVE, 50_000, "purse")
        while left > 0:
            left -= await session(doors, player, speaker, seen, left)
        assert seen["answer"] > OVER_SOCKETS // 10
        assert seen["fault"] > OVER_SOCKETS // 4
        assert seen["closed 4001"] >= 5
        assert bystander.mine()["balance"] == 100_000
        assert doors.application.host.authority.find_faults() == []
        assert doors.hub.backlog.waiting == 0


async def session(doors: ServedHouse, player: str, speaker: Speaker, seen: Counter[str], most: int) -> int:
    """One socket, until it is closed or everything was sent; how many frames it took."""
    visitor, sent = await doors.enter(player, cuts=False, follows=False), 0
    await visitor.join()
    while sent < most and not visitor.closed:
        sent += 1
        with suppress(ConnectionClosed):
            await visitor.send(frame(speaker))
        await asyncio.sleep(0.0005)
    await visitor.close()
    seen.update(one["type"] for one in visitor.frames)
    if visitor.closed not in (1000, 1005):
        assert visitor.closed in (1009, *server_messages.CLOSE_REASONS), visitor.closed
        seen[f"closed {visitor.closed}"] += 1
    return sent


async def test_what_is_no_websocket_at_all(tmp_path: Path) -> None:
    """Frames with wrong bits, lengths, masks and order, in pieces, half of them: the socket ends with a reason."""
    async with opened(tmp_path, bounds=PATIENT) as doors:
        ada, rng = await doors.session(await doors.joined("Ada")), Random(5)
        speaker, codes = Speaker(rng, [LIVE]), Counter[int]()
        for _ in range(TORN):
            line = await Raw.enter(doors, ada)
            for _ in range(rng.randrange(1, 4)):
                line.send(line.torn(frame(speaker), rng))
            codes[await line.leave()] += 1
        assert set(codes) <= {0, 1000, 1002, 1005, 1006, 1007, 1009, 4000, 4001}, codes
        assert sum(codes[code] for code in (1002, 1007, 1009)) > TORN // 10, codes
        bea = await doors.enter(await doors.joined("Bea"))
        assert (await bea.join())["refused"] is None
        assert doors.application.host.authority.find_faults() == []
