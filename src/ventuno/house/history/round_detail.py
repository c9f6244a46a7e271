"""One round in full, from its records: cards, decisions with origin, bets, payouts with their arithmetic (V-70, R-14).

The round is played again from its own record (R-16): the story says whether the payouts agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ventuno.core.games.engines import engine
from ventuno.core.messages.desk_events import CardScanned, ScanTakenBack
from ventuno.core.messages.events import BettingEnded, Event, RoundSettled
from ventuno.core.rules import cards
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario import notation, recorder, runner
from ventuno.core.scenario.scenario import Scenario
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import CardPlace, Line, Round, Stage
from ventuno.core.table.state import Table
from ventuno.core.views.private_view import PrivateView, build_private_view
from ventuno.core.views.public_view import FindPerson, PublicView, build_public_view, make_unnamed_person
from ventuno.house.history.round_steps import Step, list_steps
from ventuno.house.money.corrections import CorrectionLine
from ventuno.house.shoes.scans import ScanLine
from ventuno.house.shoes.shoe_document import hide_balances
from ventuno.house.store.records import Record, RoundRow, check_chain, read_table_event
from ventuno.house.store.store import Store
from ventuno.house.tables.authority import LiveTable, recover_table
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.recovery import rebuild_table_before

CAP = "max-win"


class HandLine(NamedTuple):
    box: int
    hand: int
    player: PlayerId
    cards: str
    outcome: str


@dataclass(frozen=True, slots=True)
class RoundDetail:
    """What a viewer is shown of a finished round. Balances are his own; `agrees` is None where nothing was paid."""

    code: str
    table: str
    game: str
    sheet: str
    session: str
    participation: str
    started: int
    ended: int
    voided: bool
    capped: bool
    steps: tuple[Step, ...]
    dealer: str
    hands: tuple[HandLine, ...]
    bets: tuple[Line, ...]
    before: Cents
    after: Cents
    line: str
    agrees: bool | None
    scans: tuple[ScanLine, ...] = ()
    """The cards as a dealer scanned them, where he did (X-27)."""
    corrections: tuple[CorrectionLine, ...] = ()
    """What was put right afterwards, beside the round and no part of it (R-08)."""


class RecordedRound(NamedTuple):
    """A round cut out of its stream: the table before it, and its records with their events."""

    row: RoundRow
    opening: Table
    records: tuple[Record, ...]
    events: tuple[Event, ...]


async def read_round(store: Store, row: RoundRow, sheets: Mapping[str, Sheet]) -> RecordedRound:
    """The round of a row from the store: as quick after years as on the first day."""
    before = await rebuild_table_before(store, row.stream, row.first, sheets)
    return _make_recorded_round(row, before, await store.read_records(row.stream, row.first - 1, row.last))


def extract_round(row: RoundRow, stream: Sequence[Record], sheets: Mapping[str, Sheet]) -> RecordedRound:
    """The round of a row, from the stream up to its end at least."""
    return _make_recorded_round(
        row, recover_table(list(stream[: row.first - 1]), dict(sheets)), stream[row.first - 1 : row.last]
    )


def _make_recorded_round(row: RoundRow, before: LiveTable, records: Sequence[Record]) -> RecordedRound:
    """The chain is checked from the room before the round to its end."""
    check_chain(list(records), before.head)
    events = tuple(read_table_event(record.kind, record.body) for record in records)
    return RecordedRound(row, before.table, tuple(records), events)


def replay_views(
    recorded_round: RecordedRound, viewer: PlayerId, find_person: FindPerson = make_unnamed_person
) -> Iterator[tuple[Record, PublicView, PrivateView]]:
    """The table after each record of the round, as this viewer saw it then (X-02).

    Between the end of betting and the deal there is nothing to see: both are one command, but where cards are scanned.
    """
    table = recorded_round.opening
    for record, event in zip(recorded_round.records, recorded_round.events, strict=True):
        table = evolve(table, event)
        if table.round is None or table.round.stage is not Stage.DEAL or table.studio:
            yield record, build_public_view(table, find_person), build_private_view(table, viewer)


def describe_round(
    recorded_round: RecordedRound, viewer: PlayerId, admission: Admission | None = None, *, all_seeing: bool = False
) -> RoundDetail:
    """The round as this viewer may know it now that it is over; `all_seeing` is the supervisor's, and audited."""
    row, opening = recorded_round.row, recorded_round.opening
    table = begun = opening
    final: Round | None = None
    for event in recorded_round.events:
        table = evolve(table, event)
        begun = table if isinstance(event, BettingEnded) else begun
        final = table.round or final
    paid = next((event for event in recorded_round.events if isinstance(event, RoundSettled)), None)
    lines = paid.lines if paid else ()
    return RoundDetail(
        code=row.code,
        table=opening.id,
        game=row.game,
        sheet=row.sheet,
        session=admission.session if admission else "",
        participation=admission.participation if admission else "",
        started=row.started,
        ended=row.ended,
        voided=row.voided,
        capped=any(entry.bet == CAP for entry in lines),
        steps=tuple(
            step
            for entry, event in zip(recorded_round.records, recorded_round.events, strict=True)
            for step in list_steps(event, entry.seq, entry.at, viewer, all_seeing=all_seeing)
        ),
        dealer=cards.line(final.dealer) if final and final.has_dealer_hand else "",
        hands=_list_hands(table.sheet, final),
        bets=lines,
        before=begun.purse(viewer) + begun.total_stake_of(viewer),
        after=table.purse(viewer),
        line=_write_line(recorded_round, lines, None if all_seeing else viewer) if paid else "",
        agrees=has_same_payouts(recorded_round) if paid else None,
        scans=_list_scans(recorded_round.events, table),
    )


def _list_scans(events: Sequence[Event], after: Table) -> tuple[ScanLine, ...]:
    """Every scan of the round with its time; a face-down card and its salt only where the round has turned it."""
    scans: list[ScanLine] = []
    for event in events:
        if isinstance(event, CardScanned):
            place = event.place
            line = ScanLine(event.at, event.player, place.place, place.box, place.hand, place.card, place.face)
            shown = place.face == "up" or _is_turned(place, after.round)
            opened = (cards.text(event.card), event.salt) if shown else ("", "")
            scans.append(line._replace(card=opened[0], salt=opened[1], commitment=event.commitment))
        elif isinstance(event, ScanTakenBack):
            number = max(number for number, line in enumerate(scans) if not line.taken_back)
            back = scans[number]._replace(taken_back=event.reason)
            scans[number] = back._replace(card="", salt="") if back.face == "down" else back
    return tuple(scans)


def _is_turned(place: CardPlace, play: Round | None) -> bool:
    """Whether a face-down card lies open at the end of its round; one of a voided round does not."""
    if play is None or play.stage is not Stage.DONE:
        return False
    if place.place == "dealer":
        return not play.hidden
    box = play.box(place.box)
    return box is not None and len(box.hands[0].cards) > 2


def _write_line(recorded_round: RecordedRound, lines: tuple[Line, ...], viewer: PlayerId | None) -> str:
    """The round in one line: whole where no viewer is named; else with his balance, and of others what they staked."""
    scenario = recorder.extract_scenario(recorded_round.opening, recorded_round.events)
    return notation.write(scenario if viewer is None else hide_others(scenario, lines, viewer))


def hide_others(scenario: Scenario, lines: tuple[Line, ...], viewer: PlayerId) -> Scenario:
    """Without the balance of anybody else: each other player holds what he staked, who did not play is not there."""
    hidden = hide_balances(scenario, [line._asdict() for line in lines])
    own = {player: balance for player, balance in scenario.players.items() if player == viewer}
    return replace(hidden, players={**hidden.players, **own})


def has_same_payouts(recorded_round: RecordedRound) -> bool:
    """Whether the round, enacted again from its record alone, pays the same to the cent (R-16).

    Rounds of earlier versions do not say at which box the maximum win was passed.
    """
    paid = next(event for event in recorded_round.events if isinstance(event, RoundSettled))
    scenario = recorder.extract_scenario(recorded_round.opening, recorded_round.events)
    again = runner.play_scenario(recorded_round.opening.sheet, scenario, ignore_limits=True).table.round
    return again is not None and _sort_lines(again.lines) == _sort_lines(paid.lines)


def _sort_lines(lines: tuple[Line, ...]) -> list[Line]:
    return sorted(line._replace(box=0) if line.bet == CAP else line for line in lines)


def _list_hands(sheet: Sheet, play: Round | None) -> tuple[HandLine, ...]:
    """Every hand as it lay in the end; an outcome where the round was played to its end."""
    if play is None:
        return ()
    done = play.stage is Stage.DONE
    return tuple(
        HandLine(
            box.number,
            index + 1,
            box.player,
            cards.line(hand.cards),
            engine(sheet).result(sheet, play, box, index).outcome if done else "",
        )
        for box in play.boxes
        for index, hand in enumerate(box.hands)
    )
