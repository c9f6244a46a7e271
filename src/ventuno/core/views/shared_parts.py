"""Parts of a view that stay the very same objects from one state of a table to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ParamSpec, TypeVar

Part = TypeVar("Part")
Arguments = ParamSpec("Arguments")


class SharedParts(dict[Hashable, tuple[Any, Any]]):
    """The parts of a viewer's last view by their places, each with what it was made of.

    What is made of the same is not made again: building costs little, and comparing two views almost nothing.
    """

    def take(
        self,
        place: Hashable,
        source: object,
        build: Callable[Arguments, Part],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Part:
        """The part at a place: the one that lies there if it came of an equal source, a new one otherwise."""
        last = self.get(place)
        if last is None or last[0] != source:
            last = self[place] = source, build(*args, **kwargs)
        part: Part = last[1]
        return part
