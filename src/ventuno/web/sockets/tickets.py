"""Tickets for the socket: drawn over the authenticated session, good for it, once, for 30 seconds (ASVS 4.4)."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

from ventuno.core.messages.refusals import Refusal

LIFE = 30_000
REMEMBERED = 100_000


class TicketUnfit(Refusal):
    """Whatever is wrong with it: drawing another one is all there is to do."""


class Tickets:
    """Those that were drawn and not used, by their hash; the oldest is forgotten first."""

    def __init__(self, now: Callable[[], int], draw: Callable[[], str] = lambda: secrets.token_urlsafe(32)) -> None:
        self._now, self._draw = now, draw
        self._open: OrderedDict[bytes, tuple[str, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def issue(self, session: str) -> str:
        ticket, now = self._draw(), self._now()
        self._open[_key(ticket)] = session, now + LIFE
        while self._open and (len(self._open) > REMEMBERED or next(iter(self._open.values()))[1] <= now):
            self._open.popitem(last=False)
        return ticket

    def redeem(self, ticket: str, session: str) -> TicketUnfit | None:
        """Used up by the first who shows it, whether it was his or not."""
        owner, until = self._open.pop(_key(ticket), ("", 0))
        fits = owner != "" and owner == session and self._now() < until
        return None if fits else TicketUnfit()


def _key(ticket: str) -> bytes:
    return sha256(ticket.encode(errors="replace")).digest()
