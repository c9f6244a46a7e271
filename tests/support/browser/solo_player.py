"""Somebody at tables for one in a house of the tests: practice with chosen cards and a chosen wheel, or real play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.solo_table import Felt
from ventuno.core.messages.commands import Act, Command, PlaceBet, SpinBoard, SpinWheel, Spot
from ventuno.core.rules.cards import card
from ventuno.core.rules.money import Cents
from ventuno.core.table import legal
from ventuno.core.table.round import Action
from ventuno.house.store.records import Batch
from ventuno.house.tables.authority import LiveTable

Drawn = SpinWheel | SpinBoard
Bets = Mapping[Any, Cents]
"""Amounts by place: a box for its main bet, or a box and a bet."""


class Loaded:
    """The draws of the house, but where a test has said what the next spins of a table show."""

    def __init__(self, live: Any) -> None:
        self._live = live
        self.chosen: dict[str, list[Mapping[str, Any]]] = {}

    def fill(self, room: LiveTable, command: Drawn) -> Command:
        waiting = self.chosen.get(room.table.id)
        if not waiting:
            drawn: Command = self._live.fill(room, command)
            return drawn
        return replace(command, **waiting.pop(0))


def loaded(house: LiveHouse) -> Loaded:
    """The wheel of this house, loaded once."""
    authority: Any = house.doors.application.host.authority
    if not isinstance(authority._chance, Loaded):
        authority._chance = Loaded(authority._chance)
    chance: Loaded = authority._chance
    return chance


class SoloPlayer(Felt):
    """One person at tables of his own. What is not the point of a test is asked of the house, past the browser."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat.visitor)
        self.house, self.player = seat.parlour, seat.player
        self.table = ""

    def practise(self, game: str, cards: str = "", bets: Bets | None = None, spins: Iterable[Any] = ()) -> Self:
        """At a fresh practice table of a game with these cards; with bets, they are dealt."""
        application = self.house.doors.application
        chosen = tuple(map(card, cards.split()))
        self.table = self.house.run(application.tables.open_practice(self.player, game, chosen))
        loaded(self.house).chosen[self.table] = list(spins)
        self._begin(bets)
        return self.go(game, f"?table={self.table}")

    def play(self, game: str, cards: str = "", bets: Bets | None = None, money: Cents = 100_000) -> Self:
        """At his own table of a game with money; each of its shoes begins with these cards."""
        application = self.house.doors.application
        self.house.chosen[f"{game}-{self.player}"] = tuple(map(card, cards.split()))
        table = self.house.run(application.tables.open_solo(self.player, game))
        assert isinstance(table, str), table
        self.table = table
        if money:
            self.house.seat(self.player, table, money=money)
            self.house.run(self.house.cut(table))
        self._begin(bets)
        return self.go(game)

    def _begin(self, bets: Bets | None) -> None:
        if bets:
            self.bet(bets)
            self.house.deal(self.player, self.table)

    def go(self, game: str, query: str = "") -> Self:
        self.visitor.walk(f"/solo/{game}{query}")
        expect(self.page.locator(f"section[data-table='{self.table}']")).to_be_visible()
        return self

    def bet(self, bets: Bets) -> Self:
        """Bets past the browser: a number is a box and means its main bet."""
        for spot, amount in bets.items():
            place = Spot(spot, "main") if isinstance(spot, int) else Spot(*spot)
            self.house.ask(self.table, PlaceBet(self.player, (place,), amount, 0), self.player)
        return self

    def does(self, *actions: str) -> Self:
        """Decisions past the browser, on whatever hand is in turn."""
        for action in actions:
            box = self.asked
            self.house.ask(self.table, Act(self.player, box, Action(action), 0), self.player)
        return self

    @property
    def asked(self) -> int:
        turn = legal.turn(self.state.round)
        assert turn is not None, "nobody is asked"
        return int(turn[0].number)

    @property
    def state(self) -> Any:
        return self.house.state(self.table)

    def level(self, vip: int) -> None:
        """The player is raised to a VIP level."""
        application = self.house.doors.application
        batch = application.accounts._login.set_vip(self.player, vip, "operator", application.now())
        assert isinstance(batch, Batch), batch
        self.house.run(application.host.commits.commit(batch))

    def paid(self) -> list[Any]:
        """The lines of the settlement, once the browser shows it."""
        expect(self.key("Il conto")).to_be_visible()
        return list(self.state.round.lines)
