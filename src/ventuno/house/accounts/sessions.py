"""Sessions: how long somebody is known after logging in, and how long he has been sitting here (ASVS 7, R-37, R-43).

A session ends after 30 minutes without activity and 12 hours in all. What protects the player counts from the start of
his sitting: logging out and in again, or a second device, begins no new one before a break. A token, 256 random bits,
stands for a session; the house keeps only its hash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.players import Role
from ventuno.house.store.audit_log import AuditLog, SessionEnded
from ventuno.house.store.records import Batch, Record, merge

if TYPE_CHECKING:
    from ventuno.house.accounts.accounts import Accounts

TOKEN_SIZE = 32
IDLE_LIMIT = 30 * MINUTE
TOTAL_LIMIT = 12 * 60 * MINUTE
BREAK = 30 * MINUTE
"""Away for so long, and the next session begins a new sitting."""
ACTIVITY_INTERVAL = 5 * MINUTE
"""Activity is written down once in so long: after a crash a session seems idle for that much longer, never shorter."""


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """`token` is the hash of what the browser holds; `access` names the access token that acts in it, if any."""

    id: str
    token: str
    address: str
    agent: str
    access: str = ""


@dataclass(frozen=True, slots=True)
class SessionSeen:
    id: str


@dataclass(frozen=True, slots=True)
class SessionClosed:
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RealityAcknowledged:
    """The player has read the reality check and goes on (R-37)."""

    minutes: int
    net: Cents


SessionEvent: TypeAlias = SessionOpened | SessionSeen | SessionClosed | RealityAcknowledged


class SessionOver(Refusal):
    """Log in again; why, where it is known."""

    reason: str
    hours: int = TOTAL_LIMIT // (60 * MINUTE)
    minutes: int = IDLE_LIMIT // MINUTE


class NoSuchSession(Refusal):
    id: str


class Session(NamedTuple):
    id: str
    token: str
    address: str
    agent: str
    opened: int
    seen: int
    access: str = ""

    def get_end_reason(self, at: int, seen: int = 0) -> str:
        """Why it has run out by now; empty while it has not. `seen` is activity that is not written down yet."""
        if at >= self.opened + TOTAL_LIMIT:
            return "session-too-long"
        return "no-activity" if at >= max(self.seen, seen) + IDLE_LIMIT else ""

    @property
    def end(self) -> int:
        return min(self.seen + IDLE_LIMIT, self.opened + TOTAL_LIMIT)


_NONE: Mapping[str, Session] = MappingProxyType({})


class Sessions(NamedTuple):
    """The sessions of one player. `last_login` is the one before the present one: it is shown (R-44)."""

    by_id: Mapping[str, Session] = _NONE
    sitting: int = 0
    left: int = 0
    login: int = 0
    last_login: int = 0
    acknowledged: int = 0

    def list_live(self, at: int) -> list[Session]:
        """Newest first."""
        return sorted(
            (session for session in self.by_id.values() if not session.get_end_reason(at)),
            key=lambda session: -session.opened,
        )

    def reality_since(self) -> int:
        return max(self.sitting, self.acknowledged)


class SessionClock(NamedTuple):
    """What is always visible: how long, how much, and when the next reality check comes (R-37)."""

    started: int
    minutes: int
    net: Cents
    next_check: int


def make_clock(sessions: Sessions, net: Cents, reality_minutes: int, at: int) -> SessionClock:
    due = sessions.reality_since() + reality_minutes * MINUTE
    return SessionClock(sessions.sitting, (at - sessions.sitting) // MINUTE, net, due)


def evolve(sessions: Sessions, event: SessionEvent, at: int) -> Sessions:
    match event:
        case SessionOpened(id, token, address, agent, access):
            running = {session.id: session for session in sessions.list_live(at)}
            away = at - max(
                [sessions.left, *(session.end for session in sessions.by_id.values() if session.get_end_reason(at))]
            )
            sitting = sessions.sitting if running or (sessions.sitting and away < BREAK) else at
            by_id = {**running, id: Session(id, token, address, agent, at, at, access)}
            return sessions._replace(by_id=by_id, sitting=sitting, login=at, last_login=sessions.login)
        case SessionSeen(id):
            session = sessions.by_id.get(id)
            return (
                sessions
                if session is None
                else sessions._replace(by_id={**sessions.by_id, id: session._replace(seen=at)})
            )
        case SessionClosed(id):
            closed = sessions.by_id.get(id)
            by_id = {key: session for key, session in sessions.by_id.items() if key != id}
            left = max(sessions.left, min(at, closed.end)) if closed else sessions.left
            return sessions._replace(by_id=by_id, left=left)
        case RealityAcknowledged():
            return sessions._replace(acknowledged=at)
        case _:
            assert_never(event)


@dataclass(frozen=True, slots=True)
class Entered:
    """Somebody is in: the token goes to his browser alone, once the batch is durable."""

    player: PlayerId
    token: str
    session: str
    last_login: int
    batch: Batch


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a token speaks for, in the role that is in force; a batch where his activity is to be written down.

    `enrol`: he is a supervisor without a second factor, and has to get one before anything else. `access` is the access
    token by which he comes; empty for who has logged in.
    """

    player: PlayerId
    session: str
    role: Role
    batch: Batch | None
    enrol: bool = False
    access: str = ""


class Tokens:
    """Sessions by the hash of their token."""

    def __init__(self, accounts: Accounts, audit: AuditLog, draw: Callable[[int], bytes]) -> None:
        self._accounts, self._audit, self._draw = accounts, audit, draw
        self._holders: dict[str, tuple[PlayerId, str]] = {}
        self._seen: dict[str, int] = {}
        self.changes = 0
        """Counts sessions that were opened or closed."""
        for player in list(accounts):
            for session in accounts[player].sessions.by_id.values():
                self._holders[session.token] = player, session.id

    def open(
        self, player: PlayerId, address: str, agent: str, at: int, access: str = ""
    ) -> tuple[str, str, tuple[Record, ...]]:
        """A new token, always: none that was there before a login is used after it."""
        token = self._draw(TOKEN_SIZE).hex()
        hashed = hash_token(token)
        session = hashed[:16]
        records = self._accounts.write(player, at, [SessionOpened(session, hashed, address, agent[:200], access)])
        self._holders[hashed] = player, session
        self.changes += 1
        return token, session, records

    def identify(self, token: str, at: int) -> Identity | SessionOver:
        """Whom the token speaks for now; asking counts as activity."""
        player, id = self._holders.get(hash_token(token), ("", ""))
        outcome = self.note_activity(player, id, at)
        if isinstance(outcome, SessionOver):
            return outcome
        player_record = self._accounts[player].player
        return Identity(player, id, player_record.effective_role, outcome, player_record.needs_second_factor)

    def note_activity(self, player: PlayerId, id: str, at: int) -> Batch | SessionOver | None:
        """Something is done in a session, unless it is over; a batch where that is to be written down."""
        session = self._get_written(player, id)
        if session is None:
            return SessionOver("logged-out")
        if reason := session.get_end_reason(at, self._seen.get(id, 0)):
            return SessionOver(reason)
        self._seen[id] = at
        if at - session.seen < ACTIVITY_INTERVAL:
            return None
        return Batch(records=self._accounts.write(player, at, [SessionSeen(id)]))

    def get_end_reason(self, player: PlayerId, id: str, at: int) -> str:
        """Why a session is over by now; empty while it is not. Looking is no activity."""
        session = self._get_written(player, id)
        return session.get_end_reason(at, self._seen.get(id, 0)) if session else "logged-out"

    def get_expiry(self, player: PlayerId, id: str) -> int:
        """When a session runs out, if nothing more is done in it: 0 where it is not known."""
        session = self._find_session(player, id)
        return session.end if session else 0

    def list_sessions(self, player: PlayerId, at: int) -> list[Session]:
        """A player's own running sessions, newest first."""
        sessions = [
            self._find_session(player, session.id) for session in self._accounts[player].sessions.by_id.values()
        ]
        return sorted(
            (session for session in sessions if session and not session.get_end_reason(at)),
            key=lambda session: (-session.opened, session.id),
        )

    def close(self, player: PlayerId, id: str, at: int, reason: str = "logout") -> Batch | NoSuchSession:
        session = self._find_session(player, id)
        if session is None:
            return NoSuchSession(id)
        self._holders.pop(session.token, None)
        self.changes += 1
        self._seen.pop(id, None)
        records = self._accounts.write(player, at, [SessionClosed(id, reason)])
        return Batch(records=(*records, *self._audit.write(at, SessionEnded(player, id, reason))))

    def close_all(self, player: PlayerId, at: int, reason: str, keep: str = "") -> Batch:
        """Log out everywhere; `keep` is the session that asks."""
        batches = [
            self.close(player, id, at, reason) for id in list(self._accounts[player].sessions.by_id) if id != keep
        ]
        return merge(*(batch for batch in batches if isinstance(batch, Batch)))

    def sweep(self, at: int) -> Batch:
        """End what has run out, so that it shows in the log."""
        batches = [
            self.close(player, id, at, reason)
            for player, id in list(self._holders.values())
            if (reason := self.get_end_reason(player, id, at))
        ]
        return merge(*(batch for batch in batches if isinstance(batch, Batch)))

    def acknowledge(self, player: PlayerId, net: int, at: int) -> Batch:
        """The reality check was read (R-37)."""
        minutes = (at - self._accounts[player].sessions.sitting) // MINUTE
        return Batch(records=self._accounts.write(player, at, [RealityAcknowledged(minutes, net)]))

    def _find_session(self, player: PlayerId, id: str) -> Session | None:
        """The session with its activity up to now, not only as last written."""
        session = self._get_written(player, id)
        return session and session._replace(seen=max(session.seen, self._seen.get(id, 0)))

    def _get_written(self, player: PlayerId, id: str) -> Session | None:
        account = self._accounts.get(player)
        return account.sessions.by_id.get(id) if account else None


def hash_token(token: str) -> str:
    return sha256(token.encode(errors="replace")).hexdigest()
