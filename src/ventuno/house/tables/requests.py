"""What may be asked of the house, and how it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from ventuno.core.messages.commands import Command
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.store.records import Batch


@dataclass(frozen=True, slots=True)
class NotYours(Refusal):
    """A player speaks for himself alone; some things only the house says."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class NoSuchTable(Refusal):
    table: str


class Request(msgspec.Struct, frozen=True):
    """A command for a table, who sends it, and the key that makes repeating it harmless.

    `trusted` is set by the house's own code where it fills in what a player may not say of himself, and by nobody else.
    """

    table: str
    command: Command
    key: str
    player: PlayerId = ""
    trusted: bool = False

    def digest(self) -> bytes:
        """What must be equal when a key comes again; the time of arrival is not part of it, nor what it is credited."""
        command = self.command
        fields = msgspec.to_builtins(command)
        del fields["at"]
        fields.pop("lag", None)
        body = {"table": self.table, "kind": type(command).__name__, "player": self.player, "command": fields}
        return sha256(msgspec.json.encode(body)).digest()


class Answer(msgspec.Struct, frozen=True):
    """What the sender is told: the version of the table his command made, or why not, as a code with numbers."""

    table: str
    version: int
    refused: str = ""
    numbers: Mapping[str, object] = {}


class Decision(msgspec.Struct, frozen=True):
    """An answer that may be given once its batch is durable; events are shown then, and not before."""

    answer: Answer
    batch: Batch | None = None
    events: tuple[Event, ...] = ()


def refuse(table: str, version: int, refusal: Refusal) -> Decision:
    return Decision(Answer(table, version, refusal.code, msgspec.to_builtins(refusal)))
