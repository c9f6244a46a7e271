"""Sessions: how long somebody is known after logging in, and how long he has been sitting here (ASVS 7, R-37, R-43).

A session ends after 30 minutes without activity and 12 hours in all. What protects the player counts from the start of
his sitting: logging out and in again, or a second device, begins no new one before a break.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents
from ventuno.house.accounts.player_limits import MINUTE

IDLE_LIMIT = 30 * MINUTE
TOTAL_LIMIT = 12 * 60 * MINUTE
BREAK = 30 * MINUTE
"""Away for so long, and the next session begins a new sitting."""
ACTIVITY_INTERVAL = 5 * MINUTE
"""Activity is written down once in so long: after a crash a session seems idle for that much longer, never shorter."""


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """`token` is the hash of what the browser holds."""

    id: str
    token: str
    address: str
    agent: str


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


@dataclass(frozen=True, slots=True)
class SessionOver(Refusal):
    """Log in again; why, where it is known."""

    reason: str
    hours: int = TOTAL_LIMIT // (60 * MINUTE)
    minutes: int = IDLE_LIMIT // MINUTE


@dataclass(frozen=True, slots=True)
class NoSuchSession(Refusal):
    id: str


class Session(NamedTuple):
    id: str
    token: str
    address: str
    agent: str
    opened: int
    seen: int

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
        case SessionOpened(id, token, address, agent):
            running = {session.id: session for session in sessions.list_live(at)}
            away = at - max(
                [sessions.left, *(session.end for session in sessions.by_id.values() if session.get_end_reason(at))]
            )
            sitting = sessions.sitting if running or (sessions.sitting and away < BREAK) else at
            by_id = {**running, id: Session(id, token, address, agent, at, at)}
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
