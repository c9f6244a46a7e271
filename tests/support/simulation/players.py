"""What players say: mostly what makes sense at that moment, sometimes what does not, now and then nonsense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ventuno.core.games import insurance
from ventuno.core.messages.commands import (
    Act,
    ActAll,
    ActEarly,
    AllowBehind,
    BringMoney,
    CallHelp,
    ChooseFollow,
    ClearBets,
    Command,
    DealNow,
    DeclareMisdeal,
    DeclareShoe,
    DoubleBets,
    KeepSeat,
    LeaveDesk,
    LeaveSeat,
    PauseDesk,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    ResumeDesk,
    ScanCard,
    ShowCutCard,
    SpinBoard,
    SpinWheel,
    Spot,
    TakeBackScan,
    TakeDesk,
    TakeMoney,
    TakeSeat,
    UndoBet,
)
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import scanning
from ventuno.core.table.legal import turn
from ventuno.core.table.round import CHOOSING, INSURANCE, Action, Box, Round
from ventuno.core.table.state import BETTING, ROUND, Studio, Table

PLAYERS = ("ada", "bea", "cleo")
"""The last has no seat when a world begins: he bets behind."""
STRANGER = "mallory"
DEALER, SECOND_DEALER = "dora", "elio"
Thing = TypeVar("Thing")

_CHIPS = (100, 100, 500, 1_000, 2_500)
_SIDE_CHIPS = (100, 500, 1_000, 15_000)
_WORDS = tuple(Action)
_EARLY = (Action.HIT, Action.STAND, Action.DOUBLE, Action.DOUBLE, Action.SPLIT, None)
_CHOICES = (Action.LEFT, Action.RIGHT, Action.RIGHT, Action.FOLD)
_ANSWERS = (Action.INSURE, Action.INSURE, Action.DECLINE, Action.DECLINE, Action.EVEN_MONEY)


class Company:
    """Everybody around the tables of one world; every word comes from its chance."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random

    def pick(self, things: Sequence[Thing]) -> Thing:
        return things[int(self._random() * len(things))]

    def says(self, table: Table, at: int) -> Command:
        """The next word of somebody at this table."""
        if self._random() < 0.06:
            return self.nonsense(at)
        play = table.round
        if table.phase is ROUND and play:
            return self._decides(table, play, at)
        return self._bets(table, at) if table.phase is BETTING else self._waits(table, at)

    def deals(self, table: Table, studio: Studio, at: int) -> Command | None:
        """The next word of the dealer: the card that is wanted, mostly; None where the players have to speak."""
        dealer, dice = studio.dealer or DEALER, self._random()
        wanted = scanning.find_wanted(table)
        if not studio.dealer:
            return TakeDesk(self.pick((DEALER, SECOND_DEALER)), at) if dice < 0.8 else ScanCard(DEALER, 0, at)
        if dice > 0.9:
            return None
        if dice < (0.12 if wanted else 0.05):
            return self._strays(dealer, studio, at)
        if wanted is None:
            return None
        if wanted.place == "shoe":
            return DeclareShoe(dealer, at)
        card = int(self._random() * 52)
        return ScanCard(dealer, card if self._random() < 0.5 else 32 + card % 20, at)

    def _strays(self, dealer: PlayerId, studio: Studio, at: int) -> Command:
        """What a dealer does besides, sensible or not."""
        last = studio.scans[-1].card if studio.scans else 0
        said: tuple[Command, ...] = (
            ScanCard(dealer, last, at),
            ScanCard(self.pick((SECOND_DEALER, STRANGER)), last, at),
            TakeBackScan(dealer, "wrong", at),
            TakeBackScan(dealer, "wrong", at),
            ShowCutCard(dealer, at),
            DeclareShoe(dealer, at),
            DeclareMisdeal(dealer, "a card fell", at),
            CallHelp(dealer, "help", at),
            PauseDesk(dealer, at),
            ResumeDesk(dealer, at),
            LeaveDesk(dealer, at),
            TakeDesk(self.pick((DEALER, SECOND_DEALER)), at),
        )
        return self.pick(said)

    def _someone(self, table: Table) -> PlayerId:
        return table.owner(1) or STRANGER if table.sheet.game.solo else self.pick(PLAYERS)

    def _bets(self, table: Table, at: int) -> Command:
        player, solo = self._someone(table), table.sheet.game.solo
        slip = table.slips.get(player)
        dice = self._random()
        if slip and slip.steps:
            if dice < (0.65 if solo else 0.4):
                return DealNow(player, at)
            if dice < 0.88:
                return self._beside(table, player, slip.totals(), at)
            return self._changes(table, player, at)
        if player in table.previous and dice < 0.3:
            return RepeatBets(player, at, 2 if dice < 0.05 else 1)
        boxes = [box for box, seat in enumerate(table.seats, start=1) if seat and seat.player == player]
        if not boxes:
            return self._visits(table, player, at)
        if dice > 0.93:
            foreign = Spot(1 + int(self._random() * len(table.seats)), "main")
            return self._waits(table, at) if dice < 0.97 else PlaceBet(player, (foreign,), 100, at)
        spots = tuple([Spot(box, "main") for box in boxes[: 2 if dice < 0.5 else 1]])
        if "link" in table.limits and dice > 0.3:
            spots = (Spot(1, "main"), Spot(1, "link"))
        return PlaceBet(player, spots, 50 if dice > 0.9 else self.pick(_CHIPS), at, exact=dice < 0.4)

    def _beside(self, table: Table, player: PlayerId, held: dict[tuple[int, str], int], at: int) -> Command:
        """Beside a main bet: the side bets, and bets behind others."""
        sides = [bet for bet in table.limits if bet != "main"]
        bet = "link" if "link" in sides and self._random() < 0.6 else self.pick(sides)
        if bet == "behind":
            return self._visits(table, player, at)
        box = next((box for box, kind in held if kind == "main"), 1)
        return PlaceBet(player, (Spot(0 if bet == "dealer-pair" else box, bet),), self.pick(_SIDE_CHIPS), at)

    def _visits(self, table: Table, player: PlayerId, at: int) -> Command:
        """Bets behind others, with pre-decisions; or a seat of one's own."""
        taken = [box for box, seat in enumerate(table.seats, start=1) if seat and seat.player != player]
        dice = self._random()
        if not taken or dice < 0.15:
            return TakeSeat(player, 1 + int(self._random() * len(table.seats)), at)
        box = self.pick(taken) if dice < 0.97 else 1
        if dice < 0.65 and (player, box) not in table.follows:
            return ChooseFollow(player, box, dice < 0.6, dice > 0.2, at)
        return PlaceBet(player, (Spot(box, "behind"),), 500 if table.purse(player) < 1_000 else self.pick(_CHIPS), at)

    def _changes(self, table: Table, player: PlayerId, at: int) -> Command:
        match int(self._random() * 6):
            case 0:
                return UndoBet(player, at)
            case 1:
                return ClearBets(player, at)
            case 2:
                return DoubleBets(player, at)
            case 3:
                return RemoveBet(player, Spot(1, self.pick(("main", "main", *table.limits))), at, self.pick((0, 100)))
            case 4:
                spots = tuple([Spot(box, "main") for box in (1, 2, 3)])
                return PlaceBet(player, spots, self.pick((50_000, 60_000)), at, exact=self._random() < 0.5)
            case _:
                return self._waits(table, at)

    def _waits(self, table: Table, at: int) -> Command:
        """What may be asked at any time: money, seats, bets behind."""
        player = self._someone(table)
        match int(self._random() * 7):
            case 0:
                vip = 1 if self._random() < 0.25 else None
                return BringMoney(player, self.pick((1_000, 90_000, 90_000, 10**9)), at, vip)
            case 1:
                return TakeMoney(player, self.pick((500, max(table.purse(player) - 300, 1), 10**9)), at)
            case 2:
                return TakeSeat(player, 1 + int(self._random() * len(table.seats)), at)
            case 3:
                box, part = divmod(self._random() * len(table.seats), 1)
                own = [one for one in range(1, len(table.seats) + 1) if table.owner(one) == player]
                return KeepSeat(player, own[0], at) if own and part < 0.3 else LeaveSeat(player, 1 + int(box), at)
            case 4:
                return AllowBehind(player, self._random() < 0.7, at)
            case 5:
                return ChooseFollow(player, 1, self._random() < 0.8, self._random() < 0.8, at)
            case _:
                return RepeatBets(player, at)

    def _decides(self, table: Table, play: Round, at: int) -> Command:
        dice = self._random()
        if dice < 0.06:
            return self._waits(table, at)
        if dice < 0.3 and not table.sheet.game.solo and len(play.boxes) > 1:
            box = self.pick(play.boxes[1:])
            if dice < 0.08:
                return LeaveSeat(box.player, box.number, at)
            return ActEarly(box.player, box.number, self.pick(_EARLY), at)
        if play.stage is INSURANCE:
            who, box = self.pick([*insurance.waiting(play)])
            word = self.pick(_ANSWERS)
            return ActAll(who, word, at) if dice > 0.85 else Act(who, box.number, word, at)
        now = turn(play)
        if now is None:
            return self._waits(table, at)
        box, index = now
        if index < 0 and dice < 0.95:
            spun = (box.bonus is not None and box.bonus.segment != "") is (dice > 0.15)
            return SpinBoard(box.player, box.number, {}, at) if spun else SpinWheel(box.player, box.number, "", at)
        word = self.pick(_WORDS) if dice > 0.96 or index < 0 else self._plays(table, box, index)
        return Act(box.player, box.number, word, at)

    def _plays(self, table: Table, box: Box, index: int) -> Action:
        one, dice = box.hands[index], self._random()
        if one.status is CHOOSING:
            return self.pick(_CHOICES)
        if len(one.cards) == 2 and box.hidden is None:
            first, second = one.cards
            if first >> 2 == second >> 2 and dice < 0.7:
                return Action.SPLIT
            if dice < 0.3:
                return Action.DOUBLE
            if dice < 0.5 and table.sheet.cash_out.offered:
                return Action.CASH_OUT
        if one.total >= 17:
            return Action.STAND
        return Action.HIT if one.total < 12 or dice < 0.8 else Action.STAND

    def nonsense(self, at: int) -> Command:
        """Wrong boxes, wrong amounts, wrong people."""
        who = self.pick((*PLAYERS, STRANGER))
        box = self.pick((-1, 0, 1, 2, 8, 10**9))
        amount = self.pick((-100, 0, 5, 95, 110, 10**12))
        spot = Spot(box, self.pick(("main", "gold", "behind", "link", "dealer-pair")))
        match int(self._random() * 16):
            case 0:
                return BringMoney(who, amount, at, self.pick((-1, 0)))
            case 1:
                return TakeMoney(who, amount, at)
            case 2:
                return TakeSeat(who, box, at)
            case 3:
                return LeaveSeat(who, box, at)
            case 4:
                return ChooseFollow(who, box, True, False, at)
            case 5:
                return RemoveBet(who, spot, at, amount)
            case 6:
                return RepeatBets(who, at, self.pick((0, 2, 10**9)))
            case 7:
                return Act(who, box, self.pick(_WORDS), at)
            case 8:
                return ActAll(who, self.pick(_WORDS), at)
            case 9:
                return ActEarly(who, box, self.pick(_WORDS), at)
            case 10:
                return SpinWheel(who, box, "x5", at)
            case 11:
                return SpinBoard(who, box, {0: 1, 99: 50}, at, ("GRAND",))
            case 12:
                return (UndoBet(who, at), ClearBets(who, at), DoubleBets(who, at), DealNow(who, at))[at % 4]
            case 13:
                return AllowBehind(who, False, at)
            case _:
                return PlaceBet(who, self.pick(((spot,), (spot, spot), ())), amount, at, self._random() < 0.5)
