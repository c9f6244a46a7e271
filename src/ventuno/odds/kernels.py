"""The loops that need speed, compiled by numba. All of them see one up-card; `rest` is the shoe left beside each hand.

A peek is exact without conditioning: with a peek, results are summed over the cases in which the dealer has no
Blackjack, and cards are drawn from the unconditioned shoe. Best play is the same, since the chance of that event is a
common factor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

STAND, HIT, DOUBLE, SURRENDER = 0, 1, 2, 3
FREE, MUST_STAND, MUST_HIT, CHARLIE = 0, 1, 2, 3
LANES = 64


@njit(cache=True, error_model="numpy")
def dealer_ends(depth, value, copies, inner, orders, end, shoes, out):  # type: ignore[no-untyped-def]
    """Chances of the seven ends for every shoe, many shoes side by side; the nodes come parent before child."""
    rows, nodes = shoes.shape[0], depth.shape[0]
    count, inverse, sums = np.zeros((10, LANES)), np.zeros((22, LANES)), np.zeros((7, LANES))
    weight = np.zeros((22, LANES))
    width = weight.shape[1]
    for first in range(0, rows, LANES):
        lanes = min(LANES, rows - first)
        for lane in range(lanes):
            left = 0.0
            for v in range(10):
                count[v, lane] = shoes[first + lane, v]
                left += shoes[first + lane, v]
            for n in range(22):
                inverse[n, lane] = 1.0 / (left - n) if left > n else 0.0
        for lane in range(width):
            weight[0, lane] = inverse[0, lane]
            for e in range(7):
                sums[e, lane] = 0.0
        for node in range(1, nodes):
            d, k, e = depth[node], float(copies[node]), end[node]
            above, cards = weight[d - 1], count[value[node]]
            if inner[node]:
                here, chance = weight[d], inverse[d]
                for lane in range(width):
                    here[lane] = above[lane] * (cards[lane] - k) * chance[lane]
            if e >= 0:
                total, ways = sums[e], orders[node]
                for lane in range(width):
                    total[lane] += ways * above[lane] * (cards[lane] - k)
        for lane in range(lanes):
            rest = 1.0
            for e in range(7):
                out[first + lane, e] = sums[e, lane]
                rest -= sums[e, lane]
            out[first + lane, 5] = rest


@njit(cache=True, error_model="numpy")
def settled(ends, total, state):  # type: ignore[no-untyped-def]
    """Won less lost of one unit that stands, over the cases without a dealer Blackjack."""
    if state == CHARLIE:
        return 1.0 - ends[6]
    result = ends[5]
    for k in range(5):
        if total > 17 + k:
            result += ends[k]
        elif total < 17 + k:
            result -= ends[k]
    return result


@njit(cache=True, error_model="numpy")
def natural(rest, left, hole, card):  # type: ignore[no-untyped-def]
    """Chance of a dealer Blackjack once `card` has left too; `hole` is the value that makes it, or -1."""
    if hole < 0:
        return 0.0
    return (rest[hole] - (1.0 if card == hole else 0.0)) / (left - 1.0)


@njit(cache=True, error_model="numpy")
def drawn(e, follow, rest, left, total, state, ends, hole, peek, val, stakes, loss):  # type: ignore[no-untyped-def]
    """Value of one card more: the hand plays on (`stakes` 0), or stands on so many, of which a Blackjack takes `loss`."""
    result = 0.0
    for v in range(10):
        copies, f = rest[e, v], follow[e, v]
        if copies <= 0.0:
            continue
        if f < 0:
            lost = 1.0 - natural(rest[e], left[e], hole, v) if peek else 1.0
            result -= copies * lost * max(stakes, 1.0)
        elif stakes == 0.0:
            result += copies * val[f]
        else:
            result += copies * (stakes * settled(ends[f], total[f], state[f]) - loss * ends[f, 6])
    return result / left[e]


@njit(cache=True, error_model="numpy")
def weigh(e, only, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, stakes, val, q):  # type: ignore[no-untyped-def]
    """The value of each action of one hand, -9 where it is not allowed; `only` asks for a single one, -1 for all."""
    one, two = (0.0, 0.0) if peek else (loss[kind[e], 0], loss[kind[e], 1])
    for a in range(4):
        q[a] = -9.0
    if state[e] != MUST_HIT and (only < 0 or only == STAND):
        q[STAND] = settled(ends[e], total[e], state[e]) - one * ends[e, 6]
    if (state[e] == FREE or state[e] == MUST_HIT) and (only < 0 or only == HIT):
        q[HIT] = drawn(e, follow, rest, left, total, state, ends, hole, peek, val, 0.0, 0.0)
    if may[e, 0] and (only < 0 or only == DOUBLE):
        q[DOUBLE] = drawn(e, follow, rest, left, total, state, ends, hole, peek, val, stakes, two)
    if may[e, 1] and (only < 0 or only == SURRENDER):
        q[SURRENDER] = -0.5 * (1.0 - ends[e, 6]) - one * ends[e, 6]


@njit(cache=True, error_model="numpy")
def plan(order, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, stakes, given, quality, act, val):  # type: ignore[no-untyped-def]
    """Backward: the value of every action of every hand, and the best one, or the given one where it is not -1.

    `may` says whether a hand may double and surrender; `stakes` are on a doubled hand; `loss` is what a Blackjack takes.
    """
    for e in order:
        q, best = quality[e], given[e]
        weigh(e, best, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, stakes, val, q)
        if best < 0:
            best = 0
            for a in range(1, 4):
                if q[a] > q[best]:
                    best = a
        act[e] = best
        val[e] = q[best]


@njit(cache=True, error_model="numpy")
def improve(order, bounds, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, reach, chart, act, val):  # type: ignore[no-untyped-def]
    """Backward, one choice for each line of the chart: the best for the hands of that line as often as they are held.

    Choices: stand, hit, double else hit, double else stand, surrender else hit, surrender else stand.
    """
    quality = np.empty((order.shape[0], 4))
    score, every = np.empty(6), np.int64(-1)
    for line in range(bounds.shape[0] - 1):
        for choice in range(6):
            score[choice] = 0.0
        for i in range(bounds[line], bounds[line + 1]):
            e, q = order[i], quality[i]
            weigh(e, every, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, 2.0, val, q)
            if state[e] == FREE and reach[e] > 0.0:
                for choice in range(6):
                    score[choice] += reach[e] * q[chosen(choice, may[e])]
        best = np.int64(0)
        for choice in range(1, 6):
            if score[choice] > score[best]:
                best = choice
        chart[line] = best
        for i in range(bounds[line], bounds[line + 1]):
            e = order[i]
            a = chosen(best, may[e])
            if state[e] != FREE:
                a = HIT if state[e] == MUST_HIT else STAND
            act[e] = a
            val[e] = quality[i, a]


@njit(cache=True, error_model="numpy")
def chosen(choice, may):  # type: ignore[no-untyped-def]
    """The action a choice of the chart comes to, for a hand that may or may not double and surrender."""
    if choice >= 4 and may[1]:
        return SURRENDER
    if (choice == 2 or choice == 3) and may[0]:
        return DOUBLE
    return HIT if choice == 1 or choice == 2 or choice == 4 else STAND


@njit(cache=True, error_model="numpy")
def doubling(order, follow, rest, left, ends, peek, act, out):  # type: ignore[no-untyped-def]
    """Backward: how often a hand ends up doubled; with a peek, doubled without a dealer Blackjack."""
    for e in order:
        out[e] = 0.0
        if act[e] == DOUBLE:
            out[e] = 1.0 - ends[e, 6] if peek else 1.0
        elif act[e] == HIT:
            result = 0.0
            for v in range(10):
                if rest[e, v] > 0.0 and follow[e, v] >= 0:
                    result += rest[e, v] * out[follow[e, v]]
            out[e] = result / left[e]


@njit(cache=True, error_model="numpy")
def flow(order, follow, rest, left, hole, act, mass, doubled, bust):  # type: ignore[no-untyped-def]
    """Forward: how often each hand is held, and held doubled; busts single and doubled, without and with Blackjack."""
    for i in range(order.shape[0] - 1, -1, -1):
        e = order[i]
        held, a = mass[e], act[e]
        if held == 0.0 or (a != HIT and a != DOUBLE):
            continue
        for v in range(10):
            if rest[e, v] <= 0.0:
                continue
            part, f = held * rest[e, v] / left[e], follow[e, v]
            if f < 0:
                p, n = natural(rest[e], left[e], hole, v), (0 if a == HIT else 2)
                bust[n] += part * (1.0 - p)
                bust[n + 1] += part * p
            elif a == HIT:
                mass[f] += part
            else:
                doubled[f] += part


@njit(cache=True, error_model="numpy")
def finals(rows, base, follow, keys, total, state, act, out_key, out_class, out_ways):  # type: ignore[no-untyped-def]
    """The sets of cards with which one split hand can end without a plain bust, each with its number of orders.

    `rows` are the hands of one world, earlier hands first, the lone split card at their head. Classes: 0 up to 16,
    1…5 for 17…21, 6 Charlie; 7 more when doubled; 14 doubled and bust.
    """
    ways, twice = np.zeros(rows.shape[0]), np.zeros(rows.shape[0])
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
    return found


@njit(cache=True, error_model="numpy")
def ending(total, state):  # type: ignore[no-untyped-def]
    return 6 if state == CHARLIE else max(total - 16, 0)


@njit(cache=True, error_model="numpy")
def meet(left, right, alike, slots, unions, place):  # type: ignore[no-untyped-def]
    """Number the different unions of a set of one list and a set of the other; -1 if there is no room for them.

    Where both lists are alike, each pair is met once. `place` gets the number of each pair in the order of the loops.
    """
    mask, found, pair = slots.shape[0] - 1, 0, 0
    for i in range(left.shape[0]):
        for j in range(i if alike else 0, right.shape[0]):
            key = left[i] + right[j]
            at = (key * 0x9E3779B97F4A7C15 >> 20) & mask
            while slots[at, 0] != key:
                if slots[at, 0] < 0:
                    if found == unions.shape[0]:
                        return -1
                    slots[at, 0], slots[at, 1], unions[found] = key, found, key
                    found += 1
                    break
                at = (at + 1) & mask
            place[pair] = slots[at, 1]
            pair += 1
    return found


@njit(cache=True, error_model="numpy")
def chances(keys, shoe, shoes, weight):  # type: ignore[no-untyped-def]
    """For each set of cards the shoe without it, and the chance of drawing it in one given order."""
    left = 0.0
    for v in range(10):
        left += shoe[v]
    each = np.zeros(64)
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


@njit(cache=True, error_model="numpy")
def join(place, alike, ways, others, classes, mates, ends, out):  # type: ignore[no-untyped-def]
    """Chances of the classes of two split hands together with the dealer's end."""
    pair = 0
    for i in range(ways.shape[0]):
        for j in range(i if alike else 0, others.shape[0]):
            chance = ways[i] * others[j] * (2.0 if alike and i != j else 1.0)
            for k in range(7):
                out[classes[i], mates[j], k] += chance * ends[place[pair], k]
            pair += 1
