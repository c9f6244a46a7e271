"""Inspection: the program and its rules are compared with their manifest at the start, every day and on demand (R-19).

The first start of a version writes its manifest into the audit log. Whatever differs later stops new rounds until the
files are as they were, or an operator has accepted what is there now by starting the house with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ventuno.house.history import manifest
from ventuno.house.history.manifest import Manifest
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import AuditLog, ManifestTaken, ProgramDiffers, ProgramVerified, RulesChanged
from ventuno.house.store.records import Record

CHECK_INTERVAL = 24 * 3_600_000
MAX_SHOWN = 100
"""Differences that one entry of the log tells at most."""


class ProgramCheck(NamedTuple):
    """What the last inspection found; sound where nothing differs."""

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
    """`take` reads the files and may be slow; `look` decides and gives the records of it."""

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

    def check(self, manifest_now: Manifest, at: int, why: str) -> tuple[Record, ...]:
        """Compare what was found with what is kept; a new version, or an acceptance, becomes what is kept."""
        stored = self.stored
        differences = manifest.list_differences(stored, manifest_now) if stored else ()
        if stored is None or stored.version != manifest_now.version:
            return self._store(manifest_now, at, f"version {manifest_now.version}")
        if differences and self._accepted:
            return self._store(manifest_now, at, f"accepted: {self._accepted}")
        if differences and manifest.only_adds_certificates(stored, manifest_now):
            return self._store(manifest_now, at, "certificates added")
        self.result = ProgramCheck(at, manifest_now.version, manifest_now.digest, differences)
        if not differences:
            return self._audit.write(at, ProgramVerified(manifest_now.version, manifest_now.digest, why))
        return self._audit.write(
            at,
            ProgramDiffers(manifest_now.version, manifest_now.digest, why, differences[:MAX_SHOWN], len(differences)),
        )

    def _store(self, manifest_now: Manifest, at: int, reason: str) -> tuple[Record, ...]:
        before = self.stored.digest if self.stored else ""
        self.stored, self._accepted = manifest_now, ""
        self.result = ProgramCheck(at, manifest_now.version, manifest_now.digest, ())
        changed = [RulesChanged("program", before, manifest_now.digest)] if before else []
        return self._audit.write(
            at, ManifestTaken(manifest_now.version, manifest_now.digest, reason, manifest_now.parts), *changed
        )
