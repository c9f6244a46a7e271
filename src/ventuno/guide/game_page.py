"""The page of a game, written from its sheet (V-95): the lessons of the help, pay tables, limits, returns, every rule.

No game is known here; a sheet of one's own gets its page like the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ventuno.core.rules.money import EVEN, Odds
from ventuno.core.rules.sheet import BLACKJACK, Sheet
from ventuno.core.rules.sheet_reader import Switch, switches
from ventuno.guide.lessons import Phrases, write_lessons

EXAMPLE = 1000
"""Cents on which the pay tables show what comes back."""
_CRITERION = re.compile(r"\b[VFSDLXR]-\d{2}\b")
_NOT_RULES = re.compile(
    r"game\.|cites\.|looks\.|published\.|sides\.|stakes\.(limits|shares|chips)|cash_out\.(hard|soft)"
    r"|bonus\.(wheel|start|cell|boxes|diamonds|prizes|boards)"
)
"""Switches that are no rules, or have tables of their own."""
_OFF = re.compile(r"options\.|seats\.|clocks\.|stakes\.|charlie|surrender|pair_requires_stand|shoe\.(burn|sets)")
"""What a game has not need not be read: these say so by being off."""
_MONEY = {"stakes.unit", "stakes.round_cap", "stakes.session_cap", "stakes.max_win"}
Rows = Iterable[tuple[str, ...]]


def write_game(sheet: Sheet, language: str) -> str:
    """The whole page as Markdown."""
    phrases = Phrases(sheet, language)
    parts = [
        f"# {sheet.game.name}",
        f"{describe_game(sheet, language)}.",
        *write_lessons(phrases),
        *_write_pays(phrases),
        *_write_limits(phrases),
        *_write_returns(phrases),
        *_write_draws(phrases),
        *_write_rules(phrases),
    ]
    return "\n\n".join(parts) + "\n"


def describe_game(sheet: Sheet, language: str) -> str:
    """A game in one line: how many hands, and what it has of its own."""
    phrases = Phrases(sheet, language)
    if phrases.is_duel:
        hands = phrases.say("lobby.line.duel")
    elif sheet.game.solo:
        hands = phrases.say("lobby.line.hands.other", count=sheet.seats.count)
    else:
        hands = phrases.say("docs.live", count=sheet.seats.count)
    own = {
        "behind": sheet.options.behind,
        "cash-out": sheet.cash_out.offered,
        "bonus": bool(sheet.bonus.wheel),
        "dealer-pair": any(side.kind == "dealer-pair" for side in sheet.sides.values()),
    }
    shown = [phrases.find(f"lobby.line.{name}") or phrases.say(f"docs.{name}") for name, has in own.items() if has]
    return ", ".join([hands, *shown])


def write_table(*head: str, rows: Rows) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def _write_pays(phrases: Phrases) -> Iterator[str]:
    sheet = phrases.sheet
    yield f"## {phrases.say('help.pays')}"
    head = phrases.say("help.category"), phrases.say("help.odds")
    returned = phrases.say("help.example", stake=phrases.money(EXAMPLE))
    for bet, lines in _list_pays(sheet):
        rows = [
            (phrases.win(category), phrases.odds(pays), phrases.money(pays.pay(EXAMPLE))) for category, pays in lines
        ]
        yield f"### {phrases.bet(bet)}"
        yield write_table(*head, returned, rows=rows)


def _list_pays(sheet: Sheet) -> Iterator[tuple[str, list[tuple[str, Odds]]]]:
    main = [("win", EVEN)]
    if sheet.game.family == BLACKJACK:
        main.append(("blackjack", sheet.blackjack.pays))
    main += [("charlie", EVEN)] * bool(sheet.charlie) + [("even-money", EVEN)] * sheet.insurance.even_money
    yield "main", main
    if sheet.insurance.offered:
        yield "insurance", [("won", sheet.insurance.pays)]
    for bet, side in sheet.sides.items():
        if side.pays:
            yield bet, sorted(side.pays.items(), key=lambda entry: -entry[1].total)


def _write_limits(phrases: Phrases) -> Iterator[str]:
    stakes = phrases.sheet.stakes
    yield f"## {phrases.say('help.limits')}"
    rows = [(phrases.bet(bet), *map(phrases.money, limit)) for bet, limit in stakes.limits.items()]
    yield write_table(*(phrases.say(f"help.{key}") for key in ("bet", "least", "most")), rows=rows)
    yield f"{phrases.say('switch.stakes.chips')}: {' · '.join(map(phrases.money, stakes.chips))}"


def _write_returns(phrases: Phrases) -> Iterator[str]:
    published = phrases.sheet.published
    if not published.returns:
        return
    yield f"## {phrases.say('help.returns')}"
    base = phrases.say(f"help.base.{published.base}")
    rows = [
        (phrases.bet(bet, own=bet != "main"), phrases.percent(figure), base)
        for bet, figure in published.returns.items()
    ]
    yield write_table(*(phrases.say(f"help.{key}") for key in ("bet", "printed", "base")), rows=rows)
    yield phrases.say("docs.returns")


def _write_draws(phrases: Phrases) -> Iterator[str]:
    bonus = phrases.sheet.bonus
    if not bonus.wheel:
        return
    yield f"## {phrases.say('help.draws')}"
    for name in ("wheel", "start", "cell", "boxes", "diamonds"):
        weights: Mapping[str, int] = getattr(bonus, name)
        total = sum(weights.values())
        rows = [
            (_name_prize(phrases, entry, bonus.prizes), phrases.say("help.of", weight=weight, all=total))
            for entry, weight in weights.items()
        ]
        yield f"### {phrases.say(f'draw.{name}')}"
        yield write_table(phrases.say("help.prize"), phrases.say("help.chance"), rows=rows)


def _name_prize(phrases: Phrases, entry: str, prizes: Mapping[str, int]) -> str:
    times = f" · {prizes[entry]}×" if entry in prizes else ""
    return phrases.find(f"draw.{entry}", entry) + times


def _write_rules(phrases: Phrases) -> Iterator[str]:
    """Every rule with its value and the criteria beside its line, by section."""
    yield f"## {phrases.say('teach.rules')}"
    yield f"{phrases.say('teach.rules.text')} {phrases.say('help.sheet', sheet=phrases.sheet.hash[:12])}."
    listed = {switch.path: switch for switch in switches(phrases.sheet)}
    head = tuple(phrases.say(f"docs.{key}") for key in ("rule", "value", "criteria"))
    sections: dict[str, list[tuple[str, ...]]] = {}
    for path, switch in listed.items():
        if is_told(switch, listed):
            section = path.partition(".")[0] if "." in path else "other"
            criteria = ", ".join(dict.fromkeys(_CRITERION.findall(switch.note)))
            row = (phrases.find(f"switch.{path}", f"`{path}`"), _write_value(phrases, switch), criteria)
            sections.setdefault(section, []).append(row)
    for section, rows in sections.items():
        yield f"### {phrases.find(f'section.{section}', section)}"
        yield write_table(*head, rows=rows)


def is_told(switch: Switch, listed: Mapping[str, Switch]) -> bool:
    """Whether this game has what a switch speaks of."""
    path, value = switch.path, switch.value
    if _NOT_RULES.match(path) or (_OFF.match(path) and value in (False, 0, "none")):
        return False

    def is_on(other: str) -> bool:
        return bool(listed[other].value) if other in listed else False

    has_wheel = any(name.startswith("bonus.wheel.") for name in listed)
    needs = {
        "shoe.sets": bool(value != 1),
        "shoe.cards": bool(value != "sealed"),
        "shoe.cut": bool(listed["shoe.reshuffle"].value == "cut-card"),
        "cash_out.offered": is_on("cash_out.offered"),
        "cash_out.margin": is_on("cash_out.offered"),
        "bonus.spins": has_wheel,
        "bonus.box_cells": has_wheel,
        "timeouts.choice": "duel.qualify" in listed,
        "timeouts.second": "duel.qualify" in listed,
        "timeouts.insurance": is_on("insurance.offered"),
        "insurance.pays": is_on("insurance.offered"),
        "stakes.max_win_counts": is_on("stakes.max_win"),
        "stakes.vip": bool(value != [1]),
        "stakes.reserve": "duel.qualify" in listed,
        "options.unfollowed_split": is_on("options.behind"),
    }
    return needs.get(path, True)


def _write_value(phrases: Phrases, switch: Switch) -> str:
    """A value in words; what no catalogue knows is shown as it is written."""
    path, value = switch.path, switch.value
    match value:
        case bool():
            return phrases.say("help.yes" if value else "help.no")
        case int() if path in _MONEY:
            return phrases.money(value)
        case int() if path.startswith("clocks."):
            return phrases.duration(value)
        case list() | tuple():
            words = [_find_word(phrases, entry) for entry in value]
            return (" – " if path == "shoe.cut" else ", ").join(words) or phrases.say("help.nothing")
        case str() if path.endswith(".pays"):
            return phrases.odds(value)
        case _:
            return _find_word(phrases, value)


def _find_word(phrases: Phrases, value: Any) -> str:
    return phrases.find(f"value.{value}") or phrases.rank(str(value))
