"""Tables that differ from another only in what a viewer may not know (H-1, H-4, H-5)."""

from __future__ import annotations

from random import Random

from tests.support.random_table import PLAYERS, SPECTATOR, STRANGER
from ventuno.core.messages.events import (
    Wager,
)
from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card, Shoe
from ventuno.core.table.round import Action, Behind, Box, Round, Stage
from ventuno.core.table.state import Phase, Seat, Slip, Studio, Table

VIEWERS = (*PLAYERS, STRANGER, SPECTATOR)


def list_viewers(table: Table) -> tuple[str, ...]:
    return (*PLAYERS[:1], STRANGER, SPECTATOR) if table.sheet.game.solo else VIEWERS


def change_hidden_cards(table: Table, rng: Random, *, same_peek: bool) -> Table:
    """The same table with other cards wherever they lie face down or undealt, in the spare shoe too.

    With `same_peek` a hole card that was looked at keeps its answer: the peek has told everybody so much (V-08).
    """
    play, shoe = table.round, table.shoe
    if play is not None and table.phase is Phase.ROUND and play.hidden:
        play = play._replace(
            hidden=draw_other_hole(play, rng, same_peek=same_peek),
            boxes=tuple(box if box.hidden is None else box._replace(hidden=rng.randrange(52)) for box in play.boxes),
        )
    if table.studio is not None:
        return change_scanned_cards(table._replace(round=play), table.studio, rng)
    return table._replace(round=play, shoe=shuffle_rest(shoe, rng), spare=shuffle_rest(table.spare, rng))


def change_scanned_cards(table: Table, studio: Studio, rng: Random) -> Table:
    """Other face-down cards among those that were scanned and are not dealt yet; burnt ones too."""
    shoe = table.shoe
    if shoe is None:
        return table
    cards, first = list(shoe.cards), len(shoe.cards) - len(studio.scans)
    for place, scan in enumerate(studio.scans):
        if scan.place.face == "down" and (scan.place.place == "burn" or first + place >= shoe.position):
            cards[first + place] = rng.choice([card for card in range(52) if card != scan.card])
    changed = tuple(scan._replace(card=card) for scan, card in zip(studio.scans, cards[first:], strict=True))
    return table._replace(shoe=shoe._replace(cards=tuple(cards)), studio=studio._replace(scans=changed))


def draw_other_hole(play: Round, rng: Random, *, same_peek: bool) -> tuple[Card, ...]:
    looked = hand.is_natural(play.dealer + play.hidden)
    while True:
        found = tuple(rng.randrange(52) for _ in play.hidden)
        if not same_peek or len(found) > 1 or hand.is_natural(play.dealer + found) == looked:
            return found


def shuffle_rest(shoe: Shoe | None, rng: Random) -> Shoe | None:
    if shoe is None:
        return None
    rest = list(shoe.cards[shoe.position :])
    rng.shuffle(rest)
    return shoe._replace(cards=(*shoe.cards[: shoe.position], *rest))


def change_secrets(table: Table, viewer: str, rng: Random) -> Table:
    """The same table, with everything changed that only other people know about themselves (H-4, H-5)."""
    others = [player for player in (*PLAYERS, STRANGER) if player != viewer]
    purses = {**table.purses, **{one: rng.randrange(10**6) for one in others if one in table.purses}}
    step = (Wager(1, "main", 10 * rng.randrange(1, 50)),)
    unfinished = {one: Slip((step,)) for one in others if one in table.purses and not final(table, one)}
    slips = {one: slip for one, slip in table.slips.items() if one == viewer or slip.final}
    return table._replace(
        purses=purses,
        brought={**table.brought, **dict.fromkeys(others, 77)},
        vip={**table.vip, **dict.fromkeys(others, 1)},
        slips={**slips, **unfinished} if table.phase is Phase.BETTING else table.slips,
        previous={**table.previous, **dict.fromkeys(others, step)},
        follows={**table.follows, **{(one, box): (True, False) for one in others for box in range(1, 8)}},
        seats=tuple(seat and idled(seat, viewer) for seat in table.seats),
        round=table.round and private(table.round, viewer, rng),
    )


def final(table: Table, player: str) -> bool:
    return player in table.slips and table.slips[player].final


def idled(seat: Seat, viewer: str) -> Seat:
    return seat if seat.player == viewer else seat._replace(idle=seat.idle + 1)


def private(play: Round, viewer: str, rng: Random) -> Round:
    asking = play.stage is Stage.INSURANCE
    return play._replace(boxes=tuple(private_box(box, viewer, rng, asking=asking) for box in play.boxes))


def private_box(box: Box, viewer: str, rng: Random, *, asking: bool) -> Box:
    behind = tuple(one if one.player == viewer else private_bet(one, asking=asking) for one in box.behind)
    if box.player == viewer:
        return box._replace(behind=behind)
    early = rng.choice([one for one in (Action.HIT, Action.DOUBLE, None) if one != box.early])
    if not asking:
        return box._replace(behind=behind, early=early)
    insured = 30 if box.insurance is None else None
    return box._replace(behind=behind, early=early, insurance=insured, even_money=not box.even_money)


def private_bet(one: Behind, *, asking: bool) -> Behind:
    insured = (40 if one.insurance is None else None) if asking else one.insurance
    return one._replace(follow_double=not one.follow_double, follow_split=not one.follow_split, insurance=insured)
