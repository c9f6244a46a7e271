"""Whole tables played step by step from script files: seats, bets, clocks, the supervisor, shoes, the bonus.

A script (`*.table.json`) opens a table and lists steps; expectations are worked out by hand from the criteria.
A step is one of
  {"do": COMMAND, fields…}   a command; without `at` it comes at the time of the last one, a Tick at the deadline
  {"see": {path: value}}     what the table shows: attributes, keys and places joined by dots
  {"paid": [line, …]}        lines that the settlement holds, each given by any of its fields
  {"may": player, …}         the price of each option, or the refusal that closes it; the table must then act alike
and a command may add `events` (all of them, in order; a name, or an object with some fields), `events_include`,
`refused` (the name of the refusal; nothing may have changed) and `with` (its numbers).
Paths know `seat.N` and `box.N` by their number on the table, and `staked.PLAYER`, the TOTAL BET.
After every step the whole log is folded again from the opening table, and every cent is accounted for.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from ventuno import sheets
from ventuno.core.messages.commands import Act, Command, LoadShoe, PlaceBet, Spot, TakeSeat, Tick
from ventuno.core.messages.events import BetPlaced, BettingEnded, DecisionReplaced, Event, Wager
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules import cards
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import ledger
from ventuno.core.table.fold import advance, decide, open_table, replay
from ventuno.core.table.legal import legal
from ventuno.core.table.round import Action
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Table

HERE = Path(__file__).parents[2] / "scenarios"
FILES = sorted(HERE.glob("*/*.table.json"))
COMMANDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Command)}
BETTING = {"undo": "UndoBet", "clear": "ClearBets", "repeat": "RepeatBets", "double": "DoubleBets", "deal": "DealNow"}
CARD_FIELDS = frozenset(("card", "cards", "up", "dealer", "dealt", "hidden", "community"))
TABLE_KEYS = frozenset(("game", "set", "players", "owner", "opens", "seats", "shoe", "first", "seed", "cut"))
CHECKS = frozenset(("do", "note", "events", "events_include", "refused", "with"))


@dataclass
class Run:
    """A table under way: how it was opened, its log, and how it stood after each step."""

    opening: Table
    table: Table
    clock: int
    log: list[Event] = field(default_factory=list)
    marks: list[tuple[int, Table]] = field(default_factory=list)

    def take(self, command: Command) -> list[Event] | Refusal:
        outcome = advance(self.table, command)
        if isinstance(outcome, Refusal):
            return outcome
        self.log += outcome[0]
        self.table = outcome[1]
        self.marks.append((len(self.log), self.table))
        return outcome[0]


def shoe(sheet: Sheet, how: Mapping[str, Any], at: int) -> LoadShoe | None:
    """Chosen cards (`shoe`), or the whole pack: shuffled by a `seed`, or beginning with these cards (`first`)."""
    if "shoe" in how:
        return LoadShoe(cards.cards(how["shoe"]), 0, at, stacked=True)
    if "first" not in how and "seed" not in how:
        return None
    first = cards.cards(how.get("first", ""))
    rest = list((Counter(cards.pack(sheet.shoe.decks)) - Counter(first)).elements())
    random.Random(how.get("seed", 0)).shuffle(rest)
    return LoadShoe((*first, *rest), how.get("cut", cut_window(sheet)[0]), at)


def opened(how: Mapping[str, Any]) -> Run:
    """The table of a script with its shoe in use and its players seated."""
    if unknown := set(how) - TABLE_KEYS:
        raise ValueError(f"table: unknown {sorted(unknown)}")
    sheet, at = sheets.load(how["game"], how.get("set")), how.get("opens", 0)
    table = open_table("T1", sheet, how.get("owner"), how.get("players"))
    run = Run(table, table, at)
    first = shoe(sheet, how, at)
    commands: list[Command] = [first] if first else []
    commands += [TakeSeat(player, int(box), at) for box, player in how.get("seats", {}).items()]
    for command in commands:
        if isinstance(no := run.take(command), Refusal):
            raise ValueError(f"the table cannot be opened: {command}: {no}")
    return run


def command_of(run: Run, step: Mapping[str, Any]) -> Command:
    name = step["do"]
    at = step.get("at", run.table.deadline if name == "Tick" and run.table.deadline is not None else run.clock)
    if name == "LoadShoe":
        found = shoe(run.table.sheet, step, at)
        assert found is not None, step
        return found
    known = {one.name for one in fields(COMMANDS[name])}
    if unknown := set(step) - known - CHECKS:
        raise ValueError(f"{name}: unknown {sorted(unknown)}")
    command: Command = COMMANDS[name](**{key: typed(key, step[key]) for key in known & set(step)} | {"at": at})
    return command


def typed(key: str, value: Any) -> Any:
    """A value of the script in the type that commands use."""
    if key == "spots":
        return tuple(Spot(*one) for one in value)
    if key == "spot":
        return Spot(*value)
    if key == "action":
        return None if value is None else Action(value)
    if key in ("locks", "start"):
        return {int(cell): prize for cell, prize in value.items()}
    if key == "limits":
        return {bet: (least, most) for bet, (least, most) in value.items()}
    return tuple(value) if isinstance(value, list) else value


def shown(value: Any, name: str = "") -> Any:
    """A value of the core as a script writes it: cards as text, tuples as lists."""
    if name in CARD_FIELDS and value is not None:
        return cards.line(value if isinstance(value, tuple) else (value,))
    if isinstance(value, Mapping):
        return {key_text(key): shown(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [shown(one) for one in value]
    return sorted(value) if isinstance(value, frozenset) else value


def key_text(key: Any) -> str:
    return ":".join(map(str, key)) if isinstance(key, tuple) else str(key)


def look(table: Table, path: str) -> Any:
    """What a path of the table shows; nothing (None) where a key is absent."""
    head, *words = path.split(".")
    here: Any
    if head == "staked":
        return table.total_stake_of(words[0])
    if head == "seat":
        here, words = table.seats[int(words[0]) - 1], words[1:]
    elif head == "box":
        here, words = table.round.box(int(words[0])) if table.round else None, words[1:]
    else:
        here = getattr(table, head)
    name = head
    for name in words:
        if isinstance(here, Mapping):
            here = next((one for key, one in here.items() if key_text(key) == name), None)
        elif here is not None:
            here = here[int(name)] if name.isdigit() else getattr(here, name)
        here = here() if callable(here) else here
    return shown(here, name)


def unlike(expected: Any, event: Event) -> str:
    """How an event differs from what the script says; empty when it does not."""
    wanted = {"event": expected} if isinstance(expected, str) else dict(expected)
    if (name := type(event).__name__) != wanted.pop("event"):
        return f"{expected} expected, {name} found"
    found = {key: shown(getattr(event, key), key) for key in wanted}
    return "" if found == wanted else f"{name}: {wanted} expected, {found} found"


def check_events(step: Mapping[str, Any], events: list[Event]) -> list[str]:
    faults = []
    names = [type(event).__name__ for event in events]
    if "events" in step:
        wanted = step["events"]
        if len(wanted) != len(events):
            faults.append(f"events: {wanted} expected, {names} found")
        faults += [no for one, event in zip(wanted, events, strict=False) if (no := unlike(one, event))]
    for one in step.get("events_include", ()):
        if all(unlike(one, event) for event in events):
            faults.append(f"events: no {one} among {names}")
    return faults


def check_command(run: Run, step: Mapping[str, Any]) -> list[str]:
    command, before = command_of(run, step), run.table
    memory = repr(before[2:])
    planned = decide(before, command)
    outcome = run.take(command)
    run.clock = command.at
    faults = [] if repr(before[2:]) == memory else ["the table before the step has been changed in place"]
    faults += [] if planned == outcome else [f"decide says {planned}, advance does {outcome}"]
    if isinstance(outcome, Refusal):
        if outcome.code != step.get("refused"):
            return [*faults, f"{step.get('refused', 'acceptance')} expected, {outcome}"]
        found = {key: getattr(outcome, key, None) for key in step.get("with", {})}
        return [*faults, *([] if found == step.get("with", {}) else [f"{step['with']} expected, {found} found"])]
    if "refused" in step:
        return [*faults, f"{step['refused']} expected, {[type(event).__name__ for event in outcome]} found"]
    return faults + check_events(step, outcome)


def check_options(run: Run, step: Mapping[str, Any]) -> list[str]:
    """Each option's price or refusal; and the table, asked for it, says the same."""
    player, at, faults = step["may"], step.get("at", run.clock), []
    options = legal(run.table, player, at)
    asked: list[tuple[str, Any, Any, Command]] = []
    for word, wanted in step.get("decisions", {}).items():
        action, box = Action(word), step["box"]
        asked.append((word, wanted, options.decisions.get((box, action)), Act(player, box, action, at)))
    for word, wanted in step.get("betting", {}).items():
        asked.append((word, wanted, options.betting[word], COMMANDS[BETTING[word]](player, at)))
    for word, wanted, verdict, command in asked:
        found = verdict[0].code if isinstance(verdict, tuple) else verdict
        if found != wanted:
            faults.append(f"{word}: {wanted} expected, {verdict} found")
        outcome = decide(run.table, command)
        said = outcome if isinstance(outcome, Refusal) else None
        replaced = not said and isinstance(outcome, list) and isinstance(outcome[0], DecisionReplaced)
        if said != (verdict[0] if isinstance(verdict, tuple) else None) and not replaced:
            faults.append(f"{word}: {verdict} offered, but {outcome} done")
    return faults


def check_paid(table: Table, wanted: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = [line._asdict() for line in table.round.lines] if table.round else []
    return [f"no {one} in {lines}" for one in wanted if not any(one.items() <= line.items() for line in lines)]


def audit(opening: Table, log: list[Event], table: Table) -> list[str]:
    """The log alone gives this table, and its money adds up: nothing but the log moves a cent (X-12, I-1…I-6)."""
    faults, accounts = [], Counter[str]()
    for event in log:
        moved = ledger.postings(event, table.sheet.game.id)
        if sum(one.amount for one in moved):
            faults.append(f"{event} does not balance")
        for one in moved:
            accounts[one.account] += one.amount
    for player, purse in table.purses.items():
        due = opening.purse(player) + accounts[f"player:{player}:table"]
        if purse != due or purse < 0:
            faults.append(f"{player} has {purse} cents, {due} by the ledger")
        if (staked := table.total_stake_of(player)) != accounts[f"player:{player}:in-play"]:
            faults.append(f"{player} has {staked} in play, {accounts[f'player:{player}:in-play']} by the ledger")
    codes = [event.code for event in log if isinstance(event, BettingEnded)]
    if len(set(codes)) < len(codes):
        faults.append(f"a game code is used twice: {codes}")
    try:
        again = replay(opening, log)
    except (LookupError, ValueError) as fault:
        return [*faults, f"the log cannot be folded: {fault}"]
    if again != table:
        names = [name for name, one, other in zip(table._fields, again, table, strict=True) if one != other]
        faults.append(f"the log gives another table: {', '.join(names)}")
    return faults


def checked(run: Run, step: Mapping[str, Any]) -> list[str]:
    if "see" in step:
        pairs = [(path, want, look(run.table, path)) for path, want in step["see"].items()]
        return [f"{path}: {want!r} expected, {found!r} found" for path, want, found in pairs if found != want]
    if "paid" in step:
        return check_paid(run.table, step["paid"])
    return check_options(run, step) if "may" in step else check_command(run, step)


def play(script: Mapping[str, Any]) -> tuple[list[str], Run]:
    """The faults of the first step that has any."""
    run = opened(script["table"])
    for number, step in enumerate(script["steps"], start=1):
        faults = checked(run, step) + audit(run.opening, run.log, run.table)
        if faults:
            return [f"step {number} {json.dumps(step)}: {fault}" for fault in faults], run
    return [], run


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def script_named(name: str) -> dict[str, Any]:
    return read(HERE / f"{name}.table.json")


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.name.split('.')[0]}" for file in FILES])
def test_script(file: Path) -> None:
    faults, _ = play(read(file))
    assert not faults, "\n".join(faults)


def test_every_script_names_its_criterion() -> None:
    """The name of a file begins with the criterion inside it, and some step expects something."""
    assert FILES
    for file in FILES:
        script = read(file)
        assert file.name.startswith(f"{script['criterion']}-"), file
        assert set(script) == {"criterion", "about", "table", "steps"}, file
        assert script["about"], file
        assert script["table"]["game"] == file.parent.name, file
        expecting = ("events", "events_include", "refused", "see", "paid", "may")
        assert any(key in step for step in script["steps"] for key in expecting), file


WRONG = [
    {"see": {"purses.p1": 99_501}},
    {"see": {"slips.p1.totals.1:main": 499}},
    {"do": "UndoBet", "player": "p1", "events": ["BetPlaced"]},
    {"do": "UndoBet", "player": "p1", "events": ["BetRemoved", "BettingOpened"]},
    {"do": "UndoBet", "player": "p1", "events": [{"event": "BetRemoved", "wagers": [[1, "main", 510]]}]},
    {"do": "UndoBet", "player": "p1", "events_include": ["RoundVoided"]},
    {"do": "UndoBet", "player": "p1", "refused": "NoBets"},
    {"do": "UndoBet", "player": "p2", "events": ["BetRemoved"]},
    {"do": "UndoBet", "player": "p2", "refused": "BettingClosed"},
    {"do": "DealNow", "player": "p2", "refused": "NoBets", "with": {"bet": "main"}},
    {"paid": [{"player": "p1", "bet": "main"}]},
    {"may": "p1", "betting": {"undo": "NoBets"}},
    {"may": "p2", "betting": {"undo": 0}},
]


@pytest.mark.parametrize("wrong", WRONG, ids=json.dumps)
def test_a_wrong_expectation_is_caught(wrong: dict[str, Any]) -> None:
    table = {"game": "ventuno", "players": {"p1": 100_000, "p2": 1000}, "seats": {"1": "p1", "2": "p2"}, "shoe": "2S"}
    bet = {"do": "PlaceBet", "player": "p1", "spots": [[1, "main"]], "amount": 500}
    right = [bet, {"see": {"purses.p1": 99_500, "slips.p1.totals.1:main": 500}}]
    assert play({"table": table, "steps": right})[0] == []
    assert play({"table": table, "steps": [*right, wrong]})[0]


SILENT = frozenset(("SeatWarned", "DecisionReplaced", "FollowSkipped", "BetsFinalised", "InsuranceClosed"))
"""Notices, and what a later event of the same step covers: the fold may come out alike without them."""


@pytest.mark.parametrize(
    "name", ["ventuno/V-78-void-returns-every-kind-of-stake", "link/L-31-the-board-at-every-break"]
)
def test_a_dropped_event_is_caught(name: str) -> None:
    """Any event missing from the log shows in the very step it belongs to."""
    faults, run = play(script_named(name))
    assert not faults
    for place, event in enumerate(run.log):
        end, table = next(mark for mark in run.marks if mark[0] > place)
        tampered = [*run.log[:place], *run.log[place + 1 : end]]
        assert audit(run.opening, tampered, table) or type(event).__name__ in SILENT, event


def test_a_changed_amount_is_caught() -> None:
    """One cent more in any bet of the log is found by the ledger and by the fold."""
    _, run = play(script_named("ventuno/V-78-void-returns-every-kind-of-stake"))
    bets = [(place, event) for place, event in enumerate(run.log) if isinstance(event, BetPlaced)]
    assert bets
    for place, event in bets:
        box, bet, amount = event.wagers[0]
        changed = replace(event, wagers=(Wager(box, bet, amount + 1), *event.wagers[1:]))
        tampered = [*run.log[:place], changed, *run.log[place + 1 :]]
        assert len(audit(run.opening, tampered, run.table)) > 1


def test_a_tick_before_its_time_changes_nothing() -> None:
    run = opened({"game": "ventuno", "players": {"p1": 1_000}, "seats": {"1": "p1"}, "shoe": "2S"})
    run.take(PlaceBet("p1", (Spot(1, "main"),), 500, 0))
    assert isinstance(run.take(Tick(14_999)), Refusal)
    assert run.table.deadline == 15_000
