"""Two certificates of one game side by side, as the odds room tells them: the changed rules against its own (X-16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ventuno.core.messages import certificate_notes
from ventuno.core.rules.sheet import Sheet
from ventuno.web.messages.odds import BetOdds, ChartPanel, ChartRow, OddsTold, Outcome, Remarked
from ventuno.web.odds_room import what_if

WHOLE = ("bets", "strategy", "outcomes", "method", "notes", "expected_stake", "strategy_class")
Document = Mapping[str, Any]


def is_whole(document: Document | None) -> bool:
    """Whether a certificate says all that is told here; one of another version may not."""
    return document is not None and all(name in document for name in WHOLE)


def compared(own: Sheet, sheet: Sheet, before: Document, after: Document) -> OddsTold:
    bets = tuple(_bets(before, after))
    chart = tuple(_panels(before["strategy"], after["strategy"]))
    main, total = bets[0], sheet.published.base == "total"
    return OddsTold(
        game=own.game.id,
        name=own.game.name,
        sheet=sheet.hash,
        own=own.hash,
        base=sheet.published.base,
        changes=what_if.differences(own, sheet),
        bets=bets,
        edge=100 - (main.rtp_total if total else main.rtp_initial),
        stake=after["expected_stake"],
        outcomes=tuple(Outcome(float(net), chance) for net, chance in after["outcomes"].items()),
        chart=chart,
        cells=sum(one != other for panel in chart for row in panel.rows for one, other in _pairs(row)),
        insure=after["strategy"].get("insure"),
        insure_own=before["strategy"].get("insure"),
        strategy_class=after["strategy_class"],
        method=_remarked(after["method"]),
        notes=tuple(_remarked(one) for one in after["notes"]),
    )


def _remarked(sentence: str) -> Remarked:
    found = certificate_notes.read(sentence)
    if found is None:
        return Remarked("other", sentence, {})
    numbers = {name: float(one) if isinstance(one, str) else one for name, one in found.numbers.items()}
    return Remarked(found.code, sentence, numbers)  # type: ignore[arg-type]


def _bets(before: Document, after: Document) -> Iterator[BetOdds]:
    own = {one["bet"]: one for one in before["bets"]}
    for one in after["bets"]:
        delta = one["rtp"] - own[one["bet"]]["rtp"] if one["bet"] in own else 0.0
        yield BetOdds(
            bet=one["bet"],
            base=one["base"],
            rtp_initial=one["rtp_initial"],
            rtp_total=one["rtp_total"],
            rtp_td=one.get("rtp_td"),
            delta=round(delta, 12) + 0.0,
            sd=one["sd"],
            maximum=one["maximum_win"],
            exact=one.get("exact"),
            hits=one.get("hit_rates", {}),
            method=one["method"],
        )


def _panels(before: Document, after: Document) -> Iterator[ChartPanel]:
    own = {(kind, of): held for kind, of, _, held in what_if.rows(before)}
    for kind, of, columns, held in what_if.rows(after):
        beside = own.get((kind, of), {})
        rows = tuple(_row(label, cells, beside.get(label, cells)) for label, cells in held.items())
        yield ChartPanel(kind, of, columns, rows)  # type: ignore[arg-type]


def _row(label: str, cells: tuple[str, ...], own: tuple[str, ...]) -> ChartRow:
    return ChartRow(label, cells, own if own != cells else ())


def _pairs(row: ChartRow) -> Iterator[tuple[str, str]]:
    return zip(row.cells, row.own or row.cells, strict=True)
