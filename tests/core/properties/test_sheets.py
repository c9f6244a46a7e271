"""Sheets: one hash for one content, every switch of the contract, never more than a SheetError (reading 2, X-04)."""

from __future__ import annotations

import re
import tomllib
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.random_table import SIXTH_SWITCHES, often, seeds, shrinking
from ventuno import sheets
from ventuno.core.rules import sheet_reader
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.switches import SheetError

TEXTS = {game: sheets.find_game(game).text for game in sheets.GAMES}
BLACKJACK = [game for game in sheets.GAMES if game != "duello"]


def shuffled(text: str, seed: int, *, remarks: bool) -> str:
    """The same sheet with its sections and lines in another order, with other remarks or none."""
    rng = Random(seed)
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        bare = line.split("#")[0].rstrip() if not remarks else line
        if line.startswith("["):
            blocks.append([bare])
        elif line.strip() and not line.startswith("#"):
            blocks[-1].append(bare)
    top, sections = blocks[0], blocks[1:]
    rng.shuffle(top)
    rng.shuffle(sections)
    done = list(top)
    for head, *lines in sections:
        rng.shuffle(lines)
        done += ["", f"# {rng.random()}", head, *lines]
    return "\n".join(done) + "\n"


@pytest.mark.parametrize("game", sheets.GAMES)
@given(seed=seeds, remarks=st.booleans())
@often(8)
def test_the_hash_is_of_the_content_alone(game: str, seed: int, remarks: bool) -> None:
    """Order of keys and remarks do not count."""
    text = shuffled(TEXTS[game], seed, remarks=remarks)
    assert tomllib.loads(text) == tomllib.loads(TEXTS[game])
    assert sheet_reader.read(text).hash == sheets.load(game).hash
    assert sheet_reader.read(text) == sheets.load(game)


def alternatives(legal: str, value: Any) -> list[str]:
    """Other values that a switch may be given, from what it says of itself."""
    if legal == "true, false":
        return ["false" if value else "true"]
    if found := re.fullmatch(r"a whole number (\d+)-(\d+)", legal):
        low, high = int(found[1]), int(found[2])
        return [str(one) for one in (value - 1, value + 1, value * 2, low, high) if low <= one <= high and one != value]
    if found := re.fullmatch(r"\[least, most\] with (\d+) <= least <= most <= (\d+)", legal):
        return [str(one) for one in ([value[0], value[1] - 10], [value[0], value[1] + 10]) if one[0] <= one[1]]
    if legal.startswith("a list of any of"):
        return [one for one in ("[]", '["A"]', '["ten"]') if sorted(tomllib.loads(f"x={one}")["x"]) != value]
    if legal.startswith("a percentage"):
        return ["50.00" if value != "50.00" else "51.00"]
    if legal.startswith("odds"):
        return ["7:1", "9:1", "x9"]
    if legal.startswith("a rising list"):
        return [str([*value, value[-1] + 1000]), str([*value, value[-1] + 1])]
    if legal == "a text":
        return [f"{value}x"]
    if legal.startswith("all of these"):
        return [str([*value[1:], value[0]]).replace("'", '"')]
    if legal.startswith("ten whole numbers"):
        return [str([one + 1 for one in value])]
    return [one for one in legal.split(", ") if one != str(value)] if "(" not in legal else []


@pytest.mark.parametrize("game", sheets.GAMES)
def test_any_changed_switch_changes_the_hash(game: str) -> None:
    """Of the values that a switch may be given, each gives another hash; nearly every switch has one that stands.

    Looks are no rules: they do not enter the hash.
    """
    whole = sheets.load(game)
    hashes = {whole.hash}
    switches = sheet_reader.switches(whole)
    tried, stuck = 0, list[str]()
    for switch in switches:
        good = [
            sheet for text in alternatives(switch.legal, switch.value) if (sheet := attempt(game, switch.path, text))
        ]
        is_rule = not switch.path.startswith("looks.")
        assert all((sheet.hash != whole.hash) == is_rule for sheet in good), switch.path
        assert all(re.fullmatch(r"[0-9a-f]{64}", sheet.hash) for sheet in good)
        hashes |= {sheet.hash for sheet in good}
        tried += len(good)
        stuck += [] if good else [switch.path]
    assert len(hashes) > tried // 2
    assert len(stuck) <= len(switches) // 4, stuck


def attempt(game: str, path: str, text: str) -> Sheet | None:
    """The changed sheet, or nothing where the switches no longer agree with each other."""
    try:
        return sheets.load(game, {path: text})
    except SheetError:
        return None


CONTRACT: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "shoe.decks": (tuple(map(str, range(1, 9))), ("0", "9", "-1", "2.5", "true", '"6"')),
    "dealer.soft_17": (("stand", "hit"), ("draw", "1", "[]")),
    "dealer.peek": (("[]", '["A"]', '["ten"]', '["A", "ten"]', "[A, ten]"), ('["K"]', '["A", "A"]', "A", "true")),
    "double.after_split": (("true", "false"), ("1", "yes", '"true"')),
    "double.on": (("any-two", "9-11", "10-11"), ("8-11", "", "[]")),
    "split.aces": (("one-card", "free"), ("two", "1")),
    "split.equal": (("value", "rank"), ("suit", "[]")),
    "split.hands": (("2", "3", "4"), ("1", "5", "2.0")),
    "dealer_blackjack_takes.ace": (("all", "original-and-splits", "original"), ("none", "0")),
    "dealer_blackjack_takes.ten": (("all", "original-and-splits", "original"), ("none", "0")),
    "blackjack.pays": (("3/2", "6/5", "1/1", "2/1", '"3/2"', "3:2"), ("x2.5", "0/1", "3/0", "1.5", "", "-3/2")),
    "charlie": (("0", "3", "5", "6", "7", "10", "12"), ("-1", "1", "2", "13", "x", "5.5", "true")),
    "surrender": (("none", "late"), ("early", "true")),
}


@pytest.mark.parametrize("path", CONTRACT)
@pytest.mark.parametrize("game", BLACKJACK)
def test_the_switches_of_the_contract(game: str, path: str) -> None:
    """Each exists under its name, takes the values that the contract names and no others."""
    good, bad = CONTRACT[path]
    assert path in {switch.path for switch in sheet_reader.switches(sheets.load(game))}
    for text in good:
        value = next(one.value for one in sheet_reader.switches(sheets.load(game, {path: text})) if one.path == path)
        assert value == sheets_value(text), (path, text, value)
    for text in bad:
        with pytest.raises(SheetError, match=re.escape(path)):
            sheets.load(game, {path: text})


def sheets_value(text: str) -> Any:
    """The canonical form of a value of the contract."""
    if text == "[A, ten]":
        return ["A", "ten"]
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        value = text
    return value.replace("/", ":") if isinstance(value, str) else value


@pytest.mark.parametrize("game", sheets.GAMES)
@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("nonsense", "shoe"),
        ("shoe.deks", "decks"),
        ("stakes.limits.maine", "main"),
        ("stakes", "unit"),
        ("sides.21+4.kind", "perfect-pairs|2-up"),
        ("published.base.x", "none"),
    ],
)
def test_an_unknown_switch_is_refused_with_the_good_ones(game: str, path: str, good: str) -> None:
    with pytest.raises(SheetError, match=good) as fault:
        sheets.load(game, {path: "1"})
    assert str(fault.value).startswith(path)


@pytest.mark.parametrize("line", ["colour = 1\n[shoe]", "[shoe]\ncolour = 1", "[shoe]\ncolour = {a = 1}"])
def test_an_unknown_key_of_a_file_is_refused_with_the_good_ones(line: str) -> None:
    text = TEXTS["sisal"].replace("[shoe]", line, 1) if line.startswith("[") else f"colour = 1\n{TEXTS['sisal']}"
    with pytest.raises(SheetError, match=r"colour.*known.*(decks|charlie|shoe)"):
        sheet_reader.read(text)


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("stakes.unit", "5", "exact half"),
        ("stakes.unit", "25", "exact half"),
        ("stakes.chips", "[100, 505]", "no multiple"),
        ("stakes.limits.main", "[105, 50000]", "no multiples"),
        ("stakes.limits.main", "[100, 50005]", "no multiples"),
        ("blackjack.pays", "7/3", "not exact"),
        ("insurance.pays", "7:3", "not exact"),
        ("sides.perfect-pairs.pays.mixed", "7/3", "not exact"),
        ("sides.perfect-pairs.pays.golden", "7:1", "unknown"),
        ("seats.per_player", "7", "per_player"),
    ],
)
def test_money_that_would_not_be_exact_is_refused(path: str, text: str, says: str) -> None:
    """Reading 2: halves and 3:2 are exact for every reachable stake, or there is no sheet."""
    with pytest.raises(SheetError, match=says):
        sheets.load("sisal", {path: text})


garbage = st.text(max_size=40) | st.sampled_from(
    [
        "[]",
        "{}",
        "[[1]]",
        "1e999",
        "nan",
        "0x1F",
        "1979-05-27",
        '"',
        "'''",
        "{a=1}",
        "[1, 50]",
        "true",
        "-1",
        "[21, 20]",
    ]
)


@given(
    text=st.text(max_size=200) | st.lists(st.sampled_from([*'[]=".#\n{}', "game", "family", "duel", "1"])).map("".join)
)
@example("game = 3")
@example("[game]\nfamily = ['duel']")
@shrinking(250)
def test_garbage_is_never_more_than_a_sheet_error(text: str) -> None:
    check_read(text, {})


def check_read(text: str, changes: dict[str, str]) -> None:
    said: Exception | None = None
    try:
        sheet_reader.read(text, changes)
    except Exception as fault:
        said = fault.with_traceback(None)
    assert said is None or type(said) is SheetError, repr(said)[:200]
    assert said is None or len(str(said).splitlines()) == 1, str(said)[:200]


DEEP, LONG = "[" * 3000, "9" * 5000


@pytest.mark.parametrize("value", [DEEP, LONG], ids=["deep", "long"])
def test_deep_and_long_values_are_sheet_errors(value: str) -> None:
    """What the TOML reader itself gives up on is still one line for the caller, in a file and as a what-if value."""
    check_read(f"x = {value}", {})
    check_read(TEXTS["sisal"], {"split.hands": value})


PATHS = sorted({one.path for game in sheets.GAMES for one in sheet_reader.switches(sheets.load(game))})


@given(game=st.sampled_from(sheets.GAMES), path=st.sampled_from(PATHS) | st.text(max_size=12), value=garbage)
@example("sisal", "sides", "{}")
@shrinking(300)
def test_any_value_for_any_switch_is_read_or_refused(game: str, path: str, value: str) -> None:
    check_read(TEXTS[game], {path: value})


@given(game=st.sampled_from(sheets.GAMES), seed=seeds, path=st.sampled_from(PATHS))
@often(250)
def test_a_mangled_file_is_read_or_refused(game: str, seed: int, path: str) -> None:
    """Lines lost, doubled, swapped or given other values; with a what-if change on top."""
    rng = Random(seed)
    lines = TEXTS[game].splitlines()
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(lines))
        match rng.randrange(4):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[rng.randrange(len(lines))])
            case 2:
                key = lines[place].split("=")[0]
                lines[place] = f"{key} = {rng.choice(['3', 'true', '[]', '{}', '[1]', '-1', chr(34) * 2, '{a = 1}'])}"
            case _:
                lines[place] = lines[place][: rng.randrange(len(lines[place]) + 1)]
    check_read("\n".join(lines), rng.choice(({}, {path: rng.choice(("1", "x", "[]"))})))


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("game = 3", {"game.id": "x"}),
        ("sides = 3", {"sides.x.kind": "pair"}),
        ("[sides]\nx = 3", {"sides.x.kind": "pair"}),
        ("stakes = []", {"stakes.unit": "10"}),
    ],
)
def test_a_change_to_a_broken_file_is_a_sheet_error(text: str, changes: dict[str, str]) -> None:
    check_read(text, changes)


def test_a_wrong_family_is_named() -> None:
    """The line that is wrong is the one that the message names, with the families there are."""
    with pytest.raises(SheetError, match=r"game\.family.*blackjack.*duel"):
        sheet_reader.read(TEXTS["sisal"].replace('family = "blackjack"', 'family = "baccarat"'))


def test_the_house_way_is_a_list_of_words() -> None:
    """D-10: numbers that only look like the words are no rows, or the dealer would find no row for his hand."""
    numbers = TEXTS["duello"].replace('["21", "20", "19",', "[21, 20, 19,")
    assert numbers != TEXTS["duello"]
    with pytest.raises(SheetError, match="house_way"):
        sheet_reader.read(numbers)


@pytest.mark.parametrize(
    "change",
    [
        ("[bonus.cell] ", "[bonus.cell]\n0 = 5 #"),
        ("[bonus.start] ", "[bonus.start]\n01 = 5 #"),
    ],
)
def test_a_bonus_prize_is_a_positive_number(change: tuple[str, str]) -> None:
    """L-27: a prize of nothing would lock no cell and give all spins back, without end."""
    text = TEXTS["link"].replace(*change, 1)
    assert text != TEXTS["link"]
    with pytest.raises(SheetError):
        sheet_reader.read(text)


def test_defaults_may_be_left_out() -> None:
    """A line that says what holds anyway does not change the content."""
    text = TEXTS["sisal"].replace('soft_17 = "stand"', "")
    assert text != TEXTS["sisal"]
    assert sheet_reader.read(text).hash == sheets.load("sisal").hash


def test_changes_act_on_a_copy() -> None:
    before = sheets.load("first-person")
    assert sheets.load("first-person", SIXTH_SWITCHES).hash != before.hash
    assert sheets.load("first-person") == before
