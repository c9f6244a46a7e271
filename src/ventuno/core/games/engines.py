"""Which engine plays a sheet: its family says so."""

from __future__ import annotations

from typing import Any, Protocol, cast

from ventuno.core.games import blackjack, duel
from ventuno.core.games.settlement import Result
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card
from ventuno.core.rules.sheet import BLACKJACK, DUEL, Sheet
from ventuno.core.table.round import Action, Box, CardPlace, Line, Origin, Round
from ventuno.core.table.state import Table


class Engine(Protocol):
    """What a family of games must answer; both engines are plain modules."""

    def hidden_at_deal(self, cards: tuple[Card, ...], boxes: int, /) -> tuple[Card, ...]: ...

    def apply_deal(self, sheet: Sheet, play: Round, event: Any, hidden: tuple[Card, ...], /) -> Round: ...

    def list_deal_places(self, play: Round, /) -> tuple[CardPlace, ...]: ...

    def list_awaited_places(self, play: Round, /) -> tuple[CardPlace, ...]: ...

    def step(self, table: Table, play: Round, /) -> Event | None: ...

    def act(self, table: Table, box: Box, index: int, action: Action, origin: Origin, /) -> list[Event] | Refusal: ...

    def timeout(self, table: Table, box: Box, index: int, /) -> Action: ...

    def substitute(self, table: Table, box: Box, index: int, action: Action, /) -> Action: ...

    def evolve(self, sheet: Sheet, play: Round, event: Event, /) -> Round: ...

    def settle(self, table: Table, play: Round, /) -> tuple[Line, ...]: ...

    def result(self, sheet: Sheet, play: Round, box: Box, index: int, /) -> Result: ...


_ENGINES: dict[str, Engine] = {BLACKJACK: cast(Engine, blackjack), DUEL: cast(Engine, duel)}


def engine(sheet: Sheet) -> Engine:
    return _ENGINES[sheet.game.family]
