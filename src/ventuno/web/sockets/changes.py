"""The difference of two views as a list of changes, and a JSON tree with changes applied.

`[path, value]` sets what lies at a path, `[path]` takes it away; an index one past the end of a list appends, and the
empty path is the view itself. Records, mappings and lists are looked into; no place changes between a number and a
truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ventuno.core.rules.frozen_record import FrozenRecord
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
    """Add the changes of two values that differ; a record is compared as the mapping of its fields."""
    kind, was = type(new), type(old)
    if kind is was and kind not in WHOLE and isinstance(new, FrozenRecord):
        old, new, kind, was = vars(old), vars(new), dict, dict
    if kind is dict and was is dict:
        changes += [((*path, key),) for key in old if key not in new]
        _compare_each(path, [key for key in new if key in old], old, new, changes)
        changes += [((*path, key), value) for key, value in new.items() if key not in old]
    elif kind in LISTS and was in LISTS and new and old:
        inside: list[Change] = []
        _compare_each(path, range(min(len(old), len(new))), old, new, inside)
        inside += [((*path, index),) for index in range(len(old) - 1, len(new) - 1, -1)]
        inside += [((*path, index), new[index]) for index in range(len(old), len(new))]
        changes += [(path, new)] if _is_longer(inside, new) else inside
    else:
        changes.append((path, new))


def _compare_each(path: Path, keys: Iterable[str | int], old: Any, new: Any, changes: list[Change]) -> None:
    for key in keys:
        before, after = old[key], new[key]
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
    for path, *value in changes:
        tree = _apply(tree, path, value)
    return tree


def _apply(tree: Any, path: Sequence[Any], value: Sequence[Any]) -> Any:
    """The tree with a value at a path, or without what lies there where there is no value."""
    if not path:
        return value[0] if value else None
    key, *rest = path
    is_list = isinstance(tree, list)
    if not isinstance(tree, dict) and not (is_list and isinstance(key, int) and 0 <= key <= len(tree)):
        raise LookupError(f"there is no {key!r} here")
    copy = tree.copy()
    if is_list and key == len(tree):
        copy.append(None)
    if rest or value:
        copy[key] = _apply(copy[key] if rest else None, rest, value)
    else:
        del copy[key]
    return copy
