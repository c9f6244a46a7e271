"""Frames as clients send them, and the same frames bent, torn, stuffed and cut: by the grammar, not only by chance.

`valid` speaks every word of the vocabulary; each way of bending is a function of a frame. Everything follows from a
seed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from itertools import count
from random import Random
from typing import Any

from ventuno.core.rules.cards import NAMES
from ventuno.core.table.round import Action

Tree = dict[str, Any]
Frame = str | bytes
LONGEST = 4 << 10
BETS = ("main", "behind", "perfect-pairs", "21+3", "dealer-pair", "2-up", "link", "gold", "m", "main ")
AMOUNTS = (
    *(1, 10, 100, 500, 1_000, 10_000, 50_000, 10**6, 0, -1, -100, 2**31, 2**53 + 1, 2**63, 10**12, 10**12 + 1, 10**30),
    *(1.0, 0.5, -0.0, 1e300, "100", "١٠٠", "１００", "1e3", "0x64", None, True, False, [100], {"amount": 100}),
)
TEXTS = (
    *("", " ", "\x00", "\u202e", "\ufeff", "𝟙", "é" * 90, "x" * 500, "__proto__", "constructor", "house", "../../etc"),
    *("';DROP TABLE log;--", "<script>alert(1)</script>", "%s%n{0}", "\\", "\r\nSet-Cookie: a=b", "🂡" * 16),
)
NASTY: tuple[Any, ...] = (*AMOUNTS, *TEXTS, [], {}, [[]], [None] * 50, {"": {"": {}}}, {"do": "bet"}, {"type": "ask"})
NUMBERS = ("NaN", "-Infinity", "Infinity", "1e999", "-1e999", "00", "+1", ".5", "1.", "0x10", "1_000", "９", "9" * 400)
MORE = ("player", "at", "vip", "lag", "trusted", "segment", "locks", "diamonds", "by", "round", "session", "", "more")
"""Fields that the rules know and a client has no business to send, and some that nobody knows."""


class Speaker:
    """A client that knows the vocabulary, some names, and the keys it has used."""

    def __init__(self, rng: Random, tables: list[str], name: str = "") -> None:
        self.rng, self.tables, self._name = rng, tables, name
        self._ids = count(1)
        self._said: list[Tree] = []

    def valid(self) -> Tree:
        """A message of the protocol; now and then one that was sent before, with its key."""
        rng = self.rng
        if self._said and rng.random() < 0.08:
            return deepcopy(rng.choice(self._said))
        return deepcopy(self._message(rng.choice(KINDS)))

    def asking(self, table: str, doing: Tree) -> Tree:
        """An ask of this table, with an id and a key of its own."""
        number = next(self._ids)
        made = {"type": "ask", "id": f"m{number}", "table": table, "key": f"{self._name}key-{number:08}"}
        self._said.append({**made, "command": doing})
        del self._said[:-30]
        return self._said[-1]

    def _message(self, kind: str) -> Tree:
        rng, number = self.rng, next(self._ids)
        place: Tree = {"type": kind, "id": f"m{number}", "table": rng.choice(self.tables)}
        match kind:
            case "pong":
                return {"type": kind, "nonce": rng.choice(("1", "2", f"{number}"))}
            case "join":
                return place if rng.random() < 0.5 else {**place, "version": rng.randrange(200)}
            case "say":
                return {**place, "text": rng.choice(("ciao", "bella carta", *(one for one in TEXTS if one)))[:400]}
            case "promise":
                return {**place, "digest": rng.choice(("ab" * 32, rng.randbytes(32).hex()))}
            case "reveal":
                return {**place, "entropy": rng.randbytes(rng.choice((16, 32, 64))).hex()}
            case "ask":
                return self.asking(place["table"], self._doing())
            case _:
                return place

    def _doing(self) -> Tree:
        rng = self.rng
        word = rng.choice(DOING)
        box, chip = rng.choice((0, 1, 1, 1, 1, 2, 3, 5, 7, 7)), rng.choice((100, 100, 500, 1_000))
        spot = {"box": rng.choice((0, 1, 1, 1, 2, 7)), "bet": rng.choice((*BETS[:7], *("main",) * 6))}
        match word:
            case "bring" | "take":
                return {"do": word, "amount": rng.choice((1, 100, 5_000, 10**6))}
            case "bet":
                many = [dict(spot, box=rng.randrange(8)) for _ in range(rng.randrange(3))]
                return {"do": word, "spots": [spot, *many], "amount": chip, "exact": rng.random() < 0.5}
            case "remove":
                return {"do": word, "spot": spot, "amount": rng.choice((0, chip))}
            case "follow":
                return {"do": word, "box": box, "double": rng.random() < 0.5, "split": rng.random() < 0.5}
            case "allow-behind":
                return {"do": word, "allowed": rng.random() < 0.8}
            case "repeat":
                return {"do": word, "times": rng.choice((1, 2))}
            case "decide" | "decide-early":
                return {"do": word, "box": box, "action": rng.choice((*ACTIONS, "stand", "stand", "hit", "decline"))}
            case "decide-all":
                return {"do": word, "action": rng.choice(("insure", "decline"))}
            case "scan":
                return {"do": word, "card": rng.choice(NAMES)}
            case "unscan" | "misdeal" | "call-help":
                return {"do": word, "reason": rng.choice(("why", "another card"))}
            case _ if word in BARE:
                return {"do": word}
            case _:
                return {"do": word, "box": box}


ACTIONS = tuple(str(one.value) for one in Action)
KINDS = (*("ask",) * 14, "join", "part", "say", "promise", "reveal", "pong")
DOING = (
    *(
        "sit",
        "stay",
        "stand-up",
        "bring",
        "take",
        "allow-behind",
        "follow",
        "bet",
        "bet",
        "bet",
        "remove",
        "undo",
        "clear",
    ),
    *("repeat", "double", "deal", "deal", "decide", "decide", "decide-all", "decide-early", "spin-wheel", "spin-board"),
    *("take-desk", "leave-desk", "scan", "unscan", "cut-card", "new-shoe", "misdeal", "call-help"),
    *("pause-desk", "resume-desk"),
)
BARE = (
    "undo",
    "clear",
    "double",
    "deal",
    "take-desk",
    "leave-desk",
    "cut-card",
    "new-shoe",
    "pause-desk",
    "resume-desk",
)
"""Words without more."""


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a tree."""
    found = [path] if path else []
    for name, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        found += places(value, (*path, name))
    return found


def held(tree: Any, path: tuple[Any, ...]) -> Any:
    for name in path[:-1]:
        tree = tree[name]
    return tree


def bent(tree: Tree, rng: Random) -> Tree:
    """One place changed: gone, of another kind, renamed, one too many, or wrapped."""
    path = rng.choice(places(tree))
    inside, name = held(tree, path), path[-1]
    match rng.randrange(7):
        case 0:
            del inside[name]
        case 1 if isinstance(inside, dict):
            inside[rng.choice(MORE)] = deepcopy(rng.choice(NASTY))
        case 2 if isinstance(inside, dict):
            inside[rng.choice((name.upper(), f"{name} ", f"{name}\x00", "Type", "do"))] = inside.pop(name)
        case 3:
            inside[name] = [inside[name]]
        case 4 if isinstance(inside, list):
            inside += [deepcopy(inside[name])] * rng.choice((1, 45))
        case 5 if isinstance(inside[name], int):
            inside[name] = rng.choice(AMOUNTS)
        case _:
            inside[name] = deepcopy(rng.choice(NASTY))
    return tree


def torn(text: str, rng: Random) -> str:
    """A few characters changed, gone or doubled."""
    for _ in range(rng.randrange(1, 4)):
        place, wide = rng.randrange(len(text) + 1), rng.randrange(4)
        text = text[:place] + "".join(rng.choices('{}[]":,\\0aé\u0000 ', k=rng.randrange(3))) + text[place + wide :]
    return text


def cut(text: str, rng: Random) -> str:
    """Half a frame, or the end of one and the beginning of the next."""
    place = rng.randrange(len(text) + 1)
    return rng.choice((text[:place], text[place:], text[place:] + text[:place], text + text))


def doubled(text: str, rng: Random) -> str:
    """The same key twice in an object: one of the two has to be the one that counts, or none."""
    name, value = rng.choice((("amount", "1000000"), ("table", '"T1"'), ("type", '"ask"'), ("box", "7"), ("id", '"x"')))
    place = rng.choice([at for at, one in enumerate(text) if one == "{"] or [0])
    return f'{text[: place + 1]}"{name}":{value},{text[place + 1 :]}'


def numbered(text: str, rng: Random) -> str:
    """A number that is none in JSON, or none that anybody can count to."""
    digits = [at for at, one in enumerate(text) if one.isdigit()] or [0]
    place = rng.choice(digits)
    return text[:place] + rng.choice(NUMBERS) + text[place + 1 :]


def nested(text: str, rng: Random) -> str:
    """Deep inside so many brackets."""
    deep = rng.choice((5, 60, 500, 2_000))
    left, right = rng.choice((("[", "]"), ('{"a":', "}"), ('{"command":', "}")))
    room = max(LONGEST + 200 - len(text), 0) // (len(left) + 1)
    return left * min(deep, room) + text + (right * min(deep, room) if rng.random() < 0.8 else "")


def stuffed(text: str, rng: Random) -> str:
    """As long as a frame may be, and a little longer."""
    return text.ljust(rng.choice((LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 500)), rng.choice(" \t\n"))


def noise(_text: str, rng: Random) -> str:
    """Any characters at all."""
    return "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x2FFF)))) for _ in range(rng.randrange(80)))


BENDS: tuple[Callable[[str, Random], str], ...] = (torn, torn, cut, doubled, numbered, nested, stuffed, noise)


def frame(speaker: Speaker) -> Frame:
    """What one hostile client sends next: a third is right, the rest is wrong in one way or several."""
    rng = speaker.rng
    tree = speaker.valid()
    kind = rng.random()
    if 0.3 < kind < 0.75:
        for _ in range(rng.choice((1, 1, 2, 4))):
            tree = bent(tree, rng) if places(tree) else tree
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5)
    if kind >= 0.6:
        text = rng.choice(BENDS)(text, rng)
    if kind >= 0.97:
        return rng.choice((text.encode(errors="replace"), rng.randbytes(rng.randrange(200))))
    return text
