"""The loops of the environment: one answer in each of many boxes, then cards until the next question or the end."""

from __future__ import annotations

from ventuno.odds.kernels.loops.compiler import inline, loop
from ventuno.odds.kernels.loops.xoshiro import U, high, next_word

_QUESTION, _OUTCOME = 1 << 24, 1 << 25


@loop
def _play_on(place, box, follow, pack, used, random):
    """Deal from the rest of a full shoe until somebody has to answer, or the round is over."""
    a, b, c, d = random[0], random[1], random[2], random[3]
    size = U(pack.size)
    while place < _QUESTION:
        x, a, b, c, d = next_word(a, b, c, d)
        at = high(x, size)
        while (used[box, at >> U(6)] >> (at & U(63))) & U(1):
            x, a, b, c, d = next_word(a, b, c, d)
            at = high(x, size)
        used[box, at >> U(6)] |= U(1) << (at & U(63))
        place = follow[place, pack[at]]
    random[0], random[1], random[2], random[3] = a, b, c, d
    return place


@inline
def _show(box, row, rows, views, words, masks):
    """What the player of a box sees: its features and its legal actions, a word each."""
    rows[box], views[box], masks[box] = row, words[row, 0], words[row, 1]


@loop
def deal(boxes, places, follow, answers, pack, used, random, rows, views, words, masks):
    """A new round in each of these boxes. A round that the deal settles still asks: any answer then closes it."""
    for box in boxes:
        used[box] = U(0)
        place = _play_on(0, box, follow, pack, used, random)
        places[box] = place
        row = place - _QUESTION if place < _OUTCOME else answers.shape[0]
        _show(box, row, rows, views, words, masks)


@loop
def step(actions, places, follow, answers, pack, used, random, rows, views, words, masks, won, rewards, over):
    """One answer in each box; a box whose round was over is dealt anew instead, with no reward (next-step reset)."""
    for box in range(places.size):
        place = places[box]
        rewards[box] = 0.0
        if over[box]:
            used[box] = U(0)
            place = _play_on(0, box, follow, pack, used, random)
            row = place - _QUESTION if place < _OUTCOME else answers.shape[0]
            over[box] = False
        else:
            if place < _OUTCOME:
                place = answers[place - _QUESTION, actions[box]]
                if place < _QUESTION:
                    place = _play_on(place, box, follow, pack, used, random)
            row = place - _QUESTION
            if place >= _OUTCOME:
                rewards[box] = won[place - _OUTCOME]
                row = answers.shape[0] + 1
                over[box] = True
        places[box] = place
        _show(box, row, rows, views, words, masks)
