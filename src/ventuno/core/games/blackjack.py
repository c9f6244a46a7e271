"""The blackjack engine of every sheet of that family: what the dealer does by himself, and what a decision does."""

from __future__ import annotations

from ventuno.core.games import insurance, settlement
from ventuno.core.messages import events
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import ActionNotAllowed, Refusal
from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card, is_ace, is_ten
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import legal
from ventuno.core.table.round import (
    DEALER,
    HIT,
    PLAY,
    PLAYING,
    STAND,
    STOOD,
    Action,
    Behind,
    BonusGame,
    Box,
    CardPlace,
    Hand,
    Line,
    Origin,
    Pending,
    Round,
    Stage,
    Status,
)
from ventuno.core.table.shoes import draw
from ventuno.core.table.state import Table

DRAWING = (HIT, Action.DOUBLE, Action.SPLIT)
"""Decisions that need cards."""


def deal(table: Table, play: Round) -> events.HandsDealt:
    """One card to each box, the dealer's up-card, a second card to each, the dealer's second face down (V-04)."""
    count = len(play.boxes)
    cards = draw(table.shoe, 2 * count + 2)
    hands = tuple([(box.number, (cards[i], cards[count + 1 + i])) for i, box in enumerate(play.boxes)])
    return events.HandsDealt(hands, cards[count])


def hidden_at_deal(cards: tuple[Card, ...], _boxes: int) -> tuple[Card, ...]:
    """Of the cards that left the shoe at the deal, the dealer's face-down one."""
    return cards[-1:]


def apply_deal(sheet: Sheet, play: Round, event: events.HandsDealt, hidden: tuple[Card, ...]) -> Round:
    boxes = []
    for box, (_, cards) in zip(play.boxes, event.hands, strict=True):
        if hand.total(cards) == 21:
            spins = any(sheet.sides[name].kind == "bonus" for name, _ in box.sides)
            first_hand, bonus = Hand(cards, box.main, Status.BLACKJACK), BonusGame() if spins else None
        else:
            first_hand, bonus = Hand(cards, box.main, PLAYING), None
        boxes.append(Box(box.number, box.player, box.main, box.sides, (first_hand,), box.behind, cards, bonus=bonus))
    asks = sheet.insurance.offered and is_ace(event.up)
    stage = Stage.INSURANCE if asks else _after_insurance(sheet, event.up)
    return play._replace(boxes=tuple(boxes), dealer=(event.up,), hidden=hidden, stage=stage)


def _after_insurance(sheet: Sheet, up: Card) -> Stage:
    """The dealer looks only under the up-cards that the sheet names (V-08, V-09, S-24, L-09)."""
    looks = ("A" in sheet.dealer.peek and is_ace(up)) or ("ten" in sheet.dealer.peek and is_ten(up))
    return Stage.PEEK if looks else PLAY


def list_deal_places(play: Round) -> tuple[CardPlace, ...]:
    """Where the cards of the deal go, in their order (V-04)."""
    boxes = [box.number for box in play.boxes]
    first, second = ([CardPlace("box", number, 1, card) for number in boxes] for card in (1, 2))
    return (*first, CardPlace("dealer", card=1), *second, CardPlace("dealer", card=2, face="down"))


def list_awaited_places(play: Round) -> tuple[CardPlace, ...]:
    """Where the next cards after the deal go: to the hand of a decision, to both of a split, or to the dealer."""
    pending = play.pending
    if pending is None:
        return (CardPlace("dealer", card=len(play.dealer) + 1),)
    if pending.action is Action.SPLIT:
        return tuple([CardPlace("box", pending.box, hand, 2) for hand in (pending.hand, pending.hand + 1)])
    count = len(play.get_box(pending.box).hands[pending.hand - 1].cards)
    return (CardPlace("box", pending.box, pending.hand, count + 1),)


def _complete(table: Table, pending: Pending) -> Event:
    """What a decision that was taken comes to with its cards: the same event as from a sealed shoe (X-27)."""
    player, number, index, action, stake, taken, origin = pending
    follows = tuple([events.Follow(*follow) for follow in taken])
    if action is Action.SPLIT:
        first, second = draw(table.shoe, 2)
        return events.HandSplit(player, number, index, (first, second), stake, follows, origin, paid=True)
    card = draw(table.shoe, 1)[0]
    if action is HIT:
        return events.HandHit(number, index, card, origin)
    return events.HandDoubled(player, number, index, card, stake, follows, origin, paid=True)


def step(table: Table, play: Round) -> Event | None:
    """What happens next without anybody deciding; None when a decision or the bonus is due."""
    if play.stage is PLAY:
        if play.pending is not None:
            return _complete(table, play.pending)
        now = legal.turn(play)
        if now is None:
            return events.HoleTurned(play.hidden[0])
        box, index = now
        if index >= 0 and box.hands[index].total == 21:
            return events.HandStood(box.number, index + 1, Origin.RULE)
        return None
    if play.stage is DEALER:
        draws = hand.dealer_draws(play.dealer, hits_soft_17=table.sheet.dealer.soft_17 == "hit")
        return events.DealerDrew(draw(table.shoe, 1)[0]) if draws and _has_standing_hand(play) else None
    match play.stage:
        case Stage.INSURANCE:
            return None if any(insurance.waiting(play)) else events.InsuranceClosed()
        case Stage.PEEK:
            return events.Peeked(hand.is_natural(play.dealer + play.hidden))
        case Stage.DEAL:
            return deal(table, play)
        case Stage.DONE:
            return None


def _has_standing_hand(play: Round) -> bool:
    """Some hand is still to be compared with the dealer's."""
    for box in play.boxes:
        for player_hand in box.hands:
            if player_hand.status is STOOD:
                return True
    return False


def act(table: Table, box: Box, index: int, action: Action, origin: Origin) -> list[Event] | Refusal:
    """Carry out a decision whose legality has been checked."""
    number, player_hand = box.number, box.hands[index]
    if action is STAND:
        return [events.HandStood(number, index + 1, origin)]
    if table.studio is not None and action in DRAWING:
        return _take_decision(table, box, index, action, origin)
    if action is HIT:
        return [events.HandHit(number, index + 1, draw(table.shoe, 1)[0], origin)]
    match action:
        case Action.DOUBLE:
            follows, notes = _follows(table, box, index, action)
            card = draw(table.shoe, 1)[0]
            return [*notes, events.HandDoubled(box.player, number, index + 1, card, player_hand.stake, follows, origin)]
        case Action.SPLIT:
            follows, notes = _follows(table, box, index, action)
            first, second = draw(table.shoe, 2)
            return [
                *notes,
                events.HandSplit(box.player, number, index + 1, (first, second), player_hand.stake, follows, origin),
            ]
        case Action.CASH_OUT:
            return [events.HandCashedOut(number, index + 1, offer(table.sheet, player_hand, table.round), origin)]
        case Action.SURRENDER:
            return [events.HandSurrendered(number, index + 1, origin)]
        case _:
            return ActionNotAllowed(action, "not-asked")


def _take_decision(table: Table, box: Box, index: int, action: Action, origin: Origin) -> list[Event]:
    """The decision counts, and its stakes move; its card is not scanned yet (X-27)."""
    if action is HIT:
        return [events.DecisionTaken(box.player, box.number, index + 1, action, 0, (), origin)]
    follows, notes = _follows(table, box, index, action)
    stake = box.hands[index].stake
    return [*notes, events.DecisionTaken(box.player, box.number, index + 1, action, stake, follows, origin)]


def offer(sheet: Sheet, player_hand: Hand, play: Round | None) -> int:
    """The cash-out offer in hundredths of the stake: by total and up-card alone (F-10)."""
    if play is None:
        return 0
    return sheet.cash_out.offer(player_hand.total, hand.is_soft(player_hand.cards), hand.total(play.dealer[:1]))


def timeout(table: Table, box: Box, index: int) -> Action:
    """A total up to the sheet's bound hits, above it stands; soft totals count at their best (V-57)."""
    return Action.HIT if box.hands[index].total <= table.sheet.timeouts.hit_up_to else Action.STAND


def substitute(table: Table, box: Box, index: int, action: Action) -> Action:
    """What takes the place of a double or split without funds (V-59)."""
    return Action.HIT if action is Action.DOUBLE else timeout(table, box, index)


def _follows(table: Table, box: Box, index: int, action: Action) -> tuple[tuple[events.Follow, ...], list[Event]]:
    """Bettors behind who go along, and notices for those who wanted to but cannot (V-30, V-31, V-34)."""
    follows, notes = [], list[Event]()
    for bettor in box.behind:
        stake = bettor.stakes[index][0]
        if stake and (bettor.follow_double if action is Action.DOUBLE else bettor.follow_split):
            verdict = insurance.price_stake(table, bettor.player, stake)
            if isinstance(verdict, int):
                follows.append(events.Follow(bettor.player, stake))
            else:
                notes.append(
                    events.FollowSkipped(bettor.player, box.number, action, stake - table.purse(bettor.player))
                )
    return tuple(follows), notes


def evolve(sheet: Sheet, play: Round, event: Event) -> Round:
    """The round after one of its events."""
    match event:
        case events.HandHit():
            box = play.get_box(event.box)
            return _with_hand(play, box, event.hand, _hit(sheet, box.hands[event.hand - 1], event.card, event.origin))
        case events.HandStood():
            box = play.get_box(event.box)
            return _with_hand(play, box, event.hand, box.hands[event.hand - 1]._replace(status=STOOD))
        case events.HoleTurned():
            return play._replace(stage=DEALER, dealer=play.dealer + play.hidden, hidden=())
        case events.DealerDrew():
            return play._replace(dealer=(*play.dealer, event.card))
        case events.HandDoubled(_, number, index, card, stake, follows):
            box = play.get_box(number)
            done = _with_hand(play, box, index, _double(sheet, box.hands[index - 1], card, stake))
            return _add_follows(done, number, index, follows, split=False)
        case events.HandSplit(_, number, index, cards, stake, follows):
            return _add_follows(_split(sheet, play, number, index, cards, stake), number, index, follows, split=True)
        case events.HandCashedOut(number, index, amount):
            box = play.get_box(number)
            cashed = box.hands[index - 1]._replace(status=Status.CASHED_OUT, offer=amount)
            return _with_hand(play, box, index, cashed)
        case events.HandSurrendered(number, index):
            box = play.get_box(number)
            return _with_hand(play, box, index, box.hands[index - 1]._replace(status=Status.SURRENDERED))
        case events.InsuranceAnswered(box=number):
            return play._replace(boxes=play.with_box(insurance.evolve(play.get_box(number), event)))
        case events.InsuranceClosed():
            return play._replace(stage=_after_insurance(sheet, play.dealer[0]))
        case events.Peeked(blackjack):
            if blackjack:
                return play._replace(stage=Stage.DEALER, dealer=play.dealer + play.hidden, hidden=())
            return play._replace(stage=Stage.PLAY)
        case _:
            raise TypeError(f"{event} is no event of this engine")


def settle(table: Table, play: Round) -> tuple[Line, ...]:
    return settlement.lines(table.sheet, play)


def result(sheet: Sheet, play: Round, box: Box, index: int) -> settlement.Result:
    return settlement.result(sheet, play, box, index)


def _with_hand(play: Round, box: Box, index: int, new_hand: Hand) -> Round:
    hands = (new_hand,) if len(box.hands) == 1 else (*box.hands[: index - 1], new_hand, *box.hands[index:])
    return play._replace(boxes=play.with_box(box._replace(hands=hands, early=None)))


def _hit(sheet: Sheet, player_hand: Hand, card: Card, origin: Origin) -> Hand:
    cards = (*player_hand.cards, card)
    timeouts = player_hand.timeouts + 1 if origin is Origin.TIMEOUT else 0
    return player_hand._replace(cards=cards, status=_status(sheet, cards, PLAYING), timeouts=timeouts)


def _double(sheet: Sheet, player_hand: Hand, card: Card, stake: Cents) -> Hand:
    cards = (*player_hand.cards, card)
    return player_hand._replace(cards=cards, added=stake, status=_status(sheet, cards, STOOD))


def _status(sheet: Sheet, cards: tuple[Card, ...], otherwise: Status) -> Status:
    """Over 21 the hand is lost at once (V-13); so many cards without that win at once (L-14)."""
    if hand.total(cards) > 21:
        return Status.BUST
    return Status.CHARLIE if sheet.charlie and len(cards) >= sheet.charlie else otherwise


def _split(sheet: Sheet, play: Round, number: int, index: int, cards: tuple[Card, Card], stake: Cents) -> Round:
    """Two hands, each with its second card; split aces are done where the sheet gives them one card (V-14, V-15)."""
    box = play.get_box(number)
    first, second = box.hands[index - 1].cards
    done = is_ace(first) and sheet.split.aces == "one-card"
    status = STOOD if done else PLAYING
    pair = (
        Hand((first, cards[0]), stake, status, split=True),
        Hand((second, cards[1]), stake, status, split=True),
    )
    hands = (*box.hands[: index - 1], *pair, *box.hands[index:])
    behind = tuple(
        bettor._replace(stakes=(*bettor.stakes[:index], (0, 0), *bettor.stakes[index:])) for bettor in box.behind
    )
    return play._replace(boxes=play.with_box(box._replace(hands=hands, behind=behind, early=None)))


def _add_follows(play: Round, number: int, index: int, follows: tuple[events.Follow, ...], *, split: bool) -> Round:
    """Put up the followers' stakes: beside the doubled stake, or on the new hand."""
    if not follows:
        return play
    box, amounts = play.get_box(number), dict(follows)
    behind = tuple(_follow(bettor, index, amounts.get(bettor.player, 0), split=split) for bettor in box.behind)
    return play._replace(boxes=play.with_box(box._replace(behind=behind)))


def _follow(bettor: Behind, index: int, amount: Cents, *, split: bool) -> Behind:
    if not amount:
        return bettor
    place = index if split else index - 1
    stake, added = bettor.stakes[place]
    changed = (amount, 0) if split else (stake, added + amount)
    return bettor._replace(stakes=(*bettor.stakes[:place], changed, *bettor.stakes[place + 1 :]))
