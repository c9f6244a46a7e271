"""The numbers that loops and their callers agree on."""

STAND, HIT, DOUBLE, SURRENDER = 0, 1, 2, 3
FREE, MUST_STAND, MUST_HIT, CHARLIE = 0, 1, 2, 3
"""What a hand must do by itself."""

ABREAST = 128
"""Shoes for which the dealer's ends are found side by side."""
ROWS = 61
"""Rows of so many numbers each that this needs room for."""
WIDTH = 8
"""Ends are held eight to a row: whole vectors."""

LANES = 4
"""Shoes that the simulator deals in lock step."""
PACK = 512
"""Bytes kept for the pack of a lane; the largest pack has 416 cards."""
OUTCOMES = 256
CHUNK = 1024
"""Steps between two countings of the rounds noted for side bets."""

WORDS = 8
"""Words of 64 bits in which a box marks the cards of its shoe that have come in this round."""
