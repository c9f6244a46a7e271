"""The difference of two views as a list of changes, and a JSON tree with changes applied.

`[path, value]` sets what lies at a path, `[path]` takes it away; an index one past the end of a list appends, and the
empty path is the view itself. Records, mappings and lists are looked into; no place changes between a number and a
truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import ne
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
    if old is not new:
        _compare((), old, new, changes)
    return changes


def _compare(path: Path, old: Any, new: Any, changes: list[Change]) -> None:
    """Add the changes of two values; a record is compared as the mapping of its fields."""
    kind = type(new)
    if type(old) is kind and _RECORDS[kind]:
        fields = vars(new)
        _compare_each(path, zip(fields, vars(old).values(), fields.values(), strict=True), changes)
    elif kind is dict and type(old) is dict:
        if old.keys() == new.keys():
            _compare_each(path, [(key, old[key], value) for key, value in new.items()], changes)
            return
        changes += [((*path, key),) for key in old if key not in new]
        _compare_each(path, [(key, old[key], value) for key, value in new.items() if key in old], changes)
        changes += [((*path, key), value) for key, value in new.items() if key not in old]
    elif kind in LISTS and type(old) in LISTS and new and old:
        if type(new[0]) in WHOLE and len(old) == len(new) > 1 and all(map(ne, old, new)):
            changes.append((path, new))
            return
        inside: list[Change] = []
        _compare_each(path, zip(range(len(new)), old, new, strict=False), inside)
        if len(old) != len(new):
            inside += [((*path, index),) for index in range(len(old) - 1, len(new) - 1, -1)]
            inside += [((*path, index), new[index]) for index in range(len(old), len(new))]
        changes += [(path, new)] if _is_longer(inside, new) else inside
    elif old != new:
        changes.append((path, new))


def _compare_each(path: Path, parts: Iterable[tuple[str | int, Any, Any]], changes: list[Change]) -> None:
    """Add the changes of parts. A record is not asked first whether it is equal: its fields are looked at anyway."""
    for key, before, after in parts:
        if before is not after:
            kind = type(after)
            if _RECORDS[kind]:
                _compare((*path, key), before, after, changes)
            elif before != after:
                if kind in WHOLE:
                    changes.append(((*path, key), after))
                else:
                    _compare((*path, key), before, after, changes)


class _KnownRecords(dict[type, bool]):
    """Which types are records that are looked into; each is asked once."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = found = issubclass(kind, FrozenRecord) and kind not in WHOLE
        return found


_RECORDS = _KnownRecords()


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
