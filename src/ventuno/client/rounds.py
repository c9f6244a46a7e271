"""One whole round at a table, with nothing to write but the decisions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ventuno.client.errors import Refused
from ventuno.core.rules import hand
from ventuno.core.rules.cards import VALUES, card
from ventuno.core.rules.frozen_record import FrozenRecord
from ventuno.core.rules.money import Cents
from ventuno.core.views.private_view import DecisionOption
from ventuno.core.views.public_view import Box, Dealer, Hand, PublicView, Settled

if TYPE_CHECKING:
    from ventuno.client.table import Table

STAKES_BROUGHT = 20
"""So many times the stakes of a round are brought to a table where one has too little for them."""


class Decision(FrozenRecord):
    """What is to be decided: a hand, the dealer's cards, and what the house allows, with its price."""

    box: int
    hand: Hand
    dealer: Dealer
    options: Mapping[str, DecisionOption]

    @property
    def total(self) -> int:
        """The best total of the hand; an ace counts eleven where that does not pass 21."""
        return hand.total(tuple(map(card, self.hand.cards)))

    @property
    def is_soft(self) -> bool:
        """Whether an ace counts eleven in the total."""
        return hand.is_soft(tuple(map(card, self.hand.cards)))

    @property
    def values(self) -> tuple[int, ...]:
        """The cards by value: 10 for each face, 1 for an ace."""
        return tuple(VALUES[card(text)] for text in self.hand.cards)

    @property
    def dealer_value(self) -> int:
        """The dealer's first card by value; 0 where none is shown."""
        return VALUES[card(self.dealer.cards[0])] if self.dealer.cards else 0

    @property
    def community(self) -> tuple[str, ...]:
        """The community cards of a duel."""
        return self.dealer.community


class RoundResult(FrozenRecord):
    """A settled round: one's own lines, and the table as it lay. `net` is what was won or, below 0, lost; in cents."""

    code: str
    lines: tuple[Settled, ...]
    view: PublicView

    @property
    def net(self) -> Cents:
        return sum(line.returned - line.stake for line in self.lines)


Decide = Callable[[Decision], str]
Step = Callable[[], Awaitable[None]]


async def play_round(table: Table, decide: Decide, stake: Cents, bets: Sequence[str]) -> RoundResult:
    """Look, do the next thing, look again, until one's own bets of a new round are settled."""
    before = find_result(table)
    while True:
        result = find_result(table)
        if result and (before is None or result.code != before.code):
            return result
        steps, step = table.steps, find_step(table, decide, stake, bets)
        if step is None:
            await table.changed()
            continue
        try:
            await step()
        except Refused as refusal:
            if refusal.code == "TooLate":
                await table.changed()
            elif steps == table.steps:  # nothing happened meanwhile: it would be refused again
                raise


def find_result(table: Table) -> RoundResult | None:
    view = table.public
    lines = tuple(line for line in view.lines if line.player == table.player)
    return RoundResult(view.code, lines, view) if lines else None


def find_step(table: Table, decide: Decide, stake: Cents, bets: Sequence[str]) -> Step | None:
    """What to ask next as things stand; None where there is nothing to do but wait."""
    view, mine, boxes = table.public, table.mine, table.boxes
    if view.paused is not None:
        return None
    if view.phase == "round":
        return find_decision(table, decide)
    if not mine.limits:  # of whom nothing is known here but that he watches: a first sum tells the limits
        return lambda: table.bring(STAKES_BROUGHT * max(stake, 1_000))
    wanted = {bet: max(stake, mine.limits[bet].least) for bet in bets if bet in mine.limits}
    if mine.balance + mine.staked < sum(wanted.values()):
        return lambda: table.bring(STAKES_BROUGHT * sum(wanted.values()))
    if not boxes:
        taken = {seat.box for seat in view.seats}
        box = next((box for box in range(1, table.seats + 1) if box not in taken), 0)
        return (lambda: table.sit(box)) if box else None
    if view.phase != "betting":
        return None
    placed = {chips.bet for chips in mine.bets}
    for spot in mine.options.spots:
        if spot.bet in wanted and spot.bet not in placed and spot.box in (0, boxes[0]) and spot.price is not None:
            place, amount = (spot.box, spot.bet), wanted[spot.bet]
            return lambda: table.bet([place], amount)
    deal = mine.options.betting.get("deal")
    return table.deal if deal and deal.price is not None else None


def find_decision(table: Table, decide: Decide) -> Step | None:
    view, turn = table.public, table.public.turn
    if turn and turn.hand == 0:
        box = _find_box(view, turn.box)
        if box.player != table.player:
            return None
        spins = table.spin_board if box.bonus and box.bonus.segment else table.spin_wheel
        return lambda: spins(box.box)
    options = [option for option in table.mine.options.decisions if option.price is not None]
    if not options:
        return None
    number = options[0].box
    hands = _find_box(view, number).hands
    current = hands[turn.hand - 1 if turn and turn.box == number else 0]
    allowed = {option.action: option for option in options if option.box == number}
    action = decide(Decision(number, current, view.dealer, allowed))
    if action not in allowed:
        raise ValueError(f"{action} is not allowed here, but {', '.join(allowed)}")
    return lambda: table.decide(number, action)


def _find_box(view: PublicView, number: int) -> Box:
    return next(box for box in view.boxes if box.box == number)
