"""What everybody sees of a table: a `PublicView`, built up from public facts, never a full state stripped down.

A hidden card, an undealt card, a purse, an unfinished bet, an early decision or an answer on insurance that is still
asked has no way in here (H-1, H-4, H-5, X-06). Types and field names are those of the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ventuno.core.games import settlement, side_bets
from ventuno.core.games.engines import engine
from ventuno.core.rules import hand
from ventuno.core.rules.cards import text
from ventuno.core.rules.frozen_record import QuickRecord
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import betting, legal, pace, scanning, state
from ventuno.core.table import round as table_round
from ventuno.core.table.round import DEAL, DONE, INSURANCE, OPEN, BonusGame, Line, Round, Status
from ventuno.core.table.state import ROUND, Table
from ventuno.core.views.shared_parts import SharedParts

_OVER = frozenset((Status.BUST, Status.FOLDED, Status.CASHED_OUT, Status.CHARLIE, Status.SURRENDERED))
"""Hands of which the outcome is known before the round is settled."""


class Person(QuickRecord):
    """Whoever is seen at a table. A bot is called one everywhere."""

    player: PlayerId
    name: str
    bot: bool


class Seat(QuickRecord):
    """V-39, V-35: who sits here, his streak where it is worth showing, whether others may bet behind."""

    box: int
    player: PlayerId
    streak: int
    hottest: bool
    takes_behind: bool
    leaving: bool


class Hand(QuickRecord):
    cards: tuple[str, ...]
    total: str
    stake: Cents
    added: Cents
    status: str
    outcome: str


class Side(QuickRecord):
    bet: str
    stake: Cents
    won: str | None
    returned: Cents | None


class BehindStake(QuickRecord):
    """A bet behind: base and added stake per hand. Insurance is null until its answers are shown."""

    player: PlayerId
    stakes: tuple[tuple[Cents, Cents], ...]
    insurance: Cents | None


class Bonus(QuickRecord):
    """The bonus of Link: the segment of the wheel, and a board with 18 cells where it is one."""

    segment: str
    boxes: tuple[str, ...]
    cells: tuple[int, ...]
    spins: int
    diamonds: tuple[str, ...]
    prize: int | None


class Box(QuickRecord):
    box: int
    player: PlayerId
    hands: tuple[Hand, ...]
    face_down: int
    sides: tuple[Side, ...]
    behind: tuple[BehindStake, ...]
    insurance: Cents | None
    even_money: bool
    bonus: Bonus | None


class Dealer(QuickRecord):
    """`totals` is what the cards counted as they came, one for each: a screen shows them one by one (V-05)."""

    cards: tuple[str, ...]
    face_down: int
    total: str
    community: tuple[str, ...]
    totals: tuple[str, ...]


class Turn(QuickRecord):
    """Whose decision it is; hand 0 is a bonus."""

    box: int
    hand: int


class Chips(QuickRecord):
    """A bet on the felt before the deal."""

    player: PlayerId
    box: int
    bet: str
    amount: Cents


class Settled(QuickRecord):
    """A line of the settlement with its criterion and its arithmetic (X-05). Box and hand are 0 where there is none."""

    player: PlayerId
    bet: str
    stake: Cents
    returned: Cents
    criterion: str
    arithmetic: str
    box: int
    hand: int


class Wanted(QuickRecord):
    """Where the next scanned card goes; `place` is box, dealer, community, burn, or shoe where a shuffled one is due.

    `card` counts the cards of that hand from 1; `face` is up or down.
    """

    place: str
    box: int
    hand: int
    card: int
    face: str


class Studio(QuickRecord):
    """A table whose cards a dealer takes from a real shoe (X-27).

    `out` are cards that left this shoe, `scans` those of this round. `committed` are the commitments of its face-down
    cards in their order: SHA-256 of salt and card. `misdeal` is the dealer's reason, while the supervisor decides.
    """

    wanted: Wanted | None
    out: int
    cut_out: bool
    dealer: str
    scans: int
    misdeal: str
    committed: tuple[str, ...]


class PublicView(QuickRecord):
    """What everybody sees. `bets` are those that are final. `studio` is null where cards come from a sealed shoe.

    `deadline` is in the house's clock and `span` is how long that clock is, in milliseconds. While cards are shown more
    than that is left: the clock stands at its full length until they lie there. Before the first bet none runs.
    `hurried_by` are those whose deal now has shortened it (V-38).
    """

    table: str
    game: str
    name: str
    sheet: str
    practice: bool
    closing: bool
    phase: str
    stage: str
    code: str
    deadline: int | None
    span: int | None
    hurried_by: tuple[PlayerId, ...]
    paused: str | None
    shoe: int
    cards_left: int
    people: Mapping[PlayerId, Person]
    seats: tuple[Seat, ...]
    dealer: Dealer
    boxes: tuple[Box, ...]
    turn: Turn | None
    bets: tuple[Chips, ...]
    lines: tuple[Settled, ...]
    studio: Studio | None


FindPerson = Callable[[PlayerId], Person]
"""Who a player is, as everybody may know him."""
_NO_DEALER = Dealer((), 0, "", (), ())


def make_unnamed_person(player: PlayerId) -> Person:
    return Person(player, player, bot=False)


def build_public_view(
    table: Table,
    find_person: FindPerson = make_unnamed_person,
    *,
    practice: bool = False,
    shared: SharedParts | None = None,
) -> PublicView:
    """The table as all see it. Each part that is as it was when `shared` was last used is the very same object."""
    play, shoe, sheet = table.round, table.shoe, table.sheet
    studio: Studio | None = None
    cards_left = shoe.remaining if shoe else 0
    if table.studio is not None:
        studio = _show_studio(table, table.studio, find_person)
        play = play and scanning.lay_out(table, play)
        cards_left = sheet.shoe.decks * 52 - len(shoe.cards) if shoe else 0
    running = play if table.phase is ROUND else None
    turn = legal.turn(running) if running and running.stage is not INSURANCE else None
    shared = SharedParts() if shared is None else shared
    take, rest = shared.take, shared.keep("rest", (sheet, play and play._replace(boxes=())))
    seats = take("seats", (sheet, table.seats, table.streaks, table.forbids), _list_seats, table)
    bets = take("bets", (table.phase, table.slips, play and play.table_bets), _list_bets, table)
    boxes: tuple[Box, ...] = ()
    lines: tuple[Settled, ...] = ()
    dealer = _NO_DEALER
    if play:
        boxes = tuple([take(box.number, (rest, box), _show_box, table, play, box) for box in play.boxes])
        lines = take("lines", play.lines, _list_lines, play.lines)
        dealer = take("dealer", (rest, play.has_dealer_hand), _show_dealer, play)
    people = take("people", (rest, seats, bets, lines), _find_people, seats, boxes, bets, lines)
    return PublicView(
        table=table.id,
        game=sheet.game.id,
        name=sheet.game.name,
        sheet=sheet.hash,
        practice=practice,
        closing=table.closing is not None,
        phase=table.phase,
        stage=running.stage if running else "",
        code=play.code if play else "",
        deadline=None if pace.is_waiting(table) else table.deadline,
        span=pace.find_span(table),
        hurried_by=_list_hurrying(table),
        paused=table.pause.reason if table.pause else None,
        shoe=shoe.number if shoe else 0,
        cards_left=cards_left,
        people={player: find_person(player) for player in people},
        seats=seats,
        dealer=dealer,
        boxes=boxes,
        turn=Turn(turn[0].number, turn[1] + 1) if turn else None,
        bets=bets,
        lines=lines,
        studio=studio,
    )


def _show_studio(table: Table, studio: state.Studio, find_person: FindPerson) -> Studio:
    wanted = scanning.find_wanted(table)
    return Studio(
        wanted=Wanted(*wanted) if wanted else None,
        out=len(table.shoe.cards) if table.shoe else 0,
        cut_out=studio.cut_out,
        dealer=find_person(studio.dealer).name if studio.dealer else "",
        scans=len(studio.scans),
        misdeal=studio.misdeal,
        committed=tuple([scan.commitment for scan in studio.scans if scan.commitment]),
    )


def _find_people(
    seats: Iterable[Seat], boxes: Iterable[Box], bets: Iterable[Chips], lines: Iterable[Settled]
) -> Iterable[PlayerId]:
    """Everybody who is seen, once, in the order of the seats."""
    players = [seat.player for seat in seats]
    for box in boxes:
        players += [box.player, *[stake.player for stake in box.behind]]
    players += [chips.player for chips in bets]
    return dict.fromkeys([*players, *[line.player for line in lines]])


def _list_seats(table: Table) -> tuple[Seat, ...]:
    least = table.sheet.options.hot_from
    streaks = {player: count for player, count in table.streaks.items() if least and count >= least}
    best = max(streaks.values(), default=0)
    return tuple(
        Seat(
            box,
            seat.player,
            streaks.get(seat.player, 0),
            streaks.get(seat.player, 0) == best > 0,
            table.sheet.options.behind and seat.player not in table.forbids,
            seat.leaving,
        )
        for box, seat in enumerate(table.seats, start=1)
        if seat
    )


def _show_dealer(play: Round) -> Dealer:
    counts = bool(play.dealer) and play.has_dealer_hand
    total = hand.format_total(play.dealer, resolved=play.stage is DONE) if counts else ""
    totals = (*(hand.format_total(play.dealer[:k]) for k in range(1, len(play.dealer))), total) if counts else ()
    return Dealer(_format_cards(play.dealer), len(play.hidden), total, _format_cards(play.community), totals)


def _show_box(table: Table, play: Round, box: table_round.Box) -> Box:
    is_answered = play.stage is not INSURANCE
    return Box(
        box=box.number,
        player=box.player,
        hands=tuple([_show_hand(table, play, box, index) for index in range(len(box.hands))]),
        face_down=int(box.hidden is not None and len(box.hands[0].cards) < 3) if box.hands else 0,
        sides=tuple([_show_side(table, play, box, bet, stake) for bet, stake in box.sides]),
        behind=tuple(
            BehindStake(bettor.player, bettor.stakes, bettor.insurance if is_answered else None)
            for bettor in box.behind
        ),
        insurance=box.insurance if is_answered else None,
        even_money=box.even_money and is_answered,
        bonus=_show_bonus(box.bonus),
    )


def _show_hand(table: Table, play: Round, box: table_round.Box, index: int) -> Hand:
    """The outcome is known at once for a bust, a fold or a cash-out; for the rest when the round is settled."""
    played = box.hands[index]
    if play.stage is DONE:
        outcome = engine(table.sheet).result(table.sheet, play, box, index).outcome
    else:
        outcome = played.status if played.status in _OVER else ""
    total = hand.format_total(played.cards, resolved=played.status not in OPEN)
    return Hand(_format_cards(played.cards), total, played.stake, played.added, played.status, outcome)


def _show_side(table: Table, play: Round, box: table_round.Box, bet: str, stake: Cents) -> Side:
    """Side bets are decided and shown right after the deal, paid with the round (V-23, reading 4)."""
    side = table.sheet.sides[bet]
    if play.stage is DEAL or side.kind == "bonus":
        return Side(bet, stake, None, None)
    if side.kind == "two-up":
        won = side_bets.find_win(side, (*box.dealt, *play.community))
    else:
        won = settlement.find_side_win(table.sheet, play, box, bet)
    return Side(bet, stake, won[0] if won else "", won[1].pay(stake) if won else 0)


def _show_bonus(bonus: BonusGame | None) -> Bonus | None:
    if bonus is None:
        return None
    boxes, cells, spins = bonus.board or ((), (), 0)
    return Bonus(bonus.segment, boxes, cells, spins, bonus.diamonds, bonus.prize)


def _list_bets(table: Table) -> tuple[Chips, ...]:
    """Bets on the felt before the deal: those that are final (V-37).

    While a round runs, the bets on the table's own circle, which lie at no box (S-03, L-02).
    """
    if table.phase is ROUND and table.round:
        return tuple([Chips(player, 0, bet, stake) for player, bet, stake in table.round.table_bets])
    final = [(player, slip.totals()) for player, slip in table.slips.items() if slip.final]
    return tuple([Chips(player, box, bet, amount) for player, totals in final for (box, bet), amount in totals.items()])


def _list_hurrying(table: Table) -> tuple[PlayerId, ...]:
    return tuple([player for player, slip in table.slips.items() if slip.final]) if betting.is_hurried(table) else ()


def _list_lines(lines: Iterable[Line]) -> tuple[Settled, ...]:
    return tuple([Settled(*line) for line in lines])


def _format_cards(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(map(text, cards))
