"""Money is never locked away: whose play ends has it at the cashier, at once or when his round is over (R-38)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.house import LIVE, OpenHouse, key
from ventuno.core.messages.commands import DealNow, Spot, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import Phase, Table
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.accounts.sessions import IDLE_LIMIT, Entered
from ventuno.house.money.cashier import CashMovement
from ventuno.sheets import GAMES

MAIN = (Spot(1, "main"),)


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    await made.application.tables.open(LIVE, "ventuno")
    yield made
    await made.application.close()


def owned(evening: OpenHouse, player: PlayerId) -> tuple[Cents, Cents, Cents]:
    """What is at the cashier, at tables and in play."""
    wallet = evening.application.host.authority.wallet
    home, there, play = (wallet.balance(f"player:{player}{end}") for end in ("", ":table", ":in-play"))
    return home, there, play


def table(evening: OpenHouse, name: str) -> Table:
    return evening.application.host.authority.tables[name].table


async def in_a_round(evening: OpenHouse, player: PlayerId, game: str = "first-person") -> str:
    """A table for one with a round that waits for a decision."""
    name = await evening.application.tables.open_solo(player, game)
    assert isinstance(name, str), name
    await evening.application.tables.bring(player, name, 40_000, key())
    while table(evening, name).phase is not Phase.ROUND:
        await evening.betting(name, player)
        await evening.bet(player, name, MAIN)
        await evening.deal(name, player)
        if evening.view(name, player).stage == "insurance":
            await evening.step(name, (player,))
    return name


@pytest.mark.parametrize("restart", ["none", "clean", "crash"])
@pytest.mark.parametrize("how", ["exclusion", "pause", "closed"])
async def test_r38_all_money_comes_home_also_from_a_round_that_ends_later(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch, how: str, restart: str
) -> None:
    ada = await evening.joined("Ada", 500_000)
    await evening.sit(ada, LIVE, 3, 70_000)
    await evening.betting(LIVE)
    await evening.bet(ada, LIVE, (Spot(3, "main"),), 2_500)
    solo = await in_a_round(evening, ada)
    staked = table(evening, solo).total_stake_of(ada)
    whole = sum(owned(evening, ada))
    if how == "exclusion":
        assert await evening.application.protection.exclude(ada, 30) is None
    elif how == "pause":
        assert await evening.application.protection.cool_off(ada, evening.application.now() + 2 * DAY) is None
    else:
        assert (
            await evening.application.supervision.close_account(await evening.supervisor(), ada, "asked by letter")
            is None
        )
    assert owned(evening, ada) == (whole - staked, 0, staked)
    assert table(evening, LIVE).owner(3) is None
    if restart == "clean":
        await evening.application.close()
        await evening.open()
    elif restart == "crash":
        await evening.crash()
    await evening.application.maintenance.run_once()
    assert owned(evening, ada) == (whole - staked, 0, staked), "the open round keeps its stakes and nothing else"
    evening.clock.move(DAY)
    await evening.until(lambda: table(evening, solo).phase is not Phase.ROUND)
    settled = sum(owned(evening, ada))
    await evening.application.maintenance.run_once()
    assert owned(evening, ada) == (settled, 0, 0)
    with monkeypatch.context() as patch:
        patch.setattr(evening.application.host, "ask", lambda _request: pytest.fail("something is asked again"))
        await evening.application.maintenance.run_once()
    done = await evening.application.cashier.withdraw(ada, settled, key())
    assert isinstance(done, CashMovement), done
    assert done.balance == 0
    assert evening.application.host.authority.find_faults() == []


async def test_r38_bets_that_are_final_are_played_and_what_they_give_comes_home(evening: OpenHouse) -> None:
    """Two at a live table have their bets on it; one presses deal now and excludes himself before the other does."""
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    for box, player in enumerate((ada, bea), start=1):
        await evening.sit(player, LIVE, box, 60_000)
    await evening.betting(LIVE)
    for box, player in enumerate((ada, bea), start=1):
        await evening.bet(player, LIVE, (Spot(box, "main"),), 3_000)
    await evening.say(ada, LIVE, DealNow(ada, 0))
    assert await evening.application.protection.exclude(ada, 0) is None
    assert owned(evening, ada) == (497_000, 0, 3_000)
    evening.clock.move(16_000)
    await evening.until(lambda: table(evening, LIVE).phase is Phase.ROUND)
    for _ in range(20):
        evening.clock.move(13_000)
        await evening.application.maintenance.run_once()
        if table(evening, LIVE).phase is not Phase.ROUND:
            break
    home, there, play = owned(evening, ada)
    assert (there, play) == (0, 0)
    assert home in (497_000, 500_000, 503_000, 504_500)
    assert table(evening, LIVE).owner(1) is None
    assert owned(evening, bea)[1] > 0, "nobody else's money is touched"


async def test_r38_practice_credit_is_no_money_and_stays_where_it_is(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    name = await evening.application.tables.open_practice(ada, "ventuno")
    credit = table(evening, name).purse(ada)
    assert await evening.application.protection.exclude(ada, 30) is None
    await evening.application.maintenance.run_once()
    assert table(evening, name).purse(ada) == credit
    assert owned(evening, ada) == (500_000, 0, 0)


async def test_who_may_play_on_keeps_his_money_at_the_table(evening: OpenHouse) -> None:
    """A session that is over is no end of play: he logs in again, and everything lies there as it did."""
    ada = await evening.joined("Ada")
    entered = await evening.application.accounts.log_in("Ada", "correct horse battery", "10.0.0.1", "t")
    assert isinstance(entered, Entered)
    await evening.sit(ada, LIVE, 2, 50_000)
    assert await evening.application.accounts.log_out(ada, entered.session) is None
    await evening.application.maintenance.run_once()
    assert owned(evening, ada) == (450_000, 50_000, 0)


@pytest.mark.parametrize("how", ["logout", "expiry"])
async def test_v42_a_guest_who_is_gone_leaves_seat_and_table(evening: OpenHouse, how: str) -> None:
    """Nobody can come back as him: his seat is free at once, and his money lies in the account, not at a table."""
    entered = await evening.application.accounts.enter_guest("10.0.0.1", "t")
    assert isinstance(entered, Entered)
    guest = entered.player
    assert not isinstance(await evening.application.cashier.deposit(guest, 100_000, key()), Refusal)
    await evening.application.tables.bring(guest, LIVE, 30_000, key())
    await evening.say(guest, LIVE, TakeSeat(guest, 5, 0))
    await evening.betting(LIVE)
    if how == "logout":
        await evening.bet(guest, LIVE, (Spot(5, "main"),), 500)
    await evening.application.maintenance.run_once()
    assert table(evening, LIVE).owner(5) == guest
    if how == "logout":
        assert await evening.application.accounts.log_out(guest, entered.session) is None
    else:
        evening.clock.move(IDLE_LIMIT)
    await evening.application.maintenance.run_once()
    assert owned(evening, guest) == (100_000, 0, 0)
    assert table(evening, LIVE).owner(5) is None


async def test_v42_who_sits_and_never_bets_loses_his_seat_by_the_clock_of_the_house(evening: OpenHouse) -> None:
    """Also when he has logged out: nobody else has to play for it. The empty table then has no clock to keep."""
    ada = await evening.joined("Ada")
    await evening.sit(ada, LIVE, 2, 50_000)
    await evening.betting(LIVE)
    house, freed = evening.application.host, 0
    while (due := table(evening, LIVE).deadline) is not None:
        assert table(evening, LIVE).owner(2) == ada
        evening.clock.move(due - house.commits.now())
        await evening.until(lambda due=due: table(evening, LIVE).deadline != due)  # type: ignore[misc]
        freed += 1
    assert freed == table(evening, LIVE).sheet.seats.lost_after
    assert table(evening, LIVE).owner(2) is None
    assert owned(evening, ada) == (450_000, 50_000, 0), "he may take it, or sit down again"
    opened = table(evening, LIVE).opened
    evening.clock.move(DAY)
    await evening.application.maintenance.run_once()
    assert (table(evening, LIVE).opened, table(evening, LIVE).deadline, house.housekeeping.refused_ticks) == (
        opened,
        None,
        0,
    )


async def test_r38_who_watches_departures_is_told_who_left_and_why(evening: OpenHouse) -> None:
    """R-38: sockets close by it; a refusal is no departure."""
    protection, told = evening.application.protection, list[tuple[str, str]]()
    protection.watch_departures(lambda player, why: told.append((player, why)))
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    assert await protection.exclude(ada, 60) is None
    assert await protection.exclude(ada, 30) is not None
    assert await protection.cool_off(bea, evening.application.now() + 2 * DAY) is None
    assert told == [(ada, "excluded"), (bea, "cool-off")]
