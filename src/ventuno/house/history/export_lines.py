"""The lines of an export file, each a JSON object that says what it is (X-14)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from ventuno.core.rules.money import Cents, PlayerId

FORMAT = 2


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line"):
    pass


class Opening(_Line, frozen=True, tag="ventuno-export"):
    """`whole` files hold private streams and undealt cards: they never leave the house. Others say what they lack."""

    format: int
    at: int
    whole: bool
    withheld: dict[str, int]


class RecordLine(_Line, frozen=True, tag="record"):
    stream: str
    seq: int
    at: int
    kind: str
    body: msgspec.Raw
    hash: str


class PostingLine(_Line, frozen=True, tag="posting"):
    stream: str
    seq: int
    account: str
    amount: Cents
    criterion: str
    arithmetic: str


class RoundLine(_Line, frozen=True, tag="round"):
    code: str
    stream: str
    first: int
    last: int
    started: int
    ended: int
    game: str
    sheet: str
    voided: bool
    practice: bool


class ShareLine(_Line, frozen=True, tag="share"):
    code: str
    player: PlayerId
    ended: int
    staked: Cents
    returned: Cents


class Closing(_Line, frozen=True, tag="end"):
    """`heads` gives the last record and hash of each stream; note it down, and no later file can tell otherwise."""

    lines: int
    heads: dict[str, tuple[int, str]]
    balances: dict[str, Cents]
    digest: str


AnyLine: TypeAlias = Opening | RecordLine | PostingLine | RoundLine | ShareLine | Closing
