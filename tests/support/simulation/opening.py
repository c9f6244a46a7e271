"""How a world begins: one live table with everybody around it, one or two tables for one, shoes and money at each.

Opening takes as long as playing a round, so worlds share a few dozen beginnings; each is made by the house itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from tests.support.simulation.disk import Broken, Disk
from tests.support.simulation.invariants import Checks
from tests.support.simulation.players import DEALER, PLAYERS
from ventuno.core.messages.commands import BringMoney, Command, DeclareShoe, LoadShoe, ScanCard, TakeDesk, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card, is_ace, is_ten, pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import SCANNED, Sheet
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.table.ledger import Posting
from ventuno.core.table.shoes import cut_window
from ventuno.house.store.records import Batch, check_chain
from ventuno.house.tables.authority import Authority, LiveTable, Request
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.sheets import GAMES, load

START = 1_790_000_000_000
START_MONEY = 200_000
BROUGHT = 20_000
VARIANTS = 48
SHEETS = {game: load(game) for game in GAMES}
SCANNED_SHEET = with_cards(SHEETS["ventuno"], SCANNED)
"""The live table of one world in eight has a dealer, who scans its cards (X-27)."""
BY_HASH = {sheet.hash: sheet for sheet in (*SHEETS.values(), SCANNED_SHEET)}


class Limits:
    """A guard that refuses nothing."""

    def refuses(self, _player: PlayerId, _added: Cents, _at: int, _raises: bool) -> Refusal | None:
        return None

    def add_round(self, _player: PlayerId, _staked: Cents, _returned: Cents, _at: int) -> None:
        return


def shuffled(decks: int, seed: int) -> tuple[Card, ...]:
    """A whole pack; in three of four good cards lie on top, so that rare rounds are not rare."""
    chance = random.Random(seed)
    cards = list(pack(decks))
    chance.shuffle(cards)
    wanted: tuple[Callable[[Card], bool], ...] = (
        lambda _: False,
        lambda one: is_ace(one) or is_ten(one),
        lambda one: is_ace(one) or one // 4 == 4,
    )
    if seed % 4 == 3:
        start = chance.randrange(20)
        runs = [rank * 4 + suit for suit in range(4) for rank in range(13)][start : start + 12]
        for one in runs:
            cards.remove(one)
        return (*runs, *cards)
    top = [one for one in cards[:120] if wanted[seed % 4](one)]
    for one in top:
        cards.remove(one)
    return (*top, *cards)


PACKS = {decks: [shuffled(decks, seed) for seed in range(36)] for decks in (6, 8)}
"""Shuffling takes longer than playing: a world takes one of these."""


def shoe(sheet: Sheet, chance: Callable[[], float], at: int) -> LoadShoe:
    least, most = cut_window(sheet)
    cards = PACKS[sheet.shoe.decks][int(chance() * 36) // 4 * 4 + 1 if sheet.bonus.wheel else int(chance() * 36)]
    return LoadShoe(cards, least + int(chance() * (most - least + 1)), at)


class Opening(NamedTuple):
    """A world before its first step: what is on the disk, and the same in the house and in the books beside it."""

    tables: tuple[str, ...]
    batches: tuple[Batch, ...]
    disk: Disk
    rooms: dict[str, LiveTable]
    checks: Checks
    lengths: dict[str, int]


@lru_cache(maxsize=VARIANTS)
def opening(variant: int) -> Opening:
    """One of the beginnings."""
    chance = random.Random(variant).random
    house = Authority(Limits(), BonusDraws(random.Random(variant).randrange), BY_HASH)
    disk, checks, batches = Disk(), Checks(), list[Batch]()
    first = [Posting(f"player:{player}", START_MONEY) for player in PLAYERS]
    first.append(Posting("cashier", -START_MONEY * len(PLAYERS)))
    house.wallet.post(first)
    disk.postings += first
    for player in PLAYERS:
        checks.funded(player, START_MONEY)

    def say(table: str, command: Command, player: PlayerId) -> None:
        request = Request(table, command, f"open:{table}:{house.tables[table].version}", player)
        before = house.tables[table]
        decided = house.handle(request)
        checks.decided(house, request, before, decided)
        if decided.batch is None:
            raise Broken(f"the world does not open: {command} is refused: {decided.answer}")
        batches.append(decided.batch)

    games = ["ventuno", GAMES[1 + variant % 4], *(GAMES[1 + int(chance() * 4)] for _ in range(variant % 3 == 0))]
    for number, game in enumerate(games):
        name, sheet = f"T{number}", SCANNED_SHEET if number == 0 and variant % 8 == 7 else SHEETS[game]
        owner = PLAYERS[int(chance() * len(PLAYERS))] if sheet.game.solo else ""
        batches.append(house.open(name, sheet, START, owner, practice=number == 2 and variant % 2 == 0))
        checks.opened(house.tables[name])
        if sheet is SCANNED_SHEET:
            for command in (TakeDesk(DEALER, START), DeclareShoe(DEALER, START), ScanCard(DEALER, 3, START)):
                say(name, command, DEALER)
        for _ in range(0 if sheet is SCANNED_SHEET else sheet.shoe.sets):
            say(name, shoe(sheet, chance, START), "")
        for player in [owner] if owner else PLAYERS:
            rich = chance() < (0.4 if player == PLAYERS[-1] else 0.8)
            say(name, BringMoney(player, BROUGHT if rich else 700, START), player)
        if not owner:
            for place, player in enumerate(PLAYERS[:2]):
                say(name, TakeSeat(player, place * 2 + 1, START), player)
            if chance() < 0.3:
                say(name, TakeSeat(PLAYERS[0], 7, START), PLAYERS[0])
    for batch in batches:
        disk.commit(batch)
    lengths = {stream: check_chain(records).seq for stream, records in disk.streams.items()}
    return Opening(tuple(house.tables), tuple(batches), disk, dict(house.tables), checks, lengths)
