"""The commands `settle` and `sheet` as scripts call them: exit codes, one line of reason, never a traceback."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.volume import scale
from ventuno import __version__, sheets
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
    "balance beyond 63 bits": changed("players.p1", 2**63),
    "balance of 4300 digits": changed("players.p1", 0).replace('"p1": 0', '"p1": ' + "9" * 4300),
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


@settings(max_examples=scale(400), deadline=None, derandomize=True)
@given(place=st.sampled_from(PLACES), value=JSON)
def test_any_json_anywhere_is_answered(place: str, value: object) -> None:
    """Whatever stands in any place of a scenario, the answer is an exit code of the contract."""
    patch = pytest.MonkeyPatch()
    with patch.context() as monkeypatch:
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        monkeypatch.setattr(sys, "stderr", errors := io.StringIO())
        assert settle(changed(place, value), monkeypatch, "--json") in (0, 2, 3)
        assert "Traceback" not in errors.getvalue()


@settings(max_examples=scale(200), deadline=None, derandomize=True)
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


def test_the_bare_command_explains_itself(capsys: Captured) -> None:
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [name for name in COMMANDS if not re.search(rf"^ +{name}\s", out, re.MULTILINE)] == []


def test_the_version_is_the_packages(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"ventuno {__version__}\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["stetle", "x"], "settle"),
        (["simul"], "simulate"),
        (["sheet", "vnetuno"], "ventuno"),
        (["sheet", "first"], "first-person"),
        (["staff", "ad", "Ada"], "add"),
    ],
)
def test_a_slip_of_the_finger_is_told_what_was_meant(words: list[str], meant: str, capsys: Captured) -> None:
    assert main(words) == 2
    assert f"did you mean {meant!r}?" in one_line(capsys)


def test_a_scenario_that_misspells_its_game_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert settle(changed("game", "sisall"), monkeypatch) == 2
    assert "did you mean 'sisal'?" in one_line(capsys)


def test_what_is_like_nothing_gets_the_list_alone(capsys: Captured) -> None:
    assert main(["poker"]) == 2
    line = one_line(capsys)
    assert "did you mean" not in line
    assert all(name in line for name in COMMANDS)


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
    "words",
    [
        ["ventuno", "--set", "shoe.decks=6", "dealer.peek=[]"],
        ["--set", "shoe.decks=6", "dealer.peek=[]", "ventuno"],
        ["--set", "shoe.decks=6", "--set", "dealer.peek=[]", "ventuno"],
        ["--set=shoe.decks=6", "dealer.peek=[]", "--json", "ventuno"],
    ],
    ids=" ".join,
)
def test_several_changes_may_follow_one_flag(words: list[str], capsys: Captured) -> None:
    """The contract's `[--set KEY=VALUE…]`, read either way."""
    assert main(["sheet", "--json", *[word for word in words if word != "--json"]]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["hash"] == sheets.load("ventuno", {"shoe.decks": "6", "dealer.peek": "[]"}).hash


@pytest.mark.parametrize("command", ["certify", "strategy", "simulate", "sheet"])
def test_every_change_after_a_flag_is_looked_at(command: str, capsys: Captured) -> None:
    assert main([command, "--set", "shoe.decks=6", "split.hands=9", "ventuno"]) == 2
    assert one_line(capsys).startswith("split.hands: 9")
    assert main([command, "--set", "shoe.decks=6", "shoe.decks=7", "ventuno"]) == 2
    assert "given twice" in one_line(capsys)


@pytest.mark.parametrize(("given", "shown"), [("3/2", "3/2"), ("6:5", "6/5"), ("2/1", "2/1")])
def test_blackjack_pays_as_the_contract_writes_it(given: str, shown: str, capsys: Captured) -> None:
    """What a sheet prints is what it takes; its canonical form and its hash stay as they were."""
    assert main(["sheet", "ventuno", "--set", f"blackjack.pays={given}"]) == 0
    assert re.search(rf'^blackjack.pays +"{shown}"', capsys.readouterr().out, re.MULTILINE)
    assert main(["sheet", "ventuno", "--json", "--set", f"blackjack.pays={given}"]) == 0
    document = json.loads(capsys.readouterr().out)
    listed = {row["switch"]: row["value"] for row in document["switches"]}
    assert listed["blackjack.pays"] == shown
    assert listed["sides.21+3.pays.flush"] == "5:1"
    assert document["hash"] == sheets.load("ventuno", {"blackjack.pays": shown}).hash


@pytest.mark.parametrize(
    ("setting", "known"),
    [
        ("shoe.deck=6", "decks"),
        ("shoe.decks=9", "1-8"),
        ("shoe.decks=six", "1-8"),
        ("split.aces=maybe", "one-card, free"),
        ("charlie=1", "0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
        ("charlie=2", "0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
        ("charlie=13", "0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
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


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["settle", "--help"], ["sheet", "ventuno"]])
def test_no_heavy_library_is_imported_for_light_commands(words: list[str]) -> None:
    """numba, numpy and rich stay out: these commands start in a fraction of 0.3 s, the time of nine million additions.

    How long these take is measured beside it: a machine with other things to do is slower at both. One of three must
    be quick: the first may still have to compile what it reads.
    """
    code = (
        "import sys, time; from ventuno.cli.main import main\n"
        f"try: main({words!r})\nexcept SystemExit: pass\n"
        "heavy = [name for name in ('numba', 'numpy', 'rich') if name in sys.modules]\n"
        "seconds = time.process_time(); total = 0\n"
        "for number in range(9_000_000): total += number\n"
        "print(heavy, seconds / (time.process_time() - seconds), file=sys.stderr)"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        heavy, part = done.stderr.rsplit(" ", 1)
        assert heavy == "[]"
        if float(part) < 1:
            return
    pytest.fail(f"the last of three took {part} of the time")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: Captured) -> None:
    """Each word of the list is a module that takes arguments and says what it does."""
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert COMMANDS[name].split()[0] in capsys.readouterr().out


def process(words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a shell, as `ventuno`; what follows it may be redirections and pipes."""
    line = f'set -o pipefail; ventuno() {{ "{sys.executable}" -m ventuno.cli.main "$@"; }}; {words}'
    surroundings = {**os.environ, "PYTHONWARNINGS": "error", **environment}
    return subprocess.run(["bash", "-c", line], capture_output=True, check=False, env=surroundings)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("ventuno sheet link --json | head -c 1 >{null}", 0),
        ("ventuno sheet ventuno | true", 0),
        ("ventuno --help | true", 0),
        ("ventuno settle {refused} --json | true", 3),
        ("ventuno sheet ventuno 2>&1 | true", 0),
        ("ventuno sheet poker 2>&1 | true", 2),
        ("(ventuno sheet ventuno; echo code $? >&2) | true", 0),
    ],
)
def test_a_reader_who_leaves_changes_no_answer(words: str, code: int, tmp_path: Path) -> None:
    refused = tmp_path / "refused.json"
    refused.write_text(changed("boxes.0.main", 50010), encoding="utf-8")
    done = process(words.format(null=os.devnull, refused=refused))
    assert done.returncode == code
    assert done.stderr in (b"", b"code 0\n")


@pytest.mark.parametrize("words", ["sheet ventuno", "sheet link --json", "--help"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only here is a disk that is always full")
def test_a_full_disk_is_one_line_and_no(words: str) -> None:
    done = process(f"ventuno {words} >/dev/full")
    assert (done.returncode, done.stderr) == (1, b"standard output: No space left on device\n")


def test_an_output_that_lacks_characters_gets_them_escaped(tmp_path: Path) -> None:
    """A document stays one: escapes are those of JSON."""
    file = tmp_path / "round.json"
    file.write_text(json.dumps(ROUND).replace("p1", "Pi\u00e8"), encoding="utf-8")
    for encoding in ("ascii", "ascii:strict", "latin-1"):
        done = process(f"ventuno settle {file} --json", PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout.decode(encoding.split(":")[0]))["players"]["Pi\u00e8"]["net"] == 600
        done = process(f"ventuno settle {file}; ventuno sheet ventuno", PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        assert rb"net \u20ac 6,00" in done.stdout
        done = process("ventuno settle $'\\xc3\\xa8\\xff'", PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)


@pytest.mark.parametrize("words", ["settle -", "verify -", "replay X --from -"])
def test_standard_input_that_is_closed_is_one_line(words: str) -> None:
    done = process(f"ventuno {words} <&-")
    assert (done.returncode, done.stderr) == (2, b"-: cannot be read: standard input is closed\n")


@pytest.mark.parametrize("words", ["settle -", "verify -", "replay X --from -", "settle /dev/zero"])
def test_input_without_an_end_is_not_read_to_it(words: str) -> None:
    done = process(f"ulimit -v 4000000; ventuno {words} </dev/zero")
    assert done.returncode == 2
    assert done.stderr.endswith(b": cannot be read: longer than 64 MiB\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("command", ["replay", "verify"])
def test_arguments_that_are_no_text_are_one_line(command: str) -> None:
    for words in ("$'\\xff' --database $'\\xfe.db'", "X --database $'\\xfe.db'", "$'\\xff.json'"):
        done = process(f"ventuno {command} {words}")
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
