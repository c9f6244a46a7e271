"""A game as data: the typed rule sheet that every reader shares.

Each field is a switch, addressed by its path (`split.aces`); its kind says what is legal. Criteria stand beside the
values in the TOML files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ventuno.core.rules.money import Cents, Odds, odds
from ventuno.core.rules.switches import (
    Choice,
    Flag,
    Kind,
    NoneOr,
    Payout,
    Percent,
    Ranked,
    Rising,
    Row,
    Several,
    Some,
    Text,
    TwoCards,
    Whole,
    Window,
)

BLACKJACK = "blackjack"
DUEL = "duel"
FAMILIES = (BLACKJACK, DUEL)
BETS = ("main", "behind", "perfect-pairs", "21+3", "dealer-pair", "link", "2-up")
"""Every bet that can be placed before the deal, in any game."""

HOUSE_WAY = (
    *("21", "20", "19", "11", "10", "9", "18", "17", "soft 16", "soft 15", "soft 14", "soft 13", "soft 12"),
    *("8", "7", "6", "5", "12", "13", "14", "15", "16", "4"),
)
CATEGORIES = {
    "pair": ("perfect", "coloured", "mixed"),
    "dealer-pair": ("perfect", "coloured", "mixed"),
    "three-cards": ("suited-trips", "straight-flush", "trips", "straight", "flush"),
    "two-up": ("pair", "trips"),
    "bonus": (),
}
"""What each kind of side bet looks at decides the categories it can pay."""
NAMED = (*BETS, *dict.fromkeys(category for categories in CATEGORIES.values() for category in categories))
"""What a game may call by a name of its own."""

MOST = 10**12
DOUBLES = {"any-two": range(2, 22), "9-11": range(9, 12), "10-11": range(10, 12)}
TAKES = ("all", "original-and-splits", "original")
SEALED, SCANNED = "sealed", "scanned"
"""Cards of a shoe that is shuffled and sealed by the house; cards that a dealer takes from a real shoe (X-27)."""


def switch(kind: Kind, default: object = ...) -> Any:
    """A field that a sheet must give, or may leave out where a default is named."""
    if default is ...:
        return field(metadata={"kind": kind})
    if default == {}:
        return field(default_factory=dict, metadata={"kind": kind})
    return field(default=default, metadata={"kind": kind})


def section(default: object = None, *families: str) -> Any:
    """A table of the sheet; games of another family have the default and may not write it."""
    if default is None:
        return field(metadata={"families": FAMILIES})
    return field(default=default, metadata={"families": families})


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    id: str = switch(Text())
    name: str = switch(Text())
    family: str = switch(Choice(FAMILIES))
    solo: bool = switch(Flag())


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeRules:
    decks: int = switch(Whole(1, 8))
    reshuffle: str = switch(Choice(("cut-card", "every-round")))
    cut: tuple[int, int] = switch(Window(1, 100), (1, 100))
    burn: int = switch(Whole(0, 5), 0)
    sets: int = switch(Whole(1, 2), 1)
    cards: str = field(default=SEALED, metadata={"kind": Choice((SEALED, SCANNED)), "canonical": False})
    """Where the cards come from; not part of the canonical content as long as it is the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRules:
    count: int = switch(Whole(1, 7))
    per_player: int = switch(Whole(1, 7))
    warned_after: int = switch(Whole(0, 100), 0)
    lost_after: int = switch(Whole(0, 100), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeRules:
    unit: Cents = switch(Whole(2, 10_000))
    chips: tuple[Cents, ...] = switch(Rising(1, 1_000_000))
    limits: Mapping[str, tuple[Cents, Cents]] = switch(Several(Window(1, 10**9), BETS))
    shares: Mapping[str, int] = switch(Several(Whole(1, 1000), BETS), {})
    vip: tuple[int, ...] = switch(Rising(1, 1000), (1,))
    round_cap: Cents = switch(Whole(0, 10**9), 0)
    session_cap: Cents = switch(Whole(0, MOST), 0)
    max_win: Cents = switch(Whole(0, MOST), 0)
    max_win_counts: str = switch(Choice(("net", "returned")), "net")
    missing_funds: str = switch(Choice(("refuse", "substitute")))
    reserve: int = switch(Whole(1, 10), 1)
    shown_as: str = switch(Choice(("to-one", "total-return")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Seconds. Zero means that nobody is hurried there."""

    betting: int = switch(Whole(0, 600))
    deal_now_floor: int = switch(Whole(0, 60), 0)
    insurance: int = switch(Whole(0, 600), 0)
    decision: int = switch(Whole(0, 600))
    decision_again: int = switch(Whole(0, 600), 0)
    results: int = switch(Whole(0, 600), 0)
    after_pause: int = switch(Whole(0, 600), 0)
    abandoned: int = switch(Whole(60, 10_000_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    hit_up_to: int = switch(Whole(0, 20))
    insurance: str = switch(Choice(("decline",)), "decline")
    choice: str = switch(Choice(("fold", "left", "right")), "fold")
    second: str = switch(Choice(("stand", "hit")), "stand")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    behind: bool = switch(Flag())
    early_decisions: bool = switch(Flag())
    deal_now: bool = switch(Flag())
    chat: bool = switch(Flag())
    multi_table: bool = switch(Flag())
    focus: bool = switch(Flag())
    double_bets: bool = switch(Flag())
    offline: bool = switch(Flag())
    hot_from: int = switch(Whole(0, 100), 0)
    unfollowed_split: str = switch(Choice(("first-hand",)), "first-hand")


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerRules:
    soft_17: str = switch(Choice(("stand", "hit")), "stand")
    peek: frozenset[str] = switch(Some(("A", "ten")), frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    ace: str = switch(Choice(TAKES), "all")
    ten: str = switch(Choice(TAKES), "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackjackRules:
    pays: Odds = switch(Payout(to_one_only=True), odds("3/2"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleRules:
    on: str = switch(Choice(tuple(DOUBLES)), "any-two")
    after_split: bool = switch(Flag(), False)

    @property
    def totals(self) -> range:
        """The totals that may be doubled, soft ones at their best."""
        return DOUBLES[self.on]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRules:
    equal: str = switch(Choice(("value", "rank")), "value")
    hands: int = switch(Whole(2, 4), 2)
    aces: str = switch(Choice(("one-card", "free")), "one-card")


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuranceRules:
    offered: bool = switch(Flag(), False)
    pays: Odds = switch(Payout(), odds("2:1"))
    even_money: bool = switch(Flag(), False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CashOut:
    """Offers in hundredths of the stake, by total and up-card (F-10, reading 18)."""

    offered: bool = switch(Flag(), False)
    margin: str = switch(Text(), "0")
    hard: Mapping[str, tuple[int, ...]] = switch(Several(Row(0, 300), pattern=r"\d{1,2}"), {})
    soft: Mapping[str, tuple[int, ...]] = switch(Several(Row(0, 300), pattern=r"\d{1,2}"), {})

    def offer(self, total: int, is_soft: bool, up: int) -> int:
        """The offer for a first hand against an up-card by its value, 1 or 11 for the ace."""
        return (self.soft if is_soft else self.hard)[str(total)][(up - 2) % 10]


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelRules:
    qualify: int = switch(Whole(2, 21), 13)
    draw_to: int = switch(Whole(2, 20), 16)
    house_way: tuple[str, ...] = switch(Ranked(HOUSE_WAY), HOUSE_WAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBet:
    kind: str = switch(Choice(tuple(CATEGORIES)))
    pays: Mapping[str, Odds] = switch(Several(Payout(), pattern=r"[a-z-]+"), {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    cells: int = switch(Whole(6, 60))
    start: int = switch(Whole(1, 60))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bonus:
    """Wheel and boards; weights are whole numbers, prizes are to one (L-22…L-29, reading 28)."""

    spins: int = switch(Whole(1, 9), 3)
    box_cells: int = switch(Whole(1, 12), 6)
    wheel: Mapping[str, int] = switch(Several(Whole(1, 10**9), pattern=r"x[1-9]\d{0,3}|link|mega-link"), {})
    start: Mapping[str, int] = switch(Several(Whole(1, 10**9), pattern=r"[1-9]\d{0,3}"), {})
    cell: Mapping[str, int] = switch(Several(Whole(1, 10**9), pattern=r"[1-9]\d{0,3}|nothing"), {})
    boxes: Mapping[str, int] = switch(Several(Whole(1, 10**9), pattern=r"x[1-9]\d?|diamond"), {})
    diamonds: Mapping[str, int] = switch(Several(Whole(1, 10**9), pattern=r"[A-Z]+"), {})
    prizes: Mapping[str, int] = switch(Several(Whole(1, 10**6), pattern=r"[A-Z]+"), {})
    boards: Mapping[str, Board] = field(default_factory=dict, metadata={"entries": Board})


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    base: str = switch(Choice(("initial", "total")))
    returns: Mapping[str, str] = switch(Several(Percent(), pattern=r"[a-z0-9+-]+"))
    between: Mapping[str, str] = switch(Several(Percent(), ("low", "high")), {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """What people see of a game and no rule depends on: not part of the canonical content, nor of its hash.

    `order` is the place in the lobby, `cards` and `tone` the picture there. `hand` is the word for a box, `balance`
    that for the money at the table. A main key that starts also repeats (S-15). `amounts`: in the history (S-33).
    `names`: bets and combinations that this game calls otherwise than the others do, everywhere.
    """

    order: int = switch(Whole(0, 1000), 500)
    cards: tuple[str, ...] = switch(TwoCards(), ("AS", "JH"))
    tone: str = switch(Choice(("green", "blue", "red", "violet")), "green")
    hand: str = switch(Choice(("hand", "seat")), "hand")
    start: str = switch(Choice(("deal", "start")), "deal")
    balance: str = switch(Choice(("balance", "credits")), "balance")
    amounts: str = switch(Choice(("money", "cents")), "money")
    names: Mapping[str, str] = switch(Several(Choice(("player-pair", "ante", "red-black", "perfect-trips")), NAMED), {})

    def name(self, code: str) -> str:
        """The code of the name under which this game has a bet or a combination."""
        return self.names.get(code, code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One game, complete. `hash` is that of the canonical content; `notes` are the remarks beside the lines."""

    game: Game = section()
    shoe: ShoeRules = section()
    seats: SeatRules = section()
    stakes: StakeRules = section()
    clocks: Clocks = section()
    timeouts: Timeouts = section()
    options: Options = section()
    published: Published = section()
    sides: Mapping[str, SideBet] = field(metadata={"entries": SideBet, "families": FAMILIES})
    cites: Mapping[str, str] = field(
        metadata={"kind": Several(Text(), pattern=r"[a-z0-9+-]+"), "families": FAMILIES},
    )
    charlie: int = field(default=0, metadata={"kind": NoneOr(3, 12), "families": (BLACKJACK,)})
    surrender: str = field(default="none", metadata={"kind": Choice(("none", "late")), "families": (BLACKJACK,)})
    pair_requires_stand: bool = field(default=False, metadata={"kind": Flag(), "families": (BLACKJACK,)})
    dealer: DealerRules = section(DealerRules(), BLACKJACK)
    dealer_blackjack_takes: Takes = section(Takes(), BLACKJACK)
    blackjack: BlackjackRules = section(BlackjackRules(), BLACKJACK)
    double: DoubleRules = section(DoubleRules(), BLACKJACK)
    split: SplitRules = section(SplitRules(), BLACKJACK)
    insurance: InsuranceRules = section(InsuranceRules(), BLACKJACK)
    cash_out: CashOut = section(CashOut(), BLACKJACK)
    bonus: Bonus = section(Bonus(), BLACKJACK)
    duel: DuelRules = section(DuelRules(), DUEL)
    looks: Looks = field(default=Looks(), compare=False, metadata={"families": FAMILIES})
    hash: str = ""
    notes: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __hash__(self) -> int:
        return hash(self.hash)

    def cite(self, rule: str) -> str:
        """The criterion that a payout follows (X-05)."""
        return self.cites[rule]
