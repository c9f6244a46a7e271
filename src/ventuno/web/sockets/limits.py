"""How much one socket may ask of the house, and the house of itself."""

from __future__ import annotations

from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal
from ventuno.web.sockets import lag


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """Limits of the sockets; each is counted at the door and costs the same whoever comes."""

    frame: int = 4 << 10
    """Bytes of one message."""
    rate: int = 20
    """Messages in a second, in the long run."""
    burst: int = 40
    """Messages at once."""
    faults: int = 10
    """Frames that are no message, before the socket is closed."""
    tables: int = 16
    """Tables on one socket."""
    per_session: int = 8
    """Sockets of one session; one more takes the place of the oldest."""
    sockets: int = 6_000
    waiting: int = 5_000
    """Asks that wait for the disk; beyond it new ones are refused."""
    late_joins: int = 500
    """Milliseconds that the house may be behind; beyond it nobody new is let to a table."""
    late_asks: int = 850
    """Milliseconds behind from which on new bets are refused too; decisions in open rounds a little later."""
    opening: int = 10_000
    """Milliseconds after the house opens in which whoever joins waits for it to catch up, instead of being refused."""
    credit: int = lag.CAP
    """Milliseconds of measured lag that are credited at most (X-15)."""


class HouseBusy(Refusal):
    """G-24: nothing was done and nothing is lost; ask again."""

    waiting: int
    late: int


class TableOpening(Refusal):
    """This socket has asked for the table and could not be shown it yet; ask for it again after so long (V-88)."""

    table: str
    milliseconds: int = 1_000


class NotJoined(Refusal):
    """V-88: what a socket asks of a table it asks as the one that watches it."""

    table: str


class TooManyTables(Refusal):
    most: int
