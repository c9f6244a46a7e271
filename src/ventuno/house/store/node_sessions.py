"""Nodes of a house of several machines, as PostgreSQL knows them: who lives, who holds what, whose sessions are there.

A node has a session that looks and takes, one that renews, and one that commits under the fence. They are named after
the node, and that of an owner after unit and epoch too: so a new owner finds and ends it, and the rest see when it is
gone. An owner without its session can never commit again, so its unit is free at once; were that wrong, the fence
would still refuse whoever decides under an older epoch (T-7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ventuno.house.store import postgres, schema
from ventuno.house.store.durability import check_safety, find_postgres_faults, find_replication_faults
from ventuno.house.store.fenced_commit import NOW, PitBatch, Taken, commit, commit_pits, prepare, take_pit, take_pits
from ventuno.house.store.postgres import NODES, PostgresStore
from ventuno.house.store.store import BooksDivided, HouseOpen, NodeUnfit, StaleEpoch, StoreFailed, WriteRequest

NODE_LOCK = 0x76656E74
"""The advisory locks of nodes: this, and the hash of the name."""
END_TIMEOUT = 1_000
"""Milliseconds that the session of an old owner has to end."""
CHANNEL = "ventuno_units"
"""Where a unit that was given up is told of: who stands by need not look again first."""
LOST = (*postgres.LOST, StoreFailed, TimeoutError)
"""How a connection says that it, or its server, is gone."""
WARNING = "01000"
WITHOUT_STANDBY = "SET synchronous_commit = off"
"""For what needs not outlive the primary: it is done also while no standby answers."""
SHARED = "pits"
"""How the session is called by which a node commits for all its pits: `ventuno/NODE/pits/INSTANCE`."""
_SESSION = f"'{NODES}' || node || '/' || pit || '/' || epoch"
_HAS_SESSION = "EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = {name})"


class NodeTaken(HouseOpen):
    """A node of this name runs already: names are for one process each."""


class SchemaOld(NodeUnfit):
    """The database is not at the schema of this version; nodes do not change it while others may run."""


class KeyDiffers(NodeUnfit):
    """This node would sign with another key than the house does: copy `house.key` of the other nodes to its folder."""


class UnconfirmedCommit(RuntimeError):
    """A commit did not wait for its standby: it may be lost with the primary, so it counts as failed (G-23)."""


class NodeRow(NamedTuple):
    """A row of `nodes`; `seen` is a moment of the database's clock, `offset` how far the node's clock is behind it."""

    node: str
    key: bytes
    version: str
    started: int
    seen: int
    offset: int
    draining: bool
    has_session: bool = False

    @property
    def revision(self) -> str:
        """The step that its program knows."""
        return self.version.rpartition("/")[2]


class Holding(NamedTuple):
    """A row of `pits`, and whether the session of its owner is there."""

    unit: int
    epoch: int = 0
    node: str = ""
    until: int = 0
    has_session: bool = False


class ClusterView(NamedTuple):
    """All nodes and units at one moment of the database's clock, in milliseconds."""

    now: int
    nodes: dict[str, NodeRow]
    holdings: dict[int, Holding]


async def check_schema(connection: Any) -> None:
    """SchemaOld where the database is not at this version's step, nor at a newer one that lets it go on."""
    revision = await postgres.read_revision(connection)
    if revision == schema.REVISION or await postgres.is_ahead(connection, revision):
        return
    if revision > schema.REVISION:
        raise SchemaOld(f"the database is at {revision}, and this version knows {schema.REVISION}: upgrade this node")
    found = f"at {revision}" if revision else "empty"
    raise SchemaOld(
        f"the database is {found}, and this version needs {schema.REVISION}: `ventuno migrate --database …` first"
    )


async def open_keeper(url: str, node: str, instance: str) -> Any:
    """The session with which a node looks, takes and gives up; its name is the node's alone while it lasts.

    `instance` tells one process from another: of a process that comes back an older session may still be there. It
    waits for no standby, not even at its end, where its functions are removed: leases that are lost lapse.
    """
    name = f"{NODES}{node}/keeper/{instance}"
    connection = await postgres.connect(url, name)
    try:
        await connection.execute(WITHOUT_STANDBY)
        await check_schema(connection)
        await connection.fetch(
            f"SELECT pg_terminate_backend(pid, {END_TIMEOUT}) FROM pg_stat_activity "
            "WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid()",
            name,
        )
        await postgres.share_lock(connection)
        if not await connection.fetchval("SELECT pg_try_advisory_lock($1, hashtext($2))", NODE_LOCK, node):
            raise NodeTaken(f"a node {node} runs already on this database: give this one another --node")
        await prepare(connection)
    except BaseException:
        connection.terminate()
        raise
    return connection


async def open_renewal(url: str, node: str) -> Any:
    """The session that says each second that a node lives. It waits for no disk: a renewal that is lost was none."""
    connection = await postgres.connect(url, f"{NODES}{node}/renewal")
    try:
        await connection.execute(WITHOUT_STANDBY)
        await prepare(connection)
    except BaseException:
        connection.terminate()
        raise
    return connection


async def register(connection: Any, node: str, key: bytes, version: str) -> None:
    """Enter a node; KeyDiffers where others sign with another key."""
    others = await connection.fetch("SELECT node FROM nodes WHERE key <> $1 AND node <> $2 ORDER BY node", key, node)
    if others:
        raise KeyDiffers(
            f"the key of {node} is not the one of {others[0][0]}: copy house.key of a node of this house into --data"
        )
    await connection.execute(
        f"INSERT INTO nodes VALUES ($1, $2, $3, {NOW}, {NOW}, 0, false) ON CONFLICT (node) DO UPDATE SET "
        "key = excluded.key, version = excluded.version, started = excluded.started, seen = excluded.seen, "
        'draining = false, "offset" = 0',
        node,
        key,
        version,
    )


async def check_divided(connection: Any) -> None:
    """BooksDivided where the books were begun by a house of one owner: nobody has divided them between pits."""
    if await connection.fetchval(
        "SELECT EXISTS (SELECT FROM pits WHERE pit = 0) OR "
        "EXISTS (SELECT FROM log) AND NOT EXISTS (SELECT FROM streams)"
    ):
        raise BooksDivided("these books are of a house with one owner, and are not divided between pits")


async def note_seen(connection: Any, node: str, offset: int) -> int:
    """Tell the others that a node lives; gives the database's time."""
    text = f'UPDATE nodes SET seen = {NOW}, "offset" = $2 WHERE node = $1 RETURNING {NOW}'
    return int(await connection.fetchval(text, node, offset) or 0)


async def list_keys(connection: Any) -> dict[bytes, str]:
    """The public keys of all nodes that ever were, and one node for each."""
    return {bytes(key): node for key, node in await connection.fetch("SELECT key, node FROM nodes ORDER BY node DESC")}


async def note_gone(connection: Any, node: str) -> None:
    await connection.execute("UPDATE nodes SET seen = 0 WHERE node = $1", node)


async def set_draining(connection: Any, node: str, *, draining: bool) -> bool:
    """Ask a node to hand over what it has; False where there is no such node."""
    text = "UPDATE nodes SET draining = $2 WHERE node = $1 RETURNING node"
    done = await connection.fetchval(text, node, draining) is not None
    await notify_units(connection)
    return done


async def notify_units(connection: Any) -> None:
    await connection.execute(f"NOTIFY {CHANNEL}")


_NODE_COLUMNS = ("node", "key", "version", "started", "seen", '"offset"', "draining")
_PIT_COLUMNS = ("pit", "epoch", "node", "until")


def _gather(columns: Iterable[str], table: str) -> str:
    return f"(SELECT {', '.join(f'array_agg({column})' for column in columns)} FROM {table})"


_VIEW = (
    f"SELECT {NOW}, (SELECT array_agg(application_name) FROM pg_stat_activity "
    f"WHERE datname = current_database() AND starts_with(application_name, '{NODES}')), pit_rows.*, node_rows.* "
    f"FROM {_gather(_PIT_COLUMNS, 'pits')} AS pit_rows, {_gather(_NODE_COLUMNS, 'nodes')} AS node_rows"
)


async def read_view(connection: Any) -> ClusterView:
    """Who holds what, and who lives: one question for one unit as for all of them, asked five times a second.

    Sessions are read after the moment whose rows are seen: that of an owner has its name before anybody can see its
    epoch.
    """
    now, names, *columns = await connection.fetchrow(_VIEW)
    sessions = set(names or ())
    places = {tuple(name.split("/")[1:3]) for name in sessions}
    sharing = {place[0] for place in places if place[1] == SHARED}
    pits, nodes = columns[: len(_PIT_COLUMNS)], columns[len(_PIT_COLUMNS) :]
    holdings = {
        unit: Holding(unit, epoch, node, until, (unit > 0 and node in sharing) or _name(unit, epoch, node) in sessions)
        for unit, epoch, node, until in zip(*(column or () for column in pits), strict=True)
    }
    found = map(NodeRow._make, zip(*(column or () for column in nodes), [False] * len(nodes[0] or ()), strict=True))
    return ClusterView(
        now, {row.node: row._replace(has_session=(row.node, "keeper") in places) for row in found}, holdings
    )


def _name(unit: int, epoch: int, node: str) -> str:
    """The session of an owner of one unit alone; one for all pits of a node is named without them."""
    return f"{NODES}{node}/{unit}/{epoch}"


def find_left_behind(view: ClusterView, oldest: str) -> list[str]:
    """Nodes that run and could not go on with a schema whose oldest program is this one."""
    return sorted(row.node for row in view.nodes.values() if row.has_session and row.revision < oldest)


async def end_lapsed_session(connection: Any, unit: int) -> int:
    """End the session of an owner whose lease has lapsed: in the middle of a commit it would hold the unit's row."""
    text = (
        f"SELECT pg_terminate_backend(pid, {END_TIMEOUT}) FROM pg_stat_activity, pits WHERE pits.pit = $1 "
        f"AND pits.until <= {NOW} AND datname = current_database() AND application_name = {_SESSION}"
    )
    return len(await connection.fetch(text, unit))


async def lapse_lost(connection: Any, unit: int, epoch: int) -> None:
    """End the lease of an owner whose session is gone: it cannot commit any more, however long its lease would run."""
    text = f"UPDATE pits SET until = 0 WHERE pit = $1 AND epoch = $2 AND NOT {_HAS_SESSION.format(name=_SESSION)}"
    await connection.execute(text, unit, epoch)


async def end_silent_sessions(connection: Any, nodes: Collection[str], lease: int) -> int:
    """End the sessions by which nodes that have not been seen for a whole lease commit for their pits."""
    text = (
        f"SELECT pg_terminate_backend(pid, {END_TIMEOUT}) FROM pg_stat_activity, nodes WHERE node = ANY ($1::text[]) "
        f"AND seen <= {NOW} - $2 AND datname = current_database() "
        f"AND starts_with(application_name, '{NODES}' || node || '/{SHARED}/')"
    )
    return len(await connection.fetch(text, list(nodes), lease))


async def lapse_pits(connection: Any, epochs: Mapping[int, int]) -> None:
    """End the leases of pits whose owner has no session any more, as `lapse_lost` does of one unit."""
    text = (
        "UPDATE pits SET until = 0 FROM unnest($1::bigint[], $2::bigint[]) AS given (unit, since) "
        "WHERE pit = unit AND epoch = since AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE "
        f"datname = current_database() AND starts_with(application_name, '{NODES}' || node || '/{SHARED}/'))"
    )
    await connection.execute(text, list(epochs), list(epochs.values()))


class FencedWriter:
    """The session with which an owner commits, made before it is needed; `unsafe` is what its settings may lose."""

    def __init__(self, connection: Any, node: str, unsafe: str) -> None:
        self.connection, self.node, self.unsafe = connection, node, unsafe
        self.epochs: Mapping[int, int] = {}
        self.fenced = 0
        """Commits that were refused: another owns the unit."""
        self._warning = ""
        connection.add_log_listener(self._note)

    @classmethod
    async def open(cls, url: str, node: str, *, unsafe: bool) -> FencedWriter:
        connection = await postgres.connect(url, f"{NODES}{node}/spare")
        try:
            await postgres.share_lock(connection)
            await connection.execute(WITHOUT_STANDBY)
            await prepare(connection)
            await connection.execute("RESET synchronous_commit")
            settings = await postgres.read_settings(connection)
            faults = find_postgres_faults(settings) + find_replication_faults(settings)
            return cls(connection, node, check_safety(faults, unsafe=unsafe))
        except BaseException:
            connection.terminate()
            raise

    async def take(self, holding: Holding, lease: int) -> bool:
        """Become the owner of a unit; the session has its name before anybody can see the new epoch."""
        await self._rename(f"{holding.unit}/{holding.epoch + 1}")
        self._warning = ""
        epochs = await take_pit(self.connection, holding.unit, self.node, lease)
        if not epochs:
            await self._rename("spare")
            return False
        self.epochs = {holding.unit: epochs[holding.unit]}
        if epochs[holding.unit] != holding.epoch + 1:
            await self._rename(f"{holding.unit}/{epochs[holding.unit]}")
        self._check_confirmed()
        return True

    async def name_shared(self, instance: str) -> None:
        """From now on this session is the one by which its node commits for all its pits."""
        await self._rename(f"{SHARED}/{instance}")

    async def take_pits(self, units: Iterable[int], lease: int) -> Taken:
        """Become the owner of those of several pits that are free."""
        self._warning = ""
        taken = await take_pits(self.connection, units, self.node, lease)
        self._check_confirmed()
        return taken

    async def write_pits(
        self, group: Sequence[PitBatch], epochs: Mapping[int, int], places: Mapping[int, int]
    ) -> dict[int, int]:
        """What several pits have decided, through the fence of each; gives the places of their last keys."""
        self._warning = ""
        try:
            last = await commit_pits(self.connection, group, epochs, places)
        except StaleEpoch:
            self.fenced += 1
            raise
        self._check_confirmed()
        return last

    async def write(self, connection: Any, group: Sequence[WriteRequest], place: int) -> int:
        """A group through the fence; durable on the primary and a standby when this returns."""
        self._warning = ""
        try:
            place = await commit(connection, group, self.epochs, place)
        except StaleEpoch:
            self.fenced += 1
            raise
        self._check_confirmed()
        return place

    def terminate(self) -> None:
        """Whatever waits for this session hears at once that it is gone."""
        self.connection.terminate()

    async def close(self) -> None:
        with suppress(*LOST):
            await self.connection.close(timeout=END_TIMEOUT / 1000)

    def _check_confirmed(self) -> None:
        """The server says success and warns where somebody cancelled the wait for the standby."""
        if self._warning:
            raise UnconfirmedCommit(self._warning)

    def _note(self, _connection: object, message: Any) -> None:
        if message.sqlstate == WARNING:
            self._warning = str(message)

    async def _rename(self, name: str) -> None:
        await self.connection.fetchval("SELECT set_config('application_name', $1, false)", f"{NODES}{self.node}/{name}")


async def open_owned_store(url: str, writer: FencedWriter, readers: Any = None) -> PostgresStore:
    """The books for the owner of a unit: as one process has them, but that every commit passes the fence."""
    return await PostgresStore.open(url, writer.connection, writer.unsafe, write=writer.write, readers=readers)
