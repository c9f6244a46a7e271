"""A live room for browsers: a real server and database in a thread of its own, a clock that is moved by hand, and
shoes that begin with chosen cards. Everything else is the house as it is: seals, cuts, money, steps.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from tests.support.clocked_house import PATIENT
from tests.support.house import NOON, key
from tests.support.http_house import ServedHouse, opened
from tests.support.patience import PATIENCE
from ventuno.core.messages.commands import Command, DealNow, LoadShoe, PlaceBet, Spot, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card, card, pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.house.store.clock import JumpingClock
from ventuno.house.tables.authority import Request
from ventuno.sheets import load

T = TypeVar("T")
MONEY = 100_000
QUICK = {"clocks.deal_now_floor": "0"}
"""Deal now deals at once: the floor that protects bettors behind is tested where it is decided."""
RATES = {"USD": "1.0837"}
VARIANTS = {
    "short": {"shoe.cut": "[1, 2]"},
    "lone": {"options.multi_table": "false"},
    "studio": {"shoe.cards": '"scanned"'},
    "other": {
        "game.name": "Prova di scheda",
        "seats.count": "5",
        "seats.per_player": "5",
        "shoe.decks": "6",
        "blackjack.pays": "6/5",
        "dealer.soft_17": "hit",
        "insurance.pays": "3:1",
        "stakes.chips": "[200, 700, 3000]",
        "stakes.limits.main": "[200, 7000]",
        "sides.perfect-pairs.pays.perfect": "31:1",
        "options.chat": "false",
    },
}
"""Sheets that no client has ever seen: a cut card that comes at once, a table alone in its window, cards that
a person deals, other rules.
"""
_tables, _names = count(1), count(1)


class _Ordered:
    """The live proofs, but for the order of a shoe: chosen cards first, the rest of the pack behind them."""

    def __init__(self, live: Any, chosen: Mapping[str, tuple[Card, ...]]) -> None:
        self._live, self._chosen = live, chosen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._live, name)

    def make_load_command(self, table: str, sheet: Sheet) -> LoadShoe:
        command: LoadShoe = self._live.make_load_command(table, sheet)
        first = self._chosen.get(table, ())
        rest = list(pack(sheet.shoe.decks))
        for one in first:
            rest.remove(one)
        burnt, behind = rest[: sheet.shoe.burn], rest[sheet.shoe.burn :]
        return LoadShoe((*burnt, *first, *behind), command.cut, 0)


class LiveHouse:
    """What a test does to the house from outside of any browser; each call waits until it is durable."""

    def __init__(self, doors: ServedHouse, clock: JumpingClock, loop: asyncio.AbstractEventLoop) -> None:
        self.doors, self.clock, self._loop = doors, clock, loop
        self.chosen: dict[str, tuple[Card, ...]] = {}
        maker = doors.application._shoe_supply
        maker._proofs = _Ordered(maker._proofs, self.chosen)  # type: ignore[assignment]
        self.url = doors.origin
        self._eva = ""

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result(PATIENCE)

    def call(self, doing: Callable[[], T]) -> T:
        async def done() -> T:
            return doing()

        return self.run(done())

    def table(self, cards: str = "", game: str = "ventuno") -> str:
        """A fresh table whose first shoe begins with these cards, after the one that is burnt."""
        name = f"Aurelia {next(_tables)}"
        self.chosen[name] = tuple(map(card, cards.split()))
        answer = self.run(self.doors.application.tables.open(name, game))
        assert not isinstance(answer, Refusal), answer
        return name

    def player(self, name: str = "", money: Cents = 0) -> PlayerId:
        return self.run(self.doors.joined(name or f"Cliente{next(_names)}", money))

    def name(self, player: PlayerId) -> str:
        return self.call(lambda: self.doors.application.accounts[player].player.name)

    def token(self, player: PlayerId) -> str:
        return self.run(self.doors.session(player)).token

    def ask(self, table: str, command: Command, player: PlayerId) -> None:
        answer = self.run(self.doors.application.tables.ask(player, table, command, key()))
        assert not answer.refused, answer

    def seat(self, player: PlayerId, table: str, *boxes: int, money: Cents = MONEY) -> None:
        self.run(self.doors.application.cashier.deposit(player, money, key()))
        answer, _ = self.run(self.doors.application.tables.bring(player, table, money, key()))
        assert not answer.refused, answer
        for box in boxes:
            self.ask(table, TakeSeat(player, box, 0), player)
        if boxes:
            self.run(self.cut(table))

    async def cut(self, table: str) -> None:
        """Until the shoe is cut, which begins when somebody is there to play: before, no bet is taken."""
        shown = self.doors.application.host.committed
        while shown[table].table.phase is Phase.SHUFFLING:
            await asyncio.sleep(0.005)

    def bet(self, player: PlayerId, table: str, box: int, amount: Cents = 500, bet: str = "main") -> None:
        self.ask(table, PlaceBet(player, (Spot(box, bet),), amount, 0), player)

    def deal(self, player: PlayerId, table: str) -> None:
        self.ask(table, DealNow(player, 0), player)

    def settings(self, player: PlayerId, **tabs: Mapping[str, object]) -> None:
        answer = self.run(self.doors.application.accounts.change_settings(player, tabs))
        assert not isinstance(answer, Refusal), answer

    def move(self, seconds: float) -> None:
        """Time passes for the house."""
        self.call(lambda: self.clock.move(int(seconds * 1000)))

    def due(self, table: str) -> None:
        """To the deadline of a table and a moment beyond, until the table has gone on."""
        deadline = self.state(table).deadline
        assert deadline is not None, "nothing waits for the clock"
        self.move((deadline - self.call(self.doors.application.host.commits.now)) / 1000 + 0.01)
        self.until(lambda: self.state(table).deadline != deadline)

    def state(self, table: str) -> Any:
        return self.call(lambda: self.doors.application.host.committed[table].table)

    def seal(self, table: str) -> str:
        """What the shoe of a table is sealed with, as everybody may know it."""
        status = self.call(lambda: self.doors.application._shoe_supply.get_status(table))
        assert status is not None, "no shoe is sealed"
        return str(status.commitment["root"])

    def taken(self, table: str) -> set[int]:
        """The boxes somebody holds."""
        return {box for box, seat in enumerate(self.state(table).seats, 1) if seat is not None}

    def until(self, what: Callable[[], bool]) -> None:
        """Waits for what a browser has asked for without showing when it is done."""
        limit = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < limit, "it did not happen"
            time.sleep(0.02)

    def pause(self, table: str, reason: str) -> None:
        answer = self.run(self.doors.application.supervision.pause(self.eva, table, reason, key()))
        assert not answer.refused, answer

    def resume(self, table: str) -> None:
        answer = self.run(self.doors.application.supervision.resume(self.eva, table, key()))
        assert not answer.refused, answer

    def void(self, table: str, reason: str) -> None:
        application, eva = self.doors.application, self.eva
        word = self.call(lambda: application.supervision.prepare_void(eva, table, reason))
        assert not isinstance(word, Refusal), word
        answer = self.run(application.supervision.void(eva, table, reason, key(), word.token))
        assert not answer.refused, answer

    def system(self, table: str, command: Command) -> None:
        """What the house itself asks of a table."""
        answer = self.run(self.doors.application.host.ask(Request(table, command, key())))
        assert not answer.refused, answer

    def drop(self, player: PlayerId) -> None:
        """The lines of a player break, as they do in a tunnel."""

        def cut() -> None:
            for channel in self.doors.hub.connections.get(player, []):
                self.doors.find_protocol(channel).transport.abort()

        self.call(cut)

    @property
    def eva(self) -> PlayerId:
        """The supervisor."""
        self._eva = self._eva or self.run(self.doors.supervisor())
        return self._eva


@contextmanager
def open_live_house(folder: Path, pages: Path, **more: Any) -> Iterator[LiveHouse]:
    """A house with these pages, served until the end of the block."""
    ready, over, found = threading.Event(), asyncio.Event(), list[Any]()
    variants = {id: load("ventuno", {"game.id": id, **QUICK, **changes}) for id, changes in VARIANTS.items()}
    games = more.pop("games", None) or {"ventuno": load("ventuno", QUICK), **variants}

    async def serve() -> None:
        clock = JumpingClock(NOON)
        try:
            settings = {"pages": pages, "rates": RATES}
            wishes = {"bounds": PATIENT, "settings": settings, **more}
            async with opened(folder, tables={}, clock=clock, games=games, **wishes) as doors:
                found.append(LiveHouse(doors, clock, asyncio.get_running_loop()))
                ready.set()
                await over.wait()
        except BaseException as fault:
            found.append(fault)
            ready.set()
            raise

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="live-house", daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    house = found[0]
    if not isinstance(house, LiveHouse):
        raise house
    try:
        yield house
    finally:
        house._loop.call_soon_threadsafe(over.set)
        thread.join(PATIENCE)
