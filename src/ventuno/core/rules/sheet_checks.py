"""What must agree between the switches of a sheet before anybody may read it."""

from __future__ import annotations

from collections.abc import Iterator

from ventuno.core.rules.cards import count_values
from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import BLACKJACK, CATEGORIES, Sheet, SideBet
from ventuno.core.rules.switches import SheetError

_CITES = {
    BLACKJACK: (
        *("win", "push", "lose", "bust", "blackjack", "dealer-blackjack-ace", "dealer-blackjack-ten", "double"),
        *("split", "insurance", "charlie", "even-money", "cash-out", "surrender", "behind", "behind-refund"),
    ),
    "duel": ("win", "push", "lose", "bust", "fold", "not-qualified"),
}


def check(sheet: Sheet) -> None:
    """Raise SheetError with the first disagreement found."""
    for fault in _faults(sheet):
        raise SheetError(fault)


def cards_for_a_round(sheet: Sheet) -> int:
    """No round of this sheet can need more cards: every hand draws the smallest cards that are left.

    A hand takes its last card from at most 20 points (the dealer from 16), so a full table holds at most so many
    points before the last cards, and the smallest cards make the most of them (reading 16).
    """
    decks, hands = sheet.shoe.decks, sheet.seats.count * sheet.split.hands
    points, taken = hands * 20 + 16, 0
    for value, copies in count_values(decks).items():
        used = min(copies, points // value)
        points, taken = points - used * value, taken + used
    return min(taken + hands + 1, decks * 52)


def has_room_for_round(sheet: Sheet) -> bool:
    """A full round always fits behind the deepest cut (reading 16): asked when a table opens."""
    pack = sheet.shoe.decks * 52
    used = sheet.shoe.burn
    if sheet.shoe.reshuffle == "cut-card":
        used = max(used, pack * sheet.shoe.cut[1] // 100)
    needed = cards_for_a_round(sheet)
    return needed <= pack - used and needed < pack


def _faults(sheet: Sheet) -> Iterator[str]:
    yield from _money_faults(sheet)
    yield from _side_faults(sheet)
    yield from _bonus_faults(sheet)
    yield from _offer_faults(sheet)
    if missing := [rule for rule in (*_CITES[sheet.game.family], *sheet.sides) if rule not in sheet.cites]:
        yield f"cites: no criterion for {', '.join(missing)}"
    if sheet.seats.per_player > sheet.seats.count:
        yield f"seats.per_player: {sheet.seats.per_player} of {sheet.seats.count} seats"
    if sheet.game.solo and (sheet.options.behind or sheet.clocks.betting):
        yield "game.solo: a table for one has no bet behind and no betting clock"
    if not sheet.game.solo and not (sheet.clocks.betting and sheet.clocks.decision):
        yield "clocks: a shared table needs betting and decision times"
    bets = {"main", "always-cash-out", *sheet.sides}
    if unknown := [bet for bet in sheet.published.returns if bet not in bets]:
        yield f"published.returns.{unknown[0]}: no such bet; known: {', '.join(sorted(bets))}"


def _money_faults(sheet: Sheet) -> Iterator[str]:
    unit = sheet.stakes.unit
    if unit % 2:
        yield f"stakes.unit: {unit} has no exact half"
    for chip in sheet.stakes.chips:
        if chip % unit:
            yield f"stakes.chips: {chip} is no multiple of the stake unit {unit}"
    for bet, limits in sheet.stakes.limits.items():
        if limits[0] % unit or limits[1] % unit:
            yield f"stakes.limits.{bet}: {list(limits)} are no multiples of the stake unit {unit}"
    payouts: list[tuple[str, Odds, int]] = [("blackjack.pays", sheet.blackjack.pays, unit)]
    payouts += [("insurance.pays", sheet.insurance.pays, unit // 2)]
    payouts += [
        (f"sides.{bet}.pays.{name}", pays, unit)
        for bet, side in sheet.sides.items()
        for name, pays in side.pays.items()
    ]
    for path, pays, stake in payouts:
        if (stake * pays.total).denominator != 1:
            yield f"{path}: {pays} is not exact in cents on the stake unit {unit}"
    wanted = {"main", *sheet.sides, *(["behind"] if sheet.options.behind else [])}
    if wanted != set(sheet.stakes.limits):
        yield f"stakes.limits: needed for exactly {', '.join(sorted(wanted))}"
    if sheet.options.behind and sheet.game.family != BLACKJACK:
        yield "options.behind: only games of the blackjack family have bets behind"


def _side_faults(sheet: Sheet) -> Iterator[str]:
    for bet, side in sheet.sides.items():
        yield from _category_faults(bet, side)
        if side.kind in ("two-up",) and sheet.game.family == BLACKJACK:
            yield f"sides.{bet}.kind: {side.kind} needs community cards"
        if side.kind in ("pair", "dealer-pair", "three-cards", "bonus") and sheet.game.family != BLACKJACK:
            yield f"sides.{bet}.kind: {side.kind} belongs to the blackjack family"
    kinds = [side.kind for side in sheet.sides.values()]
    if len(set(kinds)) < len(kinds):
        yield "sides: two side bets of one kind"


def _category_faults(bet: str, side: SideBet) -> Iterator[str]:
    categories = CATEGORIES[side.kind]
    for name in side.pays:
        if name not in categories:
            yield f"sides.{bet}.pays.{name}: unknown category; known: {', '.join(categories) or 'none'}"
    if categories and not side.pays:
        yield f"sides.{bet}.pays: at least one of {', '.join(categories)}"


def _bonus_faults(sheet: Sheet) -> Iterator[str]:
    bonus = sheet.bonus
    if not any(side.kind == "bonus" for side in sheet.sides.values()):
        return
    for name in ("wheel", "start", "cell", "boxes", "diamonds", "prizes"):
        if not getattr(bonus, name):
            yield f"bonus.{name}: a bonus bet needs it"
    for segment in bonus.wheel:
        if not segment.startswith("x") and segment not in bonus.boards:
            yield f"bonus.wheel.{segment}: no such board; known: {', '.join(bonus.boards)}"
    if set(bonus.diamonds) != set(bonus.prizes):
        yield "bonus.diamonds: weights are needed for exactly the prizes"
    if not {prize for prize in bonus.cell if prize != "nothing"} >= set(bonus.start):
        yield "bonus.start: a prize that no cell can show"
    for name, board in bonus.boards.items():
        if board.cells % bonus.box_cells or board.start >= board.cells:
            yield f"bonus.boards.{name}: cells fill whole boxes of {bonus.box_cells} and leave room to play"


def _offer_faults(sheet: Sheet) -> Iterator[str]:
    offer = sheet.cash_out
    if not offer.offered:
        return
    for kind, table, totals in (("hard", offer.hard, range(4, 21)), ("soft", offer.soft, range(12, 21))):
        if missing := [str(total) for total in totals if str(total) not in table]:
            yield f"cash_out.{kind}: no offers for {', '.join(missing)}"
