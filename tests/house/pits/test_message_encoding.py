"""Messages between pits and asks as bytes: they come back as they were, and what is no message is found out."""

from __future__ import annotations

import msgspec
import pytest

from ventuno.core.messages.commands import Act, BringMoney, PlaceBet, Spot, TakeMoney
from ventuno.core.table.round import Action
from ventuno.house.accounts.player_limits import PlayExcluded
from ventuno.house.pits.asks import Ask, Exclude, SetLimit
from ventuno.house.pits.message_encoding import (
    MOST_BYTES,
    MOST_SHARES,
    Malformed,
    decode_answer,
    decode_ask,
    decode_message,
    encode_answer,
    encode_ask,
    encode_message,
    name_kind,
)
from ventuno.house.pits.messages import Body, Grant, GrantNumber, Message, Report, Transfer, TransferReply
from ventuno.house.pits.placement import find_player_pit, find_table_pit
from ventuno.house.protection.limit_check import RealityCheckDue
from ventuno.house.store.records import ShareRow
from ventuno.house.tables.authority import Answer

SHARE = ShareRow("T1-7", "ada", 17, 500, 1_000)
GRANT = Grant("ada", GrantNumber(2, 7), 3, 9_000, 700, 4, ("stake:day", 2_000))
BODIES: tuple[Body, ...] = (
    Transfer("transfer:17:1", "ada", "T1", 500, 2, True, 4),
    TransferReply("transfer:17:1", "ada", 8, "FundsMissing", {"needed": 500}, False, 3),
    GRANT,
    Grant("ada", GrantNumber(2, 8), 3, 9_000, None, never=PlayExcluded(99), check=RealityCheckDue(60, -5)),
    Report("ada", 3, GrantNumber(2, 7), 3, 500, 1, (SHARE,), 100),
)
BODY_OF_ASKS = (
    BringMoney("ada", 500, 0),
    TakeMoney("ada", 500, 0),
    PlaceBet("ada", (Spot(1, "main"),), 500, 0),
    Act("ada", 1, Action.STAND, 0),
    SetLimit("stake:day", 500),
    Exclude(30),
)


def pack(body: object, sender: int = 17, epoch: int = 1) -> bytes:
    return msgspec.msgpack.encode([sender, epoch, 18, 1, body])


@pytest.mark.parametrize("body", BODIES, ids=lambda body: type(body).__name__)
def test_a_message_comes_back_as_it_was(body: Body) -> None:
    message = Message(17, 2, 255, 9, body)
    assert decode_message(name_kind(body), encode_message(message)) == message


@pytest.mark.parametrize("body", BODY_OF_ASKS, ids=lambda body: type(body).__name__)
def test_an_ask_comes_back_as_it_was(body: object) -> None:
    ask = Ask("ask:ada 1", "ada", body, "T1", "bea")  # type: ignore[arg-type]
    assert decode_ask(encode_ask(ask)) == ask


def test_an_ask_goes_where_it_is_decided() -> None:
    assert Ask("k", "ada", BringMoney("ada", 1, 0), "T1").pit == find_player_pit("ada")
    assert Ask("k", "ada", Exclude(30)).pit == find_player_pit("ada")
    assert Ask("k", "ada", TakeMoney("ada", 1, 0), "T1").pit == find_table_pit("T1")
    assert Ask("k", "ada", TakeMoney("ada", 1, 0), "S1", "bea").pit == find_player_pit("bea")


def test_an_answer_comes_back_as_it_was() -> None:
    answer = Answer("T1", 7, "FundsMissing", {"needed": 500, "available": 0})
    assert decode_answer(encode_answer(answer)) == answer


TRANSFER = msgspec.to_builtins(BODIES[0])


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("move", b""),
        ("move", b"\xc1 nothing"),
        ("move", b"\x00" * (MOST_BYTES + 1)),
        ("move", b"\x91" * 5_000),
        ("other", pack(TRANSFER)),
        ("grant", pack(TRANSFER)),
        ("move", pack(TRANSFER, sender=256)),
        ("move", pack(TRANSFER, sender=-1)),
        ("move", pack(TRANSFER, epoch=-1)),
        ("move", pack(TRANSFER | {"amount": -500})),
        ("move", pack(TRANSFER | {"amount": 0})),
        ("move", pack(TRANSFER | {"amount": 2**60})),
        ("move", pack(TRANSFER | {"amount": "500"})),
        ("move", pack(TRANSFER | {"key": "k" * 1_000})),
        ("grant", pack(msgspec.to_builtins(GRANT) | {"never": ["Refusal", {}]})),
        ("grant", pack(msgspec.to_builtins(GRANT) | {"check": 7})),
        ("report", pack(msgspec.to_builtins(BODIES[-1]) | {"shares": [SHARE] * (MOST_SHARES + 1)})),
    ],
)
def test_what_no_pit_would_say_is_found_out(kind: str, data: bytes) -> None:
    with pytest.raises(Malformed):
        decode_message(kind, data)


@pytest.mark.parametrize("data", [b"", msgspec.msgpack.encode(["k", "ada", "T1", "", "Nonsense", {}]), b"\x90"])
def test_what_nobody_would_ask_is_found_out(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode_ask(data)
