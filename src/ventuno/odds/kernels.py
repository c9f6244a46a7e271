"""The loops that need speed, compiled by numba. Values are per initial stake; arrays go up-card first.

A peek is exact without conditioning: with a peek, results are summed over the cases in which the dealer has no
Blackjack, and cards are drawn from the unconditioned shoe. Best play is the same, since the chance of that event is a
common factor.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

STAND, HIT, DOUBLE, SURRENDER, SPLIT = 0, 1, 2, 3, 4
FREE, MUST_STAND, MUST_HIT, CHARLIE = 0, 1, 2, 3
LANES = 64


@njit(cache=True, error_model="numpy")
def dealer_ends(depth, value, copies, inner, orders, end, shoes):  # type: ignore[no-untyped-def]
    """Chances of the seven ends for every shoe, many shoes side by side; the nodes come parent before child."""
    rows, nodes = shoes.shape[0], depth.shape[0]
    out = np.zeros((rows, 7))
    weight = np.ones((22, LANES))
    count = np.zeros((10, LANES))
    inverse = np.zeros((22, LANES))
    sums = np.zeros((8, LANES))
    for first in range(0, rows, LANES):
        lanes = min(LANES, rows - first)
        for lane in range(lanes):
            left = 0.0
            for v in range(10):
                count[v, lane] = shoes[first + lane, v]
                left += shoes[first + lane, v]
            fall = 1.0
            for n in range(22):
                inverse[n, lane] = fall
                fall = fall / (left - n) if left > n else 0.0
        sums[:] = 0.0
        for node in range(1, nodes):
            d, v, k, e = depth[node], value[node], float(copies[node]), end[node]
            if inner[node]:
                above, cards, here = weight[d - 1], count[v], weight[d]
                for lane in range(LANES):
                    here[lane] = above[lane] * (cards[lane] - k)
            if e >= 0:
                above, cards, total, chance = weight[d - 1], count[v], sums[e], inverse[d]
                ways = orders[node]
                for lane in range(LANES):
                    total[lane] += ways * above[lane] * (cards[lane] - k) * chance[lane]
        for lane in range(lanes):
            rest = 1.0
            for e in range(7):
                out[first + lane, e] = sums[e, lane]
                rest -= sums[e, lane]
            out[first + lane, 5] = rest
    return out


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
def natural(up, gone, shoe, left, card):  # type: ignore[no-untyped-def]
    """Chance of a dealer Blackjack once `card` has left too; `left` cards remain before it leaves."""
    if up == 0 or up == 9:
        hole = 9 - up
        return (shoe[hole] - gone[hole] - (1.0 if card == hole else 0.0)) / (left - 1.0)
    return 0.0


@njit(cache=True, error_model="numpy")
def drawn(e, up, follow, gone, total, state, shoe, ends, val, peek, stakes, loss):  # type: ignore[no-untyped-def]
    """Value of one card more: the hand plays on (`stakes` 0), or stands on so many, of which a Blackjack takes `loss`."""
    left = -1.0
    for v in range(10):
        left += shoe[v] - gone[e, v]
    result = 0.0
    for v in range(10):
        copies = shoe[v] - gone[e, v] - (1.0 if v == up else 0.0)
        if copies <= 0.0:
            continue
        f = follow[e, v]
        if f < 0:
            lost = 1.0 - natural(up, gone[e], shoe, left, v) if peek else 1.0
            result -= copies * lost * max(stakes, 1.0)
        elif stakes == 0.0:
            result += copies * val[f]
        else:
            result += copies * (stakes * settled(ends[f], total[f], state[f]) - loss * ends[f, 6])
    return result / left


@njit(cache=True, error_model="numpy")
def weigh(e, up, follow, gone, total, kind, state, may, shoe, ends, peek, loss, stakes, val, q):  # type: ignore[no-untyped-def]
    """The value of each action of one hand, -9 where it is not allowed."""
    one, two = (0.0, 0.0) if peek else (loss[kind[e], 0], loss[kind[e], 1])
    q[:] = -9.0
    if state[e] != MUST_HIT:
        q[STAND] = settled(ends[e], total[e], state[e]) - one * ends[e, 6]
    if state[e] == FREE or state[e] == MUST_HIT:
        q[HIT] = drawn(e, up, follow, gone, total, state, shoe, ends, val, peek, 0.0, 0.0)
    if may[e, 0]:
        q[DOUBLE] = drawn(e, up, follow, gone, total, state, shoe, ends, val, peek, stakes, two)
    if may[e, 1]:
        q[SURRENDER] = -0.5 * (1.0 - ends[e, 6]) - one * ends[e, 6]


@njit(cache=True, error_model="numpy")
def plan(order, follow, gone, total, kind, state, may, shoe, ends, peek, loss, stakes, given, quality, act, val):  # type: ignore[no-untyped-def]
    """Backward: the value of every action of every hand, and the best one, or the given one where it is not -1.

    `may` says whether a hand may double and surrender; `stakes` are on a doubled hand; `loss` is what a Blackjack takes.
    """
    for up in range(10):
        for e in order:
            q, best = quality[up, e], given[up, e]
            if best == STAND or best == HIT:
                one = 0.0 if peek[up] else loss[up, kind[e], 0]
                if best == STAND:
                    q[best] = settled(ends[up, e], total[e], state[e]) - one * ends[up, e, 6]
                else:
                    q[best] = drawn(e, up, follow, gone, total, state, shoe, ends[up], val[up], peek[up], 0.0, 0.0)
            else:
                weigh(e, up, follow, gone, total, kind, state, may, shoe, ends[up], peek[up], loss[up], stakes, val[up], q)
            if best < 0:
                best = 0
                for a in range(1, 4):
                    if q[a] > q[best]:
                        best = a
            act[up, e] = best
            val[up, e] = q[best]


@njit(cache=True, error_model="numpy")
def improve(order, bounds, follow, gone, total, kind, state, may, shoe, ends, peek, loss, reach, chart, act, val):  # type: ignore[no-untyped-def]
    """Backward, one choice for each line of the chart: the best for the hands of that line as often as they are held.

    Choices: stand, hit, double else hit, double else stand, surrender else hit, surrender else stand.
    """
    quality = np.empty((order.shape[0], 4))
    score = np.empty(6)
    for up in range(10):
        for line in range(bounds.shape[0] - 1):
            score[:] = 0.0
            for i in range(bounds[line], bounds[line + 1]):
                e, q = order[i], quality[i]
                weigh(e, up, follow, gone, total, kind, state, may, shoe, ends[up], peek[up], loss[up], 2.0, val[up], q)
                if state[e] == FREE:
                    for choice in range(6):
                        score[choice] += reach[up, e] * q[chosen(choice, may[e])]
            best = 0
            for choice in range(1, 6):
                if score[choice] > score[best]:
                    best = choice
            chart[up, line] = best
            for i in range(bounds[line], bounds[line + 1]):
                e = order[i]
                a = chosen(best, may[e])
                if state[e] != FREE:
                    a = HIT if state[e] == MUST_HIT else STAND
                act[up, e] = a
                val[up, e] = quality[i, a]


@njit(cache=True, error_model="numpy")
def chosen(choice, may):  # type: ignore[no-untyped-def]
    """The action a choice of the chart comes to, for a hand that may or may not double and surrender."""
    if choice >= 4 and may[1]:
        return SURRENDER
    if (choice == 2 or choice == 3) and may[0]:
        return DOUBLE
    return HIT if choice == 1 or choice == 2 or choice == 4 else STAND


@njit(cache=True, error_model="numpy")
def doubling(order, follow, gone, shoe, ends, peek, act, out):  # type: ignore[no-untyped-def]
    """Backward: how often a hand ends up doubled; with a peek, doubled without a dealer Blackjack."""
    for up in range(10):
        for e in order:
            out[up, e] = 0.0
            if act[up, e] == DOUBLE:
                out[up, e] = 1.0 - ends[up, e, 6] if peek[up] else 1.0
            elif act[up, e] == HIT:
                left, result = -1.0, 0.0
                for v in range(10):
                    left += shoe[v] - gone[e, v]
                for v in range(10):
                    copies, f = shoe[v] - gone[e, v] - (1.0 if v == up else 0.0), follow[e, v]
                    if copies > 0.0 and f >= 0:
                        result += copies * out[up, f]
                out[up, e] = result / left


@njit(cache=True, error_model="numpy")
def flow(order, follow, gone, shoe, act, mass, doubled, bust):  # type: ignore[no-untyped-def]
    """Forward: how often each hand is held, and held doubled; `bust` counts single and doubled, each without and with
    a dealer Blackjack."""
    for up in range(10):
        for i in range(order.shape[0] - 1, -1, -1):
            e = order[i]
            held, a = mass[up, e], act[up, e]
            if held == 0.0 or (a != HIT and a != DOUBLE):
                continue
            left = -1.0
            for v in range(10):
                left += shoe[v] - gone[e, v]
            for v in range(10):
                copies = shoe[v] - gone[e, v] - (1.0 if v == up else 0.0)
                if copies <= 0.0:
                    continue
                part, f = held * copies / left, follow[e, v]
                if f < 0:
                    p, n = natural(up, gone[e], shoe, left, v), (0 if a == HIT else 2)
                    bust[up, n] += part * (1.0 - p)
                    bust[up, n + 1] += part * p
                elif a == HIT:
                    mass[up, f] += part
                else:
                    doubled[up, f] += part


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
def meet(left, right, alike, slots, place, number, joint):  # type: ignore[no-untyped-def]
    """Number the different unions of a set of one list and a set of the other; `place` gets the number of each."""
    mask, found = slots.shape[0] - 1, 0
    for i in range(left.shape[0]):
        for j in range(i if alike else 0, right.shape[0]):
            key = left[i] + right[j]
            at = (key * 0x9E3779B97F4A7C15 >> 20) & mask
            while slots[at] != key:
                if slots[at] < 0:
                    slots[at], number[at], joint[found] = key, found, key
                    found += 1
                    break
                at = (at + 1) & mask
            place[i, j] = number[at]
    return found


@njit(cache=True, error_model="numpy")
def chances(keys, shoe, shoes, weight):  # type: ignore[no-untyped-def]
    """For each set of cards the shoe without it, and the chance of drawing it in one given order."""
    for i in range(keys.shape[0]):
        left, result = 0.0, 1.0
        for v in range(10):
            left += shoe[v]
        for v in range(10):
            copies = (keys[i] >> (6 * v)) & 63
            for k in range(copies):
                result *= max(shoe[v] - k, 0.0) / left
                left -= 1.0
            shoes[i, v] = shoe[v] - copies
        weight[i] = result


@njit(cache=True, error_model="numpy")
def join(place, alike, ways, others, classes, mates, weight, ends, out):  # type: ignore[no-untyped-def]
    """Chances of the classes of two split hands together with the dealer's end."""
    for i in range(place.shape[0]):
        for j in range(i if alike else 0, place.shape[1]):
            n = place[i, j]
            chance = ways[i] * others[j] * weight[n]
            for k in range(7):
                part = chance * ends[n, k]
                out[classes[i], mates[j], k] += part
                if alike and i != j:
                    out[mates[j], classes[i], k] += part
