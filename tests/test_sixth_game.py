"""A sixth game out of switches alone: no line of Python knows it, and no line of Python asks for a game's name."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given

from tests.support.house import certify
from tests.support.random_table import SIXTH, SIXTH_SWITCHES, STRANGER, often, seeds, sheet_of, walk
from tests.support.server_process import ForkedServer, example, running, wishes
from ventuno import sheets
from ventuno.cli.main import main
from ventuno.core.messages.commands import Act, BringMoney, DealNow, LoadShoe, PlaceBet, Spot, TakeMoney, TimeOut
from ventuno.core.messages.events import (
    CommunityChosen,
    Event,
    HandCashedOut,
    HandSplit,
    HandSurrendered,
    InsuranceAnswered,
    Peeked,
    RoundSettled,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules import sheet_reader
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_writer import write
from ventuno.core.scenario import runner, scenario
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, Status
from ventuno.core.table.state import Table
from ventuno.core.views.private_view import build_private_view
from ventuno.words import describe_refusal

SOURCE = Path(__file__).resolve().parents[1] / "src" / "ventuno"

LIVE_DUEL = {
    "game.id": "sixth-duel",
    "game.solo": "false",
    "shoe.decks": "4",
    "seats.count": "3",
    "seats.per_player": "2",
    "stakes.missing_funds": "substitute",
    "clocks.betting": "10",
    "clocks.decision": "8",
    "clocks.results": "3",
    "options.deal_now": "true",
    "duel.qualify": "15",
    "duel.draw_to": "14",
    "timeouts.choice": "right",
    "timeouts.second": "hit",
}
"""A duel for three, with another bar, other time-outs and clocks."""

LOOSE = {
    "shoe.decks": "5",
    "split.equal": "rank",
    "split.hands": "4",
    "split.aces": "free",
    "double.on": "10-11",
    "dealer.soft_17": "hit",
    "dealer.peek": '["ten"]',
    "dealer_blackjack_takes.ace": "original",
    "dealer_blackjack_takes.ten": "original-and-splits",
    "blackjack.pays": "6/5",
    "charlie": "6",
    "surrender": "late",
    "seats.count": "4",
    "seats.per_player": "4",
    "stakes.max_win": "3000",
}
"""Blackjack Link with nearly every rule of play changed and a cap that bites."""

VARIANTS: dict[str, Sheet] = {
    "live": sheet_of(SIXTH),
    "live-duel": sheets.load("duello", LIVE_DUEL),
    "loose-link": sheets.load("link", LOOSE),
    "loose-sisal": sheets.load("sisal", {**LOOSE, "pair_requires_stand": "true", "stakes.round_cap": "20000"}),
    "one-deck": sheets.load("first-person", {"shoe.decks": "1", "seats.count": "1", "seats.per_player": "1"}),
}


@pytest.mark.parametrize("name", VARIANTS)
@given(seed=seeds)
@often(12)
def test_a_game_of_switches_plays(name: str, seed: int) -> None:
    """Random rounds: nothing raises, no purse falls below zero, every view can be made."""
    for step in walk(VARIANTS[name], seed, 200, strict=True):
        if isinstance(step.outcome, Refusal):
            continue
        assert all(purse >= 0 for purse in step.after.purses.values()), step.command
        assert build_private_view(step.after, STRANGER).balance == step.after.purse(STRANGER)


def events_of(sheet: Sheet, seeds_tried: int, steps: int) -> list[Event]:
    walks = (step for seed in range(seeds_tried) for step in walk(sheet, seed, steps, wild=0.05))
    return [event for step in walks if not isinstance(step.outcome, Refusal) for event in step.outcome]


def test_the_sixth_game_uses_its_rules() -> None:
    """Peek under a ten, surrender, Charlie, cash out, splits to four, insurance, all at one shared table."""
    events = events_of(sheet_of(SIXTH), 30, 300)
    kinds = Counter(type(event) for event in events)
    for kind in (HandSurrendered, HandCashedOut, HandSplit, InsuranceAnswered, Peeked):
        assert kinds[kind], kind
    lines = [line for event in events if isinstance(event, RoundSettled) for line in event.lines]
    assert {"main", "double", "split", "behind", "perfect-pairs", "21+3"} <= {line.bet for line in lines}
    assert kinds[RoundSettled] > 40


def settle(sheet: Sheet, shoe: str, decisions: str) -> dict[str, int]:
    """One box of 1000 through the scenario door: the net of each player."""
    raw = {
        "game": "ventuno",
        "shoe": shoe,
        "boxes": [{"box": 1, "player": "p1", "main": 1000}],
        "decisions": [{"box": 1, "do": word} for word in decisions.split()],
    }
    done = runner.write_settlement(runner.play_scenario(sheet, scenario.parse(raw, sheets.GAMES)))
    return {name: figures["net"] for name, figures in done["players"].items()}


@pytest.mark.parametrize(
    ("shoe", "decisions", "net"),
    [
        ("9S TS 7D AH", "", -1000),
        ("2S 9S 2D TH 2C 3H 4D", "hit hit hit", 1000),
        ("TS AS 7D 6H 9D 8C", "decline stand", 1000),
        ("8S 6S 8D TH 8C 8H TD 9C 2S TC KC", "split split stand stand split stand stand", 4000),
        ("5S 6S 6D TH KC TC", "double", 2000),
    ],
    ids=["peek-ten", "charlie", "soft-17-hit", "four-hands", "double"],
)
def test_rules_of_the_sixth_game_by_hand(shoe: str, decisions: str, net: int) -> None:
    assert settle(sheet_of(SIXTH), shoe, decisions)["p1"] == net


def ready(sheet: Sheet, purse: int) -> Table:
    table = open_table("T", sheet, "ada")
    for command in (
        BringMoney("ada", purse, 0),
        LoadShoe(tuple(range(0, 48, 4)), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"),), 1000, 0),
        DealNow("ada", 0),
    ):
        answer = advance(table, command)
        assert not isinstance(answer, Refusal), answer
        table = answer[1]
    return table


def test_a_time_out_never_spends_what_is_not_there() -> None:
    """I-2: where the sheet lets a time-out raise, missing funds leave only the fold (reading 23)."""
    table = ready(sheets.load("duello", {"timeouts.choice": "left"}), 2000)
    taken = advance(table, TakeMoney("ada", 1000, 1))
    assert not isinstance(taken, Refusal)
    answer = advance(taken[1], TimeOut(1, 2))
    assert isinstance(answer, Refusal) or answer[1].purse("ada") >= 0


def test_the_same_time_out_raises_where_funds_are() -> None:
    answer = advance(ready(sheets.load("duello", {"timeouts.choice": "left"}), 2000), TimeOut(1, 2))
    assert not isinstance(answer, Refusal)
    assert any(isinstance(event, CommunityChosen) for event in answer[0])


def test_bets_behind_are_paid_by_their_own_decisions() -> None:
    """V-26, V-29 with even money switched on: the owner's even money is his; a bettor who declined plays on at 3:2."""
    sheet = sheets.load("ventuno", {"insurance.even_money": "true"})
    raw = {
        "game": "ventuno",
        "shoe": "AS AD KC 9H",
        "boxes": [{"box": 1, "player": "p1", "main": 1000, "behind": [{"player": "p2", "stake": 1000}]}],
        "decisions": [{"box": 1, "do": "even-money"}, {"box": 1, "do": "decline", "player": "p2"}],
    }
    done = runner.write_settlement(runner.play_scenario(sheet, scenario.parse(raw, sheets.GAMES)))
    assert {name: figures["net"] for name, figures in done["players"].items()} == {"p1": 1000, "p2": 1500}


def test_what_if_changes_leave_the_published_sheet_alone() -> None:
    assert sheets.load("first-person").hash == sheet_reader.read(sheets.find_game("first-person").text).hash
    assert sheet_of(SIXTH).hash not in {sheets.load(game).hash for game in sheets.GAMES}
    assert replace(sheet_of(SIXTH), hash="").charlie == 5


# A sixth game from a file, through every door.

QUICK = {"clocks.betting": "3", "clocks.deal_now_floor": "1", "clocks.results": "1", "published.returns": "{}"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one's own with the sheet of the sixth game, which is shared, and the same for one player."""
    made = tmp_path_factory.mktemp("sheets")
    shared = sheets.load("first-person", {**SIXTH_SWITCHES, **QUICK})
    solo = sheets.load("first-person", {"game.id": "seventh", "split.hands": "3", "published.returns": "{}"})
    for sheet in (shared, solo):
        (made / f"{sheet.game.id}.toml").write_text(write(sheet), encoding="utf-8")
    return made


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_a_file_is_settled(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "round.json"
    raw = {"game": "sixth", "shoe": "2S 9S 2D TH 2C 3H 4D", "boxes": [{"box": 1, "player": "p1", "main": 1000}]}
    file.write_text(json.dumps({**raw, "decisions": [{"box": 1, "do": "hit"}] * 3}))
    by_folder = run(capsys, "settle", str(file), "--sheets", str(folder))
    assert by_folder == run(capsys, "settle", str(file), "--sheet", str(folder / "sixth.toml"))
    assert [hand["outcome"] for hand in by_folder["hands"]] == ["charlie"]
    assert main(["settle", str(file)]) == 2
    assert "'sixth' is no game; games: ventuno" in capsys.readouterr().err


def test_a_file_is_certified_and_simulated(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exact return lies where a million rounds lie; the environment names folders as `--sheets` does."""
    (certified_game,) = run(capsys, "certify", str(folder / "seventh.toml"))["games"]
    monkeypatch.setenv("VENTUNO_SHEETS", str(folder))
    main_bet = certified_game["bets"][0]
    assert certified_game["game"] == "seventh"
    assert main_bet["published"] is None
    simulated = run(capsys, "simulate", "seventh", "--rounds", "1e6", "--seed", "21")
    assert abs(simulated["return"] - main_bet["rtp_td"]) < 4 * simulated["standard_error"]
    assert run(capsys, "strategy", "seventh")["rtp"] == main_bet["rtp"]


def list_missing(get: Callable[[str], httpx.Response], game: str) -> list[str]:
    """Where a house does not know a game: its lobby, its rules with a certificate, its odds room."""
    lobby, rules = get("/api/lobby").json(), get(f"/api/games/{game}")
    certified = rules.json().get("certified") if rules.status_code == 200 else None
    places = {
        "lobby": any(line["game"] == game and line["certified"] for line in lobby["games"]),
        "rules": rules.status_code == 200,
        "certificate": bool(certified and certified["bets"][0]["bet"] == "main"),
        "odds": get(f"/api/odds/{game}").status_code == 200,
    }
    return [place for place, is_known in places.items() if not is_known]


async def test_x22_a_house_serves_games_from_files(folder: Path, tmp_path: Path) -> None:
    """X-22: certificates are computed at the start; lobby, help, odds room and both kinds of table know the games.

    Planted: a game without a file, and a lobby of the games in the package alone.
    """
    with running(tmp_path, VENTUNO_SHEETS=str(folder)) as house:
        lobby = house.get("/api/lobby").json()
        assert [line["game"] for line in lobby["games"]] == [*sheets.GAMES[:2], "seventh", "sixth", *sheets.GAMES[2:]]
        assert [list_missing(house.get, game) for game in ("sixth", "seventh")] == [[], []]
        assert list_missing(house.get, "eighth") == ["lobby", "rules", "certificate", "odds"]
        own = {**lobby, "games": [line for line in lobby["games"] if line["game"] in sheets.GAMES]}
        lobbies = {"/api/lobby": httpx.Response(200, json=own)}
        assert list_missing(lambda path: lobbies.get(path) or house.get(path), "seventh") == ["lobby"]
        assert "Sixth 1" in {line["table"] for line in lobby["tables"]}
        told = house.get("/api/games/seventh").json()
        assert not [line for line in told["switches"] if line["path"].startswith("looks.")]
        assert (await example().visit(wishes(house, "sixth", 1)))[0] == 1
        assert (await example().visit(wishes(house, "seventh", 3)))[0] == 3


def test_a_house_does_not_open_on_a_wrong_sheet(folder: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    text = (folder / "sixth.toml").read_text(encoding="utf-8")
    (wrong / "mine.toml").write_text(text.replace('soft_17 = "hit"', 'soft_17 = "maybe"'), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"mine\.toml: dealer\.soft_17: 'maybe' is not legal; legal: stand, hit"):
        ForkedServer(certify(tmp_path / "data"), "--sheets", str(wrong))


# No code asks for a game's name.

NAMES = frozenset((*sheets.GAMES, "first_person", *(sheets.load(game).game.name for game in sheets.GAMES)))


def names_asked(source: str) -> list[str]:
    """Comparisons, dictionaries, sets and match cases that pick one game out of five."""
    found = []
    for node in ast.walk(ast.parse(source)):
        places: list[ast.expr | None] = []
        match node:
            case ast.Compare(left=left, comparators=others):
                places = [left, *others]
            case ast.Dict(keys=keys):
                places = list(keys)
            case ast.Set(elts=elements):
                places = list(elements)
            case ast.MatchValue(value=value):
                places = [value]
            case ast.Subscript(slice=index):
                places = [index]
            case _:
                continue
        inner = [one for place in places if place is not None for one in ast.walk(place)]
        found += [one.value for one in inner if isinstance(one, ast.Constant) and one.value in NAMES - {"link"}]
        if isinstance(node, ast.Compare) and "game" in ast.unparse(node):
            found += [one.value for one in inner if isinstance(one, ast.Constant) and one.value == "link"]
    return [str(one) for one in found]


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: file.relative_to(SOURCE).as_posix())
def test_no_code_asks_for_the_name_of_a_game(file: Path) -> None:
    """Every decided reading is in the sheets: `if game == "sisal"` is a bug."""
    assert names_asked(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "fault",
    [
        'if sheet.game.id == "sisal": pass',
        'if "duello" in (game,): pass',
        'cap = {"sisal": 100000}[game]',
        'match game:\n    case "first-person": pass',
        'if game in ("ventuno", "link"): pass',
        'if sheet.game.id == "link": pass',
    ],
)
def test_a_game_asked_by_name_is_found(fault: str) -> None:
    assert names_asked(fault)


MOST_SEEDS = 400
"""A Charlie of six cards comes once in some fifty walks: with so many, chance alone never leaves one out."""


def find_statuses(variants: Iterable[Sheet], wanted: Set[Status]) -> set[Status]:
    """How hands end in walks over these sheets, one seed after another, until all that is wanted was seen."""
    seen: set[Status] = set()
    for seed in range(MOST_SEEDS):
        for sheet in variants:
            for step in walk(sheet, seed, 200, wild=0.05):
                boxes = step.after.round.boxes if step.after.round else ()
                seen |= {hand.status for box in boxes for hand in box.hands}
        if seen >= wanted:
            break
    return seen


def test_statuses_are_all_played_somewhere() -> None:
    """The variants between them end hands in every way there is."""
    assert find_statuses(VARIANTS.values(), set(Status)) == set(Status)


def test_a_status_that_no_variant_plays_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: without the sheet that has surrender nobody surrenders, however long one looks."""
    monkeypatch.setattr(f"{__name__}.MOST_SEEDS", 3)
    without = [sheet for sheet in VARIANTS.values() if sheet.surrender == "none"]
    assert 0 < len(without) < len(VARIANTS)
    assert Status.SURRENDERED not in find_statuses(without, set(Status))


def test_an_action_that_a_sheet_lacks_is_refused_by_name() -> None:
    """Surrender at the published tables: refused, with the reason."""
    table = ready(sheets.load("sisal"), 5000)
    answer = advance(table, Act("ada", 1, Action.SURRENDER, 1))
    assert isinstance(answer, Refusal)
    assert "Surrender" in describe_refusal(answer)
