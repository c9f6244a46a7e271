"""The cards of a shoe that were seen in its earlier rounds: where a shoe goes on, they are known to be gone (X-03).

Counted from what was told of those rounds, so that no card is among them that was never turned (H-1). What was burnt or
stayed face down is as unknown as the rest of the shoe.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from ventuno.core.messages.events import ShoeLoaded, ShoeRetired
from ventuno.core.rules.cards import VALUES, card
from ventuno.core.rules.money import PlayerId
from ventuno.house.application import Application
from ventuno.house.history.round_steps import list_steps
from ventuno.house.store import codec
from ventuno.house.tables.live_table import LiveTable, TableOpened

KEPT = 256
"""Tables of which the count is kept; of another one it begins anew."""
EVERY_ROUND = "every-round"
HIDDEN_RECORDS = frozenset(kind.__name__ for kind in (ShoeLoaded, TableOpened))
"""Records that are not read: no card in them was shown."""


class Count(NamedTuple):
    """The values of the cards seen since the shuffle, up to a record."""

    upto: int = 0
    values: tuple[int, ...] = ()


class CardCounts:
    """Keeps the count of each table, so that of every round only its own records are read."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, Count] = OrderedDict()

    async def count_earlier(self, app: Application, live: LiveTable, viewer: PlayerId) -> tuple[int, ...]:
        """What was seen of this shoe before the round that is open now."""
        table = live.table
        if table.sheet.shoe.reshuffle == EVERY_ROUND or table.round is None:
            return ()
        count, last = self._counts.get(table.id, Count()), live.first - 1
        if count.upto > last:
            count = Count()
        values = [*count.values]
        for record in await app.history.read_table_records(live.stream, count.upto, last):
            if record.kind == ShoeRetired.__name__:
                values.clear()
            elif record.kind not in HIDDEN_RECORDS:
                event = codec.read_table_event(record.kind, record.body)
                shown = " ".join(step.cards for step in list_steps(event, record.seq, record.at, viewer))
                values += [VALUES[card(text)] for text in shown.split()]
        self._counts[table.id] = Count(max(last, count.upto), tuple(values))
        self._counts.move_to_end(table.id)
        while len(self._counts) > KEPT:
            self._counts.popitem(last=False)
        return self._counts[table.id].values
