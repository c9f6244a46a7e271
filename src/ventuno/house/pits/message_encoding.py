"""Messages between pits and asks as bytes: what is read is bounded, and anything else is no message.

A message is dropped where it is not understood: its sender says it again, and what never makes sense is counted (T-1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, assert_never, get_args

import msgspec

from ventuno.core.messages.commands import Command
from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.player_limits import CoolingOff, PlayExcluded
from ventuno.house.pits.asks import LIMIT_CHANGES, Ask
from ventuno.house.pits.messages import Body, Grant, Message, Report, Transfer, TransferReply
from ventuno.house.pits.placement import PITS
from ventuno.house.protection.limit_check import ProtectionLimit, RealityCheckDue
from ventuno.house.tables.authority import Answer

MOVE, ANSWER, GRANT, REPORT, ASK = "move", "answer", "grant", "report", "ask"
"""The last words of subjects."""
MOST_BYTES = 512 << 10
MOST_TEXT = 256
MOST_AMOUNT = 2**53
MOST_SHARES = 2_000
_BODIES: dict[str, type[Any]] = {MOVE: Transfer, ANSWER: TransferReply, GRANT: Grant, REPORT: Report}
_KINDS = {kind: word for word, kind in _BODIES.items()}
_REFUSALS: dict[str, type[Refusal]] = {
    kind.__name__: kind for kind in (PlayExcluded, CoolingOff, ProtectionLimit, RealityCheckDue)
}
"""Why a grant may leave nothing at all."""
_ASKS: dict[str, type[Any]] = {kind.__name__: kind for kind in (*get_args(Command), *LIMIT_CHANGES)}
_encode = msgspec.msgpack.Encoder().encode


class Malformed(ValueError):
    """Bytes that no node of ours would send."""


class _Envelope(msgspec.Struct, array_like=True, frozen=True):
    sender: int
    sender_epoch: int
    receiver: int
    receiver_epoch: int
    body: msgspec.Raw


class _AskEnvelope(msgspec.Struct, array_like=True, frozen=True):
    key: str
    player: str
    table: str
    owner: str
    kind: str
    body: msgspec.Raw


_envelopes = msgspec.msgpack.Decoder(_Envelope)
_ask_envelopes = msgspec.msgpack.Decoder(_AskEnvelope)
_answers = msgspec.msgpack.Decoder(Answer)
_fields = msgspec.msgpack.Decoder(dict[str, Any])
_bodies = {word: msgspec.msgpack.Decoder(kind) for word, kind in _BODIES.items()}
_asked = {name: msgspec.msgpack.Decoder(kind) for name, kind in _ASKS.items()}


def name_kind(body: Body) -> str:
    """The last word of the subject under which this is said."""
    return _KINDS[type(body)]


def encode_message(message: Message) -> bytes:
    body: Any = message.body
    if isinstance(body, Grant) and (body.never or body.check):
        refusals = {name: _name_refusal(getattr(body, name)) for name in ("never", "check")}
        body = msgspec.to_builtins(body) | refusals
    return _encode([*message[:4], body])


def decode_message(kind: str, data: bytes) -> Message:
    """The message, or Malformed."""
    envelope: _Envelope = _decode(_envelopes, data)
    numbers = envelope.sender, envelope.sender_epoch, envelope.receiver, envelope.receiver_epoch
    if kind not in _BODIES or not all(0 <= pit < PITS for pit in numbers[::2]) or min(numbers) < 0:
        raise Malformed(f"{kind} from {numbers}")
    if kind == GRANT:
        fields = _decode(_fields, envelope.body)
        refusals = {name: _read_refusal(fields.pop(name, None)) for name in ("never", "check")}
        body = _convert(fields, Grant)
        if any(refusals.values()):
            body = replace(body, **refusals)
    else:
        body = _decode(_bodies[kind], envelope.body)
    _check_bounds(body)
    return Message(*numbers, body)


def encode_ask(ask: Ask) -> bytes:
    return _encode([ask.key, ask.player, ask.table, ask.owner, type(ask.body).__name__, ask.body])


def decode_ask(data: bytes) -> Ask:
    """The ask, or Malformed. Who may ask what is the affair of the door it comes from, and of the rules."""
    envelope: _AskEnvelope = _decode(_ask_envelopes, data)
    _check_texts((envelope.key, envelope.player, envelope.table, envelope.owner))
    body = _asked.get(envelope.kind)
    if body is None:
        raise Malformed(f"nobody asks {envelope.kind[:MOST_TEXT]}")
    return Ask(envelope.key, envelope.player, _decode(body, envelope.body), envelope.table, envelope.owner)


def _name_refusal(refusal: Refusal | None) -> list[Any] | None:
    return [refusal.code, msgspec.to_builtins(refusal)] if refusal else None


def _read_refusal(named: Any) -> Refusal | None:
    if named is None:
        return None
    if not isinstance(named, list) or len(named) != 2 or named[0] not in _REFUSALS:
        raise Malformed(f"no refusal: {str(named)[:MOST_TEXT]}")
    refusal: Refusal = _convert(named[1], _REFUSALS[named[0]])
    return refusal


def _decode(decoder: msgspec.msgpack.Decoder[Any], data: bytes | msgspec.Raw) -> Any:
    if len(data) > MOST_BYTES:
        raise Malformed(f"{len(data)} bytes")
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise Malformed(str(fault)) from None


def _convert(fields: Any, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as fault:
        raise Malformed(f"{kind.__name__}: {fault}") from None


def _check_texts(texts: Iterable[str]) -> None:
    if any(len(text) > MOST_TEXT for text in texts):
        raise Malformed("a name is too long")


def _check_bounds(body: Body) -> None:
    """Money within what a house can hold, lists within what a pit would send."""
    match body:
        case Transfer(key, player, table, amount, vip, _, processed):
            texts: tuple[str, ...] = (key, player, table)
            numbers: tuple[int, ...] = (amount, vip or 0, processed)
        case TransferReply(key, player, version, refused, _, _, processed):
            texts, numbers = (key, player, refused), (version, processed)
        case Grant(player, number, version, until, room, counted, limit):
            texts, numbers = (player, limit[0]), (*number, version, until, room or 0, counted, limit[1])
        case Report(player, number, grant, version, open_stakes, first, shares, wanted):
            texts, numbers = (player,), (number, *grant, version, open_stakes, first, wanted)
            if len(shares) > MOST_SHARES:
                raise Malformed(f"{len(shares)} rounds in one report")
            for share in shares:
                texts, numbers = (*texts, share.code), (*numbers, share.ended, share.staked, share.returned)
        case _:
            assert_never(body)
    _check_texts(texts)
    if any(not 0 <= number <= MOST_AMOUNT for number in numbers):
        raise Malformed("a number is out of bounds")
    if isinstance(body, Transfer) and not body.amount:
        raise Malformed("a transfer of nothing")


def encode_answer(answer: Answer) -> bytes:
    return _encode(answer)


def decode_answer(data: bytes) -> Answer:
    answer: Answer = _decode(_answers, data)
    return answer
