"""A served house on a clock that is moved by hand."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.http_house import ServedHouse, Visitor
from tests.support.patience import PATIENCE
from ventuno.house.store.clock import JumpingClock
from ventuno.web.sockets.limits import SocketLimits

PATIENT = SocketLimits(burst=10**6, late_joins=10**6, late_asks=10**6)
"""The clock stands still, so what fills by time does not."""


class ClockedHouse:
    """A house on a clock that is moved by hand, behind real doors."""

    def __init__(self, doors: ServedHouse, clock: JumpingClock) -> None:
        self.doors, self.clock = doors, clock

    async def until(self, what: Any, *visitors: Visitor) -> None:
        """Until it is so; where everybody waits for a clock, the clock is moved."""
        async with asyncio.timeout(PATIENCE):
            while not what():
                await asyncio.sleep(0.005)
                deadlines = [one.public(name)["deadline"] for one in visitors for name in one.tables]
                due = [one for one in deadlines if one is not None]
                asked = any(options(one, name) for one in visitors for name in one.tables)
                if due and not asked and not what():
                    self.clock.move(max(max(due) - self.doors.application.now(), 0))

    async def round(self, table: str, *players: Visitor) -> None:
        """Every decision of one round, by whoever is asked, until it is settled."""
        async with asyncio.timeout(PATIENCE):
            while players[0].public(table)["phase"] == "round":
                for player in players:
                    while move := decision(player, table):
                        await player.must(move.pop("do"), table, **move)
                await asyncio.sleep(0.005)


def list_spots(*spots: tuple[int, str]) -> list[dict[str, Any]]:
    return [{"box": box, "bet": bet} for box, bet in spots]


def options(visitor: Visitor, table: str) -> list[tuple[int, str]]:
    """What a visitor may decide now."""
    found = visitor.mine(table)["options"]["decisions"]
    return [(one["box"], one["action"]) for one in found if one["price"] is not None]


def decision(visitor: Visitor, table: str) -> dict[str, Any]:
    """What a visitor does: what his buttons allow, a bonus first."""
    public, mine = visitor.public(table), dict(options(visitor, table))
    if public["phase"] != "round":
        return {}
    if public["stage"] == "insurance":
        return {"do": "decide-all", "action": "decline"} if mine else {}
    turn = public["turn"]
    box = next((one for one in public["boxes"] if turn and one["box"] == turn["box"]), None)
    if box is None or box["player"] != visitor.player:
        return {}
    if turn["hand"] == 0:
        spun = box["bonus"] and box["bonus"]["segment"]
        return {"do": "spin-board" if spun else "spin-wheel", "box": box["box"]}
    allowed = [action for number, action in options(visitor, table) if number == box["box"]]
    low = len(box["hands"][turn["hand"] - 1]["cards"]) == 2 and box["hands"][turn["hand"] - 1]["total"] < "15"
    wanted = [*(["split"] if len(box["hands"]) < 2 else []), "left", *(["hit"] if low else []), "stand", *allowed]
    return {"do": "decide", "box": box["box"], "action": next(one for one in wanted if one in allowed)}
