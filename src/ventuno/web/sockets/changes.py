"""The difference of two views as a list of changes, and a JSON tree with changes applied.

`[path, value]` sets what lies at a path, `[path]` takes it away; an index one past the end of a list appends, and the
empty path is the view itself. Dataclasses, mappings and lists are looked into; no place changes between a number and a
truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass
from itertools import count
from typing import Any

import msgspec

from ventuno.core.views.private_view import DecisionOption, Option, SpotOption

Path = tuple[str | int, ...]
Change = Sequence[Any]

MANY = 8
"""A list with more changes than this is weighed against sending it whole."""
LISTS = (list, tuple)
WHOLE = frozenset((str, int, float, bool, type(None), Option, DecisionOption, SpotOption))
"""What is sent whole where it differs, and never looked into: plain values, and options, which are small."""
_encode = msgspec.json.Encoder().encode


def diff(old: Any, new: Any) -> list[Change]:
    """What turns `old` into `new`, in the order in which it is to be applied. Parts that both share cost nothing."""
    changes: list[Change] = []
    if old is not new and old != new:
        _compare((), old, new, changes)
    return changes


def _compare(path: Path, old: Any, new: Any, changes: list[Change]) -> None:
    """Add the changes of two values that differ."""
    kind, was = type(new), type(old)
    if kind is dict and was is dict:
        changes += [((*path, key),) for key in old if key not in new]
        common = [key for key in new if key in old]
        _compare_each(path, common, [old[key] for key in common], [new[key] for key in common], changes)
        changes += [((*path, key), value) for key, value in new.items() if key not in old]
    elif kind in LISTS and was in LISTS and new and old:
        inside: list[Change] = []
        _compare_each(path, count(), old, new, inside)
        inside += [((*path, index),) for index in range(len(old) - 1, len(new) - 1, -1)]
        inside += [((*path, index), new[index]) for index in range(len(old), len(new))]
        changes += [(path, new)] if _is_longer(inside, new) else inside
    elif kind is was and is_dataclass(kind) and kind not in WHOLE:
        names = new.__match_args__
        before, after = ([getattr(view, name) for name in names] for view in (old, new))
        _compare_each(path, names, before, after, changes)
    else:
        changes.append((path, new))


def _compare_each(
    path: Path, keys: Iterable[str | int], old: Sequence[Any], new: Sequence[Any], changes: list[Change]
) -> None:
    for key, before, after in zip(keys, old, new, strict=False):
        if before is not after and before != after:
            if type(after) in WHOLE:
                changes.append(((*path, key), after))
            else:
                _compare((*path, key), before, after, changes)


def _is_longer(changes: list[Change], new: Sequence[Any]) -> bool:
    """Whether these changes of a list are longer than the list: surely where each place has another value."""
    if len(changes) >= len(new) > 1 and type(new[0]) in WHOLE:
        return True
    return len(changes) > MANY and len(_encode(changes)) > len(_encode(new))


def apply_changes(tree: Any, changes: Iterable[Change]) -> Any:
    """The tree after these changes; the one given stays as it is. Raises LookupError where a path leads nowhere."""
    for change in changes:
        tree = _apply(tree, change[0], change[1:])
    return tree


def _apply(tree: Any, path: Sequence[Any], value: Sequence[Any]) -> Any:
    """The tree with a value at a path, or without what lies there where there is no value."""
    if not path:
        return value[0] if value else None
    key, rest = path[0], path[1:]
    if type(tree) is dict:
        copy: Any = dict(tree)
        is_new = not rest and key not in tree
    elif type(tree) in LISTS and type(key) is int and 0 <= key <= len(tree):
        copy = list(tree)
        is_new = key == len(tree)
    else:
        raise LookupError(f"there is no {key!r} here")
    if not rest and not value:
        del copy[key]
    elif is_new and type(copy) is list:
        copy.append(_apply(None, rest, value))
    else:
        copy[key] = _apply(None if is_new else copy[key], rest, value)
    return copy
