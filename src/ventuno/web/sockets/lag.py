"""The lag of one connection, as the house measures it: by its own pings and its own steady clock (X-15).

What a client claims has no part in it. Whoever delays his answers gains no more than the cap, and only on decisions.
"""

from __future__ import annotations

from collections.abc import Callable

QUIET = 20
"""Milliseconds to and fro that are no lag: the house itself may be that busy."""
CAP = 1_000
"""Milliseconds that are credited at most, where nothing else is set."""
LONGEST = 2 * CAP
"""A measure counts for no more than this: a device that slept is not a slow line."""
QUICK, CALM, ENOUGH = 1_000, 25_000, 3
"""Milliseconds between two pings, while fewer than so many have come back and afterwards."""
BEAT = "beat"
"""The answer to no ping: a client asks whether the line stands, and hears it by the ping it gets at once."""
FORGOTTEN = 60_000
"""A ping that has no answer by then is given up."""


class Lag:
    """The least of the first few measures, so that a house that held its breath is no slow line; then smoothed, a new
    measure counting a quarter.
    """

    __slots__ = ("_measured", "_number", "_open", "_sent", "_smooth", "_steady", "due")

    def __init__(self, steady: Callable[[], int]) -> None:
        self._steady = steady
        self._number = self._measured = self._sent = self._smooth = 0
        self._open = False
        self.due = 0
        """When it is time for another ping, by the steady clock; there is never more than one on its way."""

    @property
    def is_known(self) -> bool:
        return self._measured >= ENOUGH

    def ping(self) -> str:
        """What the next ping carries; the clock runs."""
        self._number += 1
        self._sent, self._open = self._steady(), True
        self.due = self._sent + FORGOTTEN
        return str(self._number)

    def pong(self, nonce: str) -> None:
        """The answer to the ping on its way; any other says nothing."""
        if not self._open or nonce != str(self._number):
            return
        self._open = False
        rtt = min(self._steady() - self._sent, LONGEST)
        if self.is_known:
            self._smooth += (rtt - self._smooth) // 4
        else:
            self._smooth = min(rtt, self._smooth) if self._measured else rtt
            self._measured += 1
        self.due = self._sent + (CALM if self.is_known else QUICK)

    def credit(self, cap: int = CAP) -> int:
        """Milliseconds after a deadline in which a decision counts as sent before it: the way there and back."""
        return min(self._smooth, cap) if self._smooth > QUIET else 0
