"""The loops of two split hands: with what each can end, and both together."""

from __future__ import annotations

from ventuno.odds.kernels.loops.codes import CHARLIE, DOUBLE, HIT, STAND, WIDTH
from ventuno.odds.kernels.loops.compiler import loop


@loop
def finals(rows, base, follow, keys, total, state, act, room, out_key, out_class, out_ways, count):  # type: ignore[no-untyped-def]
    """The sets of cards with which one split hand can end without a plain bust, each with its number of orders.

    `rows` are the hands of one world, earlier hands first, the lone split card at their head. Classes: 0 up to 16,
    1…5 for 17…21, 6 Charlie; 7 more when doubled; 14 doubled and bust.
    """
    ways, twice = room[0], room[1]
    ways[rows[0] - base] = 1.0
    found = 0
    for e in rows:
        held, a = ways[e - base], act[e]
        if held == 0.0:
            continue
        if a == STAND:
            out_key[found], out_class[found], out_ways[found] = keys[e], ending(total[e], state[e]), held
            found += 1
            continue
        for v in range(10):
            f = follow[e, v]
            if f >= 0 and a == HIT:
                ways[f - base] += held
            elif f >= 0:
                twice[f - base] += held
            elif a == DOUBLE:
                out_key[found], out_class[found], out_ways[found] = keys[e] + (1 << (6 * v)), 14, held
                found += 1
    for e in rows:
        if twice[e - base] > 0.0:
            out_key[found], out_class[found] = keys[e], 7 + ending(total[e], state[e])
            out_ways[found] = twice[e - base]
            found += 1
    count[0] = found


@loop
def ending(total, state):  # type: ignore[no-untyped-def]
    return 6 if state == CHARLIE else max(total - 16, 0)


@loop
def span(points, low, high, starts):  # type: ignore[no-untyped-def]
    """The sets that make `low` points and less than `high` together with one of so many points."""
    last = starts.shape[0] - 1
    return starts[min(max(low - points, 0), last)], starts[min(max(high - points, 0), last)]


@loop
def meet(left, right, begins, starts, low, high, alike, slots, unions, place, count):  # type: ignore[no-untyped-def]
    """Number the different unions of a set of one list and a set of the other; `count` says how many,
    -1 if there is no room for them.

    Where both lists are alike, each pair is met once. `place` gets the number of each pair in the order of the loops.
    """
    mask, found, pair = slots.shape[0] - 1, 0, 0
    for points in range(begins.shape[0] - 1):
        first, last = span(points, low, high, starts)
        for i in range(begins[points], begins[points + 1]):
            for j in range(max(first, i) if alike else first, last):
                key = left[i] + right[j]
                at = (key * 0x9E3779B97F4A7C15 >> 20) & mask
                while slots[at, 0] != key:
                    if slots[at, 0] < 0:
                        if found == unions.shape[0]:
                            count[0] = -1
                            return
                        slots[at, 0], slots[at, 1], unions[found] = key, found, key
                        found += 1
                        break
                    at = (at + 1) & mask
                place[pair] = slots[at, 1]
                pair += 1
    count[0] = found


@loop
def chances(keys, shoe, each, shoes, weight):  # type: ignore[no-untyped-def]
    """For each set of cards the shoe without it, and the chance of drawing it in one given order."""
    left = 0.0
    for v in range(10):
        left += shoe[v]
    for n in range(64):
        each[n] = 1.0 / (left - n) if left > n else 0.0
    for i in range(keys.shape[0]):
        n, result = 0, 1.0
        for v in range(10):
            copies = (keys[i] >> (6 * v)) & 63
            for k in range(copies):
                result *= (shoe[v] - k) * each[n]
                n += 1
            shoes[i, v] = shoe[v] - copies
        weight[i] = result


@loop
def join(place, begins, starts, low, high, alike, ways, others, classes, mates, ends, out):  # type: ignore[no-untyped-def]
    """Chances of the classes of two split hands together with the dealer's end."""
    pair = 0
    for points in range(begins.shape[0] - 1):
        first, last = span(points, low, high, starts)
        for i in range(begins[points], begins[points + 1]):
            for j in range(max(first, i) if alike else first, last):
                chance = ways[i] * others[j] * (2.0 if alike and i != j else 1.0)
                here, row = out[classes[i], mates[j]], ends[place[pair]]
                for k in range(WIDTH):
                    here[k] += chance * row[k]
                pair += 1
