"""A public beacon takes part in the cuts of shared tables; one that is late holds nobody up for long (X-01)."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.beacon_server import CHAIN, BeaconServer, open_beacon, sign_round
from tests.support.house import LIVE, OpenHouse
from ventuno.core.messages.commands import Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.house.shoes import shoe_document
from ventuno.house.shoes.beacon import BeaconRound
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.verification import VerificationResult, verify
from ventuno.house.store.clock import HouseTime, RealClock
from ventuno.house.tables.beacon_client import DEADLINE_SECONDS, BeaconClient
from ventuno.house.tables.shoe_supply import BEACON_LEAD
from ventuno.sheets import GAMES, load

MAIN = (Spot(1, "main"),)


@dataclass
class ToldBeacon:
    """What a beacon answers, put in the place of the network; `numbers` are the rounds it was asked for."""

    answer: Callable[[int], bytes] = sign_round
    numbers: list[int] = field(default_factory=list)

    def call(self, address: str) -> bytes:
        self.numbers.append(number := int(address.rpartition("/")[2]))
        return json.dumps({"round": number, "signature": self.answer(number).hex()}).encode()


@dataclass
class BeaconHouse(OpenHouse):
    beacon: ToldBeacon = field(default_factory=ToldBeacon)

    def config(self) -> dict[str, Any]:
        return super().config() | {"beacon": BeaconClient(("http://beacon",), CHAIN, call=self.beacon.call)}

    async def pass_seconds(self, done: Callable[[], bool], most: int) -> int:
        """Seconds of the house's time until it is so, each given a moment to have its effect, and as long as the disk
        and the players take.
        """
        for second in range(most + 1):
            for _ in range(50):
                if done():
                    return second
                await asyncio.sleep(0.001)
            await self.until(lambda: done() or self.is_settled())
            self.clock.move(0 if done() else 1000)
        raise AssertionError(f"not in {most} seconds")

    def is_settled(self) -> bool:
        """Whether all that was decided is durable, and all bytes that players were asked for are there."""
        host = self.application.host
        tables = host.authority.tables
        durable = all(
            name in host.committed and host.committed[name].version == tables[name].version for name in tables
        )
        return durable and not any(map(self._awaits_bytes, tables))

    def is_open_for_bets(self) -> bool:
        return self.view(LIVE).phase == "betting"

    async def read_shoe(self, player: str, code: str) -> tuple[ShoeDocument, VerificationResult]:
        told = await self.application.history.read_document(player, code)
        assert not isinstance(told, Refusal)
        read = shoe_document.read(json.dumps(told).encode(), GAMES)
        return read, verify(read, load(read.commitment.game), self.application.key, chains=(CHAIN,))


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[BeaconHouse]:
    made = BeaconHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify("ventuno", "sisal")
    await made.open()
    yield made
    await made.application.close()


async def sit_and_cut(evening: BeaconHouse, most: int) -> tuple[str, int]:
    """One player at a live table; seconds until bets open there."""
    ada = await evening.joined("Ada")
    await evening.application.tables.open(LIVE, "ventuno")
    await evening.sit(ada, LIVE, 1)
    return ada, await evening.pass_seconds(evening.is_open_for_bets, most)


async def play_round(evening: BeaconHouse, player: str) -> tuple[ShoeDocument, VerificationResult]:
    await evening.bet(player, LIVE, MAIN)
    code = await evening.deal(LIVE, player)
    await evening.finish(LIVE, (player,))
    return await evening.read_shoe(player, code)


async def test_a_round_named_beforehand_takes_part_in_the_cut(evening: BeaconHouse) -> None:
    """Named with the commitment, due when everybody has seen that, asked for when it is due and not before."""
    ada, seconds = await sit_and_cut(evening, 30)
    document, verdict = await play_round(evening, ada)
    named = document.commitment.beacon
    assert named is not None
    assert BEACON_LEAD <= seconds * 1000 <= BEACON_LEAD + (CHAIN.period + 1) * 1000, "when it is due, and no later"
    assert evening.beacon.numbers[0] == named.round
    assert document.entropy.beacon == sign_round(named.round)
    assert verdict.beacon == "signed"
    assert not any("beacon" in note for note in verdict.notes)
    counts = evening.application.fairness.count_cuts()["ventuno"]
    assert counts.beacons_named >= counts.beacons_signed >= 1


@pytest.mark.parametrize("fault", ["silent", "refused", "wrong-round", "unreadable"])
async def test_a_beacon_that_does_not_come_delays_a_shoe_by_its_deadline_and_is_shown_missing(
    evening: BeaconHouse, fault: str
) -> None:
    speaks = threading.Event()

    def answer(number: int) -> bytes:
        if fault == "silent":
            speaks.wait(60)
        if fault == "refused":
            raise OSError("404")
        return sign_round(number + 1) if fault == "wrong-round" else b"x"

    evening.beacon.answer = answer
    try:
        ada, seconds = await sit_and_cut(evening, 60)
        document, verdict = await play_round(evening, ada)
    finally:
        speaks.set()
    assert seconds * 1000 <= BEACON_LEAD + (CHAIN.period + DEADLINE_SECONDS + 1) * 1000
    assert document.commitment.beacon is not None
    assert document.entropy.beacon == b""
    assert verdict.beacon == "missing"
    assert any("beacon did not come" in note for note in verdict.notes)
    assert verdict.is_verifiable, "the player cut"
    counts = evening.application.fairness.count_cuts()["ventuno"]
    assert counts.beacons_named >= 1
    assert counts.beacons_signed == 0


async def test_a_beacon_that_is_late_is_asked_again(evening: BeaconHouse) -> None:
    late = 3

    def answer(number: int) -> bytes:
        if evening.beacon.numbers.count(number) < late:
            raise OSError("404")
        return sign_round(number)

    evening.beacon.answer = answer
    ada, _ = await sit_and_cut(evening, 30)
    assert (await play_round(evening, ada))[1].beacon == "signed"


async def test_where_nobody_answers_the_beacon_cuts_and_the_house_adds_nothing(evening: BeaconHouse) -> None:
    """Not even a house that is alone at its table chooses the order."""
    ada = await evening.joined("Ada")
    evening.absent.add(ada)
    await evening.application.tables.open(LIVE, "ventuno")
    await evening.sit(ada, LIVE, 1)
    await evening.pass_seconds(evening.is_open_for_bets, 60)
    document, verdict = await play_round(evening, ada)
    assert [part.origin for part in document.entropy.contributions] == ["missing"]
    assert verdict.beacon == "signed"
    assert verdict.rests_on == "beacon"


async def test_a_crash_while_the_beacon_is_awaited(evening: BeaconHouse) -> None:
    """The same shoe, the same round: what was committed stands (R-23)."""
    ada = await evening.joined("Ada")
    await evening.application.tables.open(LIVE, "ventuno")
    await evening.sit(ada, LIVE, 1)
    await evening.until(lambda: evening.application.fairness.get_shoe(LIVE) is not None)
    status = evening.application.fairness.get_shoe(LIVE)
    assert status is not None
    named = status.commitment["beacon"]
    evening.clock.move(2_000)
    await evening.crash()
    await evening.pass_seconds(evening.is_open_for_bets, 60)
    document, verdict = await play_round(evening, ada)
    assert document.commitment.beacon == BeaconRound(bytes.fromhex(named["chain"]), named["round"])
    assert verdict.beacon == "signed"


async def test_a_table_for_one_asks_no_beacon_and_waits_for_none(evening: BeaconHouse) -> None:
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    await evening.application.tables.bring(ada, table, 50_000, "k" * 16)
    before = evening.application.now()
    code, _ = await evening.solo_round(ada, table, MAIN)
    assert evening.application.now() == before
    assert (await evening.read_shoe(ada, code))[1].beacon == ""
    assert evening.beacon.numbers == []


@pytest.fixture
def server() -> Any:
    with open_beacon() as made:
        yield made


async def test_over_http_by_the_next_address_where_the_first_is_silent(server: BeaconServer) -> None:
    """A server that says nothing holds up neither the loop nor the end."""
    clock, named = HouseTime(RealClock()), BeaconRound(CHAIN.hash, 7)
    with open_beacon() as refusing:
        refusing.refusals = 1_000
        client = BeaconClient((refusing.address, server.address), CHAIN)
        assert await client.fetch(named, clock) == sign_round(7)
    assert refusing.asked == server.asked == [f"/{CHAIN.hash.hex()}/public/7"]
    assert await client.fetch(BeaconRound(bytes(32), 7), clock) == b"", "a round of another chain is not asked for"
    server.speaks.clear()
    client, before = BeaconClient((server.address,), CHAIN, seconds=1), clock.now()
    ticks = asyncio.create_task(count_ticks())
    assert await client.fetch(named, clock) == b""
    assert clock.now() - before >= 1_000
    assert ticks.cancel()
    assert len(TICKS) > 5, "the loop went on"


TICKS: list[None] = []


async def count_ticks() -> None:
    while True:
        TICKS.append(None)
        await asyncio.sleep(0.01)
