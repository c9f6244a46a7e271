"""Tokens: 256 random bits that stand for a session. The house keeps only their hash (ASVS 7.1…7.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.sessions import (
    ACTIVITY_INTERVAL,
    NoSuchSession,
    RealityAcknowledged,
    Session,
    SessionClosed,
    SessionOpened,
    SessionOver,
    SessionSeen,
)
from ventuno.house.store.audit_log import AuditLog, SessionEnded
from ventuno.house.store.records import Batch, Record, merge

SIZE = 32


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

    `enrol`: he is a supervisor without a second factor, and has to get one before anything else.
    """

    player: PlayerId
    session: str
    role: Role
    batch: Batch | None
    enrol: bool = False


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

    def open(self, player: PlayerId, address: str, agent: str, at: int) -> tuple[str, str, tuple[Record, ...]]:
        """A new token, always: none that was there before a login is used after it."""
        token = self._draw(SIZE).hex()
        hashed = hash_token(token)
        session = hashed[:16]
        records = self._accounts.write(player, at, [SessionOpened(session, hashed, address, agent[:200])])
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
