"""Bodies of records as SQLite keeps them: shorter where that can be, and read as they were written.

What is random is kept as bytes, hashes and the cards of a shoe; the rest is deflated with a dictionary of what records
say again and again. What is hashed, chained and exported is the body itself. PostgreSQL packs by itself what is long.

    mark · length of the bytes, two of them · the bytes · the rest, deflated, with a sign where bytes were taken out
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

MARK = b"\x01"
"""Begins a packed body; JSON never begins so. Another dictionary needs another mark."""
SHORTEST = 64
"""Bytes below which packing is not worth its time: a bet is shorter."""
KINDS = 52
"""Different cards."""
_LENGTH = 2
_HASHED, _DEALT = b"\x02", b"\x03"
"""Stand for bytes written as hexadecimals, one byte with their number, and for a list of cards, two bytes."""
_CARD = rb"(?:\d|[1-4]\d|5[01])"
_RANDOM = re.compile(rb"(?P<digits>(?:[0-9a-f]{2}){16,255})|\[(?P<cards>%b(?:,%b){51,})\]" % (_CARD, _CARD))
_SIGNS = re.compile(rb"\x02(?P<digits>.)|\x03(?P<cards>..)", re.DOTALL)
_WINDOW, _MEMORY, _LEVEL = -12, 5, 6
_DICTIONARY = (
    b'"01","retired":"closed","by":"","reason":"","cards":'
    b'{"shoe":1,"kept":"{"player":"","guest":false,"limits":{"main":"behind":"vip":0{"amount":500,"provider":"play-'
    b'money","reference":"play:1:","key":"","balance":{"session":"S","table":"ventuno","game":"{"participation":"P'
    b'"even_money":false,"criterion":"V-02","F-02","S-02","D-02","L-02","1000 + 3/2 x 1000","1000 + 1 x 1000","0"'
    b'{"shoe":1,"player":"1","promise":"{"shoe":1,"player":"1","reveal":"","key":"","signature":""}'
    b'{"shoe":1,"body":{"contributions":[{"player":"1","origin":"player","promise":"","reveal":""}],"cut_card":1}}'
    b'{"shoe":1,"retired":"cut-card","hashed":"{"number":1}{"card":1}{"blackjack":false}{"shoe":1}{}'
    b'{"shoe":1,"players":["1"],"solo":true,"body":{"table":"first-person-1","shoe":1,"game":"first-person","sheet":"",'
    b'"decks":8,"root":"","previous":"","version":2}}'
    b'{"session":"S","code":"first-person-1-2026-120000-1","voided":false,"shares":[{"participation":"P","staked":1000,'
    b'"returned":2000}]}'
    b'{"shoe":1,"body":{"code":"first-person-1-2026-120000-1","first":0,"scenario":{"boxes":[{"box":1,"player":"1",'
    b'"main":1000}],"game":"first-person","shoe":"JS TS 5D 7D QC 4H","players":{"1":},"decisions":[{"box":1,"do":"hit"'
    b'},{"box":1,"do":"stand"},{"box":1,"do":"double"},{"box":1,"do":"split"}]},"bets":[{"player":"1","box":1,"hand":1,'
    b'"bet":"main","stake":1000,"returned":0,"criterion":""}]}}'
    b'{"lines":[["1","main",1000,2000,"","1000 + 1 x 1000",1,1]],"deadline":null,"at":17{"player":"1","wagers":[[1,'
    b'"main",1000]]}{"box":1,"hand":1,"card":1,"origin":"player"}{"hands":[[1,[1,2]]],"up":1}{"box":1,"hand":1,"deadline":17'
    b'{"deadline":null,"at":17,"missed":false}{"code":"first-person-1-2026-120000-1","at":17'
    b'{"receipt":{"checkpoint":{"house":"ventuno","table":"first-person-1","height":1,"head":"","root":"","at":17},'
    b'"key":"","signature":""}}'
)
"""What records say, the most frequent last. It stays as it is: books that were written with it are read with it."""


def pack(body: bytes) -> bytes:
    """A body for its column."""
    if len(body) < SHORTEST:
        return body
    taken = bytearray()

    def take_out(match: re.Match[bytes]) -> bytes:
        if digits := match["digits"]:
            taken.extend(bytes.fromhex(digits.decode()))
            return _HASHED + bytes([len(digits) // 2])
        cards = [*map(int, match["cards"].split(b","))]
        taken.extend(pack_cards(cards))
        return _DEALT + len(cards).to_bytes(2)

    rest = _RANDOM.sub(take_out, body)
    deflater = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    packed = MARK + len(taken).to_bytes(_LENGTH) + taken + deflater.compress(rest) + deflater.flush()
    return packed if len(packed) < len(body) else body


def unpack(stored: bytes) -> bytes:
    """The body as it was; also of books that were written before there was packing."""
    if not stored.startswith(MARK):
        return bytes(stored)
    start = len(MARK) + _LENGTH
    place, end = start, start + int.from_bytes(stored[len(MARK) : start])
    inflater = zlib.decompressobj(_WINDOW, _DICTIONARY)

    def put_back(match: re.Match[bytes]) -> bytes:
        nonlocal place
        digits, cards = match["digits"], match["cards"]
        size = digits[0] if digits else measure_cards(int.from_bytes(cards))
        piece, place = stored[place : place + size], place + size
        if digits:
            return piece.hex().encode()
        return b"[%b]" % ",".join(map(str, unpack_cards(piece, int.from_bytes(cards)))).encode()

    return _SIGNS.sub(put_back, inflater.decompress(stored[end:]) + inflater.flush())


def measure_cards(count: int) -> int:
    """The bytes of so many packed cards: 5.701 bits each, a little more than the 5.7004 that one of 52 needs."""
    return -(-count * 5_701 // 8_000)


def pack_cards(cards: Sequence[int]) -> bytes:
    """Cards as one number with 52 digits."""
    number = 0
    for card in cards:
        number = number * KINDS + card
    return number.to_bytes(measure_cards(len(cards)))


def unpack_cards(packed: bytes, count: int) -> list[int]:
    number, cards = int.from_bytes(packed), list[int]()
    for _ in range(count):
        number, card = divmod(number, KINDS)
        cards.append(card)
    return cards[::-1]
