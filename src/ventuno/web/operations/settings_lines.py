"""Where something stands in a file of TOML: a fault is told with its line."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from typing import Any

_HEADER = re.compile(r"\s*(\[\[?)[^=]*\]\s*(#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def find_line(text: str, place: Sequence[str | int]) -> int:
    """The line of what stands at a place, or of the nearest that is around it; 0 where nothing of it is written.

    >>> find_line('port = 1\\n[[table]]\\n[[table]]\\nlimits.main = [1]', ("table", 1, "limits", "main"))
    4
    """
    wanted, best, line_of_best = tuple(map(str, place)), 0, 0
    header: tuple[str, ...] = ()
    blocks: Counter[tuple[str, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _HEADER.match(line):
            path = _read_path(line)
            if match[1] == "[[":
                blocks[path] += 1
                header = (*path, str(blocks[path] - 1))
            else:
                block = next((name for name in blocks if path[: len(name)] == name), ())
                header = (*block, str(blocks[block] - 1), *path[len(block) :]) if block else path
            written = header
        elif match := _KEY.match(line):
            written = (*header, *_read_path(f"[{match[1]}]"))
        else:
            continue
        common = next((at for at, pair in enumerate(zip(written, wanted, strict=False)) if pair[0] != pair[1]), None)
        shared = min(len(written), len(wanted)) if common is None else common
        if shared > best:
            best, line_of_best = shared, number
    return line_of_best


def _read_path(header: str) -> tuple[str, ...]:
    """The names of a header, whatever quotes they stand in."""
    try:
        value: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while value:
        value = value[0] if isinstance(value, list) else value
        if not value:
            break
        name, value = next(iter(value.items()))
        path.append(name)
    return tuple(path)
