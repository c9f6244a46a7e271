"""The duel engine: fold or choose a community card, then hit or stand; the dealer follows the house way (D-06…D-15)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ventuno.core.games import settlement, side_bets
from ventuno.core.games.settlement import BUST, Result
from ventuno.core.messages import events
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import ActionNotAllowed, Refusal
from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import legal
from ventuno.core.table.round import Action, Box, CardPlace, Hand, Line, Origin, Round, Stage, Status
from ventuno.core.table.shoes import draw
from ventuno.core.table.state import Table


def deal(table: Table, play: Round) -> events.DuelDealt:
    """Each hand's up card, the dealer's first, the community cards, each hand's hidden card, the dealer's second."""
    count = len(play.boxes)
    cards = draw(table.shoe, 2 * count + 4)
    hands = tuple([(box.number, cards[i]) for i, box in enumerate(play.boxes)])
    return events.DuelDealt(hands, (cards[count + 1], cards[count + 2]))


def hidden_at_deal(cards: tuple[Card, ...], boxes: int) -> tuple[Card, ...]:
    """The face-down cards: each hand's, then the dealer's two."""
    return (*cards[boxes + 3 : 2 * boxes + 3], cards[boxes], cards[-1])


def apply_deal(_sheet: Sheet, play: Round, event: events.DuelDealt, hidden: tuple[Card, ...]) -> Round:
    boxes = tuple(
        box._replace(hands=(Hand((up,), box.main, Status.CHOOSING),), dealt=(up,), hidden=own)
        for box, (_, up), own in zip(play.boxes, event.hands, hidden, strict=False)
    )
    return play._replace(boxes=boxes, community=event.community, hidden=hidden[-2:], stage=Stage.PLAY)


def list_deal_places(play: Round) -> tuple[CardPlace, ...]:
    """Where the cards of the deal go, in their order (D-06)."""
    boxes = [box.number for box in play.boxes]
    return (
        *[CardPlace("box", number, 1, 1) for number in boxes],
        CardPlace("dealer", card=1, face="down"),
        *[CardPlace("community", card=card) for card in (1, 2)],
        *[CardPlace("box", number, 1, 2, "down") for number in boxes],
        CardPlace("dealer", card=2, face="down"),
    )


def list_awaited_places(_play: Round) -> tuple[CardPlace, ...]:
    """After the deal no further card leaves the shoe."""
    return ()


def step(table: Table, play: Round) -> Event | None:
    """The dealer plays only where some hand stands against him; else he just turns his cards (reading 32)."""
    if play.stage is Stage.DEAL:
        return deal(table, play)
    if play.stage is Stage.PLAY:
        now = legal.turn(play)
        if now is None:
            return _dealer_chooses(table.sheet, play) if play.has_dealer_hand else _turn_next(play)
        box, index = now
        if box.hands[index].status is Status.PLAYING and box.hands[index].total == 21:
            return events.HandStood(box.number, index + 1, Origin.RULE)
    if play.stage is Stage.DEALER and play.hidden and hand.total(play.dealer) <= table.sheet.duel.draw_to:
        return events.HoleTurned(play.hidden[0])
    return None


def _turn_next(play: Round) -> events.HoleTurned | None:
    return events.HoleTurned(play.hidden[0]) if play.hidden else None


def _dealer_chooses(sheet: Sheet, play: Round) -> events.DealerChose:
    first = play.hidden[0]
    ranks = [house_rank(sheet, (first, card)) for card in play.community]
    return events.DealerChose(first, 1 if ranks[1] < ranks[0] else 0)


def house_rank(sheet: Sheet, cards: tuple[Card, ...]) -> int:
    """The row of the house way that two cards fall in; the lowest row is taken (D-10)."""
    total = hand.total(cards)
    name = f"soft {total}" if total < 17 and hand.is_soft(cards) else str(total)
    return sheet.duel.house_way.index(name)


def act(_table: Table, box: Box, index: int, action: Action, origin: Origin) -> list[Event] | Refusal:
    match action:
        case Action.FOLD:
            return [events.HandFolded(box.number, origin)]
        case Action.LEFT | Action.RIGHT:
            side = 0 if action is Action.LEFT else 1
            return [events.CommunityChosen(box.player, box.number, side, box.main, origin)]
        case Action.HIT if box.hidden is not None:
            return [events.HiddenTurned(box.number, box.hidden, origin)]
        case Action.STAND:
            return [events.HandStood(box.number, index + 1, origin)]
        case _:
            return ActionNotAllowed(action, "not-asked")


def timeout(table: Table, box: Box, index: int) -> Action:
    """The choice folds, the second decision stands, as the sheet says."""
    rules = table.sheet.timeouts
    wanted = Action(rules.choice if box.hands[index].status is Status.CHOOSING else rules.second)
    return wanted if isinstance(legal.price(table, box, index, wanted), int) else Action.FOLD


def substitute(_table: Table, _box: Box, _index: int, _action: Action) -> Action:
    """Without funds for the raise only folding is left (D-03, reading 23)."""
    return Action.FOLD


def evolve(_sheet: Sheet, play: Round, event: Event) -> Round:
    match event:
        case events.HandFolded(number):
            return _change_hand(play, number, lambda player_hand: player_hand._replace(status=Status.FOLDED))
        case events.CommunityChosen(box=number, side=side, stake=stake):
            card = play.community[side]
            return _change_hand(
                play,
                number,
                lambda player_hand: player_hand._replace(
                    cards=(*player_hand.cards, card), added=stake, status=Status.PLAYING
                ),
            )
        case events.HiddenTurned(number, card):
            return _change_hand(play, number, lambda player_hand: _turn_hidden(player_hand, card))
        case events.HandStood(number):
            return _change_hand(play, number, lambda player_hand: player_hand._replace(status=Status.STOOD))
        case events.DealerChose(card, side):
            return play._replace(stage=Stage.DEALER, dealer=(card, play.community[side]), hidden=play.hidden[1:])
        case events.HoleTurned(card):
            return play._replace(dealer=(*play.dealer, card), hidden=play.hidden[1:])
        case _:
            raise TypeError(f"{event} is no event of this engine")


def _turn_hidden(player_hand: Hand, card: Card) -> Hand:
    cards = (*player_hand.cards, card)
    return player_hand._replace(cards=cards, status=Status.BUST if hand.total(cards) > 21 else Status.STOOD)


def _change_hand(play: Round, number: int, how: Callable[[Hand], Hand]) -> Round:
    box = play.get_box(number)
    return play._replace(boxes=play.with_box(box._replace(hands=(how(box.hands[0]),))))


def result(sheet: Sheet, play: Round, box: Box, _index: int = 0) -> Result:
    """Ante and raise against the dealer; when he does not qualify the ante wins, the raise returns (D-13, D-14)."""
    player_hand = box.hands[0]
    if player_hand.status is Status.FOLDED:
        return Result("folded", "fold")
    if player_hand.status is Status.BUST:
        return BUST
    mine, dealer = player_hand.total, hand.total(play.dealer)
    if dealer < sheet.duel.qualify:
        return Result("not-qualified", "not-qualified", base=200, added=100)
    return settlement.compare(mine, dealer)


def settle(table: Table, play: Round) -> tuple[Line, ...]:
    lines = [line for box in play.boxes for line in _box_lines(table.sheet, play, box)]
    return (*lines, *settlement.cap_winnings(table.sheet, lines))


def _box_lines(sheet: Sheet, play: Round, box: Box) -> Iterator[Line]:
    player_hand, how = box.hands[0], result(sheet, play, box)
    for bet, stake, added in (("ante", player_hand.stake, False), ("raise", player_hand.added, True)):
        if stake:
            back, arithmetic = how.pay(stake, added=added)
            yield Line(box.player, bet, stake, back, sheet.cite(how.rule), arithmetic, box.number, 1)
    for bet, stake in box.sides:
        won = side_bets.find_win(sheet.sides[bet], (player_hand.cards[0], *play.community))
        yield settlement.pay_side_bet(sheet, box.player, bet, stake, won, box.number)
