"""Reads a sheet from its TOML text: checks everything, applies what-if changes, hashes the canonical content."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from typing import Any

from ventuno.core.rules import sheet as sections
from ventuno.core.rules import sheet_checks
from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import FAMILIES, Sheet
from ventuno.core.rules.switches import Kind, Several, SheetError

_SECTION = re.compile(r"\[([^\]]+)\]\s*(?:#\s*(.*))?")
_ENTRY = re.compile(r"([A-Za-z0-9_+\"-]+)\s*=.*?#\s*(.*)")
_HIDDEN = frozenset(("hash", "notes"))


@dataclass(frozen=True, slots=True)
class Switch:
    """One addressable value of a sheet with its legal values and the criteria beside it."""

    path: str
    value: Any
    kind: Kind
    note: str

    @property
    def legal(self) -> str:
        return self.kind.legal


def read(text: str, changes: Mapping[str, str] | None = None) -> Sheet:
    """A checked sheet. `changes` are what-if settings `path -> value as text`; they act on this copy only."""
    try:
        raw = tomllib.loads(text)
    except RecursionError:
        raise SheetError("not readable as TOML: nested too deeply") from None
    except ValueError as fault:
        raise SheetError(f"not readable as TOML: {fault}") from None
    return replace(_checked(raw, changes), notes=_notes(text))


def reread(content: Mapping[str, Any], changes: Mapping[str, str] | None = None) -> Sheet:
    """A checked sheet from its canonical form, as `plain` gives it; whoever sent it, it is checked like a file."""
    game = content.get("game")
    family = game.get("family") if isinstance(game, Mapping) else None
    own = _known(Sheet, family) if family in FAMILIES else {}
    return _checked(deepcopy({name: value for name, value in content.items() if name in own or not own}), changes)


def _checked(raw: dict[str, Any], changes: Mapping[str, str] | None) -> Sheet:
    game = raw.get("game")
    family = game.get("family") if isinstance(game, dict) else None
    if family not in FAMILIES:
        raise SheetError(f"game.family: {family!r} is not legal; legal: {', '.join(FAMILIES)}")
    for path, value in (changes or {}).items():
        _change(raw, path, value, family)
    sheet: Sheet = _build(Sheet, raw, "", family)
    sheet_checks.check(sheet)
    return replace(sheet, hash=_hash(sheet))


def switches(sheet: Sheet) -> tuple[Switch, ...]:
    """Every switch of the sheet in force, in the order of the file."""
    return tuple(_switches(sheet, "", sheet.game.family, sheet.notes))


def plain(value: Any) -> Any:
    """The canonical form of a value: what JSON holds, with exact payouts as text."""
    if is_dataclass(value) and not isinstance(value, Odds | type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value) if one.name not in _HIDDEN}
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return str(value) if isinstance(value, Odds) else value


def _hash(sheet: Sheet) -> str:
    content = json.dumps(plain(sheet), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _known(kind: type[Any], family: str) -> dict[str, Field[Any]]:
    found = {one.name: one for one in fields(kind) if one.name not in _HIDDEN}
    if family:
        found = {name: one for name, one in found.items() if family in one.metadata.get("families", (family,))}
    return found


def _build(kind: type[Any], raw: object, path: str, family: str) -> Any:
    if not isinstance(raw, dict):
        raise SheetError(f"{path}: a table is needed here")
    known = _known(kind, family)
    dot = f"{path}." if path else ""
    for name in raw:
        if name not in known:
            raise SheetError(f"{dot}{name}: unknown key; known: {', '.join(known)}")
    values: dict[str, Any] = {}
    for name, one in known.items():
        if name in raw:
            values[name] = _read(one, raw[name], f"{dot}{name}", family)
        elif _needed(one):
            raise SheetError(f"{dot}{name}: missing; legal: {_legal(one)}")
    return kind(**values)


def _read(one: Field[Any], raw: object, path: str, family: str) -> Any:
    if entries := one.metadata.get("entries"):
        if not isinstance(raw, dict):
            raise SheetError(f"{path}: a table is needed here")
        return {name: _build(entries, entry, f"{path}.{name}", family) for name, entry in raw.items()}
    if kind := one.metadata.get("kind"):
        return kind.read(raw, path)
    return _build(_section_type(one), raw, path, family)


def _section_type(one: Field[Any]) -> type[Any]:
    found: type[Any] = getattr(sections, str(one.type))
    return found


def _needed(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _legal(one: Field[Any]) -> str:
    kind: Kind | None = one.metadata.get("kind")
    return kind.legal if kind else "a table"


def _switches(value: Any, path: str, family: str, notes: Mapping[str, str]) -> Iterator[Switch]:
    for name, one in _known(type(value), family).items():
        here, held = (f"{path}.{name}" if path else name), getattr(value, name)
        if kind := one.metadata.get("kind"):
            if isinstance(kind, Several) and held:
                for key, entry in held.items():
                    note = notes.get(f"{here}.{key}", notes.get(here, ""))
                    yield Switch(f"{here}.{key}", plain(entry), kind.kind, note)
            else:
                yield Switch(here, plain(held), kind, notes.get(here, ""))
        elif "entries" in one.metadata:
            for key, entry in held.items():
                yield from _switches(entry, f"{here}.{key}", family, notes)
        else:
            yield from _switches(held, here, family, notes)


def _change(raw: dict[str, Any], path: str, text: str, family: str) -> None:
    """Put one what-if value in its place; the ordinary checks follow."""
    here: Any = raw
    kind: type[Any] = Sheet
    words = path.split(".")
    while words:
        word, known = words.pop(0), _known(kind, family)
        if word not in known:
            raise SheetError(f"{path}: unknown switch; known here: {', '.join(known)}")
        one = known[word]
        if not isinstance(here, dict):
            raise SheetError(f"{path}: a table is needed here")
        inside = here.get(word, {}) if "kind" in one.metadata else here.setdefault(word, {})
        if "kind" in one.metadata and not words:
            here[word] = _value(text)
            return
        if "kind" in one.metadata:
            _known_entry(path, ".".join(words), inside)
            inside[".".join(words)] = _value(text)
            return
        if entries := one.metadata.get("entries"):
            _known_entry(path, words[0] if words else "", inside)
            here, kind = inside[words.pop(0)], entries
        else:
            here, kind = inside, _section_type(one)
    raise SheetError(f"{path}: is a group; its switches: {', '.join(_known(kind, family))}")


def _known_entry(path: str, name: str, table: object) -> None:
    if not isinstance(table, dict) or name not in table:
        raise SheetError(
            f"{path}: unknown switch; known here: {', '.join(table) if isinstance(table, dict) else 'none'}"
        )


def _value(text: str) -> Any:
    """A value as written on a command line: TOML where it is TOML, the bare word otherwise."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, KeyError, RecursionError):
        return text


def _notes(text: str) -> dict[str, str]:
    """The remarks of the file by switch: criteria stand beside the line they explain."""
    notes: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        if found := _SECTION.fullmatch(line.strip()):
            section = found[1].replace('"', "") + "."
            if found[2]:
                notes[section[:-1]] = found[2]
        elif found := _ENTRY.fullmatch(line.strip()):
            notes[section + found[1].strip('"')] = found[2]
    return notes
