"""What a finished round pays, worked out a second time and another way: from cards, stakes and the sheet alone (I-8).

Nothing of the core's arithmetic is used here: no total, no result, no category, no prize of a board.
"""

from __future__ import annotations

from collections.abc import Iterator

from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, Odds, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.round import BonusGame, Box, Hand, Round, Status

Paid = tuple[PlayerId, str, int, int, Cents, Cents]
"""Player, bet, box, hand, stake, returned."""

_POINTS = [min(rank, 10) for rank in range(2, 14) for _ in range(4)] + [11] * 4


def total(cards: tuple[Card, ...]) -> int:
    """Aces at eleven, then one after the other at one while the hand is over."""
    points = sum([_POINTS[card] for card in cards])
    for card in cards:
        if points > 21 and card >= 48:
            points -= 10
    return points


def payments(sheet: Sheet, play: Round) -> list[Paid]:
    """Every bet of the round with what it returns, the cap last."""
    one_box = _duel if play.community else _blackjack
    found = [paid for box in play.boxes for paid in one_box(sheet, play, box)]
    for player, bet, stake in play.table_bets:
        found.append((player, bet, 0, 0, stake, _by_odds(stake, _pair(sheet, bet, *play.dealer[:2]))))
    return [*found, *_cap(sheet, found)]


def is_played_out(sheet: Sheet, play: Round) -> bool:
    """The dealer drew to the sheet's rule and no further; insurance cost half the stake (V-06, V-18).

    In a duel in which no hand stands the dealer's cards are only turned (reading 32).
    """
    if any(box.insurance not in (None, 0, box.main // 2) for box in play.boxes):
        return False
    stands = any(one.status is Status.STOOD for box in play.boxes for one in box.hands)
    points = [total(play.dealer[:count]) for count in range(2, len(play.dealer) + 1)]
    if play.community:
        return len(points) == (2 if stands and points[0] <= sheet.duel.draw_to else 1)
    if sheet.dealer.soft_17 == "hit":
        return True
    return all(one < 17 for one in points[:-1]) and (points[-1] >= 17 if stands else len(points) == 1)


def _blackjack(sheet: Sheet, play: Round, box: Box) -> Iterator[Paid]:
    natural = len(play.dealer) == 2 and total(play.dealer) == 21
    for index, one in enumerate(box.hands):
        base, added = _shares(sheet, play, box, index, natural=natural)
        word = "split" if index else "main"
        yield from _stakes(box.player, (word, "double"), box.number, index + 1, (one.stake, one.added), (base, added))
        word = "behind-split" if index else "behind"
        for bettor in box.behind:
            words, stakes = (word, "behind-double"), bettor.stakes[index]
            yield from _stakes(bettor.player, words, box.number, index + 1, stakes, (base, added))
    pays = sheet.insurance.pays if natural else None
    if box.insurance:
        yield box.player, "insurance", box.number, 0, box.insurance, _by_odds(box.insurance, pays)
    for bettor in box.behind:
        if bettor.insurance:
            back = _by_odds(bettor.insurance, pays)
            yield bettor.player, "behind-insurance", box.number, 0, bettor.insurance, back
    for bet, stake in box.sides:
        yield box.player, bet, box.number, 0, stake, _side(sheet, play, box, bet, stake)


def _stakes(
    player: PlayerId,
    words: tuple[str, str],
    box: int,
    hand: int,
    stakes: tuple[Cents, Cents],
    shares: tuple[int, int],
) -> Iterator[Paid]:
    for word, stake, share in zip(words, stakes, shares, strict=True):
        if stake:
            yield player, word, box, hand, stake, stake * share // 100


def _shares(sheet: Sheet, play: Round, box: Box, index: int, *, natural: bool) -> tuple[int, int]:
    """What comes back of a stake and of what was added to it, in hundredths."""
    one, nothing, push, double = box.hands[index], 0, 100, 200
    mine, dealer = total(one.cards), total(play.dealer)
    if mine > 21:
        return nothing, nothing
    if one.status is Status.CASHED_OUT:
        return _offer(sheet, one, play.dealer[0]), nothing
    if box.even_money:
        return double, double
    blackjack = len(one.cards) == 2 and mine == 21 and not one.split
    if natural and not blackjack:
        takes = sheet.dealer_blackjack_takes.ace if play.dealer[0] >= 48 else sheet.dealer_blackjack_takes.ten
        return push if takes == "original" and index else nothing, nothing if takes == "all" else push
    if one.status is Status.SURRENDERED:
        return 50, nothing
    if blackjack:
        return (push, push) if natural else (_total(sheet.blackjack.pays), push)
    if sheet.charlie and len(one.cards) >= sheet.charlie:
        return double, double
    share = double if dealer > 21 or mine > dealer else push if mine == dealer else nothing
    return share, share


def _offer(sheet: Sheet, one: Hand, up: Card) -> int:
    hard = sum([1 if card >= 48 else _POINTS[card] for card in one.cards])
    rows = sheet.cash_out.hard if hard == total(one.cards) else sheet.cash_out.soft
    return rows[str(total(one.cards))][_POINTS[up] - 2]


def _duel(sheet: Sheet, play: Round, box: Box) -> Iterator[Paid]:
    one = box.hands[0]
    mine, dealer = total(one.cards), total(play.dealer)
    base = added = 0
    if one.status is not Status.FOLDED and mine <= 21:
        if dealer < sheet.duel.qualify:
            base, added = 200, 100
        elif dealer > 21 or mine >= dealer:
            base = added = 100 if mine == dealer else 200
    yield from _stakes(box.player, ("ante", "raise"), box.number, 1, (one.stake, one.added), (base, added))
    for bet, stake in box.sides:
        ranks = {card // 4 for card in (one.cards[0], *play.community)}
        name = {1: "trips", 2: "pair", 3: ""}[len(ranks)]
        yield box.player, bet, box.number, 0, stake, _by_odds(stake, sheet.sides[bet].pays.get(name))


def _side(sheet: Sheet, play: Round, box: Box, bet: str, stake: Cents) -> Cents:
    match sheet.sides[bet].kind:
        case "bonus":
            return stake * (1 + _prize(sheet, box.bonus)) if box.bonus else 0
        case "pair":
            stays = len(box.hands) == 1 and len(box.hands[0].cards) == 2
            return _by_odds(stake, _pair(sheet, bet, *box.dealt) if stays or not sheet.pair_requires_stand else None)
        case _:
            return _by_odds(stake, _three(sheet, bet, (*box.dealt, play.dealer[0])))


def _pair(sheet: Sheet, bet: str, one: Card, other: Card) -> Odds | None:
    if one // 4 != other // 4:
        return None
    red = [card % 4 in (1, 2) for card in (one, other)]
    name = "perfect" if one == other else "coloured" if red[0] == red[1] else "mixed"
    return sheet.sides[bet].pays.get(name)


def _three(sheet: Sheet, bet: str, cards: tuple[Card, ...]) -> Odds | None:
    """The names from the best down: the first that the sheet pays counts."""
    ranks = sorted([card // 4 for card in cards])
    flush = len({card % 4 for card in cards}) == 1
    trips = len(set(ranks)) == 1
    run = ranks in ([0, 1, 12], [ranks[0], ranks[0] + 1, ranks[0] + 2])
    held = {
        "suited-trips": flush and trips,
        "straight-flush": flush and run,
        "trips": trips,
        "straight": run,
        "flush": flush,
    }
    pays = sheet.sides[bet].pays
    return next((pays[name] for name, true in held.items() if true and name in pays), None)


def _prize(sheet: Sheet, bonus: BonusGame) -> int:
    if bonus.board is None:
        return int(bonus.segment.removeprefix("x"))
    size, prize, diamonds = sheet.bonus.box_cells, 0, iter(bonus.diamonds)
    for place, name in enumerate(bonus.board.boxes):
        cells = bonus.board.cells[place * size : place * size + size]
        if 0 in cells:
            prize += sum(cells)
        elif name == "diamond":
            prize += sum(cells) + sheet.bonus.prizes[next(diamonds)]
        else:
            prize += sum(cells) * int(name.removeprefix("x"))
    return prize


def _cap(sheet: Sheet, found: list[Paid]) -> Iterator[Paid]:
    cap, net = sheet.stakes.max_win, sheet.stakes.max_win_counts == "net"
    for player in {paid[0] for paid in found} if cap else ():
        won = sum([paid[5] - (paid[4] if net else 0) for paid in found if paid[0] == player])
        if won > cap:
            yield player, "max-win", _where(player, found), 0, 0, cap - won


def _where(player: PlayerId, found: list[Paid]) -> int:
    """Back from the last box: the first that brought him something; none did, and it is the last."""
    nets: dict[int, Cents] = {}
    for who, _, box, _, stake, back in reversed(found):
        if who == player and box:
            nets[box] = nets.get(box, 0) + back - stake
    return next((box for box, net in nets.items() if net > 0), next(iter(nets)))


def _by_odds(stake: Cents, odds: Odds | None) -> Cents:
    return stake * _total(odds) // 100 if odds else 0


def _total(odds: Odds) -> int:
    """What comes back in all, in hundredths of the stake: every payout of the five games is whole in them."""
    share, rest = divmod(100 * odds.up, odds.down)
    if rest:
        raise ArithmeticError(f"{odds} is not whole in hundredths")
    return share + (100 if odds.notation == "to-one" else 0)
