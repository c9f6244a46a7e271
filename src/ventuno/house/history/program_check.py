"""The program and its rules are compared with their manifest at the start, every day and on demand (R-19).

The manifest is the hash of every file of the program, of every sheet in force and of every certificate. The first start
of a version writes it into the audit log. Whatever differs later stops new rounds until the files are as they were, or
an operator has accepted what is there now by starting the house with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ventuno.core.rules.sheet import Sheet
from ventuno.house.store import audit_log, canonical_json
from ventuno.house.store.audit_log import AuditLog, ManifestTaken, ProgramDiffers, ProgramVerified, RulesChanged
from ventuno.house.store.records import Record

PROGRAM = Path(__file__).resolve().parents[2]
"""The folder of the installed package."""
CERTIFICATE, SHEET, FILE = "certificate/", "sheet/", "program/"
MISSING = "cannot be read"
_GENERATED_SUFFIXES = (".pyc", ".pyo", ".nbi", ".nbc")
CHECK_INTERVAL = 24 * 3_600_000
MAX_SHOWN = 100
"""Differences that one entry of the log tells at most."""


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


def list_differences(stored: Manifest, current: Manifest) -> tuple[str, ...]:
    """What is not as it was stored, part by part.

    >>> list_differences(Manifest("1", {"a": "00", "b": "11"}), Manifest("1", {"b": "12", "c": "22"}))
    ('a is missing', 'b is changed', 'c is new')
    """
    listed = []
    for name in sorted({*stored.parts, *current.parts}):
        if name not in current.parts:
            listed.append(f"{name} is missing")
        elif name not in stored.parts:
            listed.append(f"{name} is new")
        elif stored.parts[name] != current.parts[name]:
            listed.append(f"{name} is changed")
    return tuple(listed)


def only_adds_certificates(stored: Manifest, current: Manifest) -> bool:
    """A certificate that comes later changes no rule: it says of a sheet what that sheet is."""
    new = set(current.parts) - set(stored.parts)
    as_before = all(current.parts.get(name) == hashed for name, hashed in stored.parts.items())
    return as_before and all(name.startswith(CERTIFICATE) for name in new)


class ProgramCheck(NamedTuple):
    """What the last check found; sound where nothing differs."""

    at: int
    version: str
    digest: str
    differences: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.differences

    @property
    def detail(self) -> str:
        shown = ", ".join(self.differences[:3])
        return f"{shown} and {len(self.differences) - 3} more" if len(self.differences) > 3 else shown


class ProgramChecker:
    """`take_manifest` reads the files and may be slow; `check` decides and gives the records of it."""

    def __init__(self, audit: AuditLog, take: Callable[[], Manifest], accepted: str = "") -> None:
        self._audit, self.take_manifest, self._accepted = audit, take, accepted
        self.stored: Manifest | None = None
        self.result = ProgramCheck(0, "", "", ())

    def recover(self, log: Sequence[Record]) -> None:
        """The manifest that was written last."""
        for record in log:
            if record.kind == ManifestTaken.__name__:
                event = audit_log.read(record.kind, record.body)
                assert isinstance(event, ManifestTaken)
                self.stored = Manifest(event.version, event.parts)

    def is_due(self, at: int) -> bool:
        return at >= self.result.at + CHECK_INTERVAL

    def check(self, manifest: Manifest, at: int, why: str) -> tuple[Record, ...]:
        """Compare what was found with what is stored; a new version, or an acceptance, becomes what is stored."""
        stored = self.stored
        differences = list_differences(stored, manifest) if stored else ()
        if stored is None or stored.version != manifest.version:
            return self._accept(manifest, at, f"version {manifest.version}")
        if differences and self._accepted:
            return self._accept(manifest, at, f"accepted: {self._accepted}")
        if differences and only_adds_certificates(stored, manifest):
            return self._accept(manifest, at, "certificates added")
        self.result = ProgramCheck(at, manifest.version, manifest.digest, differences)
        if not differences:
            return self._audit.write(at, ProgramVerified(manifest.version, manifest.digest, why))
        return self._audit.write(
            at,
            ProgramDiffers(manifest.version, manifest.digest, why, differences[:MAX_SHOWN], len(differences)),
        )

    def _accept(self, manifest: Manifest, at: int, reason: str) -> tuple[Record, ...]:
        before = self.stored.digest if self.stored else ""
        self.stored, self._accepted = manifest, ""
        self.result = ProgramCheck(at, manifest.version, manifest.digest, ())
        changed = [RulesChanged("program", before, manifest.digest)] if before else []
        return self._audit.write(at, ManifestTaken(manifest.version, manifest.digest, reason, manifest.parts), *changed)
