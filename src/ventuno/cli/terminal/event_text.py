"""Events, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from ventuno.cli.terminal.card_art import name
from ventuno.cli.terminal.voice import Voice
from ventuno.core.messages import events
from ventuno.core.messages.events import BoardSpun, Event, WheelSpun
from ventuno.core.rules import hand
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import Box, Hand, Origin
from ventuno.core.table.state import Table

_PHRASES: Mapping[type, str] = {
    events.BettingEnded: "dealt",
    events.HandHit: "hit",
    events.HiddenTurned: "hit",
    events.HandStood: "stood",
    events.HandDoubled: "doubled",
    events.HandSplit: "split",
    events.HandCashedOut: "cashed-out",
    events.HandSurrendered: "surrendered",
    events.HandFolded: "folded",
    events.CommunityChosen: "chosen",
    events.InsuranceAnswered: "insured",
    events.Peeked: "peek-no",
    events.HoleTurned: "hole",
    events.DealerDrew: "drew",
    events.DealerChose: "dealer-chose",
    events.DecisionReplaced: "replaced",
    events.EarlyChosen: "early-noted",
    events.BetRemoved: "removed",
    events.MoneyBrought: "money-in",
    events.SeatTaken: "seat-taken",
    events.SeatFreed: "seat-left",
}
"""Of the other events nothing is said; a phrase takes its fields from its event by name."""


def describe_events(voice: Voice, table: Table, batch: list[Event]) -> Iterator[str]:
    """The events one after the other, seen from the table as it was before them."""
    for event in batch:
        table = evolve(table, event)
        if isinstance(event, WheelSpun | BoardSpun):
            yield _bonus(voice, table, event)
        elif phrase := _choose_phrase(event):
            yield voice(phrase, **_read_fields(table, event))


def _choose_phrase(event: Event) -> str:
    match event:
        case events.HandStood(origin=Origin.RULE):
            return "stood-by-rule"
        case events.InsuranceAnswered(even_money=True):
            return "even-money-taken"
        case events.InsuranceAnswered(amount=0):
            return ""
        case events.Peeked(blackjack=True):
            return "peek-yes"
        case events.EarlyChosen(action=None):
            return "early-gone"
        case events.BetRemoved(reason=reason) if reason not in ("below-minimum", "owner-sits-out"):
            return ""
        case _:
            return _PHRASES.get(type(event), "")


def _read_fields(table: Table, event: Event) -> dict[str, Any]:
    """The fields of an event, cards by their names, with the total of its hand just after it."""
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    community = table.round.community if table.round else ()
    match event:
        case events.BetRemoved(wagers=wagers):
            values["amount"] = sum(wager.amount for wager in wagers)
        case events.HandSplit(cards=(first, second)):
            values |= {"first": name(first), "second": name(second)}
        case events.CommunityChosen(side=side):
            values["card"] = community[side]
        case events.DealerChose(side=side):
            values["other"] = name(community[side])
        case _:
            pass
    if "card" in values:
        values["card"] = name(values["card"])
    box = table.round.box(values["box"]) if table.round and "box" in values else None
    if box is not None:
        values["total"] = _total(box.hands[values.get("hand", 1) - 1])
    return values


def describe_shoe_change(voice: Voice, table: Table, batch: list[Event]) -> str:
    """Said only where a shoe serves several rounds (V-81)."""
    lasting = table.sheet.shoe.reshuffle == "cut-card"
    return voice("shoe-changed") if lasting and any(isinstance(event, events.ShoeRetired) for event in batch) else ""


def _bonus(voice: Voice, table: Table, event: WheelSpun | BoardSpun) -> str:
    if isinstance(event, WheelSpun):
        text = voice("wheel", segment=segment(event.segment))
    else:
        prizes = ", ".join(f"×{value}" for value in event.locks.values())
        text = voice("spin", prizes=prizes) if prizes else voice("spin-none")
        text = " ".join([text, *event.diamonds])
    box = _box(table, event.box)
    prize = box.bonus.prize if box.bonus else None
    if prize is None:
        return text
    stake = bonus_stake(table, box)
    return f"{text} {voice('prize', prize=prize, amount=prize * stake)}"


def bonus_stake(table: Table, box: Box) -> int:
    """The bet that the bonus of this box multiplies (L-30)."""
    return sum(stake for bet, stake in box.sides if table.sheet.sides[bet].kind == "bonus")


def segment(word: str) -> str:
    """A wheel segment as it is painted: `×15`, `MEGA LINK`."""
    return word.replace("x", "×") if word[1:].isdigit() else word.replace("-", " ").upper()


def _total(player_hand: Hand) -> str:
    return hand.format_total(player_hand.cards, resolved=player_hand.status not in ("playing", "choosing"))


def _box(table: Table, number: int) -> Box:
    box = table.round.box(number) if table.round else None
    if box is None:
        raise LookupError(f"no box {number} in play")
    return box
