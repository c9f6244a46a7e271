"""R-39: markers of harm by fixed rules, told to the supervisor once a day, and to nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from tests.support.house import OpenHouse, key
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.accounts.player_limits import DAY, ITALY, MALTA, MINUTE, PlayerLimits
from ventuno.house.accounts.sessions import Entered
from ventuno.house.history import export
from ventuno.house.integrity import harm_markers, integrity_service
from ventuno.house.integrity.alerts import STREAM, HarmMarked
from ventuno.house.integrity.harm_markers import HOUR, Habits, Marker, PlayedRound, find_marks
from ventuno.house.store.audit_log import ConcernRaised, SupervisorViewed, read_entries
from ventuno.house.store.records import Batch, RoundRow, ShareRow
from ventuno.sheets import GAMES

AT = 20_000 * DAY + 12 * HOUR
"""A noon."""


def deposits(*pairs: tuple[int, int]) -> Habits:
    """So long ago, so much."""
    return Habits(deposits=tuple((AT - ago, amount) for ago, amount in pairs))


def rounds(*lines: tuple[int, int, int]) -> Habits:
    return Habits(rounds=tuple(PlayedRound(AT - ago, staked, returned) for ago, staked, returned in lines))


def chased(times: int, calm: int, *, factor: int = 2, pause: int = MINUTE) -> Habits:
    """Lost rounds, so many of them followed by a larger stake, the others by the same one."""
    made, at = [], AT - 20 * HOUR
    for number in range(times + calm):
        made.append(PlayedRound(at, 1_000, 0))
        made.append(PlayedRound(at + pause, 1_000 * factor if number < times else 1_000, 5_000))
        at += 30 * MINUTE
    return Habits(rounds=tuple(made))


def nights(count: int, each: int) -> Habits:
    """Rounds at midnight, UTC, in so many nights."""
    made = [
        AT - 12 * HOUR - night * DAY + number * MINUTE for night in reversed(range(count)) for number in range(each)
    ]
    return Habits(rounds=tuple(PlayedRound(at, 100, 100) for at in made))


def sitting(length: int, every: int = 10 * MINUTE) -> Habits:
    return rounds(*((ago, 100, 100) for ago in range(length, -1, -every)))


EDGES: tuple[tuple[Marker, Habits, Habits], ...] = (
    (
        Marker.DEPOSITS_RISING,
        deposits((3 * HOUR, 1_000), (2 * HOUR, 1_500), (HOUR, 2_000)),
        deposits((3 * HOUR, 1_000), (2 * HOUR, 1_500), (HOUR, 1_999)),
    ),
    (
        Marker.DEPOSITS_RISING,
        deposits((DAY - 1, 1_000), (2 * HOUR, 1_500), (HOUR, 2_000)),
        deposits((DAY, 1_000), (2 * HOUR, 1_500), (HOUR, 2_000)),
    ),
    (
        Marker.DEPOSITS_RISING,
        deposits((4 * HOUR, 9_000), (3 * HOUR, 1_000), (2 * HOUR, 1_500), (HOUR, 2_000)),
        deposits((3 * HOUR, 1_000), (2 * HOUR, 2_500), (HOUR, 2_500)),
    ),
    (
        Marker.DEPOSITS_SURGING,
        deposits((20 * DAY, 40_000), (DAY, 30_000)),
        deposits((20 * DAY, 40_000), (DAY, 29_999)),
    ),
    (
        Marker.DEPOSITS_SURGING,
        deposits((20 * DAY, 100), (DAY, 20_000)),
        deposits((20 * DAY, 100), (DAY, 19_999)),
    ),
    (
        Marker.DEPOSITS_SURGING,
        deposits((34 * DAY, 100), (6 * DAY, 20_000)),
        deposits((35 * DAY, 100), (6 * DAY, 20_000)),
    ),
    (Marker.CHASING, chased(5, 0), chased(4, 0)),
    (Marker.CHASING, chased(5, 15), chased(5, 16)),
    (Marker.CHASING, chased(5, 0, pause=10 * MINUTE), chased(5, 0, pause=10 * MINUTE + 1)),
    (Marker.LONG_PLAY, sitting(4 * HOUR), sitting(4 * HOUR - 10 * MINUTE)),
    (Marker.LONG_PLAY, sitting(5 * HOUR, 30 * MINUTE - 1), sitting(5 * HOUR, 30 * MINUTE)),
    (Marker.NIGHT_PLAY, nights(4, 8), nights(3, 20)),
    (Marker.NIGHT_PLAY, nights(5, 6), nights(4, 7)),
    (
        Marker.LIMITS_RAISED,
        Habits(raises=(AT - 30 * DAY + 1, AT - DAY, AT)),
        Habits(raises=(AT - 30 * DAY, AT - DAY, AT)),
    ),
)


@pytest.mark.parametrize(("marker", "over", "under"), EDGES)
def test_r39_each_rule_at_its_number(marker: Marker, over: Habits, under: Habits) -> None:
    """From the number on the marker stands, just below it does not: a rule that is off by one is seen here."""
    assert marker in [one.marker for one in find_marks(over, AT)]
    assert marker not in [one.marker for one in find_marks(under, AT)]


def test_r39_every_marker_has_an_edge() -> None:
    assert {marker for marker, _, _ in EDGES} == set(Marker)


@pytest.mark.parametrize(("hour", "late"), [(22, False), (23, True), (0, True), (4, True), (5, False), (12, False)])
def test_r39_the_hours_of_the_night(hour: int, late: bool) -> None:
    midnight = 20_000 * DAY
    habits = Habits(
        rounds=tuple(
            PlayedRound(midnight - night * DAY + hour * HOUR + number, 100, 100)
            for night in reversed(range(1, 7))
            for number in range(6)
        )
    )
    assert (Marker.NIGHT_PLAY in [one.marker for one in find_marks(habits, midnight)]) is late


def test_r39_one_night_is_one_though_midnight_lies_in_it() -> None:
    midnight = 20_000 * DAY
    habits = Habits(
        rounds=tuple(PlayedRound(midnight - 30 * MINUTE + number * MINUTE, 100, 100) for number in range(60))
    )
    assert harm_markers._find_night_play(habits, midnight + HOUR, harm_markers.Bounds(nights=2)) is None
    assert harm_markers._find_night_play(habits, midnight + HOUR, harm_markers.Bounds(nights=1)) == (
        Marker.NIGHT_PLAY,
        {"nights": 1, "rounds": 60},
    )


@given(st.integers(0, 2**32))
def test_r39_the_same_record_gives_the_same_marks_and_the_future_none(seed: int) -> None:
    chance = Random(seed)
    times = sorted(AT - chance.randrange(8 * DAY) for _ in range(200))
    habits = Habits(
        deposits=tuple((at, chance.randrange(100, 100_000)) for at in times[::20]),
        rounds=tuple(PlayedRound(at, chance.choice((100, 200, 400)), chance.choice((0, 400))) for at in times),
        raises=tuple(times[::60]),
    )
    later = Habits(
        (*habits.deposits, (AT + 1, 10**6), (AT + 2, 10**7)),
        (*habits.rounds, *(PlayedRound(AT + number, 10**6, 0) for number in range(1, 50))),
        (*habits.raises, AT + 1, AT + 2, AT + 3),
    )
    assert find_marks(habits, AT) == find_marks(habits, AT) == find_marks(later, AT)


def test_r39_calm_players_are_not_marked() -> None:
    """A deposit a week, two hours of flat stakes on five evenings: for a month of them, nothing."""
    for seed in range(50):
        chance, made = Random(seed), []
        for day in range(30, 0, -1):
            if day % 7 < 5:
                start = AT - day * DAY + 7 * HOUR
                made += [
                    PlayedRound(start + n * MINUTE, 500, chance.choice((0, 0, 500, 1_000, 1_000))) for n in range(120)
                ]
        habits = Habits(tuple((AT - week * 7 * DAY + HOUR, 5_000) for week in (5, 4, 3, 2, 1)), tuple(made), ())
        assert find_marks(habits, AT) == []


def test_r39_exclusions_of_the_maltese_profile_last_six_months() -> None:
    assert min(MALTA.exclusions) >= 184
    assert MALTA.cool_offs[1] < min(MALTA.exclusions)
    assert not isinstance(player_limits.exclude(PlayerLimits(), 184, AT, MALTA), Refusal)
    assert isinstance(player_limits.exclude(PlayerLimits(), 30, AT, MALTA), Refusal)
    assert not isinstance(player_limits.exclude(PlayerLimits(), 30, AT, ITALY), Refusal)


@pytest_asyncio.fixture
async def evening(url: str, tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(url, tmp_path / "data")
    made.certify(*GAMES)
    await made.open()
    yield made
    await made.application.close()


async def played(evening: OpenHouse, player: str, habits: Habits) -> None:
    """Put rounds of a record into the store, as if they had been played until now."""
    now = evening.application.now()
    moved = [(now - AT + one.at - integrity_service.SETTLE_DELAY, one) for one in habits.rounds]
    rows = [RoundRow(key(), "table:past", 1, 2, at, at, "x", "0", voided=False) for at, _ in moved]
    shares = [
        ShareRow(row.code, player, at, one.staked, one.returned) for row, (at, one) in zip(rows, moved, strict=True)
    ]
    await evening.application.host.commits.store.commit(Batch(rounds=tuple(rows), shares=tuple(shares)))


async def test_r39_a_marker_reaches_the_supervisor_once_a_day_and_nobody_else(evening: OpenHouse) -> None:
    ada, bea, eva = await evening.joined("Ada", 0), await evening.joined("Bea", 0), await evening.supervisor()
    house = evening.application
    for amount in (1_000, 2_000, 4_000):
        await house.cashier.deposit(ada, amount, key())
    await played(evening, ada, chased(6, 0))
    await played(evening, bea, sitting(HOUR))
    for _ in range(3):
        await house.integrity.check_players(house.host.commits.now())
    found = await house.integrity.list_alerts(eva)
    assert isinstance(found, list)
    marked = [one.alert for one in found]
    assert {(one.player, one.marker) for one in marked if isinstance(one, HarmMarked)} == {
        (ada, Marker.DEPOSITS_RISING),
        (ada, Marker.CHASING),
    }
    assert len(marked) == 2, "three looks, one day"
    assert await house.integrity.list_alerts(ada) == NotSupervisor(ada)
    log = [one.event for one in read_entries(await house.host.commits.store.read_records("house"))]
    raised = [one for one in log if isinstance(one, ConcernRaised)]
    assert [one.number for one in raised] == [1, 2]
    assert "player" not in str(raised)
    assert log[-1] == SupervisorViewed(eva, "concerns", ""), "and the look is written down"
    evening.clock.move(DAY)
    await played(evening, ada, chased(6, 0))
    await evening.crash()
    await evening.application.integrity.check_players(evening.application.now())
    again = [one.alert for one in evening.application.integrity._alerts.list_entries()]
    assert [one.marker for one in again if isinstance(one, HarmMarked)].count(Marker.CHASING) == 2
    assert [one.number for one in evening.application.integrity._alerts.list_entries(limit=2)] == [
        len(again),
        len(again) - 1,
    ]
    assert [one.number for one in evening.application.integrity._alerts.list_entries(before=2)] == [1]


async def test_r39_the_players_of_the_house_are_nobodys_concern(evening: OpenHouse) -> None:
    entered = await evening.application.accounts.enter_bot("Gino", "bots")
    assert isinstance(entered, Entered)
    await played(evening, entered.player, chased(6, 0))
    await played(evening, "no account", chased(6, 0))
    await evening.application.integrity.check_players(evening.application.now())
    assert evening.application.integrity._alerts.list_entries() == []


async def test_r39_the_list_is_in_no_public_export(evening: OpenHouse, tmp_path: Path) -> None:
    ada = await evening.joined("Ada", 0)
    await played(evening, ada, chased(6, 0))
    await evening.application.integrity.check_players(evening.application.now())
    await evening.application.history.export(tmp_path / "public")
    await evening.application.history.export(tmp_path / "whole", whole=True)
    assert b"HarmMarked" not in (tmp_path / "public").read_bytes().replace(b'"kind":"HarmMarked","number"', b"")
    assert f'"stream":"{STREAM}"'.encode() not in (tmp_path / "public").read_bytes()
    assert f'"stream":"{STREAM}"'.encode() in (tmp_path / "whole").read_bytes()
    held, _, _, faults = export.read((tmp_path / "whole").read_bytes().splitlines(keepends=True))
    assert not faults
    assert len(held.streams[STREAM]) == 1


async def test_r39_nobody_is_courted_who_is_excluded_pauses_or_was_marked(evening: OpenHouse) -> None:
    house = evening.application
    ada, bea, cleo, dora = [await evening.joined(name, 0) for name in ("Ada", "Bea", "Cleo", "Dora")]
    gino, eva = await evening.joined("Gino", 0), await evening.supervisor()
    assert all(map(house.integrity.may_advertise_to, (ada, bea, cleo, dora, gino)))
    assert await house.supervision.close_account(eva, gino, "two accounts") is None
    assert not house.integrity.may_advertise_to(gino)
    await played(evening, ada, chased(6, 0))
    await house.integrity.check_players(house.host.commits.now())
    await house.protection.exclude(bea, 30)
    await house.protection.cool_off(cleo, house.host.commits.now() + 2 * DAY)
    assert [house.integrity.may_advertise_to(one) for one in (ada, bea, cleo, dora)] == [False, False, False, True]
    evening.clock.move(31 * DAY)
    assert [house.integrity.may_advertise_to(one) for one in (ada, bea, cleo, dora)] == [True, True, True, True]


async def test_r39_the_record_is_the_players_own_and_durable(evening: OpenHouse) -> None:
    """Deposits, rounds and asked limits of one player, practice and voids left out."""
    house, ada, bea = evening.application, await evening.joined("Ada", 1_000), await evening.joined("Bea", 7_000)
    await played(evening, ada, rounds((HOUR, 500, 0), (MINUTE, 300, 600)))
    await played(evening, bea, rounds((HOUR, 999, 0)))
    now = house.host.commits.now()
    extra = RoundRow("P", "table:practice-1", 1, 2, now, now - MINUTE, "x", "0", voided=False, practice=True)
    shares = (ShareRow("P", ada, now - MINUTE, 9, 0), ShareRow("V", ada, now - MINUTE, 8, 8))
    void = extra._replace(code="V", voided=True, practice=False)
    await house.host.commits.store.commit(Batch(rounds=(extra, void), shares=shares))
    await house.protection.set_limit(ada, "stake:day", 100)
    await house.protection.set_limit(ada, "stake:day", 200)
    found = await integrity_service.read_habits(house.host.commits.store, ada, now)
    assert [amount for _, amount in found.deposits] == [1_000]
    assert [(one.staked, one.returned) for one in found.rounds] == [(500, 0), (300, 600)]
    assert len(found.raises) == 1


async def test_r39_planted_fault_a_list_without_memory_marks_twice(
    evening: OpenHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the test of once a day would miss if the list forgot what it holds."""
    ada = await evening.joined("Ada", 0)
    await played(evening, ada, chased(6, 0))
    monkeypatch.setattr("ventuno.house.integrity.alerts._make_key", lambda concern: (str(id(concern)),))
    for _ in range(2):
        await evening.application.integrity.check_players(evening.application.now())
        await played(evening, ada, rounds((0, 100, 100)))
    assert len(evening.application.integrity._alerts.list_entries()) == 2
