"""Events, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from ventuno.cli.terminal.card_art import name
from ventuno.cli.terminal.voice import Voice
from ventuno.core.messages.events import (
    BetRemoved,
    BettingEnded,
    BoardSpun,
    CommunityChosen,
    DealerChose,
    DealerDrew,
    DecisionReplaced,
    EarlyChosen,
    Event,
    HandCashedOut,
    HandDoubled,
    HandFolded,
    HandHit,
    HandSplit,
    HandStood,
    HandSurrendered,
    HiddenTurned,
    HoleTurned,
    InsuranceAnswered,
    MoneyBrought,
    Peeked,
    SeatFreed,
    SeatTaken,
    ShoeRetired,
    WheelSpun,
)
from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import Box, Hand, Origin
from ventuno.core.table.state import Table


def describe_events(voice: Voice, table: Table, events: list[Event]) -> Iterator[str]:
    """The events one after the other, seen from the table as it was before them."""
    for event in events:
        table = evolve(table, event)
        text = _describe(voice, table, event)
        if text:
            yield text


def _describe(voice: Voice, table: Table, event: Event) -> str:
    """One event, from the table just after it; empty where there is nothing to say."""
    match event:
        case BettingEnded():
            return voice("dealt")
        case HandHit() | HandStood() | HandDoubled() | HandSplit() | HandCashedOut() | HandSurrendered():
            return _describe_play(voice, _hand(table, event.box, event.hand), event)
        case HandFolded(box):
            return voice("folded", box=box)
        case CommunityChosen(box=box, side=side):
            card = table.round.community[side] if table.round else 0
            return voice("chosen", box=box, card=name(card), total=_total(_hand(table, box, 1)))
        case HiddenTurned(box, card):
            return voice("hit", box=box, card=name(card), total=_total(_hand(table, box, 1)))
        case InsuranceAnswered(box=box, amount=amount, even_money=even):
            if even:
                return voice("even-money-taken", box=box)
            return voice("insured", box=box, amount=voice.money(amount)) if amount else ""
        case Peeked(blackjack):
            return voice("peek-yes" if blackjack else "peek-no")
        case HoleTurned(card):
            return voice("hole", card=name(card))
        case DealerDrew(card):
            return voice("drew", card=name(card))
        case DealerChose(card, side):
            return voice("dealer-chose", card=name(card), other=name(_community(table, side)))
        case WheelSpun() | BoardSpun():
            return _bonus(voice, table, event)
        case _:
            return _describe_table(voice, event)


def _describe_play(
    voice: Voice,
    player_hand: Hand,
    event: HandHit | HandStood | HandDoubled | HandSplit | HandCashedOut | HandSurrendered,
) -> str:
    box, total = event.box, _total(player_hand)
    match event:
        case HandHit(card=card):
            return voice("hit", box=box, card=name(card), total=total)
        case HandStood(origin=origin):
            return voice("stood-by-rule" if origin is Origin.RULE else "stood", box=box, total=total)
        case HandDoubled(card=card):
            return voice("doubled", box=box, card=name(card), total=total)
        case HandSplit(cards=(first, second)):
            return voice("split", box=box, first=name(first), second=name(second))
        case HandCashedOut():
            return voice("cashed-out", box=box)
        case HandSurrendered():
            return voice("surrendered", box=box)


def _describe_table(voice: Voice, event: Event) -> str:
    match event:
        case DecisionReplaced(box=box, asked=asked, done=done, missing=missing):
            words = {"asked": voice.name("act", asked), "done": voice.name("act", done)}
            return voice("replaced", box=box, missing=voice.money(missing), **words)
        case EarlyChosen(box=box, action=action):
            return (
                voice("early-noted", box=box, action=voice.name("act", action))
                if action
                else voice("early-gone", box=box)
            )
        case BetRemoved(wagers=wagers, reason=reason) if reason in ("below-minimum", "owner-sits-out"):
            amount = voice.money(sum(wager.amount for wager in wagers))
            return voice("removed", amount=amount, reason=voice(reason))
        case MoneyBrought(amount=amount):
            return voice("money-in", amount=voice.money(amount))
        case SeatTaken(box=box):
            return voice("seat-taken", box=box)
        case SeatFreed(box=box):
            return voice("seat-left", box=box)
        case _:
            return ""


def describe_shoe_change(voice: Voice, table: Table, events: list[Event]) -> str:
    """Said only where a shoe serves several rounds (V-81)."""
    lasting = table.sheet.shoe.reshuffle == "cut-card"
    return voice("shoe-changed") if lasting and any(isinstance(event, ShoeRetired) for event in events) else ""


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
    return f"{text} {voice('prize', prize=prize, amount=voice.money(prize * stake))}"


def bonus_stake(table: Table, box: Box) -> int:
    """The bet that the bonus of this box multiplies (L-30)."""
    return sum(stake for bet, stake in box.sides if table.sheet.sides[bet].kind == "bonus")


def segment(word: str) -> str:
    """A wheel segment as it is painted: `×15`, `MEGA LINK`."""
    return word.replace("x", "×") if word[1:].isdigit() else word.replace("-", " ").upper()


def _total(player_hand: Hand) -> str:
    return hand.format_total(player_hand.cards, resolved=player_hand.status not in ("playing", "choosing"))


def _hand(table: Table, box: int, index: int) -> Hand:
    return _box(table, box).hands[index - 1]


def _box(table: Table, number: int) -> Box:
    box = table.round.box(number) if table.round else None
    if box is None:
        raise LookupError(f"no box {number} in play")
    return box


def _community(table: Table, side: int) -> Card:
    return table.round.community[side] if table.round else 0
