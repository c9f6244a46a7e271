"""Money that an event moves, as balanced postings (X-05, X-12, I-1)."""

from __future__ import annotations

from typing import NamedTuple

from ventuno.core.messages import events
from ventuno.core.messages.events import Event
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Line

_STAKES: tuple[type, ...] = (
    events.BetPlaced,
    events.BetRemoved,
    events.InsuranceAnswered,
    events.HandDoubled,
    events.HandSplit,
    events.CommunityChosen,
    events.DecisionTaken,
)
MOVES = frozenset((*_STAKES, events.MoneyBrought, events.MoneyTaken, events.RoundSettled, events.RoundVoided))
"""Most events move no money: they are told apart before they are looked at."""


class Posting(NamedTuple):
    """An amount on an account; the postings of one event sum to zero."""

    account: str
    amount: Cents
    criterion: str = ""
    arithmetic: str = ""


def stakes(event: Event) -> tuple[tuple[PlayerId, Cents], ...]:
    """What goes from purses into play with this event; negative where a bet is taken back."""
    if type(event) not in MOVES:
        return ()
    match event:
        case events.BetPlaced(player, wagers):
            return ((player, sum([wager.amount for wager in wagers])),)
        case events.BetRemoved(player, wagers):
            return ((player, -sum([wager.amount for wager in wagers])),)
        case events.InsuranceAnswered(player=player, amount=amount):
            return ((player, amount),) if amount else ()
        case events.HandDoubled() | events.HandSplit():
            return () if event.paid else ((event.player, event.stake), *event.follows)
        case events.DecisionTaken(player=player, stake=stake, follows=follows):
            return ((player, stake), *follows) if stake else ()
        case events.CommunityChosen(player=player, stake=stake):
            return ((player, stake),)
        case _:
            return ()


def returns(event: Event) -> tuple[events.Follow, ...]:
    """What comes back to each purse when a round is settled or voided."""
    match event:
        case events.RoundSettled():
            sums: dict[PlayerId, Cents] = {}
            for line in event.lines:
                sums[line.player] = sums.get(line.player, 0) + line.returned
            return tuple([events.Follow(player, amount) for player, amount in sums.items()])
        case events.RoundVoided(refunds=refunds):
            return refunds
        case _:
            return ()


def postings(event: Event, game: str) -> tuple[Posting, ...]:
    """The event in double entry: the sum is zero, and every payout says why."""
    if type(event) not in MOVES:
        return ()
    match event:
        case events.MoneyBrought(player, amount):
            return Posting(f"player:{player}", -amount), Posting(f"player:{player}:table", amount)
        case events.MoneyTaken(player, amount):
            return Posting(f"player:{player}:table", -amount), Posting(f"player:{player}", amount)
        case events.RoundSettled(lines):
            return tuple([posting for line in lines for posting in _line_postings(line, game) if posting.amount])
        case events.RoundVoided(refunds=refunds):
            into_play = [(player, -amount) for player, amount in refunds]
        case _:
            into_play = list(stakes(event))
    return tuple(
        [
            posting
            for player, amount in into_play
            for posting in (Posting(f"player:{player}:table", -amount), Posting(f"player:{player}:in-play", amount))
        ]
    )


def _line_postings(line: Line, game: str) -> tuple[Posting, Posting, Posting]:
    player, _, stake, returned, criterion, arithmetic, _, _ = line
    return (
        Posting(f"player:{player}:in-play", -stake, criterion),
        Posting(f"player:{player}:table", returned, criterion, arithmetic),
        Posting(f"house:{game}", stake - returned, criterion, arithmetic),
    )
