"""Fetches rounds of a public beacon over HTTP, in threads of their own: the house goes on while it waits.

What comes back is believed only where its signature holds. A beacon that is late, silent or wrong delays a shoe by its
deadline and no more, and is then missing.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from itertools import cycle
from typing import Any
from urllib.error import HTTPError

from ventuno.house.shoes.beacon import QUICKNET, SIGNATURE, BeaconChain, BeaconRound
from ventuno.house.shoes.document_fields import read_hex
from ventuno.house.store.canonical_json import Unreadable
from ventuno.house.store.clock import HouseTime

DEADLINE_SECONDS = 10
"""How long a round is waited for after it is due."""
CALL_SECONDS = 3
RETRY_MILLISECONDS = 500
ANSWER_MOST = 4096
_log = logging.getLogger(__name__)

Call = Callable[[str], bytes]
"""The body at an address; OSError or ValueError where there is none."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """A beacon answers where it was asked, or not at all."""


_opener = urllib.request.build_opener(_NoRedirect)


def call_address(address: str) -> bytes:
    try:
        with _opener.open(address, timeout=CALL_SECONDS) as answer:
            if answer.status != HTTPStatus.OK:
                raise OSError(f"{answer.status}")
            body: bytes = answer.read(ANSWER_MOST)
    except HTTPError as refused:
        refused.close()  # it holds the connection
        raise
    return body


class BeaconClient:
    """One chain, and the addresses at which its rounds are asked, one after the other."""

    def __init__(
        self,
        addresses: tuple[str, ...],
        chain: BeaconChain = QUICKNET,
        seconds: int = DEADLINE_SECONDS,
        call: Call = call_address,
    ) -> None:
        self.chain = chain
        self._addresses, self._seconds, self._call = addresses, seconds, call
        chain.is_signed(1, b"")  # says at once where the extra is missing

    def name_round(self, at: int) -> BeaconRound:
        """The first round that is due at this time, in milliseconds, or later."""
        return BeaconRound(self.chain.hash, self.chain.find_round_after(at))

    def compute_due(self, named: BeaconRound | None) -> int | None:
        return self.chain.compute_due(named.round) if named and named.chain == self.chain.hash else None

    async def fetch(self, named: BeaconRound, clock: HouseTime) -> bytes:
        """The signature of a round, once it is due; empty where none that holds comes in time."""
        if (due := self.compute_due(named)) is None:
            return b""
        await clock.until(due)
        asking = asyncio.create_task(self._ask_until_answered(named.round, clock))
        deadline = asyncio.create_task(clock.until(max(clock.now(), due) + self._seconds * 1000))
        try:
            await asyncio.wait((asking, deadline), return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else b""
        finally:
            asking.cancel()
            deadline.cancel()

    async def _ask_until_answered(self, number: int, clock: HouseTime) -> bytes:
        for address in cycle(self._addresses):
            if signature := await self._ask_in_thread(address, number):
                return signature
            await clock.until(clock.now() + RETRY_MILLISECONDS)
        return b""

    def _ask_in_thread(self, address: str, number: int) -> asyncio.Future[bytes]:
        """A thread for each call, which nothing waits for: an address that says nothing holds up no other work, and not
        the end of the house.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[bytes] = loop.create_future()

        def tell(signature: bytes) -> None:
            if not answer.done():
                answer.set_result(signature)

        def ask() -> None:
            signature = self._ask(address, number)
            with suppress(RuntimeError):  # the house has closed meanwhile
                loop.call_soon_threadsafe(tell, signature)

        threading.Thread(target=ask, name="ventuno-beacon", daemon=True).start()
        return answer

    def _ask(self, address: str, number: int) -> bytes:
        try:
            answer = json.loads(self._call(f"{address}/{self.chain.hash.hex()}/public/{number}"))
            signature = read_hex(answer["signature"], "signature", SIGNATURE)
        except (OSError, ValueError, KeyError, TypeError, Unreadable) as fault:
            _log.info("no beacon from %s: %s", address, type(fault).__name__)
            return b""
        if not self.chain.is_signed(number, signature):
            _log.warning("a beacon that does not hold from %s", address)
            return b""
        return signature
