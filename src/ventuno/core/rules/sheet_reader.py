"""Reads a sheet from its TOML text: checks everything, applies what-if changes, hashes the canonical content."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
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
_NOT_CANONICAL = _HIDDEN | {"looks"}


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
    return replace(_check(raw, changes), notes=_notes(text))


def read_canonical(content: Mapping[str, Any], changes: Mapping[str, str] | None = None) -> Sheet:
    """A checked sheet from its canonical form, as `plain` gives it; whoever sent it, it is checked like a file."""
    game = content.get("game")
    family = game.get("family") if isinstance(game, Mapping) else None
    own = _own_fields(Sheet, family) if family in FAMILIES else {}
    return _check(deepcopy({name: value for name, value in content.items() if name in own or not own}), changes)


def _check(raw: dict[str, Any], changes: Mapping[str, str] | None) -> Sheet:
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
        names = [item.name for item in fields(value) if _is_canonical(item, getattr(value, item.name))]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Odds) else value


def _is_canonical(item: Field[Any], value: Any) -> bool:
    """Whether a field is part of the canonical content; a later switch is so only where it is set: hashes stay."""
    return item.name not in _NOT_CANONICAL and (item.metadata.get("canonical", True) or value != item.default)


def with_cards(sheet: Sheet, cards: str) -> Sheet:
    """The same game with sealed or with scanned cards: every return is the same, the hash is another."""
    if sheet.shoe.cards == cards:
        return sheet
    changed = replace(sheet, shoe=replace(sheet.shoe, cards=cards))
    return replace(changed, hash=_hash(changed))


def list_by_hash(games: Iterable[Sheet]) -> dict[str, Sheet]:
    """These games by the hash that records name them by, with sealed and with scanned cards (X-27)."""
    both = [with_cards(sheet, cards) for sheet in games for cards in (sections.SEALED, sections.SCANNED)]
    return {sheet.hash: sheet for sheet in both}


def _hash(sheet: Sheet) -> str:
    content = json.dumps(plain(sheet), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _own_fields(kind: type[Any], family: str) -> dict[str, Field[Any]]:
    own = {field.name: field for field in fields(kind) if field.name not in _HIDDEN}
    if family:
        own = {name: field for name, field in own.items() if family in field.metadata.get("families", (family,))}
    return own


def _build(kind: type[Any], raw: object, path: str, family: str) -> Any:
    if not isinstance(raw, dict):
        raise SheetError(f"{path}: a table is needed here")
    own = _own_fields(kind, family)
    dot = f"{path}." if path else ""
    for name in raw:
        if name not in own:
            raise SheetError(f"{dot}{name}: unknown key; known: {', '.join(own)}")
    values: dict[str, Any] = {}
    for name, field in own.items():
        if name in raw:
            values[name] = _read(field, raw[name], f"{dot}{name}", family)
        elif _is_required(field):
            raise SheetError(f"{dot}{name}: missing; legal: {_legal(field)}")
    return kind(**values)


def _read(field: Field[Any], raw: object, path: str, family: str) -> Any:
    if entries := field.metadata.get("entries"):
        if not isinstance(raw, dict):
            raise SheetError(f"{path}: a table is needed here")
        return {name: _build(entries, entry, f"{path}.{name}", family) for name, entry in raw.items()}
    if kind := field.metadata.get("kind"):
        return kind.read(raw, path)
    return _build(_section_type(field), raw, path, family)


def _section_type(field: Field[Any]) -> type[Any]:
    section: type[Any] = getattr(sections, str(field.type))
    return section


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _legal(field: Field[Any]) -> str:
    kind: Kind | None = field.metadata.get("kind")
    return kind.legal if kind else "a table"


def _switches(value: Any, path: str, family: str, notes: Mapping[str, str]) -> Iterator[Switch]:
    for name, field in _own_fields(type(value), family).items():
        full_path, content = (f"{path}.{name}" if path else name), getattr(value, name)
        if kind := field.metadata.get("kind"):
            if isinstance(kind, Several) and content:
                for key, entry in content.items():
                    note = notes.get(f"{full_path}.{key}", notes.get(full_path, ""))
                    yield Switch(f"{full_path}.{key}", plain(entry), kind.kind, note)
            else:
                yield Switch(full_path, plain(content), kind, notes.get(full_path, ""))
        elif "entries" in field.metadata:
            for key, entry in content.items():
                yield from _switches(entry, f"{full_path}.{key}", family, notes)
        else:
            yield from _switches(content, full_path, family, notes)


def _change(raw: dict[str, Any], path: str, text: str, family: str) -> None:
    """Put one what-if value in its place; the ordinary checks follow."""
    target: Any = raw
    kind: type[Any] = Sheet
    words = path.split(".")
    while words:
        word, own = words.pop(0), _own_fields(kind, family)
        if word not in own:
            raise SheetError(f"{path}: unknown switch; known here: {', '.join(own)}")
        field = own[word]
        if not isinstance(target, dict):
            raise SheetError(f"{path}: a table is needed here")
        inside = target.get(word, {}) if "kind" in field.metadata else target.setdefault(word, {})
        if "kind" in field.metadata and not words:
            target[word] = _value(text)
            return
        if "kind" in field.metadata:
            _require_entry(path, ".".join(words), inside)
            inside[".".join(words)] = _value(text)
            return
        if entries := field.metadata.get("entries"):
            _require_entry(path, words[0] if words else "", inside)
            target, kind = inside[words.pop(0)], entries
        else:
            target, kind = inside, _section_type(field)
    raise SheetError(f"{path}: is a group; its switches: {', '.join(_own_fields(kind, family))}")


def _require_entry(path: str, name: str, table: object) -> None:
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
        if match := _SECTION.fullmatch(line.strip()):
            section = match[1].replace('"', "") + "."
            if match[2]:
                notes[section[:-1]] = match[2]
        elif match := _ENTRY.fullmatch(line.strip()):
            notes[section + match[1].strip('"')] = match[2]
    return notes
