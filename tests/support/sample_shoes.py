"""Shoes played on fixed entropy, as a house would play them.

`python -m tests.support.sample_shoes` writes the vectors anew.

The vectors are shared with the verifier of the browser. The key that signs them is a toy and signs nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.automatic_player import choose_command
from tests.support.beacon_server import CHAIN, PUBLISHED, TOLD_CHAIN, sign_round
from ventuno.core.messages.commands import (
    Command,
    DealNow,
    LoadShoe,
    PlaceBet,
    SpinBoard,
    SpinWheel,
    Spot,
    TakeSeat,
    Tick,
)
from ventuno.core.messages.events import BoardSpun, Event, WheelSpun
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.recorder import extract_scenario
from ventuno.core.scenario.runner import PlayedScenario, write_settlement
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Phase, Table
from ventuno.house.shoes import cut, merkle
from ventuno.house.shoes.beacon import QUICKNET, BeaconRound
from ventuno.house.shoes.commitment import (
    CLOSED,
    CUT_CARD,
    NEWEST,
    OLDEST,
    Commitment,
    SealedShoe,
    hash_rules,
    open_shoe,
    seal,
)
from ventuno.house.shoes.cut import Cut
from ventuno.house.shoes.document_fields import write_value
from ventuno.house.shoes.draws import DrawPlace, DrawSeed, draw_bonus, draw_spin, draw_wheel
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.shoes.receipts import Chain, Receipt, hash_record
from ventuno.house.shoes.shoe_document import DealtCard, RoundRecord, ShoeDocument, hide_balances, make_played_record
from ventuno.house.shoes.shuffle import Stream, shuffle
from ventuno.house.store.signing_key import SigningKey
from ventuno.sheets import load

VECTORS = Path(__file__).parents[1] / "house" / "vectors"
AT = 1_800_000_000_000
_OWN = BeaconRound(CHAIN.hash, CHAIN.find_round_after(AT))
NAMED: dict[str, tuple[BeaconRound, bytes]] = {
    "signed": (_OWN, sign_round(_OWN.round)),
    "missing": (_OWN, b""),
    "quicknet": (BeaconRound(QUICKNET.hash, max(PUBLISHED)), PUBLISHED[max(PUBLISHED)]),
}
"""Rounds that shoes name, and what came of them: of our own chain, and one that was published."""


def fixed_source(seed: str) -> EntropySource:
    """A source that always tells the same: for tests, never for play."""
    count = 0

    def read(size: int) -> bytes:
        nonlocal count
        count += 1
        blocks = [sha256(f"{seed}/{count}/{block}".encode()).digest() for block in range(-(-size // 32))]
        return b"".join(blocks)[:size]

    return EntropySource(read)


def toy_key(seed: str = "ventuno") -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(sha256(seed.encode()).digest()))


@dataclass(frozen=True)
class Specimen:
    """A document and what the house knows beside it."""

    dossier: ShoeDocument
    sheet: Sheet
    shoe: SealedShoe
    order: tuple[int, ...]

    @property
    def raw(self) -> bytes:
        return json.dumps(self.dossier.to_dict(), indent=1, ensure_ascii=False).encode()


@cache
def specimen(
    game: str,
    rounds: int = 3,
    *,
    is_open: bool = True,
    absent: str = "",
    server: bool = False,
    version: int = NEWEST,
    beacon: str = "",
) -> Specimen:
    """One shoe of a game, cut by its players, `absent` without a reveal, played for so many rounds."""
    sheet = load(game)
    players = ("anna",) if sheet.game.solo else ("anna", "bruno", "cläre")
    source = fixed_source(f"specimen/{game}/{rounds}/{is_open}/{absent}/{server}")
    shoe, made = seal(source, sheet, "T7", 3, sha256(b"the shoe before").digest(), version)
    if beacon:
        made = replace(made, beacon=NAMED[beacon][0])
    signature = NAMED[beacon][1] if beacon else b""
    closed = cut_by(made, sheet, players, source, absent=absent, server=server, beacon=signature)
    order = closed.order
    records = rounds_of(sheet, players, shoe.arrange(order), closed.entropy.cut_card, rounds)
    end = records[-1].end if records else sheet.shoe.burn
    retired = CUT_CARD if end >= closed.entropy.cut_card else CLOSED
    opening = open_shoe(shoe, retired) if is_open else None
    dealt = tuple(DealtCard(play, shoe.show(order[play])) for play in range(sheet.shoe.burn, end))
    blank = Receipt(Chain("", "").make_checkpoint(0), b"", b"")
    unsigned = ShoeDocument(made, closed.entropy, dealt, records, opening, blank, ())
    return Specimen(signed(unsigned), sheet, shoe, order)


@cache
def bonus_specimen(wanted: str, *, version: int = NEWEST, is_open: bool = True) -> Specimen:
    """The first shoe of Link whose round turns the wheel to this segment. In version 1 draws were not sealed."""
    sheet, players = load("link"), ("anna",)
    for number in range(1, 5_000):
        source = fixed_source(f"bonus/{wanted}/{version}/{number}")
        shoe, made = seal(source, sheet, "T7", 3, sha256(b"the shoe before").digest(), version)
        closed = cut_by(made, sheet, players, source)
        seed = DrawSeed(shoe.unseal_seed() or bytes(32), made, closed.entropy.parts)

        def fill(table: Table, first: int, log: list[Event], command: Command, seed: DrawSeed = seed) -> Command:
            return fill_spin(seed, table, first, log, command)

        records = rounds_of(
            sheet,
            players,
            shoe.arrange(closed.order),
            closed.entropy.cut_card,
            1,
            lambda at: link_bets(players[0], at),
            fill,
        )
        scenario = records[0].scenario
        if scenario and any(entry.wheel == wanted for entry in scenario.bonus):
            break
    else:
        raise AssertionError(f"no wheel stops on {wanted}")
    opening = open_shoe(shoe, CUT_CARD) if is_open else None
    dealt = tuple(DealtCard(play, shoe.show(closed.order[play])) for play in range(records[0].end))
    blank = Receipt(Chain("", "").make_checkpoint(0), b"", b"")
    unsigned = ShoeDocument(made, closed.entropy, dealt, records, opening, blank, ())
    return Specimen(signed(unsigned), sheet, shoe, closed.order)


def link_bets(player: str, at: int) -> list[Command]:
    """Five boxes, each with the bet that turns the wheel."""
    return [PlaceBet(player, tuple(Spot(box, bet) for box in range(1, 6)), 1_000, at) for bet in ("main", "link")]


def fill_spin(seed: DrawSeed, table: Table, first: int, log: list[Event], command: Command) -> Command:
    """A spin with what follows from the seed, counted here by hand: wheels of the round, spins of the last board."""
    rules, wheels = table.sheet.bonus, [i for i, event in enumerate(log) if isinstance(event, WheelSpun)]
    if isinstance(command, SpinWheel):
        wheel = draw_wheel(rules, seed.make_stream(DrawPlace(first, len(wheels))).below)
        return replace(command, segment=wheel.segment, boxes=wheel.boxes, start=wheel.start)
    if isinstance(command, SpinBoard):
        assert table.round is not None
        board = next(box.bonus.board for box in table.round.boxes if box.number == command.box and box.bonus)
        assert board is not None
        spins = sum(isinstance(event, BoardSpun) for event in log[wheels[-1] :])
        spin = draw_spin(rules, board, seed.make_stream(DrawPlace(first, len(wheels) - 1, spins + 1)).below)
        return replace(command, locks=spin.locks, diamonds=spin.diamonds)
    return command


def signed(dossier: ShoeDocument, key: SigningKey | None = None) -> ShoeDocument:
    """The document with its records chained, among others of the table, and the checkpoint signed."""
    chain = Chain("ventuno.test", dossier.commitment.table, (sha256(bytes([i])).digest() for i in range(5)))
    heights = []
    for place, hashed in dossier.hash_records():
        heights.append(chain.append(hashed))
        if place == "rounds[0]":
            chain.append(sha256(b"the other shoe's commitment").digest())
    included = tuple(chain.prove_inclusion(height) for height in heights)
    return replace(dossier, receipt=chain.sign_receipt(key or toy_key(), AT), included=included)


def cut_by(
    made: Commitment,
    sheet: Sheet,
    players: tuple[str, ...],
    source: EntropySource,
    *,
    absent: str = "",
    server: bool = False,
    beacon: bytes = b"",
) -> cut.Closed:
    sent = {} if server else {player: source.draw(cut.ENTROPY) for player in players}
    state = accepted(cut.publish(Cut(made, players, sheet.game.solo)))
    if made.version > OLDEST or not sheet.game.solo:
        for player, entropy in sent.items():
            state = accepted(cut.promise(state, player, *promised(made, player, entropy)))
        state = state if state.phase is cut.Phase.REVEALS else accepted(cut.end_promises(state))
    for player, entropy in sent.items():
        if player != absent:
            state = accepted(cut.reveal(state, player, entropy))
    if server:
        state = accepted(cut.supply(state, source.draw(cut.ENTROPY)))
    closed = cut.close(state, sheet, beacon)
    assert not isinstance(closed, Refusal), closed
    return closed


def promised(made: Commitment, player: str, entropy: bytes) -> tuple[bytes, bytes, bytes]:
    """A promise with the key of its player and its signature; in the first version, and by Cläre, without."""
    promise = sha256(entropy).digest()
    if made.version == OLDEST or player == "cläre":
        return promise, b"", b""
    key = toy_key(player)
    return promise, key.public, key.sign(cut.make_promise_message(made, player, promise))


def accepted(outcome: Cut | Refusal) -> Cut:
    assert not isinstance(outcome, Refusal), outcome
    return outcome


def rounds_of(
    sheet: Sheet,
    players: tuple[str, ...],
    cards: tuple[int, ...],
    cut_card: int,
    count: int,
    bets: Callable[[int], list[Command]] | None = None,
    fill: Callable[[Table, int, list[Event], Command], Command] | None = None,
) -> tuple[RoundRecord, ...]:
    """Play rounds at a real table on these cards and write their records; `fill` draws the spins of a bonus, from where
    the round began and what was drawn in it.
    """
    table = open_table("T7", sheet, players[0], dict.fromkeys(players, 500_000))
    if not sheet.game.solo:
        for box, player in enumerate(players, start=1):
            table = run(table, TakeSeat(player, box, AT))[1]
    table = run(table, LoadShoe(cards, cut_card, AT))[1]
    records: list[RoundRecord] = []
    at = AT
    while len(records) < count and table.phase is not Phase.SHUFFLING:
        opening, log = table, list[Event]()
        first = table.shoe.position if table.shoe else 0
        placed: list[Command] = [
            PlaceBet(player, (Spot(box, "main"),), 1_000 * box, at) for box, player in enumerate(players, start=1)
        ]
        for command in bets(at) if bets else placed:
            events, table = run(table, command)
            log += events
        deal = DealNow(players[0], at) if sheet.game.solo else Tick(table.deadline or at)
        events, table = run(table, deal)
        log += events
        while table.phase is Phase.ROUND:
            at = max(at, (table.deadline or at) - 1)
            chosen: Command = choose_command(table, at, prefer=(Action.SPLIT, Action.DOUBLE))
            events, table = run(table, fill(table, first, log, chosen) if fill else chosen)
            log += events
        scenario = extract_scenario(opening, log)
        code = table.round.code if table.round else ""
        lines = write_settlement(PlayedScenario(tuple(log), table, {}))["bets"]
        records.append(
            make_played_record(code, first, scenario if sheet.game.solo else hide_balances(scenario, lines), lines)
        )
        if table.deadline is not None:
            at = table.deadline
            table = run(table, Tick(at))[1]
    return tuple(records)


def run(table: Table, command: Command) -> tuple[list[Event], Table]:
    outcome = advance(table, command)
    assert not isinstance(outcome, Refusal), f"{command}: {outcome}"
    return outcome


DRAWN = (*range(2, 9), 722, 805)
"""Numbers of bonuses among the vectors: wheels, both boards, and two that end over diamonds."""


def vectors() -> dict[str, Any]:
    """What a second verifier is checked by, beside the documents and the published vectors of the generator."""
    drbg = HmacDrbg(bytes(range(32)), bytes(range(16)), b"vectors")
    stream = Stream(HmacDrbg(bytes(range(32)), bytes(range(16)), b"vectors"))
    bounds = (1, 2, 3, 52, 416, 4096, 4097, 10**9, 2**56)
    leaves = [bytes([i]) * i for i in range(8)]
    tree = merkle.Tree(map(merkle.hash_leaf, leaves))
    made = Commitment("T7", 3, "ventuno", "5e" * 32, 8, sha256(b"root").digest(), sha256(b"previous").digest())
    reveals = [bytes(range(16)), b"", bytes(range(16, 32))]
    seed, bonus = DrawSeed(bytes(range(32)), made, reveals), load("link").bonus
    order, cut_card = cut.compute_order(made, reveals, load("ventuno"))
    return {
        "stream": drbg.generate(64).hex(),
        "below": [[bound, stream.below(bound)] for bound in bounds for _ in range(4)],
        "shuffled": [[n, list(shuffle(range(n), stream.below))] for n in (1, 2, 5, 52)],
        "leaves": [one.hex() for one in leaves],
        "roots": [tree.root(size).hex() for size in range(9)],
        "paths": [[i, size, [one.hex() for one in tree.path(i, size)]] for size in (1, 3, 7, 8) for i in range(size)],
        "consistency": [
            [m, n, [one.hex() for one in tree.prove_consistency(m, n)]] for n in (7, 8) for m in range(1, n + 1)
        ],
        "commitment": made.to_dict(),
        "rules": made.rules_hash.hex(),
        "digest": made.digest.hex(),
        "record": hash_record("commitment", made.digest, made.to_dict()).hex(),
        "reveals": [one.hex() for one in reveals],
        "order": list(order),
        "cut_window": list(cut_window(load("ventuno"))),
        "cut_card": cut_card,
        "beacon": {"chain": TOLD_CHAIN, "rounds": [[number, sign_round(number).hex()] for number in (1, 7, 2**40)]},
        "published": [[number, signature.hex()] for number, signature in PUBLISHED.items()],
        "draw_seed": bytes(range(32)).hex(),
        "rules_with_draws": hash_rules(made.sheet, made.decks, sha256(bytes(range(32))).digest()).hex(),
        "draws": [
            [first, k, write_value(draw_bonus(bonus, seed, first, k))]
            for first, k in ((0, 0), (0, 1), (17, 0), *((17, k) for k in DRAWN))
        ],
    }


OLD_DOCUMENTS = ("ventuno", "ventuno-in-use", "duello")
"""Of the first version: they stay as they were written."""
DOCUMENTS: dict[str, Callable[[], Specimen]] = {
    "ventuno-2": lambda: specimen("ventuno"),
    "ventuno-2-in-use": lambda: specimen("ventuno", 1, is_open=False, absent="bruno"),
    "duello-2": lambda: specimen("duello", 2),
    "sisal-2-house": lambda: specimen("sisal", server=True),
    "ventuno-2-beacon": lambda: specimen("ventuno", 1, absent="bruno", beacon="signed"),
    "ventuno-2-quicknet": lambda: specimen("ventuno", 1, beacon="quicknet"),
    "ventuno-2-beacon-late": lambda: specimen("ventuno", 1, beacon="missing"),
    "link-2": lambda: bonus_specimen("link"),
    "link-2-mega": lambda: bonus_specimen("mega-link"),
    "link-1": lambda: bonus_specimen("link", version=OLDEST),
}


def written() -> dict[str, str]:
    """File name -> content."""
    found = {f"document-{name}.json": make().raw.decode() for name, make in DOCUMENTS.items()}
    return {**found, "construction.json": json.dumps(vectors(), indent=1)}


if __name__ == "__main__":
    for name, content in written().items():
        (VECTORS / name).write_text(content + "\n", encoding="utf-8")
