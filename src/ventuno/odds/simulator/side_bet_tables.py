"""What side bets see in a deal, as tables for the kernel: two or three cards to the category that pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import CATEGORIES, Sheet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

CARDS = 64
"""A card takes six bits; the numbers from 52 up are never dealt."""
THREE = 8
"""A deal's category: that of the pair times this, plus that of the three cards. 0 is a bet lost."""
PAIR_KIND, THREE_KIND, DEALER_KIND = "pair", "three-cards", "dealer-pair"


def tabulate_deals(sheet: Sheet) -> NDArray[np.uint8]:
    """Category by first card, up-card, second card (six bits each)."""
    import numpy as np

    first, up, second = (axis.astype(np.int8) for axis in np.ogrid[:CARDS, :CARDS, :CARDS])
    table = _best_category(_pairs(first, second), _pays(sheet, PAIR_KIND), PAIR_KIND) * THREE
    table = table + _best_category(_threes(first, up, second), _pays(sheet, THREE_KIND), THREE_KIND)
    return np.ascontiguousarray(np.broadcast_to(table, (CARDS,) * 3)).reshape(-1).astype(np.uint8)


def tabulate_dealer_pairs(sheet: Sheet) -> NDArray[np.uint8]:
    """Category by up-card and hole card."""
    import numpy as np

    up, hole = (axis.astype(np.int8) for axis in np.ogrid[:CARDS, :CARDS])
    return _best_category(_pairs(up, hole), _pays(sheet, DEALER_KIND), DEALER_KIND).reshape(-1).astype(np.uint8)


def find_bet(sheet: Sheet, kind: str) -> str:
    """The name under which the sheet offers a kind of side bet; empty if it does not."""
    return next((bet for bet, side in sheet.sides.items() if side.kind == kind), "")


def list_wins(sheet: Sheet, kind: str) -> tuple[float, ...]:
    """Net result of a stake of one by category, a lost bet first."""
    pays = _pays(sheet, kind)
    return (-1.0, *(float(pays[name].profit) if name in pays else -1.0 for name in CATEGORIES[kind]))


def _pays(sheet: Sheet, kind: str) -> Mapping[str, Odds]:
    bet = find_bet(sheet, kind)
    return sheet.sides[bet].pays if bet else {}


def _pairs(first: Any, second: Any) -> dict[str, Mask]:
    """V-21: of one rank; a red suit is hearts or diamonds."""
    import numpy as np

    red = np.array([False, True, True, False])
    same = first // 4 == second // 4
    suited, coloured = first % 4 == second % 4, red[first % 4] == red[second % 4]
    return {"perfect": same & suited, "coloured": same & coloured & ~suited, "mixed": same & ~coloured}


def _threes(first: Any, second: Any, third: Any) -> dict[str, Mask]:
    """V-22: an ace is low or high, K-A-2 is no straight."""
    import numpy as np

    cards = np.stack(np.broadcast_arrays(first, second, third)) // 4
    flush = (first % 4 == second % 4) & (second % 4 == third % 4)
    trips = (cards[0] == cards[1]) & (cards[1] == cards[2])
    straight = _are_in_a_row(cards) | _are_in_a_row(np.where(cards == 12, -1, cards))
    return {
        "suited-trips": trips & flush,
        "straight-flush": straight & flush,
        "trips": trips,
        "straight": straight,
        "flush": flush,
    }


def _are_in_a_row(ranks: NDArray[np.int8]) -> Mask:
    import numpy as np

    low, high = ranks.min(axis=0), ranks.max(axis=0)
    row: Mask = (high - low == 2) & (ranks.sum(axis=0, dtype=np.int8) == 3 * (low + 1)) & (ranks[0] != ranks[1])
    straight: Mask = row & (ranks[1] != ranks[2]) & (ranks[0] != ranks[2])
    return straight


def _best_category(masks: dict[str, Mask], pays: Mapping[str, Odds], kind: str) -> NDArray[np.int8]:
    """The number of the category that pays best; what the sheet does not pay counts as the next it does (S-29)."""
    import numpy as np

    best = np.zeros(next(iter(masks.values())).shape, dtype=np.int8)
    for name in sorted(pays, key=lambda one: pays[one].total):
        best = np.where(masks[name], CATEGORIES[kind].index(name) + 1, best)
    return best
