"""What must be true of the books of several owners, read at one moment, and of all that they acknowledged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import asyncpg
import msgspec

from tests.support.pit_cluster.players import PitPlayer
from ventuno.house.pits.transfers import TransferArrived, TransferEnded, TransferSent, read_transfer_event
from ventuno.house.store.records import ChainBroken, Record, check_chain
from ventuno.house.tables.authority import Answer


async def find_faults(url: str, players: Iterable[PitPlayer] = ()) -> list[str]:
    """Everything that is wrong; of what was acknowledged, all that was before the moment of reading."""
    acknowledged = {key: answer for player in players for key, answer in player.acknowledged.items()}
    session = await asyncpg.connect(url)
    try:
        async with session.transaction(isolation="repeatable_read", readonly=True):
            return [fault async for fault in _find(session, acknowledged)]
    finally:
        await session.close()


async def count_open(url: str) -> int:
    """Transfers that have not ended."""
    session = await asyncpg.connect(url)
    try:
        rows = await session.fetch("SELECT kind, count(*) FROM log WHERE stream LIKE 'pit:%' GROUP BY kind")
    finally:
        await session.close()
    counts = dict(map(tuple, rows))
    return int(counts.get("TransferSent", 0) - counts.get("TransferEnded", 0))


async def _find(session: Any, acknowledged: dict[str, Answer]) -> Any:
    balances = dict(map(tuple, await session.fetch("SELECT account, balance FROM accounts")))
    posted = dict(map(tuple, await session.fetch("SELECT account, sum(amount)::bigint FROM postings GROUP BY 1")))
    if sum(balances.values()):
        yield f"I-1: all accounts sum to {sum(balances.values())}"
    if balances != posted:
        yield "I-5: balances are not the sums of their postings"
    for account, amount in balances.items():
        if amount < 0 and account.startswith("player:"):
            yield f"I-2: {account} holds {amount}"
    rows = [Record(*row) for row in await session.fetch("SELECT * FROM log ORDER BY stream, seq")]
    heads = {row[0]: tuple(row[1:]) for row in await session.fetch("SELECT stream, seq, hash FROM heads")}
    entered = {row[0] for row in await session.fetch("SELECT stream FROM streams")}
    for stream, records in groupby(rows, lambda record: record.stream):
        try:
            if check_chain(list(records)) != heads[stream]:
                yield f"G-11: {stream} does not end at its head"
        except ChainBroken as fault:
            yield f"G-11: {fault}"
        if stream not in entered:
            yield f"{stream} is found in no pit"
    for wrong in find_wrong_transfers([row for row in rows if row.stream.startswith("pit:")], balances):
        yield wrong
    keys = {row[0]: row[1] for row in await session.fetch("SELECT key, answer FROM keys")}
    for key, answer in acknowledged.items():
        if key not in keys:
            yield f"I-7: {key} was acknowledged and is not in the books"
        elif msgspec.json.decode(keys[key], type=Answer) != answer:
            yield f"I-4: {key} was answered {answer}, and the books say otherwise"


def find_wrong_transfers(rows: list[Record], balances: dict[str, int]) -> list[str]:
    """Every transfer is sent once, arrives once, ends once as it arrived; what has done neither is moving."""
    sent, ended = dict[str, TransferSent](), dict[str, bool]()
    arrived, faults, moving = dict[str, bool](), list[str](), defaultdict[str, int](int)
    times: Counter[tuple[str, str]] = Counter()
    for row in rows:
        event = read_transfer_event(row.kind, row.body)
        match event:
            case TransferSent(transfer):
                key, sent[transfer.key] = transfer.key, event
            case TransferArrived(key, _, _, accepted):
                arrived[key] = accepted
            case TransferEnded(key, accepted):
                ended[key] = accepted
        times[row.kind, key] += 1
    faults += [f"T-1: {key} has {number} of {kind}" for (kind, key), number in times.items() if number > 1]
    faults += [f"T-1: {key} arrived and was never sent" for key in arrived.keys() - sent.keys()]
    faults += [f"T-1: {key} ended otherwise than it arrived" for key in ended if arrived.get(key) != ended[key]]
    for key, event in sent.items():
        if not arrived.get(key) and key not in ended:
            moving[f"player:{event.transfer.player}:moving"] += event.transfer.amount
    stored = {account: amount for account, amount in balances.items() if account.endswith(":moving") and amount}
    if stored != dict(moving):
        faults.append(f"T-1: {stored} are moving, open transfers say {dict(moving)}")
    return faults
