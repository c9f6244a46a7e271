"""One table as its watchers see it: shown once for everybody, compared once, encoded once, sent to all (V-80, H-6).

The version counts what everybody could see change. What only one player may know goes to him alone and leaves it as it
is: nobody learns from a number that another has decided early, answered on insurance or moved a chip (H-4).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import NamedTuple, Protocol

import msgspec

from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.state import Table
from ventuno.core.views.private_view import PrivateView, build_empty_view, build_private_view
from ventuno.core.views.public_view import Person, PublicView, build_public_view
from ventuno.core.views.shared_parts import SharedParts
from ventuno.house.integrity.account_links import close_linked_boxes
from ventuno.house.protection.limit_check import Allowance
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.concession import Admission
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.sockets.changes import Change, diff
from ventuno.web.sockets.websocket_protocol import encode_frame

RING = 128
"""Steps that are kept for who comes back."""
MOST = 24 << 10
"""Bytes of steps that are sent to who comes back; where it would be more, the whole table is shorter."""
SHARED = ("phase", "pause", "closing", "limits", "seats", "forbids")
"""Parts of a table that every own view depends on."""
OF_PLAYERS = ("purses", "vip", "slips", "previous")
"""Parts that have an entry for each player; an own view depends on its player's."""
_encode = msgspec.json.Encoder().encode


class Watcher(Protocol):
    """Where frames go."""

    def send_frame(self, frame: bytes, /) -> object: ...


class OwnView(NamedTuple):
    """The view that a player was sent, what his own limits left him then, and the parts that the next one shares."""

    view: PrivateView
    allowance: Allowance | None
    shared: SharedParts


class Sources(Protocol):
    """What a broadcast asks of the house, and counts for it."""

    deliveries: int

    def now(self) -> int: ...

    def find_person(self, player: PlayerId, /) -> Person: ...

    def find_admission(self, player: PlayerId, table: str, /) -> Admission | None: ...

    def find_barred_boxes(self, player: PlayerId, live: LiveTable, /) -> tuple[int, ...]: ...

    def find_allowance(self, player: PlayerId, live: LiveTable, /) -> Allowance | None: ...


class TableBroadcast:
    """Fed by the house with each durable version; nothing else comes in here."""

    def __init__(self, live: LiveTable, house: Sources) -> None:
        self.name = live.table.id
        self.version = live.version
        self.live = live
        self.watchers: dict[PlayerId, Watcher] = {}
        self.ends: tuple[Callable[[], None], ...] = ()
        """End the feeding."""
        self._house, self._encoded_name = house, _encode(self.name)
        self._shared = SharedParts()
        self._public = self._build_public()
        self._encoded_public = b""
        self._own: dict[PlayerId, OwnView] = {}
        self._ring: deque[bytes] = deque(maxlen=RING)
        """The last public steps, each a message without its last brace."""

    def publish(self, news: TableCommitted) -> None:
        """A new version is durable: everybody is told what changed for him, and nothing else."""
        before, table, after = self.live.table, news.live.table, self.version
        concerned = find_viewers_concerned(before, table)
        self.live, changes = news.live, list[Change]()
        if not is_hidden(before, table):
            old, self._public = self._public, self._build_public()
            changes = diff(old, self._public)
        if changes:
            self.version, self._encoded_public = after + 1, b""
        step = self._encode_step(after, changes)
        if changes:
            self._ring.append(step)
        frame = encode_frame(step + b"}") if changes else b""
        for player, watcher in tuple(self.watchers.items()):
            own = self._update_own(player) if concerned is None or player in concerned else []
            if own or changes:
                self._house.deliveries += 1
                watcher.send_frame(encode_with_own(step, own) if own else frame)

    def add(self, player: PlayerId, watcher: Watcher, version: int | None) -> None:
        """Show the table to a new watcher: what he missed since a version, or all of it."""
        self.watchers[player] = watcher
        self._update_own(player)
        own = self._own[player].view if player in self._own else build_empty_view(player)
        missed = self._find_missed(version)
        if missed is None:
            self._send(watcher, encode_with_own(self._encode_table(), own))
            return
        *first, last = missed or [self._encode_step(self.version, [])]
        frames = [encode_frame(step + b"}") for step in first]
        self._send(watcher, b"".join((*frames, encode_with_own(last, [((), own)]))))

    def remove(self, player: PlayerId, watcher: Watcher) -> None:
        if self.watchers.get(player) is watcher:
            del self.watchers[player]
            self._own.pop(player, None)

    def send_to_all(self, payload: bytes) -> None:
        """A message that is equal for all who watch."""
        frame = encode_frame(payload)
        for watcher in tuple(self.watchers.values()):
            self._send(watcher, frame)

    def is_stale(self, player: PlayerId) -> bool:
        """Whether his own limits leave him something else than when his view was sent, here or at another table."""
        own = self._own.get(player)
        return own is not None and own.allowance != self._house.find_allowance(player, self.live)

    def refresh(self, player: PlayerId) -> None:
        """Tell a player, and nobody else, what his own limits have changed of his options (X-19)."""
        watcher = self.watchers.get(player)
        if watcher and (changes := self._update_own(player)):
            self._send(watcher, encode_with_own(self._encode_step(self.version, []), changes))

    def _send(self, watcher: Watcher, frame: bytes) -> None:
        self._house.deliveries += 1
        watcher.send_frame(frame)

    def _build_public(self) -> PublicView:
        live = self.live
        return build_public_view(live.table, self._house.find_person, practice=live.practice, shared=self._shared)

    def _update_own(self, player: PlayerId) -> list[Change]:
        """Build a player's own view; what changed of it. Nothing is computed for who has brought no money here."""
        table = self.live.table
        if player not in table.purses:
            return []
        old, _, shared = self._own.get(player) or OwnView(build_empty_view(player), None, SharedParts())
        admission = self._house.find_admission(player, self.name)
        allowance = self._house.find_allowance(player, self.live)
        ids = (admission.session, admission.participation) if admission else ("", "")
        restrict = partial(self._restrict, player, allowance)
        view = build_private_view(table, player, *ids, restrict=restrict, shared=shared)
        self._own[player] = OwnView(view, allowance, shared)
        return diff(old, view)

    def _restrict(self, player: PlayerId, allowance: Allowance | None, options: legal.Options) -> legal.Options:
        """What the rules leave open, without what accounts that are linked and his own limits refuse (H-5, R-36)."""
        table = self.live.table
        if not options.closed and (barred := self._house.find_barred_boxes(player, self.live)):
            options = close_linked_boxes(options, table, player, barred)
        return allowance.restrict(options, table.sheet.stakes.unit) if allowance else options

    def _find_missed(self, version: int | None) -> list[bytes] | None:
        """The steps after a version; None where they are no longer known or are more than the table itself."""
        count = -1 if version is None else self.version - version
        if not 0 <= count <= len(self._ring):
            return None
        missed = [*self._ring][len(self._ring) - count :]
        return missed if sum(map(len, missed)) <= MOST else None

    def _encode_table(self) -> bytes:
        """The whole table but for the viewer's own part; encoded once for each version."""
        if not self._encoded_public:
            self._encoded_public = _encode(self._public)
        start = b'{"type":"table","table":%b,"version":%d,"now":%d,"public":%b'
        return start % (self._encoded_name, self.version, self._house.now(), self._encoded_public)

    def _encode_step(self, after: int, changes: list[Change]) -> bytes:
        start = b'{"type":"step","table":%b,"after":%d,"version":%d,"now":%d,"public":%b'
        return start % (self._encoded_name, after, self.version, self._house.now(), _encode(changes))


def encode_with_own(message: bytes, own: object) -> bytes:
    """A message without its last brace, with what only its receiver sees."""
    return encode_frame(b'%b,"mine":%b}' % (message, _encode(own)))


def find_viewers_concerned(before: Table, table: Table) -> set[PlayerId] | None:
    """The players whose own view can have changed; None where it can be anybody. For the rest nothing is computed.

    What is shown of a box and of the turn concerns its owner and who bets behind it; the clock concerns who may lose
    his seat by it.
    """
    read_shared, read_entries = attrgetter(*SHARED), attrgetter(*OF_PLAYERS)
    if read_shared(before) != read_shared(table):
        return None
    players: set[PlayerId] = set()
    for old, new in zip(read_entries(before), read_entries(table), strict=True):
        if old is not new:
            players.update([player for player, entry in new.items() if old.get(player) != entry])
            players.update([player for player in old if player not in new])
    if table.deadline != before.deadline:
        players |= {seat.player for seat in table.seats if seat and seat.idle}
    play, was = table.round, before.round
    if play is was:
        return players
    if play is None or was is None or len(play.boxes) != len(was.boxes) or was._replace(boxes=play.boxes) != play:
        return None
    for box, earlier in zip(play.boxes, was.boxes, strict=True):
        if box is not earlier:
            players |= {box.player, earlier.player, *[bettor.player for bettor in (*box.behind, *earlier.behind)]}
    return players | {turn[0].player for turn in (legal.turn(was), legal.turn(play)) if turn}


def is_hidden(before: Table, table: Table) -> bool:
    """Whether only unfinished bets were moved: nobody else sees any of it (V-37)."""
    if table._replace(slips=before.slips, purses=before.purses) != before:
        return False
    old, new = ([item for item in state.slips.items() if item[1].final] for state in (before, table))
    return old == new
