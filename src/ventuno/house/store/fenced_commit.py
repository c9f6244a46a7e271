"""Commits on PostgreSQL where several machines decide: fence and rows in one call, leases by its clock (T-7).

A commit names its pits and the epochs under which it was decided. The function locks those rows of `pits` for sharing
and compares: who takes a pit meanwhile waits for the commit, or has made it stale, and there is nothing between. It is
one call, so a host that stands still holds no lock. Whoever locks several rows does so in the order of their numbers:
no two ever wait for each other. Every session brings its own functions: two versions of the program side by side never
share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import asyncpg

from ventuno.house.store import schema
from ventuno.house.store.postgres import ARRAYS
from ventuno.house.store.records import ERASED, Batch
from ventuno.house.store.store import StaleEpoch, WriteRequest, collect_erased, collect_rows

STALE, OVERDRAWN = "VT001", "VT002"
"""Error codes of the functions."""
TAKE_LOCK = 0x76656E70697473
"""The advisory lock under which a new owner reads the epochs of all pits."""
KEYS_OF_A_PIT = 1 << 40
"""Places of keys: every pit counts its own, from its number on."""
NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The database's clock, in milliseconds."""
FREED = ("text[]", "text[]", "text[]")
"""Names that a group gives up: kinds, names, owners."""
TAKEN_OUT = ("text[]", "bigint[]", "bytea")
"""Records whose bodies a group takes out: streams, numbers, and what stands in their place."""
_TABLES = (
    "log",
    "postings",
    "keys",
    "rounds",
    "shares",
    "names",
    "heads",
    "snapshots",
    "milestones",
    "streams",
    "accounts",
)


def first_place(pit: int) -> int:
    """The place before the first key of a pit; keys of a house of one process lie before those of all pits."""
    return (pit + 1) * KEYS_OF_A_PIT


def _list_columns(table: str) -> list[tuple[str, str]]:
    return [(column.name, ARRAYS[type(column.type)]) for column in schema.metadata.tables[table].columns]


_HEADER, _FREED, _TAKEN_OUT = "pits", "freed", "taken out"
"""Groups of arguments besides those named after their tables."""


def _make_commit() -> tuple[str, dict[str, list[tuple[str, str]]]]:
    """The function, and its arguments in groups, each with a name and a type: pits and epochs, names given up, every
    column of every table as an array, records whose bodies are taken out. Whatever is left out is empty.
    """
    kinds, sizes = ["bigint[]", "bigint[]", *FREED], {_HEADER: 2, _FREED: len(FREED)}
    statements = [
        "IF cardinality($3) > 0 THEN DELETE FROM names USING unnest($3, $4, $5) AS given (kind, name, owner) "
        "WHERE names.kind = given.kind AND names.name = given.name AND names.owner = given.owner; END IF;"
    ]
    for table in _TABLES:
        columns = _list_columns(table)
        arrays = ", ".join(f"${len(kinds) + place}" for place in range(1, len(columns) + 1))
        kinds += [kind for _, kind in columns]
        sizes[table] = len(columns)
        listed = ", ".join(f'"{name}"' for name, _ in columns)
        insert = f"INSERT INTO {table} ({listed}) SELECT * FROM unnest({arrays}) {schema.UPSERT_CLAUSES.get(table, '')}"
        if table == "accounts":
            insert = (
                f"WITH changed AS ({insert}) SELECT string_agg(account || ' is ' || balance, '; ') INTO overdrawn "
                "FROM changed WHERE balance < 0 AND account LIKE 'player:%'"
            )
        first = f"${len(kinds)}"
        statements.append(f"IF cardinality({first}) > 0 THEN {insert}; END IF;")
    streams, numbers, body = (f"${len(kinds) + place}" for place in (1, 2, 3))
    kinds += TAKEN_OUT
    sizes[_TAKEN_OUT] = len(TAKEN_OUT)
    statements.append(
        f"IF cardinality({streams}) > 0 THEN UPDATE log SET body = {body} "
        f"FROM unnest({streams}, {numbers}) AS given (stream, seq) "
        "WHERE log.stream = given.stream AND log.seq = given.seq; END IF;"
    )
    written = "\n".join(statements)
    named = [(f"given_{place}", kind) for place, kind in enumerate(kinds, 1)]
    declared = ", ".join(f"{name} {kind} DEFAULT '{{}}'" for name, kind in named)
    function = f"""
        CREATE OR REPLACE FUNCTION pg_temp.commit_rows({declared}) RETURNS void LANGUAGE plpgsql AS $body$
        DECLARE held bigint; overdrawn text;
        BEGIN
            PERFORM 1 FROM pits JOIN unnest($1, $2) AS given (pit, epoch) USING (pit, epoch)
                ORDER BY pits.pit FOR SHARE OF pits;
            GET DIAGNOSTICS held = ROW_COUNT;
            IF held <> cardinality($1) THEN
                RAISE EXCEPTION 'a pit has another owner' USING ERRCODE = '{STALE}';
            END IF;
            {written}
            IF overdrawn IS NOT NULL THEN RAISE EXCEPTION '%', overdrawn USING ERRCODE = '{OVERDRAWN}'; END IF;
        END $body$
    """
    each = iter(named)
    return function, {group: list(islice(each, size)) for group, size in sizes.items()}


_COMMIT, _ARGUMENTS = _make_commit()


@lru_cache(maxsize=64)
def _make_call(groups: tuple[str, ...]) -> str:
    """The call with these groups of arguments: most commits fill few tables, and every argument has its price."""
    named = [argument for group in groups for argument in _ARGUMENTS[group]]
    given = ", ".join(f"{name} => ${place}::{kind}" for place, (name, kind) in enumerate(named, 1))
    return f"SELECT pg_temp.commit_rows({given})"


_TAKE = f"""
    CREATE OR REPLACE FUNCTION pg_temp.take_pit(bigint, text, bigint) RETURNS TABLE (pit bigint, epoch bigint)
    LANGUAGE plpgsql AS $body$
    #variable_conflict use_column
    BEGIN
        INSERT INTO pits VALUES ($1, 1, $2, {NOW} + $3) ON CONFLICT (pit) DO UPDATE
            SET epoch = pits.epoch + 1, node = excluded.node, until = excluded.until
            WHERE pits.node IN ('', $2) OR pits.until <= {NOW};
        IF NOT FOUND THEN RETURN; END IF;
        PERFORM pg_advisory_xact_lock({TAKE_LOCK});
        RETURN QUERY SELECT pits.pit, pits.epoch FROM pits;
    END $body$
"""
_TAKE_MANY = f"""
    CREATE OR REPLACE FUNCTION pg_temp.take_pits(bigint[], text, bigint)
    RETURNS TABLE (pit bigint, epoch bigint, own bool) LANGUAGE plpgsql AS $body$
    #variable_conflict use_column
    DECLARE taken bigint[];
    BEGIN
        WITH written AS (
            INSERT INTO pits SELECT wanted, 1, $2, {NOW} + $3 FROM unnest($1) AS given (wanted) ORDER BY wanted
            ON CONFLICT (pit) DO UPDATE SET epoch = pits.epoch + 1, node = excluded.node, until = excluded.until
            WHERE pits.node IN ('', $2) OR pits.until <= {NOW} RETURNING pits.pit
        ) SELECT array_agg(written.pit) INTO taken FROM written;
        IF taken IS NULL THEN RETURN; END IF;
        PERFORM pg_advisory_xact_lock({TAKE_LOCK});
        RETURN QUERY SELECT pits.pit, pits.epoch, pits.pit = ANY (taken) FROM pits;
    END $body$
"""
_RENEW = f"""
    CREATE OR REPLACE FUNCTION pg_temp.renew_pits(text, bigint[], bigint[], bigint) RETURNS SETOF bigint
    LANGUAGE plpgsql AS $body$
    BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM 1 FROM pits WHERE pits.pit = ANY ($2) ORDER BY pits.pit FOR NO KEY UPDATE;
        RETURN QUERY UPDATE pits SET until = {NOW} + $4 FROM unnest($2, $3) AS given (pit, epoch)
            WHERE pits.pit = given.pit AND pits.epoch = given.epoch AND pits.node = $1 RETURNING pits.pit;
    END $body$
"""


def _list_by_column(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return list(map(list, zip(*rows, strict=True)))


async def prepare(connection: Any) -> None:
    """Give a session its functions."""
    for function in (_COMMIT, _TAKE, _TAKE_MANY, _RENEW):
        await connection.execute(function)


async def take_pit(connection: Any, pit: int, node: str, lease: int) -> dict[int, int] | None:
    """Become the owner of a pit, with a greater epoch; gives the epochs of all pits, or None where it is not free.

    It waits for commits that hold the row. The epochs are read under one lock, after the row is written: of two new
    owners at least the later one knows of the other.
    """
    rows = await connection.fetch("SELECT * FROM pg_temp.take_pit($1, $2, $3)", pit, node, lease)
    return dict(map(tuple, rows)) or None


class Taken(NamedTuple):
    """What a node took in one transaction, and the epochs of all units as they were then."""

    units: tuple[int, ...]
    epochs: dict[int, int]


async def take_pits(connection: Any, pits: Iterable[int], node: str, lease: int) -> Taken:
    """Become the owner of those of several pits that are free, as `take_pit` does of one; others stay as they are."""
    rows = await connection.fetch("SELECT * FROM pg_temp.take_pits($1, $2, $3)", sorted(pits), node, lease)
    return Taken(tuple(row[0] for row in rows if row[2]), {row[0]: row[1] for row in rows})


async def renew_pits(connection: Any, node: str, epochs: Mapping[int, int], lease: int) -> set[int]:
    """More time for these pits; gives those that are still this node's.

    Commits wait for the row meanwhile, so the renewal does not wait for the disk: one that is lost was none.
    """
    text = "SELECT * FROM pg_temp.renew_pits($1, $2, $3, $4)"
    return {row[0] for row in await connection.fetch(text, node, list(epochs), list(epochs.values()), lease)}


async def give_up_pit(connection: Any, pit: int, node: str, epoch: int) -> None:
    text = "UPDATE pits SET node = '', until = 0 WHERE pit = $1 AND node = $2 AND epoch = $3"
    await connection.execute(text, pit, node, epoch)


async def give_up_pits(connection: Any, node: str, epochs: Mapping[int, int]) -> None:
    text = (
        "UPDATE pits SET node = '', until = 0 FROM unnest($2::bigint[], $3::bigint[]) AS given (pit, epoch) "
        "WHERE pits.pit = given.pit AND pits.epoch = given.epoch AND pits.node = $1"
    )
    await connection.execute(text, node, list(epochs), list(epochs.values()))


async def commit(connection: Any, group: Sequence[WriteRequest], epochs: Mapping[int, int], place: int) -> int:
    """Write a group in one call. StaleEpoch: nothing was written; any other error means that it may have been."""
    rows = collect_rows(group, place)
    await _write_rows(connection, rows | {"streams": []}, *collect_erased(group), epochs)
    return place + len(rows["keys"])


class PitBatch(NamedTuple):
    """What one of several pits has decided; without rows it only asks whether its epoch is still the last."""

    pit: int
    batch: Batch


async def commit_pits(
    connection: Any, group: Sequence[PitBatch], epochs: Mapping[int, int], places: Mapping[int, int]
) -> dict[int, int]:
    """Write what several pits of one host have decided in one call, as `commit` does; gives the last place of each.

    A stream is entered under its pit with its first record, so that the next owner finds it.
    """
    requests = [WriteRequest(entry.batch, _tell_nobody) for entry in group]
    rows, last, numbered = collect_rows(requests, 0), dict(places), list[tuple[Any, ...]]()
    for pit, batch in group:
        for key in batch.keys:
            last[pit] += 1
            numbered.append((*key, last[pit]))
    begun = [(record.stream, pit) for pit, batch in group for record in batch.records if record.seq == 1]
    await _write_rows(connection, rows | {"keys": numbered, "streams": begun}, *collect_erased(requests), epochs)
    return last


def _tell_nobody(_fault: BaseException | None) -> None: ...


async def _write_rows(
    connection: Any,
    rows: dict[str, list[tuple[Any, ...]]],
    erased: Sequence[tuple[Any, ...]],
    freed: Sequence[tuple[Any, ...]],
    epochs: Mapping[int, int],
) -> None:
    """Rows of accounts are written in the order of their names: two hosts wait for each other and never both."""
    rows["accounts"].sort()
    filled = {_FREED: freed} | {table: rows[table] for table in _TABLES} | {_TAKEN_OUT: erased}
    groups = (_HEADER, *(group for group, listed in filled.items() if listed))
    values: list[Any] = [list(epochs), list(epochs.values())]
    for group in groups[1:]:
        values += _list_by_column(filled[group])
    if erased:
        values.append(ERASED)
    try:
        await connection.execute(_make_call(groups), *values)
    except asyncpg.PostgresError as fault:
        if fault.sqlstate == STALE:
            raise StaleEpoch(f"one of {dict(epochs)} has another owner") from None
        if fault.sqlstate == OVERDRAWN:
            raise ValueError(str(fault)) from None
        raise
