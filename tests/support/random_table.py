"""A random table: players, supervisor and house ask for anything at any time, sensible or not.

Everything follows from a seed, so a failing example is a game, a seed and a number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import Phase as Trial
from hypothesis import strategies as st

from tests.support.volume import scale
from ventuno import sheets
from ventuno.core.games import insurance, link
from ventuno.core.messages.commands import (
    Act,
    ActAll,
    ActEarly,
    AllowBehind,
    BringMoney,
    CallHelp,
    ChangeLimits,
    ChooseFollow,
    ClearBets,
    CloseTable,
    Command,
    DealNow,
    DeclareMisdeal,
    DeclareShoe,
    DoubleBets,
    KeepSeat,
    LeaveDesk,
    LeaveSeat,
    LoadShoe,
    Pause,
    PauseDesk,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    Resume,
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
    Tick,
    TimeOut,
    UndoBet,
    Void,
)
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import FundsMissing, Refusal
from ventuno.core.rules.cards import Card, is_ace, is_ten, pack
from ventuno.core.rules.sheet import SCANNED, Bonus, Sheet
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table import legal, scanning, shoes
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, BonusBoard, Stage
from ventuno.core.table.state import Phase, Studio, Table

PLAYERS = ("ada", "bruno", "carla", "dino")
"""Ada owns the tables for one; Dino is poor."""

STRANGER = "zeno"
SPECTATOR = ""
SIXTH = "sixth"
STUDIO, STUDIO_DUEL = "studio", "studio-duel"
"""The sixth game and the duel with scanned cards (X-27)."""
DEALERS = ("dora", "elio")
SEALED_GAMES = (*sheets.GAMES, SIXTH)
GAMES = (*SEALED_GAMES, STUDIO, STUDIO_DUEL)

SIXTH_SWITCHES = {
    "game.id": "sixth",
    "game.solo": "false",
    "shoe.decks": "6",
    "shoe.reshuffle": "cut-card",
    "shoe.cut": "[40, 60]",
    "shoe.sets": "2",
    "shoe.burn": "1",
    "seats.count": "3",
    "seats.per_player": "2",
    "seats.warned_after": "1",
    "seats.lost_after": "2",
    "stakes.missing_funds": "substitute",
    "stakes.limits": '{main = [100, 50000], behind = [100, 20000], perfect-pairs = [100, 10000], "21+3" = [100, 9000]}',
    "clocks.betting": "10",
    "clocks.deal_now_floor": "2",
    "clocks.insurance": "6",
    "clocks.decision": "9",
    "clocks.decision_again": "4",
    "clocks.results": "3",
    "clocks.after_pause": "5",
    "options.behind": "true",
    "options.early_decisions": "true",
    "options.deal_now": "true",
    "options.hot_from": "2",
    "dealer.soft_17": "hit",
    "dealer.peek": '["A", "ten"]',
    "double.after_split": "true",
    "split.hands": "4",
    "charlie": "5",
    "surrender": "late",
}
"""A sixth game out of the switches of first-person: shared, peeking, with surrender, Charlie, cash out, bets behind."""

STEADY = settings(
    derandomize=True, deadline=None, database=None, print_blob=False, suppress_health_check=list(HealthCheck)
)
"""Every run of every test tries the same examples."""

seeds = st.integers(0, 2**32 - 1)


def often(examples: int) -> settings:
    """For walks: a smaller seed is no smaller example, so a failing one is reported as it is."""
    return settings(STEADY, max_examples=scale(examples), phases=(Trial.explicit, Trial.generate))


def shrinking(examples: int) -> settings:
    """For values that hypothesis itself makes, and can make smaller."""
    return settings(STEADY, max_examples=scale(examples))


@cache
def sheet_of(game: str) -> Sheet:
    if game in (STUDIO, STUDIO_DUEL):
        return with_cards(sheet_of(SIXTH if game == STUDIO else "duello"), SCANNED)
    return sheets.load("first-person", SIXTH_SWITCHES) if game == SIXTH else sheets.load(game)


class Step(NamedTuple):
    """One command and what came of it: events and the next state, or a refusal and the same state."""

    before: Table
    command: Command
    outcome: list[Event] | Refusal
    after: Table


def opened(sheet: Sheet, rng: Random) -> Table:
    """A new table; money comes later, through commands, so that the ledger begins at zero."""
    return open_table(f"T{rng.randrange(100)}", sheet, PLAYERS[0] if sheet.game.solo else None)


def walk(
    sheet: Sheet, seed: int, steps: int, *, wild: float = 0.15, money: bool = True, strict: bool = False
) -> Iterator[Step]:
    """Random play; `wild` is the share of senseless commands, `money` whether money moves in the middle of rounds.

    A command that raises ends the walk, so that one fault shows in one place: where the walk is `strict`.
    """
    rng = Random(seed)
    table = opened(sheet, rng)
    house = House(rng, wild, money=money)
    for _ in range(steps):
        command = house.ask(table)
        try:
            answer = advance(table, command)
        except Exception:
            if strict:
                raise
            return
        outcome, after = (answer, table) if isinstance(answer, Refusal) else answer
        house.heard(command, refused=isinstance(outcome, Refusal))
        yield Step(table, command, outcome, after)
        table = after


class House:
    """Everybody around one table, in one place: who asks what next."""

    def __init__(self, rng: Random, wild: float, *, money: bool) -> None:
        self.rng, self.wild, self.money = rng, wild, money
        self.now = rng.randrange(10**12)
        self.vip = rng.choice((0, 0, 1, 2))
        self.said: list[Command] = []

    def heard(self, command: Command, *, refused: bool) -> None:
        if not refused or self.rng.random() < 0.1:
            self.said.append(command)

    def ask(self, table: Table) -> Command:
        rng = self.rng
        self.now += rng.choice((0, 1, 40, 300, 1500))
        if rng.random() < self.wild:
            return self.senseless(table)
        if table.studio is not None and (asked := self.deal(table, table.studio)):
            return asked
        if table.pause is not None and rng.random() < 0.7:
            return Resume("sup", self.now)
        if rng.random() < 0.04:
            return self.supervise(table)
        if (poor := [one for one in self.company(table) if self.is_broke(table, one)]) and rng.random() < 0.7:
            return BringMoney(poor[0], self.fortune(poor[0]), self.now, self.vip)
        if self.money and rng.random() < 0.03:
            return self.bank(table)
        match table.phase:
            case Phase.SHUFFLING:
                return self.load(table)
            case Phase.BETTING:
                return self.bet(table)
            case Phase.ROUND:
                return self.play(table)
            case Phase.RESULTS | Phase.CLOSED:
                return self.wait(table) if rng.random() < 0.7 else self.sit(table)

    def deal(self, table: Table, studio: Studio) -> Command | None:
        """What a dealer does: what is wanted, mostly; sometimes something else."""
        rng, at = self.rng, self.now
        who = studio.dealer or rng.choice(DEALERS)
        if rng.random() < self.wild / 3:
            who = rng.choice((*DEALERS, STRANGER))
            return self.desk(who, studio)
        if not studio.dealer:
            return TakeDesk(who, at)
        wanted = None if table.pause else scanning.find_wanted(table)
        if rng.random() < (0.12 if wanted else 0.04):
            return self.desk(who, studio)
        if wanted is None or rng.random() < 0.1:
            return None
        return DeclareShoe(who, at) if wanted.place == "shoe" else self.scan(who, table)

    def scan(self, who: str, table: Table) -> Command:
        """Any card; in every second shoe good ones come often."""
        rng = self.rng
        good = [card for card in pack(1) if is_ace(card) or is_ten(card)]
        card = rng.choice(good) if table.shoes % 2 and rng.random() < 0.5 else rng.randrange(52)
        return ScanCard(who, card, self.now, f"salt{card}", f"committed{card}")

    def desk(self, who: str, studio: Studio) -> Command:
        rng, at = self.rng, self.now
        last = studio.scans[-1].card if studio.scans else 0
        made: tuple[Callable[[], Command], ...] = (
            lambda: TakeDesk(rng.choice(DEALERS), at),
            lambda: LeaveDesk(who, at),
            lambda: ScanCard(who, rng.choice((last, rng.randrange(52))), at, "salt", "committed"),
            lambda: TakeBackScan(who, "wrong", at),
            lambda: ShowCutCard(who, at),
            lambda: DeclareShoe(who, at),
            lambda: DeclareMisdeal(who, "a card fell", at),
            lambda: CallHelp(who, "help", at),
            lambda: PauseDesk(who, at),
            lambda: ResumeDesk(who, at),
        )
        return rng.choice(made)()

    def company(self, table: Table) -> tuple[str, ...]:
        return PLAYERS[:1] if table.sheet.game.solo else PLAYERS

    def anybody(self, table: Table) -> str:
        return self.rng.choice(self.company(table))

    def is_broke(self, table: Table, player: str) -> bool:
        if table.phase is Phase.ROUND and not self.money:
            return False
        cap = table.sheet.stakes.session_cap
        return table.purse(player) < 100 and not (cap and table.brought.get(player, 0) > cap - 10_000)

    def fortune(self, player: str) -> int:
        return self.rng.choice((300, 450, 700, 1500) if player == PLAYERS[-1] else (1000, 5000, 10_000))

    def wait(self, table: Table) -> Command:
        """The clock strikes, as it does at a table that is served."""
        if table.deadline is None:
            return Tick(self.now)
        self.now = max(self.now, table.deadline)
        return Tick(self.now)

    def bank(self, table: Table) -> Command:
        player, amount = self.anybody(table), self.rng.choice((10, 100, 500, 5000))
        if self.rng.random() < 0.6:
            return BringMoney(player, amount, self.now, self.vip)
        return TakeMoney(player, self.rng.choice((amount, max(table.purse(player) - amount, 1))), self.now)

    def supervise(self, table: Table) -> Command:
        rng = self.rng
        return rng.choice(
            (
                lambda: Pause("sup", "a card fell", self.now),
                lambda: Void("sup", "misdeal", self.now),
                lambda: ChangeLimits(self.limits(table), "sup", self.now),
                lambda: self.load(table),
                lambda: self.close(table),
            )
        )()

    def close(self, table: Table) -> Command:
        """Rarely, and late: nothing happens at a table that is closed."""
        if table.rounds > 3 and self.rng.random() < 0.1:
            return CloseTable("sup", "late", self.now)
        return Void("sup", "misdeal", self.now, round=f"bets-{table.rounds + self.rng.randrange(3)}")

    def limits(self, table: Table) -> dict[str, tuple[int, int]]:
        bets = self.rng.sample(sorted(table.limits), self.rng.randrange(1, len(table.limits) + 1))
        return {bet: self.rng.choice(((100, 300), (200, 10_000), (100, 50_000))) for bet in bets}

    def load(self, table: Table) -> LoadShoe:
        low, high = shoes.cut_window(table.sheet)
        return LoadShoe(shuffled(table.sheet, self.rng), self.rng.randint(low, high), self.now)

    def sit(self, table: Table) -> Command:
        rng, player = self.rng, self.anybody(table)
        box = rng.randint(1, len(table.seats))
        if rng.random() < 0.15:
            return AllowBehind(player, rng.random() < 0.6, self.now)
        if rng.random() < 0.25:
            return ChooseFollow(player, box, rng.random() < 0.6, rng.random() < 0.6, self.now)
        if rng.random() < 0.3:
            mine = [at for at in range(1, len(table.seats) + 1) if table.owner(at) == player]
            say = KeepSeat if rng.random() < 0.2 else LeaveSeat
            return say(player, rng.choice(mine or [box]), self.now)
        return TakeSeat(player, box, self.now)

    def bet(self, table: Table) -> Command:
        rng, player = self.rng, self.anybody(table)
        shared = not table.sheet.game.solo
        if shared and rng.random() < (0.1 if sum(1 for seat in table.seats if seat) > 2 else 0.35):
            return self.sit(table)
        if rng.random() < 0.6:
            open_spots = legal.legal(table, player, self.now).spots
            good = [spot for spot, verdict in open_spots.items() if not isinstance(verdict, tuple)]
            if good:
                chips = [chip for chip in table.sheet.stakes.chips if chip <= 1000]
                some = tuple(rng.sample(good, min(len(good), rng.choice((1, 1, 1, 2)))))
                return PlaceBet(player, some, rng.choice(chips) * rng.choice((1, 1, 3)), self.now, rng.random() < 0.3)
        held = table.slips[player].totals() if player in table.slips else {}
        choices: list[Callable[[], Command]] = [
            lambda: RepeatBets(player, self.now, rng.choice((1, 1, 2))),
            lambda: DoubleBets(player, self.now),
            lambda: UndoBet(player, self.now),
        ]
        if not shared:
            choices += [lambda: DealNow(player, self.now)] * 5
        elif rng.random() < 0.5:
            choices.append(lambda: DealNow(player, self.now))
        if table.deadline is not None and rng.random() < 0.6:
            choices.append(lambda: self.wait(table))
        if held:
            spot = Spot(*rng.choice(sorted(held)))
            choices.append(lambda: RemoveBet(player, spot, self.now, rng.choice((0, 0, 5, 10, 100, 10**6))))
            if rng.random() < 0.3:
                choices.append(lambda: ClearBets(player, self.now))
        return rng.choice(choices)()

    def play(self, table: Table) -> Command:
        rng, play = self.rng, table.round
        if play is None:
            return self.wait(table)
        if rng.random() < 0.05:
            return self.wait(table)
        if rng.random() < 0.06 and not table.sheet.game.solo:
            return self.sit(table)
        if play.stage is Stage.INSURANCE:
            who, box = rng.choice(list(insurance.waiting(play)))
            if rng.random() < 0.2:
                return ActAll(who, rng.choice((Action.INSURE, Action.DECLINE)), self.now)
            if rng.random() < 0.1:
                return TimeOut(box.number, self.now, rng.choice((who, "")))
            return self.choose(table, who, box.number)
        now = legal.turn(play)
        if now is None:
            return self.wait(table)
        box, index = now
        if index < 0:
            return self.spin(table, box.number, box.player)
        if rng.random() < 0.35 and table.sheet.options.early_decisions:
            early = rng.choice(play.boxes)
            return ActEarly(early.player, early.number, rng.choice((*legal.PLAYED, None)), self.now)
        if rng.random() < 0.08:
            return TimeOut(box.number, self.now)
        return self.choose(table, box.player, box.number)

    def choose(self, table: Table, player: str, box: int) -> Command:
        """Mostly what `legal` allows, sometimes what it does not."""
        rng = self.rng
        decisions = legal.legal(table, player, self.now).decisions
        good = [action for (at, action), verdict in decisions.items() if at == box and isinstance(verdict, int)]
        bold = [action for action in good if action not in (Action.HIT, Action.STAND, Action.FOLD, Action.DECLINE)]
        poor = [action for (at, action), no in decisions.items() if at == box and self.lacks_funds(no)]
        if poor and rng.random() < 0.3:
            return Act(player, box, rng.choice(poor), self.now)
        if bold and rng.random() < 0.5:
            return Act(player, box, rng.choice(bold), self.now)
        if good and rng.random() < 0.9:
            return Act(player, box, rng.choice(good), self.now)
        return Act(player, box, rng.choice(tuple(Action)), self.now)

    @staticmethod
    def lacks_funds(verdict: legal.Verdict) -> bool:
        return isinstance(verdict, tuple) and isinstance(verdict[0], FundsMissing)

    def spin(self, table: Table, number: int, player: str) -> Command:
        box = table.round.box(number) if table.round else None
        bonus = box.bonus if box else None
        if bonus is None or bonus.board is None:
            segment, shown, start = wheel_draw(table.sheet.bonus, self.rng)
            return SpinWheel(player, number, segment, self.now, shown, start)
        locks, diamonds = board_draw(table.sheet.bonus, bonus.board, self.rng)
        return SpinBoard(player, number, locks, self.now, diamonds)

    def senseless(self, table: Table) -> Command:
        """Wrong boxes, wrong amounts, wrong people, wrong times, or something said before."""
        rng = self.rng
        if self.said and rng.random() < 0.3:
            return rng.choice((self.said[-1], rng.choice(self.said)))
        who = rng.choice((*PLAYERS, STRANGER))
        box = rng.choice((-1, 0, 1, 2, 3, 5, 7, 8, 10**9))
        bet = rng.choice((*table.limits, "main", "gold", ""))
        at = rng.choice((0, -(10**6), self.now, self.now, self.now + 10**9, 10**16))
        amount = rng.choice((-100, -1, 0, 1, 3, 10, 95, 100, 10**12, 10**30))
        action = rng.choice(tuple(Action))
        spot = Spot(box, bet)
        made: tuple[Callable[[], Command], ...] = (
            lambda: BringMoney(who, min(amount, 0 if who == STRANGER else 10**4), at, rng.choice((-1, self.vip))),
            lambda: TakeMoney(who, amount, at),
            lambda: TakeSeat(who, box, at),
            lambda: LeaveSeat(who, box, at),
            lambda: KeepSeat(who, box, at),
            lambda: AllowBehind(who, rng.random() < 0.8, at),
            lambda: ChooseFollow(who, box, True, True, at),
            lambda: PlaceBet(who, rng.choice(((), (spot,), (spot, spot))), amount, at, rng.random() < 0.5),
            lambda: RemoveBet(who, spot, at, amount),
            lambda: UndoBet(who, at),
            lambda: ClearBets(who, at),
            lambda: RepeatBets(who, at, rng.choice((-1, 0, 1, 2, 10**9))),
            lambda: DoubleBets(who, at),
            lambda: DealNow(who, at),
            lambda: Act(who, box, action, at),
            lambda: ActAll(who, action, at),
            lambda: ActEarly(who, box, rng.choice((action, None)), at),
            lambda: SpinWheel(who, box, rng.choice(("x5", "link", "mega-link", "x7")), at, ("x2",) * 3, {0: 1, 99: 2}),
            lambda: SpinBoard(who, box, rng.choice(({}, {0: 1}, {-1: 50}, {3: 7})), at, ("GRAND",)),
            lambda: TimeOut(box, at, rng.choice(("", who))),
            lambda: Tick(at),
            lambda: LoadShoe(pack(1), 1, at, stacked=rng.random() < 0.05),
            lambda: LoadShoe(pack(table.sheet.shoe.decks), rng.choice((-1, 0, 1, 10**6)), at),
            lambda: ChangeLimits({bet: (amount, rng.choice((amount, 100, 500)))}, "sup", at),
            lambda: Pause("sup", "?", at) if rng.random() < 0.3 else Resume("sup", at),
            lambda: Void("sup", "?", at) if rng.random() < 0.3 else Tick(at),
            lambda: CloseTable("sup", "?", at) if table.closing is not None else Tick(at),
        )
        return rng.choice(made)()


def shuffled(sheet: Sheet, rng: Random) -> tuple[Card, ...]:
    """The whole pack; in every second one good cards lie on top, so that rare rounds are not rare."""
    cards = list(pack(sheet.shoe.decks))
    rng.shuffle(cards)
    if rng.random() < 0.5:
        wanted = rng.choice((is_ace, is_ten, lambda one: is_ace(one) or is_ten(one), lambda one: one < 12))
        top = [one for one in cards[:160] if wanted(one) or rng.random() < 0.25]
        rest = list(cards)
        for one in top:
            rest.remove(one)
        cards = [*top, *rest]
    return tuple(cards)


def wheel_draw(rules: Bonus, rng: Random) -> tuple[str, tuple[str, ...], dict[int, int]]:
    """A segment and, for a board, what its boxes and its first cells show."""
    segment = rng.choice(tuple(rules.wheel))
    board = rules.boards.get(segment)
    if board is None:
        return segment, (), {}
    boxes = tuple(rng.choice(tuple(rules.boxes)) for _ in range(board.cells // rules.box_cells))
    cells = rng.sample(range(board.cells), board.start)
    return segment, boxes, {cell: int(rng.choice(tuple(rules.start))) for cell in cells}


def board_draw(rules: Bonus, board: BonusBoard, rng: Random) -> tuple[dict[int, int], tuple[str, ...]]:
    """New prizes in some empty cells, and the diamonds that are then due."""
    values = [int(one) for one in rules.cell if one != "nothing"]
    empty = [cell for cell, held in enumerate(board.cells) if not held]
    share = rng.choice((0, 0, 0.2, 1))
    locks = {cell: rng.choice(values) for cell in empty if rng.random() < share}
    due = link.diamonds_due(rules, link.board_after(rules, board, locks))
    return locks, tuple(rng.choice(tuple(rules.prizes)) for _ in range(due))
