"""One round, settled: what every bet brought, and the criterion that decided it (X-05, X-20)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ventuno.core.rules.money import Cents, PlayerId, format_euro
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario import notation, runner, scenario
from ventuno.core.scenario.runner import PlayedScenario
from ventuno.core.scenario.runner import Refused as Refused
from ventuno.core.scenario.scenario import Malformed as Malformed
from ventuno.core.scenario.scenario import Scenario
from ventuno.library.html import write_table
from ventuno.library.sheets import load_sheet
from ventuno.sheets import load_games


@dataclass(frozen=True, slots=True)
class DealerResult:
    """The dealer's cards as text; no total where he turned none."""

    cards: str
    total: int | None
    blackjack: bool


@dataclass(frozen=True, slots=True)
class HandResult:
    box: int
    hand: int
    cards: str
    total: int
    outcome: str


@dataclass(frozen=True, slots=True)
class SettledBet:
    """`returned` is everything that came back in cents, stake included; box and hand are 0 where there is none."""

    player: PlayerId
    bet: str
    stake: Cents
    returned: Cents
    criterion: str
    box: int = 0
    hand: int = 0

    @property
    def net(self) -> Cents:
        return self.returned - self.stake


@dataclass(frozen=True, slots=True)
class PlayerResult:
    staked: Cents
    returned: Cents
    net: Cents
    balance: Cents


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round. Amounts are whole cents; `to_dict` is the document that `ventuno settle --json` prints."""

    dealer: DealerResult
    hands: tuple[HandResult, ...]
    bets: tuple[SettledBet, ...]
    players: Mapping[PlayerId, PlayerResult]
    unused_cards: int
    _document: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The settlement as the contract of commands and files has it."""
        return dict(self._document)

    def __str__(self) -> str:
        dealer = self.dealer
        rows = [f"Dealer  {dealer.cards or '-'}  {dealer.total or ''}{'  Blackjack' if dealer.blackjack else ''}"]
        for hand in self.hands:
            rows.append(f"Box {hand.box} hand {hand.hand}  {hand.cards}  {hand.total}  {hand.outcome}")
        for bet in self.bets:
            place = f"box {bet.box}" if bet.box else "table"
            amounts = f"{format_euro(bet.stake):>14} -> {format_euro(bet.returned):>14}"
            rows.append(f"  {bet.player:<12} {place:<6} {bet.bet:<16} {amounts}  {bet.criterion}")
        for name, sums in self.players.items():
            rows.append(f"{name}: net {format_euro(sums.net)}, balance {format_euro(sums.balance)}")
        return "\n".join([*rows, f"{self.unused_cards} cards unused"])

    def _repr_html_(self) -> str:
        dealer = self.dealer
        caption = f"Dealer {dealer.cards or '–'} {dealer.total or ''}{' Blackjack' if dealer.blackjack else ''}".strip()
        hands = {(hand.box, hand.hand): hand for hand in self.hands}
        rows = []
        for bet in self.bets:
            hand = hands.get((bet.box, bet.hand))
            played = f"{hand.cards} ({hand.total}) {hand.outcome}" if hand else ""
            place = f"box {bet.box}" if bet.box else "table"
            amounts = (format_euro(bet.stake), format_euro(bet.returned), format_euro(bet.net))
            rows.append((bet.player, place, bet.bet, played, *amounts, bet.criterion))
        heads = ("player", "place", "bet", "hand", "stake", "returned", "net", "criterion")
        return write_table(heads, rows, caption)


def settle(round_: Mapping[str, Any] | str | Path, sheet: Sheet | str | Path | None = None) -> Settlement:
    """Play one round from a scenario and settle it.

    The round is a scenario as the contract has it, its JSON file, or one line of the notation (docs/notation.md). The
    sheet is that of the game it names, unless another is given: a game of one's own, or the same with other switches.
    Raises `Malformed` where it is no scenario, `Refused` where the rules say no, with the code and the place.

    >>> settlement = settle("ventuno | - | 1:ada 1000 21+3 200 | 9S 7D TC TH | 1 stand")
    >>> settlement.dealer.total, settlement.players["ada"].net
    (17, 800)
    >>> [(bet.bet, bet.net, bet.criterion) for bet in settlement.bets]
    [('main', 1000, 'V-19'), ('21+3', -200, 'V-22')]
    >>> settle("ventuno | - | 1:ada 15 | 9S 7D TC TH | 1 stand")
    Traceback (most recent call last):
    ...
    ventuno.core.scenario.runner.Refused: boxes[0].main: NotAMultiple(unit=10, asked=15)
    """
    if sheet is not None and not isinstance(sheet, Sheet):
        sheet = load_sheet(sheet)
    games = {sheet.game.id: sheet} if sheet is not None else load_games()
    played = read_round(round_, tuple(games))
    return describe(runner.play_scenario(games[played.game], played))


def read_round(round_: Mapping[str, Any] | str | Path, games: tuple[str, ...]) -> Scenario:
    """A scenario from any of the forms that `settle` takes."""
    if isinstance(round_, Path):
        try:
            round_ = json.loads(round_.read_text(encoding="utf-8-sig"))
        except ValueError as fault:
            raise Malformed(f"no JSON: {fault}") from None
    if isinstance(round_, str):
        line = notation.read(round_)
        if line.game not in games:
            raise Malformed(f"game: {line.game!r} is no game; games: {', '.join(games)}")
        return line
    return scenario.parse(round_, games)


def describe(played: PlayedScenario) -> Settlement:
    """The settlement of a round that was played."""
    document = runner.write_settlement(played)
    return Settlement(
        DealerResult(**document["dealer"]),
        tuple(HandResult(**hand) for hand in document["hands"]),
        tuple(SettledBet(**bet) for bet in document["bets"]),
        {name: PlayerResult(**sums) for name, sums in document["players"].items()},
        document["unused_cards"],
        document,
    )
