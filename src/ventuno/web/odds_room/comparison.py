"""Two certificates of one game side by side, as the odds room tells them: the changed rules against its own (X-16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ventuno.core.messages import certificate_notes
from ventuno.core.rules.sheet import Sheet
from ventuno.web.messages.odds import BetOdds, CertificateNote, ChartPanel, ChartRow, NoteCode, OddsResponse, Outcome
from ventuno.web.odds_room import what_if

REQUIRED_FIELDS = ("bets", "strategy", "outcomes", "method", "notes", "expected_stake", "strategy_class")
Document = Mapping[str, Any]


def is_complete(document: Document | None) -> bool:
    """Whether a certificate says all that is told here; one of another version may not."""
    return document is not None and all(name in document for name in REQUIRED_FIELDS)


def compare(own: Sheet, sheet: Sheet, before: Document, after: Document) -> OddsResponse:
    bets = tuple(_bets(before, after))
    chart = tuple(_panels(before["strategy"], after["strategy"]))
    main, total = bets[0], sheet.published.base == "total"
    return OddsResponse(
        game=own.game.id,
        name=own.game.name,
        sheet=sheet.hash,
        own=own.hash,
        base=sheet.published.base,
        changes=what_if.find_differences(own, sheet),
        bets=bets,
        edge=100 - (main.rtp_total if total else main.rtp_initial),
        stake=after["expected_stake"],
        outcomes=tuple(Outcome(float(net), chance) for net, chance in after["outcomes"].items()),
        chart=chart,
        cells=sum(cell != own_cell for panel in chart for row in panel.rows for cell, own_cell in _pairs(row)),
        insure=after["strategy"].get("insure"),
        insure_own=before["strategy"].get("insure"),
        strategy_class=after["strategy_class"],
        method=read_note(after["method"]),
        notes=tuple(read_note(cell) for cell in after["notes"]),
    )


def read_note(entry: object) -> CertificateNote:
    """A note as a certificate of this version or of an older one has it."""
    note = certificate_notes.read_note(entry)
    if note is None:
        return CertificateNote("other", {}, str(entry))
    return CertificateNote(cast(NoteCode, note.code), dict(note.numbers))


def _bets(before: Document, after: Document) -> Iterator[BetOdds]:
    own = {bet["bet"]: bet for bet in before["bets"]}
    for bet in after["bets"]:
        delta = bet["rtp"] - own[bet["bet"]]["rtp"] if bet["bet"] in own else 0.0
        yield BetOdds(
            bet=bet["bet"],
            base=bet["base"],
            rtp_initial=bet["rtp_initial"],
            rtp_total=bet["rtp_total"],
            rtp_td=bet.get("rtp_td"),
            delta=round(delta, 12) + 0.0,
            sd=bet["sd"],
            maximum=bet["maximum_win"],
            exact=bet.get("exact"),
            hits=bet.get("hit_rates", {}),
        )


def _panels(before: Document, after: Document) -> Iterator[ChartPanel]:
    own = {(kind, of): answers for kind, of, _, answers in what_if.chart_rows(before)}
    for kind, of, columns, answers in what_if.chart_rows(after):
        beside = own.get((kind, of), {})
        rows = tuple(_row(label, cells, beside.get(label, cells)) for label, cells in answers.items())
        yield ChartPanel(kind, of, columns, rows)  # type: ignore[arg-type]


def _row(label: str, cells: tuple[str, ...], own: tuple[str, ...]) -> ChartRow:
    return ChartRow(label, cells, own if own != cells else ())


def _pairs(row: ChartRow) -> Iterator[tuple[str, str]]:
    return zip(row.cells, row.own or row.cells, strict=True)
