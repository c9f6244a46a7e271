"""Who may watch which table: every role, every kind of table, with and without a version (H-7, H-8)."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from tests.support.clocked_house import PATIENT
from tests.support.house import LIVE
from tests.support.http_house import ServedHouse, Visitor, opened
from ventuno.house.accounts.sessions import Entered

ROLES = ("owner", "stranger", "guest", "supervisor")
VISIBLE = {"live": ROLES, "own table": ("owner", "supervisor"), "practice": ("owner", "supervisor"), "no table": ()}


async def enter_all(doors: ServedHouse) -> dict[str, Visitor]:
    """A socket for each role; steps are not applied, for any version may be named."""
    guest = await doors.application.accounts.enter_guest("10.0.0.9", "browser")
    assert isinstance(guest, Entered)
    return {
        "owner": await doors.enter(await doors.joined("Ada"), follows=False),
        "stranger": await doors.enter(await doors.joined("Bea"), follows=False),
        "guest": await doors.enter(guest.player, guest, follows=False),
        "supervisor": await doors.enter(await doors.supervisor(), follows=False),
    }


async def open_all(doors: ServedHouse, owner: Visitor) -> dict[str, str]:
    """A table of each kind, all of them watched by their owner: there is something to follow."""
    tables = doors.application.tables
    own = await tables.open_solo(owner.player, "first-person")
    assert isinstance(own, str)
    names = {"live": LIVE, "own table": own, "practice": await tables.open_practice(owner.player, "sisal")}
    for name in names.values():
        assert (await owner.join(name))["refused"] is None
    return {**names, "no table": "first-person-999"}


async def test_h7_a_table_is_shown_to_who_may_see_it_whatever_version_he_names(tmp_path: Path) -> None:
    """H-7, H-8: no frame of a table reaches anybody else, and what is hidden is told apart from nothing by nobody."""
    async with opened(tmp_path, bounds=PATIENT) as doors:
        visitors = await enter_all(doors)
        kinds = await open_all(doors, visitors["owner"])
        for (kind, table), (role, visitor) in product(kinds.items(), visitors.items()):
            stage = doors.hub.broadcasts.get(table)
            now = stage.version if stage else 1
            for version in (None, 0, max(now - 1, 0), now, now + 10**6):
                visitor.frames.clear()
                refused = (await visitor.join(table, version))["refused"]
                told = [frame for frame in visitor.frames if frame["type"] in ("table", "step", "shoe")]
                frames = [frame for frame in told if frame["table"] == table]
                if role in VISIBLE[kind]:
                    assert refused is None, (kind, role, version)
                    assert frames, (kind, role, version)
                else:
                    assert (refused or {}).get("code") == "NoSuchTable", (kind, role, version)
                    assert frames == [], (kind, role, version)
                    assert stage is None or visitor.player not in stage.watchers, (kind, role, version)
