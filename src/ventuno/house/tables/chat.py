"""Chat at a table: filtered before it is sent, muted by a supervisor with reason and duration, recorded (V-62, V-63).

Messages are text and nothing else; whoever shows them shows text (ASVS 1.2). The stream is `chat:TABLE`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import text_rules
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.store.audit_log import AuditLog, ChatMuted
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch, Journal, Record, make_reader

MAX_LENGTH = 200
RATE, WINDOW = 5, 10_000
"""So many messages in so many milliseconds."""
MUTES = (1, 30 * 24 * 60)
"""Minutes that a mute lasts, at least and at most."""


@dataclass(frozen=True, slots=True)
class MessageSent:
    player: PlayerId
    text: str


@dataclass(frozen=True, slots=True)
class PlayerMuted:
    player: PlayerId
    by: PlayerId
    reason: str
    until: int


@dataclass(frozen=True, slots=True)
class PlayerUnmuted:
    player: PlayerId
    by: PlayerId


ChatEvent: TypeAlias = MessageSent | PlayerMuted | PlayerUnmuted
read: Callable[[str, bytes], ChatEvent] = make_reader(get_args(ChatEvent))


class MessageUnfit(Refusal):
    most: int
    reason: str
    sign: str = ""
    count: int = 0


class Improper(Refusal):
    """Which word it was is not told: the list is no game."""


class TooFast(Refusal):
    most: int
    seconds: int
    wait: int


class Muted(Refusal):
    until: int
    reason: str


class MuteUnfit(Refusal):
    least: int
    most: int
    asked: int


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message as everybody at the table sees it, once the batch is durable."""

    table: str
    player: PlayerId
    text: str
    at: int
    batch: Batch


class Chat:
    """The chat of all tables; a mute holds at every one of them."""

    def __init__(self, journal: Journal, audit: AuditLog, improper: Iterable[str] = text_rules.IMPROPER) -> None:
        self._journal, self._audit = journal, audit
        self._improper = text_rules.make_skeletons(improper)
        self._mutes: dict[PlayerId, PlayerMuted] = {}
        self._recent: dict[PlayerId, deque[int]] = {}

    def say(self, table: str, player: PlayerId, text: str, at: int) -> ChatMessage | Refusal:
        """Mutes first, then form, then language, then pace: a refused message counts for nothing."""
        if mute := self.find_mute(player, at):
            return mute
        if sign := text_rules.find_hidden(text):
            return MessageUnfit(MAX_LENGTH, "hidden-sign", f"U+{ord(sign):04X}")
        clean = text_rules.normalize(text)
        if not 1 <= len(clean) <= MAX_LENGTH:
            return MessageUnfit(MAX_LENGTH, "wrong-length", count=len(clean))
        if text_rules.is_blank(clean):
            return MessageUnfit(MAX_LENGTH, "nothing-seen")
        if text_rules.is_improper(clean, self._improper):
            return Improper()
        recent = self._recent.setdefault(player, deque(maxlen=RATE))
        if len(recent) == RATE and at - recent[0] < WINDOW:
            return TooFast(RATE, WINDOW // 1000, recent[0] + WINDOW - at)
        recent.append(at)
        records = self._journal.write(f"chat:{table}", at, [MessageSent(player, clean)])
        return ChatMessage(table, player, clean, at, Batch(records=records))

    def find_mute(self, player: PlayerId, at: int) -> Muted | None:
        """Until when and why a player says nothing now."""
        event = self._mutes.get(player)
        return Muted(event.until, event.reason) if event and at < event.until else None

    def mute(self, table: str, player: PlayerId, by: PlayerId, reason: str, minutes: int, at: int) -> Batch | Refusal:
        """By a supervisor, with a reason, for a time (V-63, R-45)."""
        least, most = MUTES
        clean = text_rules.normalize(reason)[:MAX_LENGTH]
        if not least <= minutes <= most or not clean or text_rules.find_hidden(reason):
            return MuteUnfit(least, most, minutes)
        event = PlayerMuted(player, by, clean, at + minutes * MINUTE)
        self._mutes[player] = event
        noted = self._audit.write(at, ChatMuted(player, by, clean, event.until))
        return Batch(records=(*self._journal.write(f"chat:{table}", at, [event]), *noted))

    def unmute(self, table: str, player: PlayerId, by: PlayerId, at: int) -> Batch:
        self._mutes.pop(player, None)
        noted = self._audit.write(at, ChatMuted(player, by, "unmuted", at))
        return Batch(records=(*self._journal.write(f"chat:{table}", at, [PlayerUnmuted(player, by)]), *noted))

    def recover(self, streams: Iterable[Sequence[Record]]) -> None:
        """Mutes come back in the order in which they were spoken; the pace begins anew."""
        events: list[tuple[int, ChatEvent]] = []
        for records in streams:
            self._journal.resume(records)
            events += [
                (entry.at, read(entry.kind, entry.body)) for entry in records if entry.kind != MessageSent.__name__
            ]
        for _, event in sorted(events, key=lambda entry: entry[0]):
            if isinstance(event, PlayerMuted):
                self._mutes[event.player] = event
            elif isinstance(event, PlayerUnmuted):
                self._mutes.pop(event.player, None)


class ChatService:
    """The chat as the doors see it: to who may see the table, shown once it is durable."""

    def __init__(self, commits: Committer, chat: Chat, may_see: Callable[[str, PlayerId], Refusal | None]) -> None:
        self._commits, self._chat, self._may_see = commits, chat, may_see
        self._listeners: dict[str, list[Callable[[ChatMessage], None]]] = {}

    async def say(self, player: PlayerId, table: str, text: str) -> ChatMessage | Refusal:
        if refusal := self._may_see(table, player):
            return refusal
        message = self._chat.say(table, player, text, self._commits.now())
        if isinstance(message, Refusal):
            return message
        await self._commits.commit(message.batch)
        for listener in tuple(self._listeners.get(table, ())):
            listener(message)
        return message

    def listen(self, table: str, listener: Callable[[ChatMessage], None]) -> Callable[[], None]:
        """Each message once it is durable; the result ends it."""
        listeners = self._listeners.setdefault(table, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def find_mute(self, player: PlayerId) -> Muted | None:
        return self._chat.find_mute(player, self._commits.now())
