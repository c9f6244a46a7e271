"""The local issuer: stands in for the central system, gives ids of its own, and says so (R-30, V-75)."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256

from ventuno.core.rules.money import PlayerId
from ventuno.house.tables.concession import Unreachable

MAX_REPORTS = 1_000
"""Reports that are kept to be looked at; the house's own stream has them all."""


class LocalIssuer:
    """Ids follow from what is asked, so asking again gives the same; the last reports are kept by their number.

    `answers` turned off is a central system that cannot be reached.
    """

    label = "LOCAL"

    def __init__(self) -> None:
        self.answers = True
        self.received: OrderedDict[int, bytes] = OrderedDict()

    def session(self, table: str, game: str, at: int) -> str:
        self._check_reachable()
        return f"S{_digest(table, game, str(at))}"

    def participation(self, session: str, player: PlayerId, number: int, at: int) -> str:
        self._check_reachable()
        return f"P{_digest(session, player, str(number), str(at))}"

    def report(self, number: int, body: bytes) -> None:
        """A number counts once; the next one must follow the last. A house that starts again goes on where it was."""
        self._check_reachable()
        last = next(reversed(self.received), number - 1)
        if number <= last:
            return
        if number != last + 1:
            raise ValueError(f"report {number} comes after {last}: one is missing")
        self.received[number] = body
        if len(self.received) > MAX_REPORTS:
            self.received.popitem(last=False)

    def _check_reachable(self) -> None:
        if not self.answers:
            raise Unreachable("the central system does not answer")


def _digest(*parts: str) -> str:
    return sha256("\x00".join(parts).encode()).hexdigest()[:12].upper()
