"""Opens a house for its doors: the store, and in it the tables of the lobby with their limits (V-35, V-43)."""

from __future__ import annotations

from itertools import count, islice

from ventuno import words
from ventuno.core.messages.commands import ChangeLimits
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.house.application import Application
from ventuno.house.config import CERTIFICATES, Config
from ventuno.house.history.erasure import Retention
from ventuno.house.store.store import Store
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.housekeeping import BY
from ventuno.house.tables.table_service import check_certificate
from ventuno.web.operations import logs
from ventuno.web.operations.settings import Settings

RETENTION = ("keep_chat_days", "keep_login_days", "keep_closed_days")


class CannotOpenTable(RuntimeError):
    """A table of the settings cannot be opened, or not with these limits; nothing is changed in its place."""


def find_uncertified(settings: Settings, config: Config) -> list[str]:
    """The games whose sheet in force has no certificate in the house's folder (V-20)."""
    folder = settings.data / CERTIFICATES
    return [game for game, sheet in config.games.items() if check_certificate(sheet, folder)]


def table_names(app: Application, sheet: Sheet, number: int) -> list[str]:
    """What the shared tables of a game are called; the name of a table that was closed is not used again."""
    word = sheet.game.id.replace("-", " ").title()
    free = (name for place in count(1) if not app.tables.is_closed(name := f"{word} {place}"))
    return list(islice(free, number))


async def open_house(settings: Settings, config: Config, owned: Store | None = None) -> Application:
    """The house of these settings, its tables open and its open rounds resumed; `owned` is the store of a node."""
    settings.data.mkdir(parents=True, exist_ok=True)
    app = await Application.open(settings.url, settings.data, config, unsafe=settings.unsafe, owned=owned)
    try:
        if not settings.table:
            for game, sheet in config.games.items():
                if not sheet.game.solo:
                    for name in table_names(app, sheet, settings.tables):
                        await open_missing_table(app, name, game)
        await agree_with_file(app, settings)
    except BaseException:
        await app.close()
        raise
    return app


async def agree_with_file(app: Application, settings: Settings) -> None:
    """Tables of the file that are missing open, those it names no more close, limits are as it says (X-10, V-43).

    What somebody closed stays closed; what somebody opened otherwise is no affair of the file.
    """
    app.erasure.retention = Retention(*(getattr(settings, name) for name in RETENTION))
    for block in settings.table:
        if app.tables.is_closed(block.name):
            logs.log.warning("a table of the settings was closed: its name is not used again", table=block.name)
        elif app.tables.is_free(block.name):
            answer = await app.supervision.open_of_settings(block.name, block.game, block.cards)
            if isinstance(answer, Refusal):
                raise CannotOpenTable(words.describe_refusal(answer))
    for name in await app.supervision.close_left_out({block.name for block in settings.table}):
        logs.log.info("a table that the settings name no more closes", table=name)
    for block in settings.table:
        await set_limits(app, block.name, block.limits)
    for name, limits in settings.limits.items():
        await set_limits(app, name, limits)


def first_table(settings: Settings, app: Application) -> tuple[str, int]:
    """The table that a newcomer finds first, and its seats: where the bots play."""
    for block in settings.table:
        if isinstance(live := app.tables.get(block.name), LiveTable):
            return block.name, live.table.sheet.seats.count
    sheet = next(other for other in app.config.games.values() if not other.game.solo)
    return table_names(app, sheet, settings.tables)[0], sheet.seats.count


async def open_missing_table(app: Application, name: str, game: str) -> None:
    if app.tables.is_free(name):  # what a supervisor closed stays closed
        answer = await app.tables.open(name, game)
        if isinstance(answer, Refusal):
            raise CannotOpenTable(words.describe_refusal(answer))


async def set_limits(app: Application, name: str, limits: dict[str, tuple[int, int]]) -> None:
    """New limits where they differ from those in force; they bind when betting opens next."""
    live = app.tables.get_decided(name)
    if app.tables.is_closed(name):
        logs.log.warning("limits of a table that was closed", table=name)
        return
    if live is None:
        raise CannotOpenTable(f"limits.{name}: there is no such table")
    coming = {**live.table.limits, **live.table.next_limits}
    if all(coming.get(bet) == both for bet, both in limits.items()):
        return
    command = ChangeLimits({**coming, **limits}, BY, 0)
    answer = await app.tables.command(name, command, f"limits:{name}:{live.version}")
    if answer.refused:
        raise CannotOpenTable(f"limits.{name}: {words.describe(answer.refused, answer.numbers)}")
