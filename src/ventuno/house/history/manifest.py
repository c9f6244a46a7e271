"""The manifest: the hash of every file of the program, of every sheet in force and of every certificate (R-19)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ventuno.core.rules.sheet import Sheet
from ventuno.house.store import canonical_json

PROGRAM = Path(__file__).resolve().parents[2]
"""The folder of the installed package."""
CERTIFICATE, SHEET, FILE = "certificate/", "sheet/", "program/"
MISSING = "cannot be read"
_GENERATED_SUFFIXES = (".pyc", ".pyo", ".nbi", ".nbc")


class Manifest(NamedTuple):
    """What a version of the program consists of: each part by its name, with its hash."""

    version: str
    parts: Mapping[str, str]

    @property
    def digest(self) -> str:
        return canonical_json.digest({"version": self.version, "parts": dict(self.parts)}).hex()


def take_manifest(version: str, program: Path, sheets: Mapping[str, Sheet], certificates: Path) -> Manifest:
    """The manifest of what lies there now. It reads every file: run it beside the tables."""
    parts = {f"{SHEET}{hashed}": sheet.game.id for hashed, sheet in sheets.items()}
    parts |= {f"{FILE}{name}": hashed for name, hashed in _hash_files(program)}
    parts |= {f"{CERTIFICATE}{name}": hashed for name, hashed in _hash_files(certificates)}
    return Manifest(version, dict(sorted(parts.items())))


def _hash_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file beneath a folder with its hash, but what Python itself leaves there when it runs."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if "__pycache__" in name.parts or path.suffix in _GENERATED_SUFFIXES or path.is_dir():
            continue
        try:
            yield name.as_posix(), sha256(path.read_bytes()).hexdigest()
        except OSError:
            yield name.as_posix(), MISSING


def list_differences(kept: Manifest, current: Manifest) -> tuple[str, ...]:
    """What is not as it was kept, part by part.

    >>> differences(Manifest("1", {"a": "00", "b": "11"}), Manifest("1", {"b": "12", "c": "22"}))
    ('a is missing', 'b is changed', 'c is new')
    """
    listed = []
    for name in sorted({*kept.parts, *current.parts}):
        if name not in current.parts:
            listed.append(f"{name} is missing")
        elif name not in kept.parts:
            listed.append(f"{name} is new")
        elif kept.parts[name] != current.parts[name]:
            listed.append(f"{name} is changed")
    return tuple(listed)


def only_adds_certificates(kept: Manifest, current: Manifest) -> bool:
    """A certificate that comes later changes no rule: it says of a sheet what that sheet is."""
    new = set(current.parts) - set(kept.parts)
    as_before = all(current.parts.get(name) == hashed for name, hashed in kept.parts.items())
    return as_before and all(name.startswith(CERTIFICATE) for name in new)
