"""`ventuno supervisor NAME`: make an account a supervisor, or a player again, while the house is closed (H-8, V6.3).

Rights come from whoever can stop the house; everything else a supervisor does is done through the doors. The account
sets up its second factor when it logs in next, and can do nothing before.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from ventuno.cli.fault import ANSWER_IS_NO, REFUSED, Fault
from ventuno.cli.serve import fittings
from ventuno.house.books.durability import NotWhole, Unsafe
from ventuno.house.books.store import HouseOpen
from ventuno.house.persons.players import Role
from ventuno.house.premises import Premises
from ventuno.web import settings
from ventuno.web.settings import Settings, SettingsUnfit

BY = "operator"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the name of an account that has registered")
    parser.add_argument("--remove", action="store_true", help="take the rights away instead")
    parser.add_argument("--database", metavar="URL", help="as for `ventuno serve`")
    parser.add_argument("--data", metavar="FOLDER", help="as for `ventuno serve`")
    parser.add_argument("--config", metavar="FILE", type=Path, help="as for `ventuno serve`")


def run(given: argparse.Namespace) -> int:
    named: dict[str, Any] = {"database": given.database, "data": given.data}
    try:
        held = settings.read(given.config, {name: value for name, value in named.items() if value is not None})
        return asyncio.run(_given(held, given.name, Role.PLAYER if given.remove else Role.SUPERVISOR))
    except SettingsUnfit as fault:
        raise Fault(str(fault)) from None
    except (HouseOpen, NotWhole, Unsafe, OSError) as fault:
        raise Fault(f"the house does not open: {fault}", ANSWER_IS_NO) from None


async def _given(held: Settings, name: str, role: Role) -> int:
    premises = await Premises.open(held.url, held.data, fittings(held), unsafe=held.unsafe)
    try:
        account = premises.staff.accounts.named(name)
        if account is None or account.player.guest or account.player.bot:
            raise Fault(f"{name}: there is no such account", REFUSED)
        now = premises.house.now()
        await premises.commit(premises.staff.reception.give_role(account.player.id, role, BY, now))
    finally:
        await premises.close()
    print(f"{account.player.name} is a {role} now")
    return 0
