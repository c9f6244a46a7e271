"""`ventuno nodes`: who keeps a house on several machines; `ventuno nodes drain NODE` asks one to hand over.

What is asked for is written into the database; the node sees it within a second, hands over when another can take, and
takes nothing until `--undo` or its next start. Exit code 1 where nobody owns the house, or there is no such node.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import TYPE_CHECKING, Any

from ventuno.cli import book_source
from ventuno.cli.book_source import format_address, require_driver
from ventuno.cli.errors import ANSWER_IS_NO, Fault

if TYPE_CHECKING:
    from ventuno.house.store.node_sessions import ClusterView

LIST, DRAIN = "list", "drain"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.allow_abbrev = False  # half a word would name another house than was meant
    parser.add_argument("act", nargs="?", choices=(LIST, DRAIN), default=LIST, help="list all, or have one hand over")
    parser.add_argument("node", metavar="NODE", nargs="?", default="", help="which is to hand over")
    parser.add_argument("--undo", action="store_true", help="let a node that was drained take again")
    book_source.arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    url = book_source.address(given)
    if not url.startswith("postgresql://"):
        raise Fault("a house on SQLite has no nodes: name --database postgresql://…")
    if (given.act == DRAIN) != bool(given.node):
        raise Fault("name the node that is to hand over: ventuno nodes drain NODE")
    require_driver(url)
    from ventuno.house.store.node_sessions import LOST
    from ventuno.house.store.store import NodeUnfit

    try:
        view = asyncio.run(_ask(url, given.node, draining=not given.undo))
    except (*LOST, NodeUnfit) as fault:
        raise Fault(f"{format_address(url)}: {fault}", ANSWER_IS_NO) from None
    if given.node and given.node not in view.nodes:
        raise Fault(f"{given.node}: there is no such node", ANSWER_IS_NO)
    listed = describe(view)
    print(json.dumps(listed, ensure_ascii=False) if given.json else format_nodes(listed))
    return 0 if given.node or any(unit["owned"] for unit in listed["units"]) else ANSWER_IS_NO


async def _ask(url: str, node: str, *, draining: bool) -> ClusterView:
    from ventuno.house.store import node_sessions, postgres

    connection = await postgres.connect(url, "ventuno nodes")
    try:
        await node_sessions.check_schema(connection)
        if node:
            await node_sessions.set_draining(connection, node, draining=draining)
        return await node_sessions.read_view(connection)
    finally:
        await connection.close()


def describe(view: ClusterView) -> dict[str, Any]:
    """Nodes and units as plain data; times are milliseconds by the database's clock."""
    from ventuno.house.pits.leases import LEASE

    units = [
        {
            "unit": one.unit,
            "node": one.node,
            "epoch": one.epoch,
            "lease_left": max(one.until - view.now, 0),
            "lease_age": max(view.now - (one.until - LEASE), 0) if one.node else None,
            "owned": bool(one.node) and one.until > view.now,
        }
        for one in view.holdings.values()
    ]
    nodes = [
        {
            "node": row.node,
            "state": "stopped" if not row.has_session else "draining" if row.draining else "ready",
            "units": [unit["unit"] for unit in units if unit["owned"] and unit["node"] == row.node],
            "version": row.version,
            "key": row.key.hex(),
            "started": row.started,
            "seen_ago": view.now - row.seen if row.seen else None,
            "clock_offset": row.offset,
        }
        for row in sorted(view.nodes.values())
    ]
    return {"nodes": nodes, "units": sorted(units, key=lambda unit: unit["unit"])}


def format_nodes(listed: dict[str, Any]) -> str:
    rows = [f"{'node':12} {'state':9} {'version':16} {'seen':>9} {'clock':>8}  units"]
    for row in listed["nodes"]:
        seen = "–" if row["seen_ago"] is None else f"{row['seen_ago']} ms"
        held = ", ".join(map(str, row["units"])) or "–"
        offset = f"{row['clock_offset']:+} ms"
        rows.append(f"{row['node']:12} {row['state']:9} {row['version']:16} {seen:>9} {offset:>8}  {held}")
    for unit in listed["units"]:
        owner = f"{unit['node']}, renewed {unit['lease_age']} ms ago" if unit["owned"] else "nobody"
        rows.append(f"unit {unit['unit']} at epoch {unit['epoch']}: {owner}")
    return "\n".join(rows if listed["units"] else [*rows, "nobody has taken the house yet"])
