"""The difference of two trees as a list of changes, and a tree with changes applied.

`[path, value]` sets what lies at a path, `[path]` takes it away; an index one past the end of a list appends, and the
empty path is the tree itself. A tree is what JSON can hold; no place of it changes between a number and a truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

Path = tuple[str | int, ...]
Change = Sequence[Any]

MANY = 8
"""A list with more changes than this is weighed against sending it whole."""
LISTS = (list, tuple)
INNER = (dict, list, tuple)
"""What is looked into."""
_encode = msgspec.json.Encoder().encode


class Whole(dict[str, Any]):
    """A part of a tree that is sent whole where it differs, and never looked into: small, and made once for many."""


def diff(old: Any, new: Any) -> list[Change]:
    """What turns `old` into `new`, in the order in which it is to be applied. Parts that both share cost nothing."""
    found: list[Change] = []
    if old is not new and old != new:
        _compare((), old, new, found)
    return found


def apply_changes(tree: Any, made: Iterable[Change]) -> Any:
    """The tree after these changes; the one given stays as it is. Raises LookupError where a path leads nowhere."""
    for change in made:
        tree = _with(tree, change[0], change[1:])
    return tree


def _compare(path: Path, old: Any, new: Any, found: list[Change]) -> None:
    """The changes of two trees that differ."""
    kind, was = type(new), type(old)
    if kind is dict and was is dict:
        found += [((*path, key),) for key in old if key not in new]
        for key, value in new.items():
            if key not in old:
                found.append(((*path, key), value))
            elif (one := old[key]) is not value and one != value:
                if type(value) in INNER:
                    _compare((*path, key), one, value, found)
                else:
                    found.append(((*path, key), value))
    elif kind in LISTS and was in LISTS and new and old:
        made: list[Change] = []
        _compare_lists(path, old, new, made)
        if _is_longer(made, new):
            made = [(path, new)]
        found += made
    else:
        found.append((path, new))


def _is_longer(made: list[Change], new: Sequence[Any]) -> bool:
    """Whether these changes of a list are longer than the list: surely where each place has another value."""
    if len(made) >= len(new) > 1 and type(new[0]) not in INNER:
        return True
    return len(made) > MANY and len(_encode(made)) > len(_encode(new))


def _compare_lists(path: Path, old: Sequence[Any], new: Sequence[Any], found: list[Change]) -> None:
    for index, (one, other) in enumerate(zip(old, new, strict=False)):
        if one is not other and one != other:
            if type(other) in INNER:
                _compare((*path, index), one, other, found)
            else:
                found.append(((*path, index), other))
    found += [((*path, index),) for index in range(len(old) - 1, len(new) - 1, -1)]
    found += [((*path, index), new[index]) for index in range(len(old), len(new))]


def _with(tree: Any, path: Sequence[Any], value: Sequence[Any]) -> Any:
    if not path:
        return value[0] if value else None
    key, rest = path[0], path[1:]
    if type(tree) is dict:
        held: Any = dict(tree)
        fresh = not rest and key not in tree
    elif type(tree) in LISTS and type(key) is int and 0 <= key <= len(tree):
        held = list(tree)
        fresh = key == len(tree)
    else:
        raise LookupError(f"there is no {key!r} here")
    if not rest and not value:
        del held[key]
    elif fresh and type(held) is list:
        held.append(_with(None, rest, value))
    else:
        held[key] = _with(None if fresh else held[key], rest, value)
    return held
