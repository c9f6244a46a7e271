"""JSON as records of their types: the views of `core`, which the house writes them from, and those of this package.

A field that a record does not have is left aside, as the protocol asks: a newer house may say more.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")
Read = Callable[[Any], Any]


def read_record(kind: type[Record], tree: Any) -> Record:
    """The record that this JSON says. A field that is missing is a KeyError by its name.

    >>> from ventuno.core.views.private_view import Limit
    >>> read_record(Limit, {"least": 100, "most": 500, "later": "ignored"})
    Limit(least=100, most=500)
    """
    shape: Any = kind
    record: Record = _reader(shape)(tree)
    return record


@cache
def _reader(kind: Any) -> Read:
    """How a value of this type is read."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _record_reader(kind)
    if origin in (Union, types.UnionType):
        (value,) = [_reader(member) for member in inner if member is not type(None)]
        return lambda tree: None if tree is None else value(tree)
    if origin is tuple and inner[1:] == (...,):
        entry = _reader(inner[0])
        return lambda tree: tuple([entry(part) for part in tree])
    if origin is tuple:
        parts = [_reader(part) for part in inner]
        return lambda tree: tuple([read(part) for read, part in zip(parts, tree, strict=True)])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        value = _reader(inner[1])
        return lambda tree: {name: value(part) for name, part in tree.items()}
    return _as_it_is


def _record_reader(kind: Any) -> Read:
    hints = get_type_hints(kind)
    readers = [(part.name, _reader(hints[part.name])) for part in fields(kind)]
    return lambda tree: kind(**{name: read(tree[name]) for name, read in readers})


def _as_it_is(tree: Any) -> Any:
    return tree


def apply_changes(tree: Any, changes: Sequence[Sequence[Any]]) -> Any:
    """A view after a step, changed in place: `[path, value]` sets, `[path]` takes away, one past the end appends.

    >>> apply_changes({"cards": ["9H"], "turn": 1}, [[["cards", 1], "6D"], [["turn"]]])
    {'cards': ['9H', '6D']}
    """
    for path, *value in changes:
        if not path:
            tree = value[0] if value else None
            continue
        branch = tree
        for word in path[:-1]:
            branch = branch[word]
        if not value:
            del branch[path[-1]]
        elif isinstance(branch, list) and path[-1] == len(branch):
            branch.append(value[0])
        else:
            branch[path[-1]] = value[0]
    return tree
