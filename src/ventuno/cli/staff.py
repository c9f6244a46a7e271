"""`ventuno staff add NAME`: make a supervisor in a closed house; his second factor is shown once (H-8, ASVS 6.3).

`--role` gives another role of the staff instead (`house/accounts/rights.py`).
`ventuno staff remove NAME` takes the role away again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from dataclasses import asdict

from ventuno import words
from ventuno.cli import book_source
from ventuno.cli.book_source import format_address
from ventuno.cli.errors import ANSWER_IS_NO, REFUSED, Fault
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.passwords import Argon2
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.supervisors import AppointedSupervisor, SupervisorCommands
from ventuno.house.store.durability import BooksMissing, Unsafe, open_store
from ventuno.house.store.records import ChainBroken, Unreadable
from ventuno.house.store.store import HouseOpen, Store, StoreFailed

ADD, REMOVE = "add", "remove"
ROLES = ("supervisor", "support", "pit", "auditor", "dealer")
_CLOSED = (HouseOpen, Unsafe, ChainBroken, Unreadable, StoreFailed)
"""Why books that are ours stay closed."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.allow_abbrev = False  # half a word would name another house than was meant
    parser.add_argument("act", choices=(ADD, REMOVE), help="give a role of the staff, or take it away")
    parser.add_argument("name", metavar="NAME", help="an account; where nobody has the name it is opened")
    parser.add_argument(
        "--role", choices=ROLES, default=ROLES[0], help="what it may do is in docs/operations.md; a supervisor: all"
    )
    book_source.arguments(parser)
    parser.add_argument("--unsafe", action="store_true", help="also where a crash could lose play")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    try:
        named = {"database": given.database or None, "data": given.data or None}
        server_settings = book_source.read_settings(given.config, named)
        done = asyncio.run(
            _carry_out(
                server_settings.url, server_settings.house, given.act, given.name, Role(given.role), unsafe=given.unsafe
            )
        )
    except _CLOSED as fault:
        raise Fault(f"the house does not open: {fault}", ANSWER_IS_NO) from None
    if isinstance(done, Refusal):
        raise Fault(words.describe_refusal(done), REFUSED)
    if given.json:
        print(
            json.dumps(asdict(done) if isinstance(done, AppointedSupervisor) else {"player": done}, ensure_ascii=False)
        )
    else:
        print(_describe(done, given.name, given.role))
    return 0


async def _carry_out(
    url: str, house: str, act: str, name: str, role: Role, *, unsafe: bool
) -> AppointedSupervisor | str | Refusal:
    store = await _open_books(url, unsafe=unsafe)
    try:
        hiring = SupervisorCommands(store, Argon2(), os.urandom, lambda: time.time_ns() // 1_000_000, house)
        await hiring.read()
        return await (hiring.appoint(name, role) if act == ADD else hiring.dismiss(name))
    finally:
        await store.close()


async def _open_books(url: str, *, unsafe: bool) -> Store:
    """The books; whatever lies there instead of them is said in one line, and by each library in its own way."""
    try:
        return await open_store(url, unsafe=unsafe, expected=True)
    except (*_CLOSED, ModuleNotFoundError):
        raise
    except BooksMissing as fault:
        raise Fault(f"{fault} and cannot be opened: name the house with --data or --database") from None
    except Exception as fault:
        system_reason = isinstance(fault, OSError) and fault.strerror
        reason = system_reason or f"{type(fault).__name__}: {fault}".partition("\n")[0]
        raise Fault(f"{format_address(url)}: cannot be opened: {reason}") from None


def _describe(done: AppointedSupervisor | str, name: str, role: str) -> str:
    if not isinstance(done, AppointedSupervisor):
        return f"{name} is no supervisor any more"
    called = "a supervisor" if role == ROLES[0] else f"of the staff, as {role}"
    rows = [f"{done.name} (account {done.player}) is {called}. What follows is shown this once."]
    rows += [f"password        {done.password}"] if done.password else []
    rows += [f"second factor   {done.secret}", f"                {done.address}", "recovery codes"]
    return "\n".join([*rows, *(f"                {code}" for code in done.recovery)])
