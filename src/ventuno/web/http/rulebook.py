"""The help of a game as data, read from the sheet in force and from its certificate (V-95, R-29, X-04).

Nothing here knows a game: whatever a sheet says is said, and texts in two languages are made from its addresses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from ventuno.core.rules.money import EVEN, Odds
from ventuno.core.rules.sheet import BLACKJACK, Sheet
from ventuno.core.rules.sheet_reader import Switch, switches
from ventuno.core.views.private_view import Limit
from ventuno.web.messages.games import (
    CertifiedReturns,
    Chance,
    Draw,
    GameLine,
    GameResponse,
    PayLine,
    PayTable,
    RuleSwitch,
)
from ventuno.web.messages.odds import read_note

EXAMPLE = 1000
"""Cents on which the pay tables show what comes back."""
_CRITERION = re.compile(r"\b[VFSDLXR]-\d{2}\b")
_READING = re.compile(r"⚑(\d{1,2})")
_NOT_RULES = ("game.id", "game.name", "cites.", "looks.")


def game_line(sheet: Sheet, certificate: Mapping[str, Any] | None) -> GameLine:
    least, most = sheet.stakes.limits["main"]
    return GameLine(
        game=sheet.game.id,
        name=sheet.game.name,
        sheet=sheet.hash,
        solo=sheet.game.solo,
        certified=certificate is not None,
        least=least,
        most=most,
        looks=sheet.looks,
    )


def describe_game(sheet: Sheet, certificate: Mapping[str, Any] | None) -> GameResponse:
    offer = sheet.cash_out
    return GameResponse(
        game=sheet.game.id,
        name=sheet.game.name,
        family=sheet.game.family,
        solo=sheet.game.solo,
        looks=sheet.looks,
        sheet=sheet.hash,
        shown_as=sheet.stakes.shown_as,
        unit=sheet.stakes.unit,
        chips=sheet.stakes.chips,
        vip=sheet.stakes.vip,
        limits={bet: Limit(*both) for bet, both in sheet.stakes.limits.items()},
        switches=tuple(_switches(sheet)),
        cites=dict(sheet.cites),
        pay_tables=tuple(_pay_tables(sheet)),
        draws=tuple(_draws(sheet)),
        cash_out={"hard": dict(offer.hard), "soft": dict(offer.soft)} if offer.offered else {},
        published=sheet.published,
        certified=read_certified(certificate),
    )


class Certificates:
    """The certificates that lie in the house's folder, each by the hash of its sheet; one that was read is kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Mapping[str, Any]] = {}

    def find(self, sheet: Sheet) -> Mapping[str, Any] | None:
        if sheet.hash in self._read:
            return self._read[sheet.hash]
        try:
            certificate = json.loads((self._folder / f"{sheet.hash}.json").read_bytes())
        except (OSError, ValueError):
            return None
        if not isinstance(certificate, dict) or certificate.get("sheet") != sheet.hash:
            return None
        self._read[sheet.hash] = certificate
        return certificate


def _switches(sheet: Sheet) -> Iterator[RuleSwitch]:
    for switch in switches(sheet):
        if not switch.path.startswith(_NOT_RULES):
            yield RuleSwitch(switch.path, switch.value, switch.legal, *find_citations(switch))


def find_citations(switch: Switch) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The criteria and the readings that the remark beside a switch names, each once."""
    readings = map(int, _READING.findall(switch.note))
    return tuple(dict.fromkeys(_CRITERION.findall(switch.note))), tuple(dict.fromkeys(readings))


def _pay_tables(sheet: Sheet) -> Iterator[PayTable]:
    yield PayTable("main", "main", sheet.cites["win"], tuple(_main(sheet)))
    if sheet.insurance.offered:
        yield PayTable("insurance", "insurance", sheet.cites["insurance"], (_line("won", sheet.insurance.pays),))
    for bet, side in sheet.sides.items():
        lines = sorted(side.pays.items(), key=lambda entry: -entry[1].total)
        yield PayTable(bet, side.kind, sheet.cites[bet], tuple(_line(category, pays) for category, pays in lines))


def _main(sheet: Sheet) -> Iterator[PayLine]:
    yield _line("win", EVEN)
    if sheet.game.family == BLACKJACK:
        yield _line("blackjack", sheet.blackjack.pays)
    if sheet.charlie:
        yield _line("charlie", EVEN)
    if sheet.insurance.even_money:
        yield _line("even-money", EVEN)


def _line(category: str, pays: Odds) -> PayLine:
    return PayLine(category, str(pays), EXAMPLE, pays.pay(EXAMPLE))


def _draws(sheet: Sheet) -> Iterator[Draw]:
    """Wheels and boards with their weights; prizes to one where an entry has one."""
    bonus = sheet.bonus
    for name in ("wheel", "start", "cell", "boxes", "diamonds"):
        weights: Mapping[str, int] = getattr(bonus, name)
        if weights:
            entries = tuple(Chance(entry, weight, _prize(entry, bonus.prizes)) for entry, weight in weights.items())
            yield Draw(name, sum(weights.values()), entries)


def _prize(entry: str, prizes: Mapping[str, int]) -> int | None:
    digits = entry.removeprefix("x")
    return int(digits) if digits.isdecimal() else prizes.get(entry)


def read_certified(certificate: Mapping[str, Any] | None) -> CertifiedReturns | None:
    """The figures of the certificate; None where it is only there and says nothing."""
    try:
        notes = [asdict(read_note(entry)) for entry in (certificate or {}).get("notes", ())]
        return msgspec.convert({**(certificate or {}), "notes": notes}, CertifiedReturns)
    except msgspec.ValidationError:
        return None
