"""Cards as the terminal draws them: small overlapping boxes, suits in two inks, a woven back."""

from __future__ import annotations

from rich.text import Text

from ventuno.core.rules.cards import RANKS, Card, is_red, rank, suit

RED, BLACK, BACK, EDGE = "bold #d4574f", "bold default", "#7d9b7a", "#a89c80"
_SUITS = "♠♥♦♣"


def name(card: Card) -> str:
    """A card in running text: `10♥`."""
    letter = RANKS[rank(card)]
    return f"{'10' if letter == 'T' else letter}{_SUITS[suit(card)]}"


def ink(card: Card) -> str:
    return RED if is_red(card) else BLACK


def row(cards: tuple[Card, ...], backs: int = 0) -> Text:
    """Cards side by side, each over the next one's edge; `backs` more lie face down."""
    faces = [(f"{name(card):>3}", ink(card)) for card in cards] + [("▒▒▒", BACK)] * backs
    if not faces:
        return Text("\n\n")
    middle = Text()
    for text, style in faces:
        middle.append("│", EDGE).append(text, style)
    middle.append("│", EDGE)
    top = Text("╭───" * len(faces) + "╮", EDGE)
    bottom = Text("╰───" * len(faces) + "╯", EDGE)
    return Text("\n").join([top, middle, bottom])


def plain(cards: tuple[Card, ...], backs: int = 0) -> Text:
    """The same on one line, where there are too many for boxes."""
    parts = [Text(name(card), ink(card)) for card in cards] + [Text("▒▒", BACK)] * backs
    return Text(" ").join(parts)
