"""Tables with scanned cards (X-27): a dealer takes cards from a real shoe, and each is read as it comes.

The shoe is open-ended: it holds what was scanned. Where the next card is needed the fold stops, and `find_wanted` says
for which place; with the card the same events follow as from a sealed shoe. While a card is wanted no clock runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ventuno.core.games.engines import engine
from ventuno.core.messages import commands, desk_events, events, refusals
from ventuno.core.messages.commands import DeskCommand
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card, Shoe, text
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.round import DEAL, PLAYING, Action, Box, CardPlace, Hand, Pending, Round
from ventuno.core.table.shoes import OutOfCards, cut_window
from ventuno.core.table.state import ROUND, PauseNote, Phase, Scan, Studio, Table

READ_AGAIN = 1_000
"""Milliseconds within which the same card is the same reading."""
NO_DEALER, DEALER_PAUSE, MISDEAL = "no-dealer", "dealer-pause", "misdeal"
"""Why a dealer's table stands still; a dealer goes on after the first two, after a misdeal the supervisor decides."""
_OWN_PAUSES = (NO_DEALER, DEALER_PAUSE)
_SHOE_DUE = CardPlace("shoe")


def find_wanted(table: Table) -> CardPlace | None:
    """The place for which the next card is needed; None where somebody else has to act, or cards are not scanned."""
    if table.studio is None:
        return None
    if table.phase is Phase.SHUFFLING:
        return find_burn(table) if table.shoe else _SHOE_DUE
    if table.phase is not ROUND or table.round is None or table.shoe is None:
        return None
    places, scanned = list_places(table, table.round), table.shoe.remaining
    return places[scanned] if scanned < len(places) else None


def list_places(table: Table, play: Round) -> tuple[CardPlace, ...]:
    """Where the cards go that the round needs together for its next event; none where it needs no card."""
    rules = engine(table.sheet)
    if play.stage is DEAL:
        return rules.list_deal_places(play)
    try:
        rules.step(table, play)
    except OutOfCards:
        return rules.list_awaited_places(play)
    return ()


def find_burn(table: Table) -> CardPlace | None:
    """The place of the next card that is burnt; None where the shoe can be dealt (V-81)."""
    burnt = table.studio.burnt if table.studio else table.sheet.shoe.burn
    return CardPlace("burn", card=burnt + 1, face="down") if burnt < table.sheet.shoe.burn else None


def decide(table: Table, command: DeskCommand) -> list[Event] | Refusal:
    studio = table.studio
    if studio is None:
        return refusals.NoDesk()
    if isinstance(command, commands.TakeDesk):
        return _take_desk(table, studio, command)
    if studio.dealer != command.player:
        return refusals.NotYourDesk(studio.dealer) if studio.dealer else refusals.NoDesk()
    match command:
        case commands.LeaveDesk(player, at):
            left = desk_events.DeskLeft(player, at)
            return [left] if table.pause else [left, _pause(table, player, NO_DEALER, at)]
        case commands.ScanCard():
            return _scan(table, studio, command)
        case commands.TakeBackScan(player, reason, at):
            return _check_take_back(table, studio) or [desk_events.ScanTakenBack(player, reason, at)]
        case commands.ShowCutCard(player, at):
            if table.shoe is None or studio.cut_out:
                return refusals.CardNotWanted()
            return [desk_events.CutCardShown(player, at)]
        case commands.DeclareShoe(player, at):
            return _declare_shoe(table, player, at)
        case commands.DeclareMisdeal(player, reason, at):
            declared = desk_events.MisdealDeclared(player, reason, at)
            is_others = table.pause is not None and table.pause.reason not in _OWN_PAUSES
            return [declared] if is_others else [declared, _pause(table, player, MISDEAL, at)]
        case commands.CallHelp(player, reason, at):
            return [desk_events.HelpCalled(player, reason, at)]
        case commands.PauseDesk(player, at):
            if table.pause:
                return refusals.TablePaused(table.pause.reason)
            return [_pause(table, player, DEALER_PAUSE, at)]
        case commands.ResumeDesk(player, at):
            return _resume(table, player, at)
        case _:
            assert_never(command)


def _take_desk(table: Table, studio: Studio, command: commands.TakeDesk) -> list[Event] | Refusal:
    """Another dealer takes over; a table that stood still for want of one goes on."""
    player, at = command.player, command.at
    if studio.dealer == player:
        return refusals.WrongPhase("desk-taken")
    taken = desk_events.DeskTaken(player, at)
    if table.pause is None or table.pause.reason != NO_DEALER:
        return [taken]
    return [taken, _make_resumed(table, table.pause, player, at)]


def _resume(table: Table, player: str, at: int) -> list[Event] | Refusal:
    if table.pause is None:
        return refusals.WrongPhase("running")
    if table.pause.reason not in _OWN_PAUSES:
        return refusals.TablePaused(table.pause.reason)
    return [_make_resumed(table, table.pause, player, at)]


def _pause(table: Table, by: str, reason: str, at: int) -> events.TablePausedBy:
    """What was left of a clock stays, also where the table stood still already."""
    if table.pause:
        return events.TablePausedBy(by, reason, table.pause.remaining, table.pause.at)
    remaining = None if table.deadline is None else max(table.deadline - at, 0)
    return events.TablePausedBy(by, reason, remaining, at)


def _make_resumed(table: Table, pause: PauseNote, by: str, at: int) -> events.TableResumed:
    """Nobody returns to less time than was left, nor to less than the sheet's minimum (R-06)."""
    least = table.sheet.clocks.after_pause * 1000
    return events.TableResumed(by, None if pause.remaining is None else at + max(pause.remaining, least), at)


def _scan(table: Table, studio: Studio, command: commands.ScanCard) -> list[Event] | Refusal:
    card, at, shoe = command.card, command.at, table.shoe
    last = studio.scans[-1] if studio.scans and not studio.taken_back else None
    if last and last.card == card and at - last.at < READ_AGAIN:
        return refusals.CardReadTwice(text(card))
    wanted = find_wanted(table)
    if wanted is None or wanted.place == "shoe" or shoe is None:
        return refusals.CardNotWanted()
    if shoe.cards.count(card) >= table.sheet.shoe.decks:
        return refusals.CardImpossible(text(card), table.sheet.shoe.decks)
    sealed = (command.salt, command.commitment) if wanted.face == "down" else ("", "")
    return [desk_events.CardScanned(card, wanted, command.player, at, *sealed)]


def _check_take_back(table: Table, studio: Studio) -> Refusal | None:
    """Why the last scan stays: there is none, or something has followed from it."""
    if not studio.scans or table.shoe is None:
        return refusals.NothingToTakeBack()
    is_burn = studio.scans[-1].place.place == "burn" and table.phase is Phase.SHUFFLING
    return None if is_burn or table.shoe.remaining else refusals.AlreadyFollowed()


def _declare_shoe(table: Table, player: str, at: int) -> list[Event] | Refusal:
    """A shoe where one is due; before that only while nobody has bet, as after a misdeal."""
    if table.closing is not None:
        return refusals.TableClosing(table.closing)
    is_idle = table.phase is Phase.BETTING and not any(slip.steps for slip in table.slips.values())
    if table.shoe and not (is_idle or table.phase is Phase.SHUFFLING):
        return refusals.WrongPhase("shoe-in-use")
    declared = desk_events.ShoeDeclared(table.shoes + 1, find_cut(table.sheet), player, at)
    return [events.ShoeRetired(table.shoe.number), declared] if table.shoe else [declared]


def find_cut(sheet: Sheet) -> int:
    """How many cards may leave a shoe before its last round, wherever the cut card is: a full round always fits."""
    return cut_window(sheet)[1]


def evolve(table: Table, event: desk_events.DeskEvent | events.DecisionTaken) -> Table:
    studio = table.studio or Studio()
    match event:
        case desk_events.DeskTaken(player):
            return table._replace(studio=studio._replace(dealer=player))
        case desk_events.DeskLeft():
            return table._replace(studio=studio._replace(dealer=""))
        case desk_events.ShoeDeclared(number, cut):
            fresh = Studio(studio.dealer, misdeal=studio.misdeal)
            return table._replace(shoe=Shoe((), 0, cut, number), shoes=number, studio=fresh)
        case desk_events.CardScanned():
            return _add_scan(table, studio, event)
        case desk_events.ScanTakenBack():
            return _take_back(table, studio)
        case desk_events.CutCardShown():
            shoe = table.shoe and table.shoe._replace(cut=table.shoe.position)
            return table._replace(shoe=shoe, studio=studio._replace(cut_out=True))
        case events.DecisionTaken():
            return _hold_decision(table, event)
        case desk_events.MisdealDeclared(reason=reason):
            return table._replace(studio=studio._replace(misdeal=reason))
        case desk_events.HelpCalled():
            return table
        case _:
            assert_never(event)


def _get_shoe(table: Table) -> Shoe:
    if table.shoe is None:
        raise LookupError(f"table {table.id} has no shoe")
    return table.shoe


def _add_scan(table: Table, studio: Studio, event: desk_events.CardScanned) -> Table:
    """A burnt card has left the shoe with this; others do when the round takes them."""
    shoe = _get_shoe(table)
    burnt = int(event.place.place == "burn")
    scan = Scan(event.card, event.place, event.player, event.at, event.salt, event.commitment)
    changed = studio._replace(scans=(*studio.scans, scan), burnt=studio.burnt + burnt, taken_back=False)
    return table._replace(
        shoe=shoe._replace(cards=(*shoe.cards, event.card), position=shoe.position + burnt), studio=changed
    )


def _take_back(table: Table, studio: Studio) -> Table:
    shoe = _get_shoe(table)
    burnt = int(studio.scans[-1].place.place == "burn")
    changed = studio._replace(scans=studio.scans[:-1], burnt=studio.burnt - burnt, taken_back=True)
    return table._replace(shoe=shoe._replace(cards=shoe.cards[:-1], position=shoe.position - burnt), studio=changed)


def _hold_decision(table: Table, event: events.DecisionTaken) -> Table:
    """The round waits for a card; the stakes have gone into play."""
    play = table.round
    if play is None:
        raise LookupError(f"table {table.id} has no round")
    purses = {**table.purses}
    for player, amount in ((event.player, event.stake), *event.follows):
        if amount:
            purses[player] -= amount
    follows = tuple([(bettor, amount) for bettor, amount in event.follows])
    pending = Pending(event.player, event.box, event.hand, event.action, event.stake, follows, event.origin)
    box = play.get_box(event.box)
    boxes = play.with_box(box._replace(early=None)) if box.early is not None else play.boxes
    return table._replace(round=play._replace(boxes=boxes, pending=pending), purses=purses, deadline=None)


def begin_round(table: Table) -> Table:
    """The scans of a round begin with it."""
    return table._replace(studio=table.studio._replace(scans=())) if table.studio else table


def clear_table(table: Table) -> Table:
    """A round was voided: every card that was scanned is out, and the misdeal is dealt with (V-77)."""
    studio, shoe = table.studio, table.shoe
    if studio is None:
        return table
    shoe = shoe and shoe._replace(position=len(shoe.cards))
    return table._replace(shoe=shoe, studio=studio._replace(misdeal=""))


def lay_out(table: Table, play: Round) -> Round:
    """The round as its cards lie there: those that are scanned and not yet part of it at their places, a decision that
    waits for its card as far as it has come. Face-down cards are counted where those of any round are.
    """
    shoe, pending = table.shoe, play.pending
    if shoe is None or table.phase is not ROUND:
        return play
    scanned = shoe.next(shoe.remaining)
    if play.stage is DEAL:
        return _lay_out_deal(play, tuple(zip(engine(table.sheet).list_deal_places(play), scanned, strict=False)))
    if pending is None:
        return play
    box = play.get_box(pending.box)
    return play._replace(boxes=play.with_box(_lay_out_decision(box, pending, scanned)), pending=None)


def _lay_out_deal(play: Round, cards: Sequence[tuple[CardPlace, Card]]) -> Round:
    up = [(place, card) for place, card in cards if place.face == "up"]
    boxes = []
    for box in play.boxes:
        own = tuple([card for place, card in up if place.place == "box" and place.box == box.number])
        hidden = [card for place, card in cards if place.face == "down" and place.box == box.number]
        hands = (Hand(own, box.main, PLAYING),) if own else ()
        boxes.append(box._replace(hands=hands, hidden=hidden[0] if hidden else None))
    return play._replace(
        boxes=tuple(boxes),
        dealer=tuple([card for place, card in up if place.place == "dealer"]),
        hidden=tuple([card for place, card in cards if place.place == "dealer" and place.face == "down"]),
        community=tuple([card for place, card in up if place.place == "community"]),
    )


def _lay_out_decision(box: Box, pending: Pending, scanned: tuple[Card, ...]) -> Box:
    """A doubled stake beside its hand; a pair that is split as two hands, with the cards that have come to them."""
    index, before, after = pending.hand - 1, box.hands[: pending.hand - 1], box.hands[pending.hand :]
    own = box.hands[index]
    if pending.action is not Action.SPLIT:
        return box._replace(hands=(*before, own._replace(added=pending.stake), *after))
    pair = tuple(
        [
            Hand((card, *scanned[place : place + 1]), pending.stake, PLAYING, split=True)
            for place, card in enumerate(own.cards)
        ]
    )
    return box._replace(hands=(*before, *pair, *after))
