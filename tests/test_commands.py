"""The commands `settle` and `sheet` as scripts call them: exit codes, one line of reason, never a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ventuno import sheets
from ventuno.cli.main import COMMANDS, main

ROUND: dict[str, Any] = {
    "game": "ventuno",
    "shoe": "9S 7D TC TH",
    "players": {"p1": 100000, "p2": 50000},
    "boxes": [
        {
            "box": 1,
            "player": "p1",
            "main": 1000,
            "sides": {"perfect-pairs": 200, "21+3": 200},
            "behind": [{"player": "p2", "stake": 500, "follow_double": True, "follow_split": False}],
        }
    ],
    "decisions": [{"box": 1, "do": "stand"}],
}
SETTLED: dict[str, Any] = {
    "dealer": {"cards": "7D TH", "total": 17, "blackjack": False},
    "hands": [{"box": 1, "hand": 1, "cards": "9S TC", "total": 19, "outcome": "win"}],
    "bets": [
        {"player": "p1", "box": 1, "hand": 1, "bet": "main", "stake": 1000, "returned": 2000, "criterion": "V-19"},
        {"player": "p1", "box": 1, "bet": "perfect-pairs", "stake": 200, "returned": 0, "criterion": "V-21"},
        {"player": "p1", "box": 1, "bet": "21+3", "stake": 200, "returned": 0, "criterion": "V-22"},
        {"player": "p2", "box": 1, "hand": 1, "bet": "behind", "stake": 500, "returned": 1000, "criterion": "V-26"},
    ],
    "players": {
        "p1": {"staked": 1400, "returned": 2000, "net": 600, "balance": 100600},
        "p2": {"staked": 500, "returned": 1000, "net": 500, "balance": 50500},
    },
    "unused_cards": 0,
}

Captured = pytest.CaptureFixture[str]


def settle(text: str | bytes, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    raw = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    return main(["settle", "-", *options])


def changed(path: str, value: object) -> str:
    """The round of the contract with one value replaced (or removed, for `...`)."""
    document: Any = json.loads(json.dumps(ROUND))
    here = document
    *parents, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    for word in parents:
        here = here[word]
    if value is ...:
        del here[last]
    else:
        here[last] = value
    return json.dumps(document)


def one_line(captured: Captured) -> str:
    out, err = captured.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.strip()


def test_the_contracts_own_example(monkeypatch: pytest.MonkeyPatch, capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "round.json"
    file.write_text(json.dumps(ROUND))
    assert main(["settle", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == SETTLED
    assert settle(json.dumps(ROUND), monkeypatch) == 0
    assert "p1: net € 6,00, balance € 1.006,00" in capsys.readouterr().out


MALFORMED = {
    "empty": "",
    "truncated": json.dumps(ROUND)[:-7],
    "a list": "[]",
    "not UTF-8": b"\xff\xfe\x00",
    "NaN": changed("boxes.0.main", 0).replace('"main": 0', '"main": NaN'),
    "infinite": changed("boxes.0.main", 0).replace('"main": 0', '"main": Infinity'),
    "a key twice": '{"game": "ventuno", "game": "sisal"}',
    "very deep": "[" * 100_000,
    "a number of 5000 digits": changed("boxes.0.main", 0).replace('"main": 0', '"main": ' + "9" * 5000),
    "unknown game": changed("game", "baccarat"),
    "game of wrong type": changed("game", 21),
    "no game": changed("game", ...),
    "no shoe": changed("shoe", ...),
    "shoe as a list": changed("shoe", ["9S"]),
    "no card": changed("shoe", "9S 7D TC 1H"),
    "card in lower case": changed("shoe", "9s 7D TC TH"),
    "boxes as object": changed("boxes", {}),
    "box as text": changed("boxes.0.box", "1"),
    "box as flag": changed("boxes.0.box", True),
    "player as number": changed("boxes.0.player", 7),
    "empty player": changed("boxes.0.player", ""),
    "main negative": changed("boxes.0.main", -1000),
    "main fractional": changed("boxes.0.main", 1000.0),
    "main as text": changed("boxes.0.main", "1000"),
    "main null": changed("boxes.0.main", None),
    "side zero": changed("boxes.0.sides.21+3", 0),
    "unknown side": changed("boxes.0.sides.lucky", 100),
    "behind without player": changed("boxes.0.behind.0.player", ...),
    "behind zero": changed("boxes.0.behind.0.stake", 0),
    "follow as number": changed("boxes.0.behind.0.follow_double", 1),
    "unknown key": changed("boxes.0.colour", "green"),
    "unknown key on top": changed("color", "green"),
    "balance negative": changed("players.p1", -1),
    "balance fractional": changed("players.p1", 10.5),
    "decision word": changed("decisions.0.do", "pass"),
    "decision without box": changed("decisions.0.box", ...),
    "decisions as text": changed("decisions", "stand"),
    "unknown table bet": changed("table", {"lucky": 100}),
    "bonus without wheel": changed("bonus", [{}]),
    "bonus cell no number": changed("bonus", [{"wheel": "link", "start": {"one": 1}}]),
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_malformed_input_is_exit_2_and_one_line(
    text: str | bytes, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert settle(text, monkeypatch, *options) == 2
    assert one_line(capsys)


REFUSED = {
    "LimitReached": ("boxes[0].main", changed("boxes.0.main", 50010)),
    "LimitReached huge": ("boxes[0].main", changed("boxes.0.main", 10**30)),
    "BelowMinimum": ("boxes[0].main", changed("boxes.0.main", 90)),
    "NotAMultiple": ("boxes[0].main", changed("boxes.0.main", 1005)),
    "FundsMissing": ("boxes[0].sides.21+3", changed("players.p1", 1300)),
    "NoSuchBox": ("boxes[0]", changed("boxes.0.box", 8)),
    "OwnBox": ("boxes[0].behind[0]", changed("boxes.0.behind.0.player", "p1")),
    "BetNotOffered": ("boxes[0].sides.link", changed("boxes.0.sides.link", 100)),
    "BetNotOffered table": ("table.dealer-pair", changed("table", {"dealer-pair": 100})),
    "NoBets": ("boxes", changed("boxes", [])),
    "ShoeExhausted": ("shoe", changed("shoe", "9S 7D TC")),
    "TooManyCopies": ("shoe", changed("shoe", "9S " * 9)),
    "DecisionMissing": ("decisions", changed("decisions", [])),
    "DecisionLeftOver": ("decisions[1]", changed("decisions", [{"box": 1, "do": "stand"}] * 2)),
    "ActionNotAllowed": ("decisions[0]", changed("decisions.0.do", "split")),
    "NotYourTurn": ("decisions[0]", changed("decisions.0.box", 2)),
    "BonusLeftOver": ("bonus[0]", changed("bonus", [{"wheel": "x5"}])),
}


@pytest.mark.parametrize(("code", "case"), REFUSED.items(), ids=REFUSED)
def test_what_the_rules_forbid_is_exit_3_with_code_and_place(
    code: str, case: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    at, text = case
    assert settle(text, monkeypatch, "--json") == 3
    refused = json.loads(capsys.readouterr().out)["refused"]
    assert (refused["code"], refused["at"]) == (code.split()[0], at)
    assert refused["detail"]
    assert settle(text, monkeypatch) == 3
    assert at in one_line(capsys)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
PLACES = [
    *("game", "shoe", "boxes", "players", "decisions", "table", "bonus", "boxes.0", "boxes.0.box", "boxes.0.main"),
    *("boxes.0.sides", "boxes.0.behind", "boxes.0.behind.0", "decisions.0", "decisions.0.do", "decisions.0.box"),
]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(place=st.sampled_from(PLACES), value=JSON)
def test_any_json_anywhere_is_answered(place: str, value: object) -> None:
    """Whatever stands in any place of a scenario, the answer is an exit code of the contract."""
    patch = pytest.MonkeyPatch()
    with patch.context() as monkeypatch:
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        monkeypatch.setattr(sys, "stderr", errors := io.StringIO())
        assert settle(changed(place, value), monkeypatch, "--json") in (0, 2, 3)
        assert "Traceback" not in errors.getvalue()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(raw=st.binary(max_size=200))
def test_any_bytes_are_answered(raw: bytes) -> None:
    patch = pytest.MonkeyPatch()
    with patch.context() as monkeypatch:
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        assert settle(raw, monkeypatch) == 2


@pytest.mark.parametrize("file", ["/nonexistent", "."])
def test_unreadable_files(file: str, capsys: Captured) -> None:
    assert main(["settle", file]) == 2
    assert "cannot be read" in one_line(capsys)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["settle"],
        ["deal"],
        ["settle", "a", "b"],
        ["sheet"],
        ["sheet", "poker"],
        ["sheet", "ventuno", "--sett", "x"],
    ],
)
def test_wrong_usage_is_one_line(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    assert one_line(capsys)


@pytest.mark.parametrize("game", sheets.GAMES)
def test_sheet_lists_switches_hash_and_criteria(game: str, capsys: Captured) -> None:
    assert main(["sheet", game, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["game"] == game
    assert document["hash"] == sheets.load(game).hash
    listed = {row["switch"]: row for row in document["switches"]}
    assert listed["shoe.decks"]["value"] == sheets.load(game).shoe.decks
    assert all(row["legal"] for row in listed.values())
    assert document["criteria"]
    assert main(["sheet", game]) == 0
    assert document["hash"] in capsys.readouterr().out


def test_sheet_what_if_changes_the_hash_of_a_copy(capsys: Captured) -> None:
    assert main(["sheet", "ventuno", "--json", "--set", "shoe.decks=6", "--set", "dealer.peek=[]"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["hash"] != sheets.load("ventuno").hash
    assert document["sheet"]["shoe"]["decks"] == 6
    assert document["sheet"]["dealer"]["peek"] == []


@pytest.mark.parametrize(
    ("setting", "known"),
    [
        ("shoe.deck=6", "decks"),
        ("shoe.decks=9", "1-8"),
        ("shoe.decks=six", "1-8"),
        ("split.aces=maybe", "one-card, free"),
        ("dealer.peek=[K]", "A, ten"),
        ("blackjack.pays=7/3", "not exact"),
        ("blackjack.pays=0/1", "3/2"),
        ("double.after_split=yes", "true, false"),
        ("split", "KEY=VALUE"),
        ("split=2", "equal, hands, aces"),
        ("sides.21+3.pays.flush=nothing", "25:1"),
        ("sides.lucky.kind=pair", "perfect-pairs"),
    ],
)
def test_bad_switches_are_refused_with_the_good_ones(setting: str, known: str, capsys: Captured) -> None:
    assert main(["sheet", "ventuno", "--set", setting]) == 2
    assert known in one_line(capsys)


@pytest.mark.parametrize("words", [["--help"], ["settle", "--help"], ["sheet", "ventuno"]])
def test_no_heavy_library_is_imported_for_light_commands(words: list[str]) -> None:
    """numba, numpy and rich stay out: these commands start in a fraction of 0.3 s."""
    code = (
        "import sys, time; from ventuno.cli.main import main\n"
        f"try: main({words!r})\nexcept SystemExit: pass\n"
        "heavy = [name for name in ('numba', 'numpy', 'rich') if name in sys.modules]\n"
        "print(heavy, time.process_time(), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy, seconds = done.stderr.rsplit(" ", 1)
    assert heavy == "[]"
    assert float(seconds) < 0.3


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: Captured) -> None:
    """Each word of the list is a module that takes arguments and says what it does."""
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert COMMANDS[name].split()[0] in capsys.readouterr().out
