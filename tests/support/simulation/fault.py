"""A fault: a wrong function in the place of a right one of the house or the core, as a careless change would put it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.support.simulation import opening

Any_ = Callable[..., Any]


class Fault(NamedTuple):
    """What is wrong, where, and how: `mutant` makes the wrong function out of the right one."""

    name: str
    places: tuple[tuple[Any, str], ...]
    mutant: Callable[[Any_], Any]


FAULTS: list[Fault] = []


def fault(*places: tuple[Any, str]) -> Callable[[Callable[[Any_], Any]], Callable[[Any_], Any]]:
    def note(mutant: Callable[[Any_], Any]) -> Callable[[Any_], Any]:
        FAULTS.append(Fault(mutant.__name__.replace("_", "-"), places, mutant))
        return mutant

    return note


@contextmanager
def planted(one: Fault) -> Iterator[None]:
    """The house with this fault; the shared openings are made anew, before and after."""
    rights = [(owner, name, getattr(owner, name)) for owner, name in one.places]
    opening.opening.cache_clear()
    for owner, name, right in rights:
        setattr(owner, name, one.mutant(right))
    try:
        yield
    finally:
        for owner, name, right in rights:
            setattr(owner, name, right)
        opening.opening.cache_clear()
