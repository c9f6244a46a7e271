"""The certificate of a sheet: every figure from the very rules that are played, under the hash of those rules (X-04).

A certificate says what was computed, how, on which base and for which strategy; the same sheet gives the same bytes.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum
from typing import Any

from ventuno.core.messages.certificate_notes import Note
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import plain as plain_sheet
from ventuno.odds.bets.cash_out import always_taken
from ventuno.odds.bets.link import LinkReturn, solve_link
from ventuno.odds.bets.main_bet import MainBet, solve_main_bet
from ventuno.odds.bets.side_bets import count_kept_by_standing, side_return
from ventuno.odds.certificate.figure import Claim, compare
from ventuno.odds.exact.chart import Chart

FORMAT = 2
"""1 had sentences where there are codes with numbers now."""
DIGITS = 12
"""Decimals in a certificate file: beyond them processors may differ, and the bytes must not."""

COUNTED, CHAIN = Note("method-counted"), Note("method-chain")
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Certificate:
    """All that is certified of one sheet: `link` is its bonus, `pair_forfeited` the other reading of its pair bet."""

    sheet: Sheet
    main: MainBet
    figures: tuple[Claim, ...]
    link: LinkReturn | None = None
    pair_forfeited: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def matches(self) -> bool:
        """No figure contradicts the published one."""
        return all(figure.matches is not False for figure in self.figures)

    def plain(self) -> dict[str, Any]:
        """The form that scripts rely on."""
        return {
            "game": self.sheet.game.id,
            "sheet": self.sheet.hash,
            "strategy_class": self.main.strategy_class,
            "bets": [figure.plain() for figure in self.figures],
            "notes": [note.plain() for note in self.notes],
        }

    def document(self) -> dict[str, Any]:
        """Everything, for the file named by the hash."""
        sheet = self.sheet
        document: dict[str, Any] = {
            "certificate": FORMAT,
            "game": sheet.game.id,
            "name": sheet.game.name,
            "sheet": sheet.hash,
            "base": sheet.published.base,
            "strategy_class": self.main.strategy_class,
            "method": self.main.method.plain(),
            "bets": [figure.full() for figure in self.figures],
            "outcomes": {f"{net:+g}": chance for net, chance in self.main.outcomes.items()},
            "expected_stake": self.main.stake,
            "strategy": self.main.strategy(),
            "notes": [note.plain() for note in self.notes],
        }
        if self.main.behind:
            document["behind"] = {
                follows: {"rtp_initial": initial, "rtp_total": total}
                for follows, (initial, total) in self.main.behind.items()
            }
        if sheet.cash_out.offered:
            document["offers"] = {"margin": sheet.cash_out.margin, "hundredths_of_stake": self.offers()}
        if self.pair_forfeited is not None:
            document["pair_forfeited_by_best_play"] = self.pair_forfeited
        if self.link is not None:
            document["bonus"] = bonus_document(self.link)
        return document | {"rules": plain_sheet(sheet)}

    def offers(self) -> dict[str, dict[str, list[int]]]:
        """The cash-out table of the sheet (F-10)."""
        offer = self.sheet.cash_out
        return {
            kind: {total: list(row) for total, row in table.items()}
            for kind, table in (("hard", offer.hard), ("soft", offer.soft))
        }

    def text(self) -> str:
        """The file: the same sheet gives the same bytes."""
        return json.dumps(_round_floats(self.document()), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def certify(sheet: Sheet, *, compare: bool = True, progress: Progress = lambda _: None) -> Certificate:
    """Compute every figure of a sheet; `compare` sets them beside the published ones."""
    progress("main bet")
    main = solve_main_bet(sheet)
    figures = [_main_figure(sheet, main)]
    link = None
    for bet, side in sheet.sides.items():
        progress(bet)
        if side.kind == "bonus":
            link = solve_link(sheet)
            figures.append(_link_figure(sheet, bet, link))
        else:
            figures.append(_side_figure(sheet, bet))
    if sheet.cash_out.offered:
        figures.append(_offers_figure(sheet))
    if compare:
        figures = [_compare(sheet, figure) for figure in figures]
    forfeited = _value_forfeited_pair(sheet, main.chart)
    return Certificate(sheet, main, tuple(figures), link, forfeited, _notes(sheet, main, link, forfeited))


def _main_figure(sheet: Sheet, main: MainBet) -> Claim:
    td = main.td_total if sheet.published.base == "total" else main.td_initial
    return Claim(
        "main",
        sheet.published.base,
        main.rtp_initial,
        main.rtp_total,
        main.sd,
        main.maximum,
        main.method,
        rtp_td=td,
        exact=main.exact,
    )


def _side_figure(sheet: Sheet, bet: str) -> Claim:
    side = side_return(sheet, bet)
    hits = {hit.category: float(hit.probability) for hit in side.hits}
    figure = _flat(sheet, bet, float(side.rtp), side.sd, float(side.maximum), COUNTED)
    return replace(figure, hits=hits, exact=str(side.rtp))


def _link_figure(sheet: Sheet, bet: str, link: LinkReturn) -> Claim:
    hits = {name: float(link.trigger * chance) for name, chance in link.segments.items()}
    return replace(_flat(sheet, bet, float(link.rtp), link.sd, float(link.maximum), CHAIN), hits=hits)


def _offers_figure(sheet: Sheet) -> Claim:
    offers = always_taken(sheet)
    figure = _flat(sheet, "always-cash-out", float(offers.rtp), offers.sd, float(offers.maximum), COUNTED)
    return replace(figure, exact=str(offers.rtp))


def _flat(sheet: Sheet, bet: str, rtp: float, sd: float, maximum: float, method: Note) -> Claim:
    """A bet to which nothing is added after the deal: both bases are one."""
    return Claim(bet, sheet.published.base, 100 * rtp, 100 * rtp, sd, maximum, method)


def _compare(sheet: Sheet, figure: Claim) -> Claim:
    exact = 100 * Fraction(figure.exact) if figure.exact and figure.bet != "main" else figure.rtp
    published, matches = compare(figure.bet, exact, sheet.published)
    return replace(figure, published=published, matches=matches)


def _value_forfeited_pair(sheet: Sheet, chart: Chart | None) -> float | None:
    """The other reading of a pair bet that asking a card forfeits (reading 22)."""
    pairs = [bet for bet, side in sheet.sides.items() if side.kind == "pair"]
    if not sheet.pair_requires_stand or chart is None or not pairs:
        return None
    return 100 * float(count_kept_by_standing(sheet, pairs[0], chart).rtp)


def _notes(sheet: Sheet, main: MainBet, link: LinkReturn | None, forfeited: float | None) -> tuple[Note, ...]:
    notes = list(main.notes)
    if sheet.pair_requires_stand:
        notes.append(Note("pair-unknown") if forfeited is None else Note("pair", {"percent": round(forfeited, 8)}))
    if sheet.cash_out.offered:
        notes.append(Note("cash-out"))
    if link is not None:
        notes.append(Note("weights"))
    if sheet.stakes.max_win:
        notes.append(Note("max-win", {"amount": sheet.stakes.max_win}))
    return tuple(notes)


def bonus_document(link: LinkReturn) -> dict[str, Any]:
    """The bonus in numbers: prizes are to one."""
    chances = link.list_chances()
    return {
        "trigger": float(link.trigger),
        "mean_prize": float(link.prize_mean),
        "wheel": {name: float(chance) for name, chance in link.segments.items()},
        "at_least": {str(prize): chance for prize, chance in sum_at_least(chances).items()},
        "boards": {
            name: {
                "mean": float(board.mean),
                "sd": board.sd,
                "locked_cells": [float(chance) for chance in board.locked],
                "full_boxes": [float(chance) for chance in board.full],
                "some_box_full": float(board.some_full),
                "prizes": {title: float(chance) for title, chance in board.diamonds.items()},
                "minimum": {"prize": board.minimum[0], "chance": f"{float(board.minimum[1]):.9e}"},
                "maximum": {"prize": board.maximum[0], "chance": f"{float(board.maximum[1]):.9e}"},
                "at_least": {
                    str(prize): chance for prize, chance in sum_at_least(dict(enumerate(board.chances))).items()
                },
            }
            for name, board in link.boards.items()
        },
    }


STEPS = (5, 10, 15, 25, 50, 100, 200, 500, 1000, 2000, 5000)


def sum_at_least(chances: Mapping[int, float]) -> dict[int, float]:
    """The chance of a prize of so much or more."""
    prizes = sorted(chances)
    ordered = [chances[prize] for prize in prizes]
    places = {step: bisect_left(prizes, step) for step in STEPS}
    return {step: fsum(ordered[place:]) for step, place in places.items() if place < len(ordered)}


def _round_floats(value: Any) -> Any:
    """Numbers to the digits that any processor gives."""
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0
    if isinstance(value, Mapping):
        return {key: _round_floats(item) for key, item in value.items()}
    return [_round_floats(item) for item in value] if isinstance(value, list) else value
