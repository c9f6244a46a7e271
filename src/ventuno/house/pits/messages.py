"""What pits say to each other. Any message may be lost, doubled, late or out of order, and every receiver bears it.

A message names the epochs of sender and receiver. Who was addressed under an older epoch does not read it, and nobody
listens to a sender whose pit is known to have a newer owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.pits.placement import PitNumber
from ventuno.house.store.records import ShareRow


class GrantNumber(NamedTuple):
    """The order of the grants of a player: the epoch of his home, then a number that only grows in it."""

    epoch: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class Transfer:
    """Money of a player on its way between his home and the pit of a table. It is repeated until it is answered.

    `left` and `processed` come from tables: nothing of his is left in that pit, after so many transfers to it.
    `grant` comes from homes: grants before it are void where the money arrives. They may be of limits that were lowered
    while he had nothing there, when nobody asked that pit.
    """

    key: str
    player: PlayerId
    table: str
    amount: Cents
    vip: int | None = None
    left: bool = False
    processed: int = 0
    grant: GrantNumber = GrantNumber()


@dataclass(frozen=True, slots=True)
class TransferReply:
    """What became of a transfer: durable under its key, and the same however often it is asked."""

    key: str
    player: PlayerId
    version: int
    refused: str
    numbers: Mapping[str, object]
    left: bool
    processed: int


@dataclass(frozen=True, slots=True)
class Grant:
    """What a player's own protection leaves to one pit, until it is replaced by the next.

    `room` is for open stakes and the stakes of rounds after share number `counted`; None: he has no such limit. `limit`
    names the one that binds. `last`: there is no more room anywhere.
    """

    player: PlayerId
    number: GrantNumber
    version: int
    until: int
    room: Cents | None
    counted: int = 0
    limit: tuple[str, int] = ("", 0)
    last: bool = False
    never: Refusal | None = None
    check: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a pit made of its grant: the grant in force, stakes that are open, rounds since the last grant.

    `number` grows with every report of an owner, `first` is that of the first share. What is wanted asks for more.
    """

    player: PlayerId
    number: int
    grant: GrantNumber
    version: int
    open_stakes: Cents
    first: int
    shares: tuple[ShareRow, ...]
    wanted: Cents = 0


Body: TypeAlias = Transfer | TransferReply | Grant | Report


class Message(NamedTuple):
    """A body with its way: from an owner of one pit to the owner of another."""

    sender: PitNumber
    sender_epoch: int
    receiver: PitNumber
    receiver_epoch: int
    body: Body
