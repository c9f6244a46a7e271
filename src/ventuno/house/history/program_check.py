"""Inspection: the program and its rules are compared with their manifest at the start, every day and on demand (R-19).

The first start of a version writes its manifest into the audit log. Whatever differs later stops new rounds until the
files are as they were, or an operator has accepted what is there now by starting the house with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ventuno.house.history import audit as audits
from ventuno.house.history import manifest
from ventuno.house.history.audit import Audit, ManifestTaken, ProgramDiffers, ProgramVerified, RulesChanged
from ventuno.house.history.manifest import Manifest
from ventuno.house.store.records import Record

EVERY = 24 * 3_600_000
SHOWN = 100
"""Differences that one entry of the log tells at most."""


class Verdict(NamedTuple):
    """What the last inspection found; sound where nothing differs."""

    at: int
    version: str
    digest: str
    differences: tuple[str, ...]

    @property
    def sound(self) -> bool:
        return not self.differences

    @property
    def detail(self) -> str:
        shown = ", ".join(self.differences[:3])
        return f"{shown} and {len(self.differences) - 3} more" if len(self.differences) > 3 else shown


class Inspector:
    """`take` reads the files and may be slow; `look` decides and gives the records of it."""

    def __init__(self, audit: Audit, take: Callable[[], Manifest], accepted: str = "") -> None:
        self._audit, self.take, self._accepted = audit, take, accepted
        self.kept: Manifest | None = None
        self.verdict = Verdict(0, "", "", ())

    def recover(self, log: Sequence[Record]) -> None:
        """The manifest that was written last."""
        for record in log:
            if record.kind == ManifestTaken.__name__:
                event = audits.read(record.kind, record.body)
                assert isinstance(event, ManifestTaken)
                self.kept = Manifest(event.version, event.parts)

    def due(self, at: int) -> bool:
        return at >= self.verdict.at + EVERY

    def look(self, found: Manifest, at: int, why: str) -> tuple[Record, ...]:
        """Compare what was found with what is kept; a new version, or an acceptance, becomes what is kept."""
        kept = self.kept
        told = manifest.differences(kept, found) if kept else ()
        if kept is None or kept.version != found.version:
            return self._keep(found, at, f"version {found.version}")
        if told and self._accepted:
            return self._keep(found, at, f"accepted: {self._accepted}")
        if told and manifest.only_adds_certificates(kept, found):
            return self._keep(found, at, "certificates added")
        self.verdict = Verdict(at, found.version, found.digest, told)
        if not told:
            return self._audit.note(at, ProgramVerified(found.version, found.digest, why))
        return self._audit.note(at, ProgramDiffers(found.version, found.digest, why, told[:SHOWN], len(told)))

    def _keep(self, found: Manifest, at: int, reason: str) -> tuple[Record, ...]:
        before = self.kept.digest if self.kept else ""
        self.kept, self._accepted = found, ""
        self.verdict = Verdict(at, found.version, found.digest, ())
        changed = [RulesChanged("program", before, found.digest)] if before else []
        return self._audit.note(at, ManifestTaken(found.version, found.digest, reason, found.parts), *changed)
