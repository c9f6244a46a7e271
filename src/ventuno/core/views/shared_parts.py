"""Parts of a view that stay the very same objects from one state of a table to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from operator import is_
from typing import Any, TypeVar, TypeVarTuple

Part = TypeVar("Part")
Key = TypeVar("Key")
Source = TypeVar("Source")
Arguments = TypeVarTuple("Arguments")


class SharedParts(dict[Hashable, tuple[Any, Any]]):
    """The parts of a viewer's last view by their places, each with what it was made of.

    What is made of the same is not made again: building costs little, and comparing two views almost nothing.
    """

    def take(self, place: Hashable, source: object, build: Callable[[*Arguments], Part], *args: *Arguments) -> Part:
        """The part at a place: the one that lies there if it came of an equal source, a new one otherwise."""
        last = self.get(place)
        if last is None or last[0] != source:
            last = self[place] = source, build(*args)
        part: Part = last[1]
        return part

    def keep(self, place: Hashable, part: Part) -> Part:
        """What lies at a place if it equals this part: the same object is compared at once. This part otherwise."""
        return self.take(place, part, lambda: part)

    def take_each(
        self, place: Hashable, sources: Mapping[Key, Source], build: Callable[[Source, Key], Part]
    ) -> tuple[Part, ...]:
        """A part for each key, in their order: the one that lies there if its source is the very same object.

        Where every source is, all of them are the very same tuple. Where there is none, what lies there stays.
        """
        if not sources:
            return ()
        last: tuple[Mapping[Key, Source], tuple[Part, ...]] = self.get(place, ({}, ()))
        if sources is last[0]:
            return last[1]
        values, before = [*sources.values()], [*last[0].values()]
        if len(values) != len(before) or [*last[0]] != [*sources]:
            parts = tuple([build(source, key) for key, source in sources.items()])
        elif all(map(is_, values, before)):
            return last[1]
        else:
            each = zip(sources.items(), before, last[1], strict=True)
            parts = tuple([part if source is was else build(source, key) for (key, source), was, part in each])
        self[place] = sources, parts
        return parts
