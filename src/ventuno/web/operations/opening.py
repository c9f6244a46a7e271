"""Opens a house for its doors: the store, and in it the tables of the lobby with their limits (V-35, V-43)."""

from __future__ import annotations

from collections.abc import Container
from itertools import count, islice

from ventuno.core.messages.commands import ChangeLimits
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.house.application import Premises
from ventuno.house.services import CERTIFICATES, Fittings
from ventuno.house.tables.command_desk import uncertified
from ventuno.house.tables.housekeeping import BY
from ventuno.house.tables.requests import Request
from ventuno.web.operations import logs
from ventuno.web.operations.settings import Settings


class Unfurnished(RuntimeError):
    """A table of the settings cannot be opened, or not with these limits; nothing is changed in its place."""


def lacking(settings: Settings, fittings: Fittings) -> list[str]:
    """The games whose sheet in force has no certificate in the house's folder (V-20)."""
    folder = settings.data / CERTIFICATES
    return [game for game, sheet in fittings.games.items() if uncertified(sheet, folder)]


def names(sheet: Sheet, number: int, closed: Container[str] = ()) -> list[str]:
    """What the shared tables of a game are called; the name of a table that was closed is not used again."""
    word = sheet.game.id.replace("-", " ").title()
    free = (name for place in count(1) if (name := f"{word} {place}") not in closed)
    return list(islice(free, number))


async def furnished(settings: Settings, fittings: Fittings) -> Premises:
    """The house of these settings, its tables open and its open rounds resumed."""
    settings.data.mkdir(parents=True, exist_ok=True)
    premises = await Premises.open(settings.url, settings.data, fittings, unsafe=settings.unsafe)
    try:
        for game, sheet in fittings.games.items():
            if not sheet.game.solo:
                for name in names(sheet, settings.tables, premises.house.authority.closed):
                    await _open(premises, name, game)
        for name, limits in settings.limits.items():
            await _limit(premises, name, limits)
    except BaseException:
        await premises.close()
        raise
    return premises


def first(settings: Settings, premises: Premises) -> tuple[str, int]:
    """The table that a newcomer finds first, and its seats: where the bots play."""
    sheet = next(one for one in premises.staff.fittings.games.values() if not one.game.solo)
    return names(sheet, settings.tables, premises.house.authority.closed)[0], sheet.seats.count


async def _open(premises: Premises, name: str, game: str) -> None:
    held = premises.house.authority
    if name not in held.rooms and name not in held.closed:  # what a supervisor closed stays closed
        answer = await premises.open_table(name, game)
        if isinstance(answer, Refusal):
            raise Unfurnished(answer.detail)


async def _limit(premises: Premises, name: str, limits: dict[str, tuple[int, int]]) -> None:
    """New limits where they differ from those in force; they bind when betting opens next."""
    room = premises.house.authority.rooms.get(name)
    if name in premises.house.authority.closed:
        logs.log.warning("limits of a table that was closed", table=name)
        return
    if room is None:
        raise Unfurnished(f"limits.{name}: there is no such table")
    coming = {**room.table.limits, **room.table.next_limits}
    if all(coming.get(bet) == both for bet, both in limits.items()):
        return
    command = ChangeLimits({**coming, **limits}, BY, 0)
    answer = await premises.house.ask(Request(name, command, f"limits:{name}:{room.version}"))
    if answer.refused:
        raise Unfurnished(f"limits.{name}: {answer.detail}")
