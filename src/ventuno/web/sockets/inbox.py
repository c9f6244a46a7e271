"""What has come for one reader and waits for him: a queue of asyncio has four deques, of 760 bytes each (G-19)."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Inbox(Generic[Item]):
    """A queue with one reader, short by what it is used for."""

    __slots__ = ("_items", "_reader")

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._reader: asyncio.Future[None] | None = None

    def put_nowait(self, item: Item) -> None:
        self._items.append(item)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def qsize(self) -> int:
        return len(self._items)

    def empty(self) -> bool:
        return not self._items

    async def get(self) -> Item:
        """The oldest item, waited for; nothing is taken from who is cancelled."""
        while not self._items:
            if self._reader is not None:
                raise RuntimeError("somebody else reads here")
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._items.pop(0)
