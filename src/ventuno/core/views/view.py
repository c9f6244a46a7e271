"""What one viewer may see of a table, built up from public facts and his own; never a full state stripped down.

A hidden card, an undealt card, another player's purse, unfinished bets, early decision or insurance answer has no
way in here (H-1, H-4, H-5, X-06). A spectator is a viewer with an empty name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ventuno.core.games import blackjack, settlement, side_bets
from ventuno.core.games.engines import engine
from ventuno.core.rules import hand
from ventuno.core.rules.cards import text
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import (
    DEAL,
    DONE,
    INSURANCE,
    OPEN,
    PLAY,
    PLAYING,
    Behind,
    BonusGame,
    Box,
    Hand,
    Line,
    Round,
    Status,
)
from ventuno.core.table.state import NO_SLIP, ROUND, Slip, Table

_KNOWN = frozenset((Status.BUST, Status.FOLDED, Status.CASHED_OUT, Status.CHARLIE, Status.SURRENDERED))


@dataclass(frozen=True, slots=True)
class SeatView:
    """V-39, V-35: who sits here, his streak where it is worth showing, whether others may bet behind."""

    box: int
    player: PlayerId
    streak: int
    hottest: bool
    takes_behind: bool
    leaving: bool


@dataclass(frozen=True, slots=True)
class HandView:
    cards: tuple[str, ...]
    total: str
    stake: Cents
    added: Cents
    status: str
    outcome: str


@dataclass(frozen=True, slots=True)
class BehindView:
    """The pre-decisions and the insurance answer are shown to the bettor alone until they are carried out."""

    player: PlayerId
    stakes: tuple[tuple[Cents, Cents], ...]
    insurance: Cents | None
    follow_double: bool | None
    follow_split: bool | None


@dataclass(frozen=True, slots=True)
class SideView:
    bet: str
    stake: Cents
    won: str | None
    returned: Cents | None


@dataclass(frozen=True, slots=True)
class BonusView:
    segment: str
    boxes: tuple[str, ...]
    cells: tuple[int, ...]
    spins: int
    diamonds: tuple[str, ...]
    prize: int | None


@dataclass(frozen=True, slots=True)
class BoxView:
    box: int
    player: PlayerId
    hands: tuple[HandView, ...]
    face_down: int
    sides: tuple[SideView, ...]
    behind: tuple[BehindView, ...]
    insurance: Cents | None
    even_money: bool
    early: str | None
    offer: Cents | None
    bonus: BonusView | None


@dataclass(frozen=True, slots=True)
class DealerView:
    cards: tuple[str, ...]
    face_down: int
    total: str
    community: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    table: str
    game: str
    name: str
    sheet: str
    viewer: PlayerId
    phase: str
    stage: str
    code: str
    deadline: int | None
    paused: str | None
    closing: str | None
    shoe: int
    cards_left: int
    seats: tuple[SeatView, ...]
    dealer: DealerView
    boxes: tuple[BoxView, ...]
    turn: tuple[int, int] | None
    bets: Mapping[PlayerId, tuple[tuple[int, str, Cents], ...]]
    lines: tuple[Line, ...]
    balance: Cents
    staked: Cents
    chips: tuple[tuple[Cents, bool], ...]
    limits: Mapping[str, tuple[Cents, Cents]]
    options: legal.Options


def view(table: Table, viewer: PlayerId, at: int) -> TableView:
    """The table as this viewer sees it at this moment."""
    play = table.round
    running = table.phase is ROUND
    now = legal.turn(play) if play and running and play.stage is not INSURANCE else None
    return TableView(
        table=table.id,
        game=table.sheet.game.id,
        name=table.sheet.game.name,
        sheet=table.sheet.hash,
        viewer=viewer,
        phase=table.phase,
        stage=play.stage if play and running else "",
        code=play.code if play else "",
        deadline=table.deadline,
        paused=table.pause.reason if table.pause else None,
        closing=table.closing,
        shoe=table.shoe.number if table.shoe else 0,
        cards_left=table.shoe.remaining if table.shoe else 0,
        seats=seats_shown(table),
        dealer=dealer_shown(play),
        boxes=tuple([box_shown(table, play, box, viewer) for box in play.boxes]) if play else (),
        turn=(now[0].number, now[1] + 1) if now else None,
        bets=bets_shown(table, viewer),
        lines=play.lines if play else (),
        balance=table.purse(viewer),
        staked=table.total_stake_of(viewer),
        chips=chips(table, viewer),
        limits={bet: table.limit(bet, viewer) for bet in table.limits},
        options=legal.legal(table, viewer, at),
    )


def chips(table: Table, player: PlayerId) -> tuple[tuple[Cents, bool], ...]:
    """The chips of the sheet; only those are enabled that the purse covers (V-46)."""
    purse = table.purse(player)
    return tuple([(chip, chip <= purse) for chip in table.sheet.stakes.chips])


def seats_shown(table: Table) -> tuple[SeatView, ...]:
    least = table.sheet.options.hot_from
    streaks = {player: count for player, count in table.streaks.items() if least and count >= least}
    best = max(streaks.values(), default=0)
    return tuple(
        SeatView(
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


def dealer_shown(play: Round | None) -> DealerView:
    if play is None:
        return DealerView((), 0, "", ())
    shown = hand.format_total(play.dealer, resolved=play.stage is DONE) if play.dealer else ""
    return DealerView(_texts(play.dealer), len(play.hidden), shown, _texts(play.community))


def box_shown(table: Table, play: Round, box: Box, viewer: PlayerId) -> BoxView:
    mine = box.player == viewer
    answers_shown = play.stage is not INSURANCE
    return BoxView(
        box=box.number,
        player=box.player,
        hands=tuple([_hand(table, play, box, index) for index in range(len(box.hands))]),
        face_down=int(box.hidden is not None and len(box.hands[0].cards) < 3) if box.hands else 0,
        sides=tuple([_side(table, play, box, bet, stake) for bet, stake in box.sides]),
        behind=tuple([_behind(one, viewer, shown=answers_shown) for one in box.behind]),
        insurance=box.insurance if mine or answers_shown else None,
        even_money=box.even_money and (mine or answers_shown),
        early=box.early if mine else None,
        offer=offer(table, play, box) if mine else None,
        bonus=_bonus(box.bonus),
    )


def _hand(table: Table, play: Round, box: Box, index: int) -> HandView:
    one = box.hands[index]
    total = hand.format_total(one.cards, resolved=one.status not in OPEN)
    return HandView(_texts(one.cards), total, one.stake, one.added, one.status, _outcome(table, play, box, one, index))


def _outcome(table: Table, play: Round, box: Box, one: Hand, index: int) -> str:
    """Known at once for a bust, a fold or a cash-out; for the rest when the round is settled."""
    if play.stage is DONE:
        return engine(table.sheet).result(table.sheet, play, box, index).outcome
    return str(one.status) if one.status in _KNOWN else ""


def _side(table: Table, play: Round, box: Box, bet: str, stake: Cents) -> SideView:
    """Side bets are decided and shown right after the deal, paid with the round (V-23, reading 4)."""
    side = table.sheet.sides[bet]
    if play.stage is DEAL or side.kind == "bonus":
        return SideView(bet, stake, None, None)
    if side.kind == "two-up":
        won = side_bets.find_win(side, (*box.dealt, *play.community))
    else:
        won = settlement.find_side_win(table.sheet, play, box, bet)
    return SideView(bet, stake, won[0] if won else "", won[1].pay(stake) if won else 0)


def _behind(one: Behind, viewer: PlayerId, *, shown: bool) -> BehindView:
    mine = one.player == viewer
    return BehindView(
        one.player,
        one.stakes,
        one.insurance if mine or shown else None,
        one.follow_double if mine else None,
        one.follow_split if mine else None,
    )


def offer(table: Table, play: Round, box: Box) -> Cents | None:
    """The amount on the cash-out button, to the cent, rounded down (F-09)."""
    one = box.hands[0] if box.hands else None
    if one is None or not table.sheet.cash_out.offered or play.stage is not PLAY:
        return None
    if one.status is not PLAYING or len(one.cards) != 2 or one.split:
        return None
    return one.stake * blackjack.offer(table.sheet, one, play) // 100


def _bonus(bonus: BonusGame | None) -> BonusView | None:
    if bonus is None:
        return None
    board = bonus.board
    boxes, cells, spins = board if board else ((), (), 0)
    return BonusView(bonus.segment, boxes, cells, spins, bonus.diamonds, bonus.prize)


def bets_shown(table: Table, viewer: PlayerId) -> Mapping[PlayerId, tuple[tuple[int, str, Cents], ...]]:
    """Bets on the felt before the deal: one's own, and those that others have made final (V-37).

    While a round runs, the bets on the table's own circle, which lie at no box (S-03, L-02).
    """
    if table.phase is ROUND and table.round:
        bets = table.round.table_bets
        return {player: tuple([(0, bet, stake) for by, bet, stake in bets if by == player]) for player, _, _ in bets}
    shown = {player: slip for player, slip in table.slips.items() if slip.final or player == viewer}
    if viewer and viewer not in shown:
        shown[viewer] = NO_SLIP
    return {player: lying(slip) for player, slip in shown.items()}


def lying(slip: Slip) -> tuple[tuple[int, str, Cents], ...]:
    """What lies on each spot."""
    return tuple([(box, bet, amount) for (box, bet), amount in slip.totals().items()])


def _texts(many: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(map(text, many))
