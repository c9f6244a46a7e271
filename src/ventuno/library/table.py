"""A table to drive by code: seat players, bet, deal, decide, settle. The immutable core is underneath; nothing is read,
written or waited for. Time stands still but where the rules need it to pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ventuno.core.games import insurance
from ventuno.core.messages import commands
from ventuno.core.messages.commands import Command, Spot
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import BelowMinimum, NoBets, Refusal, WrongPhase
from ventuno.core.rules import cards, hand
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import SEALED, Sheet
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.scenario import notation
from ventuno.core.scenario.recorder import extract_scenario
from ventuno.core.scenario.runner import DEFAULT_BALANCE, PlayedScenario, Refused
from ventuno.core.scenario.scenario import TIMEOUT
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, Box, Round, Stage
from ventuno.core.table.state import Phase
from ventuno.core.table.state import Table as TableState
from ventuno.core.views.public_view import PublicView, build_public_view
from ventuno.house.shoes import draws
from ventuno.library import settlement
from ventuno.library.settlement import Settlement
from ventuno.library.sheets import read_sheet
from ventuno.library.shoe import Shoe

NAME = "table"
MAIN = "main"
Choose = Callable[["Decision"], str]


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be decided, by whom, with what lies open. `options` are the actions that are allowed, with what each
    costs in cents; `hand` counts from 1.
    """

    player: PlayerId
    box: int
    hand: int
    stage: str
    cards: tuple[str, ...]
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    options: Mapping[str, Cents]

    @property
    def total(self) -> int:
        """The best total of the hand; an ace counts eleven where that does not pass 21."""
        return hand.total(tuple(map(cards.card, self.cards)))

    @property
    def is_soft(self) -> bool:
        """Whether an ace counts eleven in the total."""
        return hand.is_soft(tuple(map(cards.card, self.cards)))

    @property
    def values(self) -> tuple[int, ...]:
        """The cards by value: 10 for each face, 1 for an ace."""
        return read_values(self.cards)

    @property
    def dealer_value(self) -> int:
        """The dealer's first card by value; 0 where none is shown."""
        return read_values(self.dealer[:1])[0] if self.dealer else 0


def read_values(names: tuple[str, ...]) -> tuple[int, ...]:
    """Cards by value, 1 for an ace."""
    return tuple(cards.VALUES[cards.card(name)] for name in names)


class Table:
    """One table of a game, given by name, file or sheet.

    Its shoes are shuffled from `seed` as they are needed, and so are the draws of a bonus; `shoe` stacks the first one.
    What the rules forbid raises `Refused` and changes nothing.

    >>> table = Table("ventuno", shoe="9S 8C 7D TC 9H TH TD")
    >>> table.seat("ada", 1, money=50_000)
    >>> table.seat("bob", 2)
    >>> table.bet("ada", 1_000, 1)
    >>> table.bet("bob", 500, 2)
    >>> now = table.deal()
    >>> now.player, now.cards, now.dealer, dict(now.options)
    ('ada', ('9S', 'TC'), ('7D',), {'hit': 0, 'stand': 0, 'double': 1000})
    >>> now = table.decide("stand")
    >>> now.player, now.total
    ('bob', 17)
    >>> table.decide("stand") is None
    True
    >>> {player: result.net for player, result in table.settle().players.items()}
    {'ada': 1000, 'bob': 0}
    """

    def __init__(self, game: str | Path | Sheet, *, seed: int | None = None, shoe: Shoe | str | None = None) -> None:
        sheet = with_cards(read_sheet(game), SEALED)  # nobody scans cards here: they come from a shuffled shoe
        self._state = open_table(NAME, sheet, "" if sheet.game.solo else None)
        self._chance, self._at = Random(seed), 0
        self._stacked = Shoe.read(shoe) if isinstance(shoe, str) else shoe
        self._opening, self._log, self._before = self._state, list[Event](), dict[PlayerId, Cents]()
        self._settlement: Settlement | None = None

    @property
    def state(self) -> TableState:
        """The whole state of the core, hidden cards included: a value that never changes."""
        return self._state

    @property
    def sheet(self) -> Sheet:
        return self._state.sheet

    @property
    def view(self) -> PublicView:
        """What everybody sees."""
        return build_public_view(self._state)

    @property
    def shoe(self) -> Shoe | None:
        """The shoe in use, with the order of what is still in it."""
        shoe = self._state.shoe
        return Shoe(tuple(map(cards.text, shoe.cards)), shoe.position, shoe.cut) if shoe else None

    def balance(self, player: PlayerId) -> Cents:
        """What a player has at the table beside his bets, in cents."""
        return self._state.purse(player)

    def seat(self, player: PlayerId, box: int = 1, money: Cents | None = None) -> None:
        """Sit down at a box, and bring money: so many cents, or enough for a long time when one comes first.

        A table for one belongs to who comes first, with all of its boxes.
        """
        if self.sheet.game.solo and not self._state.purses:
            self._state = open_table(NAME, self.sheet, player)
        if money is None and player not in self._state.purses:
            money = min(DEFAULT_BALANCE, self.sheet.stakes.session_cap or DEFAULT_BALANCE)
        if money:
            self._run(commands.BringMoney(player, money, self._at), "seat")
        if not self.sheet.game.solo:
            self._run(commands.TakeSeat(player, box, self._at), "seat")

    def leave(self, player: PlayerId, box: int = 1) -> None:
        """Stand up from a box; in a round, when it is over."""
        self._run(commands.LeaveSeat(player, box, self._at), "leave")

    def bet(
        self,
        player: PlayerId,
        amount: Cents,
        box: int = 1,
        on: str = MAIN,
        *,
        follow_double: bool = False,
        follow_split: bool = False,
    ) -> None:
        """Stake so many cents: the main bet, a side bet by its name, or `behind` on another's box.

        A bet on the whole table needs no box. What a bet behind follows is said with it.
        """
        self._open_betting()
        if Spot(0, on) in legal.spots(self._state):
            box = 0
        if on == "behind":
            self._run(commands.ChooseFollow(player, box, follow_double, follow_split, self._at), "bet")
        before, written = self._state, len(self._log)
        self._run(commands.PlaceBet(player, (Spot(box, on),), amount, self._at, exact=True), "bet")
        staked, least = self._state.slips[player].totals()[box, on], self._state.limit(on, player)[0]
        if staked < least:
            self._state = before
            del self._log[written:]
            raise Refused(BelowMinimum(on, least, staked), "bet")

    def deal(self) -> Decision | None:
        """Deal to all who have bet. The first decision, or None where the cards have decided everything."""
        bettors = [player for player, slip in self._state.slips.items() if slip.steps]
        if self._state.phase is not Phase.BETTING or not bettors:
            raise Refused(NoBets() if self._state.phase is not Phase.ROUND else WrongPhase(Phase.ROUND), "deal")
        state = self._state
        self._before = {player: state.purse(player) + state.total_stake_of(player) for player in state.purses}
        self._opening, self._log, self._settlement = state, [], None
        deadline = self._state.deadline
        if self.sheet.game.solo or deadline is None:
            self._run(commands.DealNow(bettors[0], self._at), "deal")
        else:
            self._run(commands.Tick(deadline), "deal")
        return self._go_on()

    @property
    def decision(self) -> Decision | None:
        """What is to be decided now; None between rounds."""
        play = self._play
        if play is None:
            return None
        asked = _find_asked(play)
        player, box, index = asked
        verdicts = legal.legal(self._state, player, self._at).decisions
        return Decision(
            player=player,
            box=box.number,
            hand=index + 1,
            stage=str(play.stage),
            cards=tuple(map(cards.text, box.hands[index].cards)),
            dealer=tuple(map(cards.text, play.dealer)),
            community=tuple(map(cards.text, play.community)),
            options={
                str(action): price
                for (number, action), price in verdicts.items()
                if number == box.number and isinstance(price, int)
            },
        )

    def decide(self, action: str) -> Decision | None:
        """Answer the decision that is asked, `timeout` to leave it to the clock. The next one, or None at the end."""
        play = self._play
        if play is None:
            raise Refused(WrongPhase(self._state.phase), "decide")
        player, box, _ = _find_asked(play)
        if action == TIMEOUT:
            self._run(commands.TimeOut(box.number, self._at, player), "decide")
        else:
            self._run(commands.Act(player, box.number, Action(action), self._at), "decide")
        return self._go_on()

    def settle(self) -> Settlement:
        """What the round brought; refused while somebody is still to decide."""
        if self._settlement is None:
            raise Refused(WrongPhase(self._state.phase), "settle")
        return self._settlement

    def play(self, choose: Choose) -> Settlement:
        """Deal if that is not done, let `choose` decide for everybody, settle.

        >>> table = Table("first-person", seed=21)
        >>> table.seat("ada")
        >>> table.bet("ada", 1_000)
        >>> settlement = table.play(lambda now: "stand" if "stand" in now.options else "decline")
        >>> settlement.players["ada"].net == table.balance("ada") - 1_000_000
        True
        """
        now = self.deal() if self._state.phase is not Phase.ROUND else self.decision
        while now is not None:
            now = self.decide(choose(now))
        return self.settle()

    @property
    def notation(self) -> str:
        """The round as one line, from its balances to its decisions: `settle` plays it again (docs/notation.md)."""
        return notation.write(extract_scenario(self._opening, self._log))

    def __str__(self) -> str:
        """The felt as text, without anything that lies face down."""
        view = self.view
        rows = [f"{view.name}, {view.phase}"]
        if view.dealer.cards or view.dealer.face_down or view.dealer.community:
            rows.append(_write_row("Dealer", "", view.dealer.cards, view.dealer.face_down, view.dealer.total))
        if view.dealer.community:
            rows.append(_write_row("Community", "", view.dealer.community, 0, ""))
        for box in view.boxes:
            for played in box.hands:
                mark = "*" if view.turn and view.turn.box == box.box and len(box.hands) == 1 else " "
                row = _write_row(f"Box {box.box}", box.player, played.cards, box.face_down, played.total)
                rows.append(f"{row}  {played.outcome}".rstrip() if played.outcome else f"{row} {mark}".rstrip())
        for chips in view.bets:
            rows.append(f"Bet     {chips.player:<10} {chips.bet} {chips.amount}")
        now = self.decision
        if now is not None:
            rows.append(f"{now.player}, box {now.box}, hand {now.hand}: {' '.join(now.options)}")
        return "\n".join(rows)

    @property
    def _play(self) -> Round | None:
        return self._state.round if self._state.phase is Phase.ROUND else None

    def _run(self, command: Command, at: str) -> None:
        outcome = advance(self._state, command)
        if isinstance(outcome, Refusal):
            raise Refused(outcome, at)
        events, self._state = outcome
        self._log += events
        self._at = max(self._at, command.at)

    def _go_on(self) -> Decision | None:
        """Draw the bonuses that are due; at the end of the round keep its settlement."""
        while (play := self._play) is not None and (box := _find_bonus(play)) is not None:
            self._draw(box)
        if play is None:
            self._settlement = settlement.describe(PlayedScenario(tuple(self._log), self._state, self._before))
        return self.decision

    def _draw(self, box: Box) -> None:
        """The wheel, or the next spin of its board, by the weights of the sheet (L-22, L-27)."""
        rules, below = self.sheet.bonus, self._chance.randrange
        if box.bonus is None or box.bonus.board is None:
            wheel = draws.draw_wheel(rules, below)
            command: Command = commands.SpinWheel(
                box.player, box.number, wheel.segment, self._at, wheel.boxes, wheel.start
            )
        else:
            spin = draws.draw_spin(rules, box.bonus.board, below)
            command = commands.SpinBoard(box.player, box.number, spin.locks, self._at, spin.diamonds)
        self._run(command, "draw")

    def _open_betting(self) -> None:
        """Results make way, a shoe that is out is replaced."""
        if self._state.phase is Phase.RESULTS and self._state.deadline is not None:
            self._run(commands.Tick(self._state.deadline), "bet")
        while self._state.shoe is None or (self.sheet.shoe.sets > 1 and self._state.spare is None):
            shoe, stacked = self._stacked or Shoe.shuffled(self.sheet, self._chance), self._stacked is not None
            self._stacked = None
            order = tuple(map(cards.card, shoe.cards[shoe.position :]))
            self._run(commands.LoadShoe(order, shoe.cut, self._at, stacked=stacked), "shoe")


def _find_asked(play: Round) -> tuple[PlayerId, Box, int]:
    """Who is asked: on insurance box by box, the owner and then each bettor behind; else whose turn it is."""
    if play.stage is Stage.INSURANCE:
        player, box = next(insurance.waiting(play))
        return player, box, 0
    turn = legal.turn(play)
    if turn is None:
        raise LookupError(f"round {play.code} waits for nobody")
    return turn[0].player, *turn


def _find_bonus(play: Round) -> Box | None:
    """The box whose bonus is to be drawn."""
    turn = legal.turn(play) if play.stage is not Stage.INSURANCE else None
    return turn[0] if turn is not None and turn[1] < 0 else None


def _write_row(place: str, player: str, shown: tuple[str, ...], face_down: int, total: str) -> str:
    return f"{place:<9} {player:<10} {' '.join((*shown, *['??'] * face_down)):<24} {total}".rstrip()
