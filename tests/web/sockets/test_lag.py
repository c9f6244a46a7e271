"""X-15: lag that the house measured is credited on decisions, up to a cap; on bets never (R-10), on a claim never."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.channel_house import opened as house
from tests.support.clocked_house import PATIENT
from tests.support.house import NOON, OpenHouse, key
from tests.support.http_house import opened, wait_until
from tests.support.server_process import ROOT
from ventuno.core.messages.commands import Act, ActAll, Command, PlaceBet, Spot
from ventuno.core.rules.cards import Card, cards
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import pace
from ventuno.core.table.round import Action
from ventuno.core.table.state import Phase, Table
from ventuno.house.store.clock import JumpingClock
from ventuno.house.tables.authority import Answer
from ventuno.web.sockets.lag import CALM, CAP, ENOUGH, FORGOTTEN, LONGEST, QUICK, QUIET, Lag


class Hand:
    """A clock in milliseconds, moved by hand."""

    def __init__(self) -> None:
        self.time = 5

    def __call__(self) -> int:
        return self.time


def measured(*rtts: int) -> Lag:
    """A connection whose pings came back after these times."""
    clock = Hand()
    lag = Lag(clock)
    for rtt in rtts:
        nonce = lag.ping()
        clock.time += rtt
        lag.pong(nonce)
        clock.time += CALM
    return lag


def test_nothing_is_credited_before_anything_was_measured() -> None:
    assert Lag(Hand()).credit() == 0


@pytest.mark.parametrize("rtt", [0, 1, QUIET])
def test_without_lag_nothing_is_credited(rtt: int) -> None:
    assert measured(rtt, rtt, rtt).credit() == 0


@pytest.mark.parametrize(("rtts", "credit"), [((400,), 400), ((450, 400, 500), 400), ((21,), 21)])
def test_what_was_measured_is_credited(rtts: tuple[int, ...], credit: int) -> None:
    assert measured(*rtts).credit() == credit


def test_it_is_smoothed_and_follows_a_line_that_gets_better() -> None:
    lags = [measured(800, 800, 800, *[100] * number).credit() for number in range(16)]
    assert lags == sorted(lags, reverse=True)
    assert lags[1] == 800 - 175
    assert 95 <= lags[-1] <= 130


def test_a_house_that_held_its_breath_is_no_slow_line() -> None:
    """One slow answer among the first is the house's own fault."""
    assert measured(900, 3, 2).credit() == measured(3, 900, 2).credit() == 0


def test_a_cap_bounds_it() -> None:
    assert measured(900).credit(250) == 250
    assert measured(5_000).credit() == CAP


def test_a_device_that_slept_is_no_slow_line() -> None:
    assert measured(30, 30, 30, FORGOTTEN - 1).credit() <= LONGEST // 4 + 30


def test_only_the_answer_to_the_ping_on_its_way_counts() -> None:
    clock = Hand()
    lag = Lag(clock)
    lag.pong("1")
    first = lag.ping()
    clock.time += 700
    for nonce in ("0", "2", "", "x" * 64):
        lag.pong(nonce)
    assert lag.credit() == 0
    lag.pong(first)
    assert lag.credit() == 700
    clock.time += 100
    lag.pong(first)
    assert lag.credit() == 700, "the same answer twice"


def test_pings_come_quickly_at_first_then_calmly_and_one_at_a_time() -> None:
    clock = Hand()
    lag = Lag(clock)
    for _ in range(ENOUGH):
        assert clock.time >= lag.due
        nonce = lag.ping()
        clock.time += QUICK + 1
        assert clock.time < lag.due, "one is on its way"
        assert not lag.is_known
        lag.pong(nonce)
    assert lag.is_known
    clock.time += QUICK
    assert clock.time < lag.due
    clock.time += CALM
    assert clock.time >= lag.due
    lag.ping()
    clock.time += FORGOTTEN
    assert clock.time >= lag.due, "a ping that was never answered is given up"


async def test_who_hears_nothing_else_is_pinged_well_before_the_client_gives_the_line_up(tmp_path: Path) -> None:
    """For hours, whatever he does or does not do: a quiet table is no lost line."""
    silence = re.search(r"SILENCE = ([\d_]+);", (ROOT / "client/src/wire/socket.ts").read_text())
    assert silence is not None
    async with house(tmp_path) as held:
        told: list[bytes] = []
        ada = await held.joined("Ada")
        channel = await held.enter(ada, told.append)
        heard, quiet = held.clock.steady(), 0
        for _ in range(240):
            told.clear()
            held.clock.move(1_000)
            await held.hub.check_players([ada])
            held.flush()
            quiet = max(quiet, held.clock.steady() - heard)
            if told:
                nonce = re.search(rb'"nonce":"(\d+)"', b"".join(told))
                assert nonce is not None
                channel.lag.pong(nonce[1].decode())
                heard = held.clock.steady()
        assert QUICK < quiet <= CALM + 1_000 < 30_000 < int(silence[1])


HIT_AT_16 = cards("TS 7D 6C TH 2D 2C 3D 3C 4D 4C 5D 5C 8S 8H 9S 9H TS TD KC KH QC QD JS JH")
INSURANCE = cards("TS AD 6C 9H 2D 2C 3D 3C 4D 4C 5D 5C 8S 8H 9S 9H TS TD KC KH QC QD JS JH")


@dataclass
class Late:
    """A round of ada alone, and how late what she sends is."""

    evening: OpenHouse
    ada: PlayerId
    name: str = ""

    @property
    def table(self) -> Table:
        return self.evening.application.host.authority.tables[self.name].table

    @property
    def deadline(self) -> int:
        assert self.table.deadline is not None
        return self.table.deadline

    def credit(self, milliseconds: int, player: PlayerId = "") -> None:
        """What the hub would have measured."""
        lucky = player or self.ada
        self.evening.application.host.housekeeping.lag_credit = lambda _table, who: milliseconds if who == lucky else 0

    async def bet(self, shoe: tuple[Card, ...]) -> None:
        self.name = await self.evening.application.tables.open_practice(self.ada, "ventuno", shoe)
        await self.evening.until(lambda: self.table.phase is Phase.BETTING)
        await self.evening.bet(self.ada, self.name, (Spot(1, "main"),))

    async def deal(self, shoe: tuple[Card, ...]) -> None:
        """To the first question."""
        await self.bet(shoe)
        self.go(0)
        await self.evening.until(lambda: self.table.phase is Phase.ROUND)

    def go(self, milliseconds: int) -> None:
        """To so long after the deadline; the house has not yet looked at its clock."""
        self.evening.clock.move(self.deadline + milliseconds - self.evening.application.now())

    async def at(self, milliseconds: int) -> None:
        """The same, and the house has looked at its clock and done what it does by itself."""
        self.go(milliseconds)
        for _ in range(25):
            await asyncio.sleep(0.002)

    async def goes_on(self) -> None:
        """Until the clock has decided in her place."""
        await self.evening.until(lambda: not self.waits())

    async def says(self, command: Command, again: str = "") -> Answer:
        return await self.evening.application.tables.ask(self.ada, self.name, command, again or key())

    async def hits(self, lag: int = 0, again: str = "") -> Answer:
        return await self.says(Act(self.ada, 1, Action.HIT, 0, lag), again)

    def waits(self) -> bool:
        """Whether ada is still asked the first question."""
        play = self.table.round
        return play is not None and self.table.phase is Phase.ROUND and len(play.boxes[0].hands[0].cards) == 2


@pytest_asyncio.fixture
async def late(tmp_path: Path) -> AsyncIterator[Late]:
    evening = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path)
    await evening.open()
    yield Late(evening, await evening.joined("Ada"))
    await evening.application.close()


async def test_x15_a_decision_sent_in_time_at_400_ms_lag_is_accepted(late: Late) -> None:
    """The clock waits for it, and the next question has its whole time from when the card of this one is shown."""
    late.credit(400)
    await late.deal(HIT_AT_16)
    await late.at(399)
    assert late.waits()
    assert not (await late.hits()).refused
    play = late.table.round
    assert play is not None
    assert len(play.boxes[0].hands[0].cards) == 3
    shown = late.evening.application.now() + pace.CARD
    assert late.deadline == shown + late.table.sheet.clocks.decision * 1000


async def test_x15_after_the_credit_the_clock_decides(late: Late) -> None:
    late.credit(400)
    await late.deal(HIT_AT_16)
    late.go(400)
    await late.goes_on()
    assert (await late.hits()).refused


@pytest.mark.parametrize("milliseconds", [0, 1, 399])
async def test_without_lag_a_decision_after_its_deadline_is_too_late(late: Late, milliseconds: int) -> None:
    """Also before the house has looked at its clock."""
    await late.deal(HIT_AT_16)
    late.go(milliseconds)
    assert late.waits()
    assert (await late.hits()).refused == "TooLate"


async def test_without_lag_the_clock_does_not_wait(late: Late) -> None:
    await late.deal(HIT_AT_16)
    late.go(0)
    await late.goes_on()


async def test_the_lag_of_somebody_else_is_not_ones_own(late: Late) -> None:
    late.credit(400, player="somebody else")
    await late.deal(HIT_AT_16)
    late.go(1)
    assert (await late.hits()).refused == "TooLate"
    await late.goes_on()


@pytest.mark.parametrize("claim", [10_000, 10**15])
async def test_a_claim_is_worth_nothing(late: Late, claim: int) -> None:
    """Whatever lag a command brings along, the house's own measure takes its place."""
    await late.deal(HIT_AT_16)
    late.go(1)
    assert (await late.hits(claim)).refused == "TooLate"
    assert (await late.says(ActAll(late.ada, Action.DECLINE, 0, claim))).refused


async def test_x15_insurance_is_a_decision_too(late: Late) -> None:
    late.credit(400)
    await late.deal(INSURANCE)
    await late.at(399)
    assert not (await late.says(ActAll(late.ada, Action.INSURE, 0))).refused


async def test_insurance_without_lag_is_declined_by_the_clock(late: Late) -> None:
    await late.deal(INSURANCE)
    late.go(1)
    assert (await late.says(ActAll(late.ada, Action.INSURE, 0))).refused == "TooLate"


async def test_r10_nothing_is_credited_to_a_bet(late: Late) -> None:
    """Betting closes with its deadline, for everybody at once."""
    late.credit(1_000)
    await late.bet(HIT_AT_16)
    late.go(0)
    again = PlaceBet(late.ada, (Spot(1, "main"),), 1_000, 0)
    assert (await late.says(again)).refused == "BettingClosed"
    await late.at(0) if late.table.phase is Phase.BETTING else None
    await late.evening.until(lambda: late.table.phase is Phase.ROUND)


async def test_the_same_decision_again_has_the_same_answer_whatever_was_credited(late: Late) -> None:
    """I-4: what is credited is no part of what was asked."""
    late.credit(400)
    await late.deal(HIT_AT_16)
    await late.at(300)
    first = await late.hits(again="once")
    assert not first.refused
    late.credit(0)
    assert await late.hits(again="once") == first


def is_measured(line: Lag, times: int) -> bool:
    return line._measured == times


DOUBLE_AT_11 = cards("6S 7D 5C TH 2D 2C 3D 3C 4D 4C 5D 5C 8S 8H 9S 9H TS TD KC KH QC QD JS JH")


@pytest.mark.parametrize(("lag", "accepted"), [(400, True), (0, False)])
async def test_x15_over_a_real_line(tmp_path: Path, lag: int, accepted: bool) -> None:
    """A decision that arrives 250 ms late: in time for who answers pings 400 ms late, and for nobody else."""
    clock = JumpingClock(NOON)
    async with opened(tmp_path, clock=clock, bounds=PATIENT) as doors:
        ada = await doors.enter(await doors.joined("Ada"), journey=lambda: clock.move(lag))
        table = await doors.application.tables.open_practice(ada.player, "ventuno", DOUBLE_AT_11)
        assert (await ada.join(table))["refused"] is None
        (line,) = [channel.lag for channel in doors.hub.connections[ada.player]]
        for count in range(1, ENOUGH + 1):
            await wait_until(partial(is_measured, line, count))
            clock.move(QUICK)
        assert doors.hub.credit(table, ada.player) == lag
        await ada.until(lambda: ada.public(table)["phase"] == "betting")
        await ada.must("bet", table, spots=[{"box": 1, "bet": "main"}], amount=1_000)
        clock.move(ada.public(table)["deadline"] - doors.application.now())
        await ada.until(lambda: ada.public(table)["phase"] == "round")
        clock.move(ada.public(table)["deadline"] + 250 - doors.application.now())
        answer = await ada.ask("decide", table, box=1, action="double")
        assert (answer["refused"] is None) is accepted, answer
