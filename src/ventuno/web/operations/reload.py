"""New settings in a house that plays, on SIGHUP: what can change does, what cannot is named in the log.

The file is read and checked as a whole first: where anything in it is wrong nothing changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.datastructures import State

from ventuno.house.application import Application
from ventuno.web.operations import logs
from ventuno.web.operations.opening import RETENTION, CannotOpenTable, agree_with_file
from ventuno.web.operations.settings import Settings, SettingsUnfit
from ventuno.web.operations.table_blocks import TableBlock

LIVE = frozenset(("table", "limits", "rates", "mail", "metrics_token", "log_level", *RETENTION))
"""Settings that are asked for each time, and so hold from the moment they are read again."""


class Reloads:
    """One after the other: a signal that comes meanwhile reads the file once more."""

    def __init__(self, state: State, app: Application, reread: Callable[[], Settings]) -> None:
        self._state, self._app, self._reread = state, app, reread
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        task = asyncio.create_task(self.reload(), name="ventuno-reload")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def reload(self) -> None:
        async with self._lock:
            try:
                read = await asyncio.to_thread(self._reread)
            except SettingsUnfit as fault:
                logs.log.error("the settings are not reloaded, all stays as it was", reason=str(fault))
                return
            await self._apply(read)

    async def _apply(self, read: Settings) -> None:
        before: Settings = self._state.settings
        read = read.model_copy(update={"table": tuple(block for block in read.table if self._has_game(block))})
        changed = {name for name in Settings.model_fields if getattr(read, name) != getattr(before, name)}
        if later := sorted(changed - LIVE):
            logs.log.warning("settings that need a restart", names=", ".join(later))
        update = {name: getattr(read, name) for name in changed & LIVE}
        settings = self._state.settings = before.model_copy(update=update)
        logs.set_level(settings.log_level)
        try:
            await agree_with_file(self._app, settings)
        except CannotOpenTable as fault:
            logs.log.error("a table of the settings cannot be opened", reason=str(fault))
        logs.log.info("settings reloaded", names=", ".join(sorted(changed & LIVE)))

    def _has_game(self, block: TableBlock) -> bool:
        """Games are read at the start; a table that is open plays on whatever its sheet says now (T-11)."""
        is_known = block.game in self._app.config.games
        if not is_known:
            logs.log.warning("a table of a new sheet needs a restart", table=block.name)
        return is_known
