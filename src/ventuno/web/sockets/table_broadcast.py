"""One table as its watchers see it: shown once for everybody, compared once, encoded once, sent to all (V-80, H-6).

The version counts what everybody could see change. What only one player may know goes to him alone and leaves it as it
is: nobody learns from a number that another has decided early, answered on insurance or moved a chip (H-4).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.protection.limit_check import Allowance
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.sockets import table_view, viewers
from ventuno.web.sockets.changes import Change, diff
from ventuno.web.sockets.table_view import Named, Own, Tree
from ventuno.web.sockets.websocket_protocol import encode_frame

RING = 128
"""Steps that are kept for who comes back."""
MOST = 24 << 10
"""Bytes of steps that are sent to who comes back; where it would be more, the whole table is shorter."""
_encode = msgspec.json.Encoder().encode


class Watcher(Protocol):
    """Where frames go."""

    def send_frame(self, frame: bytes, /) -> None: ...


class Step(NamedTuple):
    """A public change: the version it follows, and its message without the last brace."""

    after: int
    payload: bytes


class Held(NamedTuple):
    """A player's own part, and what it depends on: the table, and what his own limits leave him."""

    concern: tuple[object, ...]
    allowance: Allowance | None
    own: Own

    @property
    def tree(self) -> Tree:
        return self.own.tree


class Sources(Protocol):
    """What a stage asks of the house, and counts for it."""

    deliveries: int

    def now(self) -> int: ...

    def find_person(self, player: PlayerId, /) -> Tree: ...

    def find_admission(self, player: PlayerId, table: str, /) -> Admission | None: ...

    def find_barred_boxes(self, player: PlayerId, live: LiveTable, /) -> tuple[int, ...]: ...

    def allowance(self, player: PlayerId, live: LiveTable, /) -> Allowance | None: ...


class TableBroadcast:
    """Fed by the house with each durable version; nothing else comes in here."""

    def __init__(self, live: LiveTable, house: Sources) -> None:
        self.name = live.table.id
        self.version = live.version
        self.watchers: dict[PlayerId, Watcher] = {}
        self.ends: tuple[Callable[[], None], ...] = ()
        """End the feeding."""
        self._house, self._room = house, live
        self._named: Named = house.find_person
        self._shown = table_view.shown(live, self._named)
        self._whole = b""
        self._own: dict[PlayerId, Held] = {}
        self._ring: deque[Step] = deque(maxlen=RING)
        self._name = _encode(self.name)

    @property
    def room(self) -> LiveTable:
        return self._room

    @property
    def _public(self) -> Tree:
        return self._shown.tree

    def publish(self, news: TableCommitted) -> None:
        """A new version is durable: everybody is told what changed for him, and nothing else."""
        table, before = news.live.table, self._room.table
        concerned = viewers.concerned(before, table)
        self._room = news.live
        made = [] if concerned is not None and viewers.is_hidden(before, table) else self._moved()
        after = self.version
        if made:
            self.version, self._whole = after + 1, b""
        payload = self._step(after, made)
        if made:
            self._ring.append(Step(after, payload))
        frame = encode_frame(payload + b"}") if made else b""
        for player, watcher in tuple(self.watchers.items()):
            own = self._changed(player) if concerned is None or player in concerned else []
            if own:
                self._house.deliveries += 1
                watcher.send_frame(encode_frame(b"".join((payload, b',"mine":', _encode(own), b"}"))))
            elif made:
                self._house.deliveries += 1
                watcher.send_frame(frame)

    def _moved(self) -> list[Change]:
        """What all see from now on, and what changed of it."""
        before, self._shown = self._shown, table_view.shown(self._room, self._named, self._shown)
        return diff(before.tree, self._shown.tree)

    def add(self, player: PlayerId, watcher: Watcher, version: int | None) -> None:
        """Show the table to a new watcher: what he missed since a version, or all of it."""
        self.watchers[player] = watcher
        self._house.deliveries += 1
        mine = _encode(self._mine(player))
        missed = self._missed(version)
        if missed is None:
            watcher.send_frame(encode_frame(b'%b,"mine":%b}' % (self._table(), mine)))
            return
        *first, last = missed or [self._step(self.version, [])]
        frames = [encode_frame(one + b"}") for one in first]
        frames.append(encode_frame(b'%b,"mine":[[[],%b]]}' % (last, mine)))
        watcher.send_frame(b"".join(frames))

    def remove(self, player: PlayerId, watcher: Watcher) -> None:
        if self.watchers.get(player) is watcher:
            del self.watchers[player]
            self._own.pop(player, None)

    def send_to_all(self, payload: bytes) -> None:
        """A message that is equal for all who watch."""
        frame = encode_frame(payload)
        self._house.deliveries += len(self.watchers)
        for watcher in tuple(self.watchers.values()):
            watcher.send_frame(frame)

    def _changed(self, player: PlayerId) -> list[Change]:
        """What changed of a player's own part; nothing is computed for who has none, or whose part is untouched."""
        before = self._own.get(player)
        table = self._room.table
        if before is None and player not in table.purses:
            return []
        admission = self._house.find_admission(player, self.name)
        barred = self._house.find_barred_boxes(player, self._room) if table.phase is Phase.BETTING else ()
        concern, allowance = (*viewers.concern(table, player), admission, barred), self._allowance(player)
        if before is not None and before.concern == concern and before.allowance == allowance:
            return []
        own = table_view.own(table, player, admission, before.own if before else None, barred, allowance)
        self._own[player] = Held(concern, allowance, own)
        return diff(before.own.tree if before else table_view.stranger(player), own.tree)

    def _allowance(self, player: PlayerId) -> Allowance | None:
        """Stakes are asked in betting and in a round, and nowhere else."""
        is_open = self._room.table.phase in (Phase.BETTING, Phase.ROUND)
        return self._house.allowance(player, self._room) if is_open else None

    def is_stale(self, player: PlayerId) -> bool:
        """Whether his own limits leave him something else than when his part was shown, here or at another table."""
        held = self._own.get(player)
        return held is not None and held.allowance != self._allowance(player)

    def refresh(self, player: PlayerId) -> None:
        """Tell a player, and nobody else, what his own limits have changed of his options (X-19)."""
        watcher = self.watchers.get(player)
        if watcher and (own := self._changed(player)):
            self._house.deliveries += 1
            watcher.send_frame(encode_frame(b'%b,"mine":%b}' % (self._step(self.version, []), _encode(own))))

    def _mine(self, player: PlayerId) -> Tree:
        self._changed(player)
        held = self._own.get(player)
        return held.tree if held else table_view.stranger(player)

    def _missed(self, version: int | None) -> list[bytes] | None:
        """The steps after a version; None where they are no longer known or are more than the table itself."""
        if version == self.version:
            return []
        found = [step.payload for step in self._ring if version is not None and step.after >= version]
        known = found and version is not None and self.version - len(found) == version
        return found if known and sum(map(len, found)) <= MOST else None

    def _table(self) -> bytes:
        """The whole table but for the viewer's own part; encoded once for each version."""
        if not self._whole:
            self._whole = _encode(self._public)
        start = b'{"type":"table","table":%b,"version":%d,"now":%d,"public":%b'
        return start % (self._name, self.version, self._house.now(), self._whole)

    def _step(self, after: int, made: list[Change]) -> bytes:
        start = b'{"type":"step","table":%b,"after":%d,"version":%d,"now":%d,"public":%b'
        return start % (self._name, after, self.version, self._house.now(), _encode(made))
