"""The odds room: figures of any rules from a process of its own, equal to those of the command line (X-16)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.in_process_house import InProcessHouse, opened
from tests.support.patience import PATIENCE
from tests.support.server_process import count_ticks
from tests.support.stopwatch import Stopwatch
from ventuno.cli.main import main
from ventuno.cli.serve import CALCULATOR
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import plain, switches
from ventuno.house.config import CERTIFICATES
from ventuno.odds.certificate.certificate import certify
from ventuno.sheets import GAMES, load
from ventuno.web.http.rate_limits import BucketSize, RateLimits
from ventuno.web.odds_room import what_if
from ventuno.web.odds_room.calculator import (
    Calculator,
    NotComputed,
    OddsBusy,
    OddsClosed,
    OddsFailed,
    OddsTooLong,
    Timeouts,
)

CHANGES = {
    "ventuno": {"double.after_split": "true", "dealer.peek": "[A, ten]"},
    "sisal": {"dealer.soft_17": "hit", "sides.21+3.pays.flush": "x6"},
    "first-person": {"blackjack.pays": "6/5"},
    "duello": {"duel.qualify": "14"},
    "link": {"bonus.wheel.x25": "7"},
}
CHARLIE = "0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"
ECHO = """
import json, sys, time
print('{"ready": true}', flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "sleep":
        time.sleep(3600)
    if asked["do"] == "die":
        sys.exit(3)
    if asked["do"] == "babble":
        print("no JSON", flush=True)
    answers = {"fault": {"fault": "KeyError"}, "no": {"no": "it cannot be"}}
    print(json.dumps(answers.get(asked["do"], {"told": asked})), flush=True)
"""
SLOW_MACHINE = Timeouts(answer=PATIENCE, start=PATIENCE, waiting=3)


@pytest_asyncio.fixture
async def echo() -> AsyncIterator[Calculator]:
    made = Calculator((sys.executable, "-c", ECHO), SLOW_MACHINE)
    yield made
    await made.close()


@contextmanager
def hasty(calculator: Calculator) -> Iterator[None]:
    """Whoever begins to ask here waits for one second; a machine with other things to do has longer for the rest."""
    calculator._patience = replace(SLOW_MACHINE, answer=1.0)
    yield
    calculator._patience = SLOW_MACHINE


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcessHouse]:
    async with opened(tmp_path_factory.mktemp("odds")) as made:
        yield made


async def asked(entrance: InProcessHouse, game: str, switches: dict[str, str]) -> Any:
    async with entrance.client() as client:
        return (await client.post(f"/api/odds/{game}", json={"switches": switches})).json()


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


async def test_it_starts_with_the_first_question_and_ends_with_the_house(echo: Calculator) -> None:
    assert echo.pid is None
    assert await echo.ask({"do": "tell"}) == {"do": "tell"}
    pid = echo.pid
    assert pid
    assert (await echo.ask({"do": "tell"}), echo.pid, echo.starts) == ({"do": "tell"}, pid, 1)
    await echo.close()
    assert not alive(pid)
    assert await echo.ask({"do": "tell"}) == OddsClosed()


async def test_one_that_is_killed_comes_back_and_answers(echo: Calculator) -> None:
    await echo.ask({"do": "tell"})
    assert echo.pid
    os.kill(echo.pid, signal.SIGKILL)
    assert await echo.ask({"do": "tell"}) == {"do": "tell"}
    assert echo.starts == 2


async def test_a_question_that_ends_it_is_refused_and_the_next_is_answered(echo: Calculator) -> None:
    assert await echo.ask({"do": "die"}) == OddsFailed()
    assert await echo.ask({"do": "babble"}) == OddsFailed()
    assert await echo.ask({"do": "fault"}) == OddsFailed()
    assert await echo.ask({"do": "no"}) == NotComputed("it cannot be")
    assert await echo.ask({"do": "tell"}) == {"do": "tell"}


async def test_one_that_takes_too_long_is_ended(echo: Calculator) -> None:
    await echo.ask({"do": "tell"})
    pid = echo.pid
    assert pid
    with Stopwatch() as watch, hasty(echo):
        assert await echo.ask({"do": "sleep"}) == OddsTooLong(1)
        assert watch.seconds < 10
    assert not alive(pid)
    assert await echo.ask({"do": "tell"}) == {"do": "tell"}


async def test_few_may_wait_and_who_leaves_disturbs_nobody(echo: Calculator) -> None:
    await echo.ask({"do": "tell"})
    with hasty(echo):
        waiting = [asyncio.create_task(echo.ask({"do": "sleep"}))]
        waiting += [asyncio.create_task(echo.ask({"do": "tell", "who": who})) for who in range(2)]
        await asyncio.sleep(0.05)
    assert await echo.ask({"do": "tell"}) == OddsBusy(3)
    waiting[1].cancel()
    assert isinstance(await waiting[0], OddsTooLong)
    assert await waiting[2] == {"do": "tell", "who": 1}
    assert await echo.ask({"do": "tell"}) == {"do": "tell"}


async def test_one_that_does_not_start_is_refused() -> None:
    for command in (("/no/such/program",), (sys.executable, "-c", "")):
        broken = Calculator(command, SLOW_MACHINE)
        assert await broken.ask({"do": "tell"}) == OddsFailed()
        await broken.close()


async def test_a_killed_server_leaves_no_calculator_behind() -> None:
    """Its input ends with whoever held it."""
    process = await asyncio.create_subprocess_exec(
        *CALCULATOR, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", GAMES)
async def test_x16_the_figures_are_those_of_certify(
    house: InProcessHouse, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every number of `ventuno certify --set`, on both bases, and the whole certificate behind it."""
    wanted = CHANGES[game]
    told = await asked(house, game, wanted)
    options = [word for path, value in wanted.items() for word in ("--set", f"{path}={value}")]
    assert main(["certify", game, *options, "--json"]) == 0
    certified = json.loads(capsys.readouterr().out)["games"][0]
    assert (told["sheet"], told["strategy_class"]) == (certified["sheet"], certified["strategy_class"])
    assert [one["bet"] for one in told["bets"]] == [one["bet"] for one in certified["bets"]]
    for one, other in zip(told["bets"], certified["bets"], strict=True):
        for name in ("rtp_initial", "rtp_total", "sd"):
            assert one[name] == pytest.approx(other[name], abs=1e-11), (one["bet"], name)
    sheet = load(game, wanted)
    document = house.app.state.solved.find(sheet)
    assert document == json.loads(certify(sheet, compare=False).text())
    assert told["edge"] == pytest.approx(100 - certified["bets"][0]["rtp"], abs=1e-9)
    assert sum(one["chance"] for one in told["outcomes"]) == pytest.approx(1)
    assert {one["path"] for one in told["changes"]} == set(wanted)


@pytest.mark.asyncio(loop_scope="module")
async def test_x16_what_changed_is_told_against_the_games_own_sheet(house: InProcessHouse) -> None:
    """V-11: doubling after a split is worth 0.12 points, and changes when pairs are split."""
    own = await asked(house, "ventuno", {})
    assert (own["sheet"], own["changes"], own["cells"], own["bets"][0]["delta"]) == (own["own"], [], 0, 0.0)
    told = await asked(house, "ventuno", {"double.after_split": "true"})
    assert told["changes"] == [{"path": "double.after_split", "value": "true", "own": "false"}]
    main = told["bets"][0]
    assert main["delta"] == pytest.approx(main["rtp_initial"] - own["bets"][0]["rtp_initial"], abs=1e-9)
    assert 0.119 < main["delta"] < 0.121
    assert all(one["delta"] == 0 for one in told["bets"][1:])
    assert all("/" in one["exact"] for one in told["bets"][1:])
    marked = {
        (panel["kind"], row["label"], column)
        for panel in told["chart"]
        for row in panel["rows"]
        for column, cell, before in zip(panel["columns"], row["cells"], row["own"] or row["cells"], strict=True)
        if cell != before
    }
    assert len(marked) == told["cells"] > 0
    assert {kind for kind, _, _ in marked} == {"pair"}
    assert ("pair", "44", "5") in marked


@pytest.mark.asyncio(loop_scope="module")
async def test_x16_the_chart_of_a_duel_has_a_panel_for_each_up_card(house: InProcessHouse) -> None:
    told = await asked(house, "duello", {"duel.qualify": "14"})
    assert [panel["of"] for panel in told["chart"]] == list("23456789TA")
    row = told["chart"][0]["rows"][1]
    assert (row["label"], row["cells"][0], len(row["cells"])) == ("3", "", 10)
    assert all(cell == "F" or cell[1] in "HS" for cell in row["cells"][1:])


SECOND = 1.0


async def measure_answer(house: InProcessHouse, game: str, switches: dict[str, str]) -> float:
    """Processor seconds of an answer, the house's and those of the process that computes: load makes them no more."""
    calculator = house.app.state.solved.calculator
    before = time.process_time() + count_ticks(calculator.pid) / os.sysconf("SC_CLK_TCK")
    told = await asked(house, game, switches)
    assert told["bets"], told
    return time.process_time() + count_ticks(calculator.pid) / os.sysconf("SC_CLK_TCK") - before


SWITCHES = {
    "ventuno": ({"shoe.decks": "6"}, {"dealer.soft_17": "hit", "split.hands": "4"}),
    "first-person": ({"shoe.decks": "5"}, {"split.aces": "free"}),
    "sisal": ({"shoe.decks": "4"}, {"double.after_split": "true"}),
    "duello": ({"shoe.decks": "8"}, {"duel.qualify": "15"}),
    "link": ({"shoe.decks": "8"}, {"charlie": "5"}),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.asyncio(loop_scope="module")
async def test_x16_an_answer_takes_less_than_a_second_and_nothing_the_second_time(
    house: InProcessHouse, game: str
) -> None:
    await asked(house, game, {})
    took = [await measure_answer(house, game, switches) for switches in SWITCHES[game]]
    assert max(took) < SECOND, took
    assert await measure_answer(house, game, SWITCHES[game][0]) < SECOND / 5


@pytest.mark.asyncio(loop_scope="module")
async def test_x16_planted_fault_an_answer_that_computes_for_longer_is_found(
    house: InProcessHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    calculator = house.app.state.solved.calculator
    right = calculator.ask

    async def dawdle(question: Any) -> Any:
        until = time.process_time() + SECOND
        while time.process_time() < until:
            pass
        return await right(question)

    await asked(house, "duello", {})
    monkeypatch.setattr(calculator, "ask", dawdle)
    assert await measure_answer(house, "duello", {"duel.qualify": "16"}) > SECOND


@pytest.mark.asyncio(loop_scope="module")
async def test_what_many_ask_at_once_is_computed_once(house: InProcessHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    solved, questions = house.app.state.solved, []
    real = solved.calculator.ask

    async def counted(question: Any) -> Any:
        questions.append(question)
        return await real(question)

    monkeypatch.setattr(solved.calculator, "ask", counted)
    told = await asyncio.gather(*[asked(house, "duello", {"shoe.decks": "5"}) for _ in range(5)])
    assert len({json.dumps(one) for one in told}) == 1
    assert len([one for one in questions if one["rules"]["shoe"]["decks"] == 5]) == 1


async def test_a_certificate_on_disk_is_not_computed_again(tmp_path: Path) -> None:
    (tmp_path / CERTIFICATES).mkdir()
    async with opened(tmp_path) as house:
        sheet = load("duello")
        (tmp_path / CERTIFICATES / f"{sheet.hash}.json").write_text(certify(sheet).text())
        told = await asked(house, "duello", {})
        assert told["bets"][0]["rtp_total"] == pytest.approx(98.38, abs=0.005)
        assert house.app.state.solved.calculator.starts == 0


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("switches", "code", "numbers"),
    [
        ({"split.aces": "two"}, "SwitchUnfit", {"switch": "split.aces", "value": "two", "allowed": "one-card, free"}),
        ({"shoe.decks": "9"}, "SwitchUnfit", {"switch": "shoe.decks", "value": "9", "allowed": "a whole number 1-8"}),
        ({"charlie": "2"}, "SwitchUnfit", {"switch": "charlie", "value": "2", "allowed": CHARLIE}),
        ({"dealer.peek": "[king]"}, "SwitchUnfit", {"switch": "dealer.peek"}),
        ({"blackjack.pays": "x3"}, "SwitchUnfit", {"switch": "blackjack.pays"}),
        ({"clocks.betting": "10"}, "NoSuchSwitch", {"switch": "clocks.betting"}),
        ({"nothing": "1"}, "NoSuchSwitch", {"switch": "nothing"}),
        ({"blackjack.pays": "7/3"}, "SwitchesDisagree", {}),
    ],
)
async def test_a_wrong_switch_is_named_with_what_is_allowed(
    house: InProcessHouse, switches: dict[str, str], code: str, numbers: dict[str, str]
) -> None:
    error = (await asked(house, "ventuno", switches))["error"]
    assert error["code"] == code
    assert numbers.items() <= error["numbers"].items()
    assert next(iter(switches)) in error["detail"]


@pytest.mark.asyncio(loop_scope="module")
async def test_what_does_not_fit_the_document_is_unfit(house: InProcessHouse) -> None:
    bad: list[Any] = [{"shoe.decks": 6}, {"a b": "1"}, {"shoe.decks": "1\n2"}, {f"a{n}": "1" for n in range(41)}]
    for one in bad:
        assert (await asked(house, "ventuno", one))["error"]["code"] == "BodyUnfit"
    assert (await asked(house, "roulette", {}))["error"]["code"] == "NoSuchGame"


async def test_what_has_to_be_computed_is_counted_and_what_is_known_is_not(tmp_path: Path) -> None:
    plenty = BucketSize(10**9, 1e6)
    async with opened(tmp_path, allowances=RateLimits(plenty, plenty, plenty, odds=BucketSize(2, 0.1))) as house:
        assert "bets" in await asked(house, "duello", {})
        assert "bets" in await asked(house, "duello", {"duel.qualify": "15"})
        assert "bets" in await asked(house, "duello", {"duel.qualify": "15"})
        refused = (await asked(house, "duello", {"duel.qualify": "16"}))["error"]
        assert (refused["code"], refused["numbers"]["seconds"]) == ("TooMany", 10)


class Watched:
    """Stands for a sheet or a part of it, and notes every switch that is read."""

    def __init__(self, held: Any, path: str, read: set[str]) -> None:
        self.__dict__.update(_held=held, _path=path, _read=read)

    def __getattr__(self, name: str) -> Any:
        found, path = getattr(self._held, name), f"{self._path}.{name}".strip(".")
        if hasattr(found, "__dataclass_fields__") and type(found).__module__ == Sheet.__module__:
            return Watched(found, path, self._read)
        self._read.add(path)
        return found


@pytest.mark.parametrize("game", GAMES)
def test_no_figure_depends_on_a_switch_that_is_not_offered(game: str) -> None:
    """What certify reads of a sheet is what the room lets change, and a few things that only name or compare."""
    sheet, read = load(game), set[str]()
    certify(Watched(sheet, "", read), compare=False)  # type: ignore[arg-type]
    named = {"game.id", "game.name", "game.family", "hash", "published.base", "options.behind", "stakes.max_win"}
    offered, every = {one.path for one in what_if.list_switches(sheet)}, {one.path for one in switches(sheet)}
    off = set() if sheet.cash_out.hard else {"cash_out.offered"}
    assert (read & every) - named - offered - off == set()
    assert "shoe.decks" in read


def test_every_switch_of_a_sheet_is_offered_or_known_to_change_nothing() -> None:
    """A switch that a later sheet brings has to be put on one of the two lists."""
    idle: tuple[str, ...] = ("game.", "seats.", "stakes.", "clocks.", "timeouts.", "options.", "published.", "cites.")
    idle += ("looks.", "shoe.reshuffle", "shoe.cut", "shoe.burn", "shoe.sets", "shoe.cards")
    idle += ("cash_out.", "bonus.", "sides.link.pays")
    for game in GAMES:
        sheet = load(game)
        offered = {one.path for one in what_if.list_switches(sheet)}
        rest = [one.path for one in switches(sheet) if one.path not in offered and not one.path.endswith(".kind")]
        assert [path for path in rest if not path.startswith(idle)] == []


def test_what_is_told_of_a_switch_is_taken_back() -> None:
    for game in GAMES:
        sheet = load(game)
        own = {one.path: one.value for one in what_if.describe_switches(sheet).levers}
        again = what_if.change_switches(sheet, own)
        assert not isinstance(again, Refusal), again
        assert (again.hash, plain(again)) == (sheet.hash, plain(sheet))


def test_a_count_with_a_gap_is_told_with_all_its_values() -> None:
    """Charlie: none, or 3 to 12 cards. The room steps over what the sheet refuses, and hears of it from the sheet."""
    lever = next(one for one in what_if.describe_switches(load("link")).levers if one.path == "charlie")
    assert (lever.kind, lever.value, lever.low, lever.high) == ("whole", "10", 0, 12)
    assert ", ".join(lever.values) == lever.legal == CHARLIE
    assert all(not isinstance(what_if.change_switches(load("link"), {"charlie": one}), Refusal) for one in lever.values)
