"""The loops of the solver: dynamic programming over the hands against one up-card, and two split hands together.

`rest` is the shoe left beside each hand. A peek is exact without conditioning: with a peek, results are summed over the
cases in which the dealer has no Blackjack, and cards are drawn from the unconditioned shoe. Best play is the same: the
chance of that event is a common factor.
"""

from __future__ import annotations

import numpy as np

from ventuno.odds.kernels.loops.codes import ABREAST, CHARLIE, DOUBLE, FREE, HIT, MUST_HIT, STAND, SURRENDER, WIDTH
from ventuno.odds.kernels.loops.compiler import loop


@loop
def dealer_ends(depth, value, copies, inner, orders, end, shoes, room, out):
    """Chances of the seven ends for every shoe, many shoes side by side; the nodes come parent before child."""
    rows, nodes = shoes.shape[0], depth.shape[0]
    count, inverse, sums, weight = room[:10], room[10:32], room[32:39], room[39:]
    width = weight.shape[1]
    for first in range(0, rows, ABREAST):
        lanes = min(ABREAST, rows - first)
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
                own, chance = weight[d], inverse[d]
                for lane in range(width):
                    own[lane] = above[lane] * (cards[lane] - k) * chance[lane]
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


@loop
def settle(ends, total, state):
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


@loop
def natural(rest, left, hole, card):
    """Chance of a dealer Blackjack once `card` has left too; `hole` is the value that makes it, or -1."""
    if hole < 0:
        return 0.0
    return (rest[hole] - (1.0 if card == hole else 0.0)) / (left - 1.0)


@loop
def value_draw(e, follow, rest, left, total, state, ends, hole, peek, val, stakes, loss):
    """Value of one card more: the hand plays on (`stakes` 0), or stands on so many; a Blackjack takes `loss` of it."""
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
            result += copies * (stakes * settle(ends[f], total[f], state[f]) - loss * ends[f, 6])
    return result / left[e]


@loop
def weigh(e, only, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, stakes, val, q):
    """The value of each action of one hand, -9 where it is not allowed; `only` asks for a single one, -1 for all."""
    single, double = (0.0, 0.0) if peek else (loss[kind[e], 0], loss[kind[e], 1])
    for a in range(4):
        q[a] = -9.0
    if state[e] != MUST_HIT and (only < 0 or only == STAND):
        q[STAND] = settle(ends[e], total[e], state[e]) - single * ends[e, 6]
    if (state[e] == FREE or state[e] == MUST_HIT) and (only < 0 or only == HIT):
        q[HIT] = value_draw(e, follow, rest, left, total, state, ends, hole, peek, val, 0.0, 0.0)
    if may[e, 0] and (only < 0 or only == DOUBLE):
        q[DOUBLE] = value_draw(e, follow, rest, left, total, state, ends, hole, peek, val, stakes, double)
    if may[e, 1] and (only < 0 or only == SURRENDER):
        q[SURRENDER] = -0.5 * (1.0 - ends[e, 6]) - single * ends[e, 6]


@loop
def plan(order, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, stakes, given, quality, act, val):
    """Backward: the value of every action of every hand, and the best one, or the given one where it is not -1.

    `may` says whether a hand may double and surrender; `stakes` lie on a doubled hand; a Blackjack takes `loss`.
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


@loop
def improve(
    order, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, bounds, reach, room, chart, act, val,
):  # fmt: skip
    """Backward, one choice for each line of the chart: the best for the hands of that line as often as they are held.

    Choices: stand, hit, double else hit, double else stand, surrender else hit, surrender else stand.
    """
    score, quality, every = room[0], room[1:], np.int64(-1)
    for line in range(bounds.shape[0] - 1):
        for choice in range(6):
            score[choice] = 0.0
        for i in range(bounds[line], bounds[line + 1]):
            e, q = order[i], quality[i]
            weigh(e, every, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, 2.0, val, q)
            if state[e] == FREE and reach[e] > 0.0:
                for choice in range(6):
                    score[choice] += reach[e] * q[choose(choice, may[e])]
        best = np.int64(0)
        for choice in range(1, 6):
            if score[choice] > score[best]:
                best = np.int64(choice)
        chart[line] = best
        for i in range(bounds[line], bounds[line + 1]):
            e = order[i]
            a = choose(best, may[e])
            if state[e] != FREE:
                a = HIT if state[e] == MUST_HIT else STAND
            act[e] = a
            val[e] = quality[i, a]


@loop
def choose(choice, may):
    """The action a choice of the chart comes to, for a hand that may or may not double and surrender."""
    if choice >= 4 and may[1]:
        return SURRENDER
    if (choice == 2 or choice == 3) and may[0]:
        return DOUBLE
    return HIT if choice == 1 or choice == 2 or choice == 4 else STAND


@loop
def doubling(order, follow, rest, left, ends, peek, act, out):
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


@loop
def flow(order, follow, rest, left, hole, act, mass, doubled, bust):
    """Forward: how often each hand is held, and held doubled; busts single and doubled, without and with Blackjack."""
    for i in range(order.shape[0] - 1, -1, -1):
        e = order[i]
        chance, a = mass[e], act[e]
        if chance == 0.0 or (a != HIT and a != DOUBLE):
            continue
        for v in range(10):
            if rest[e, v] <= 0.0:
                continue
            part, f = chance * rest[e, v] / left[e], follow[e, v]
            if f < 0:
                p, n = natural(rest[e], left[e], hole, v), (0 if a == HIT else 2)
                bust[n] += part * (1.0 - p)
                bust[n + 1] += part * p
            elif a == HIT:
                mass[f] += part
            else:
                doubled[f] += part


@loop
def finals(rows, base, follow, keys, total, state, act, room, out_key, out_class, out_ways, count):
    """The sets of cards with which one split hand can end without a plain bust, each with its number of orders.

    `rows` are the hands of one world, earlier hands first, the lone split card at their head. Classes: 0 up to 16,
    1…5 for 17…21, 6 Charlie; 7 more when doubled; 14 doubled and bust.
    """
    ways, twice = room[0], room[1]
    ways[rows[0] - base] = 1.0
    number = 0
    for e in rows:
        orders, a = ways[e - base], act[e]
        if orders == 0.0:
            continue
        if a == STAND:
            out_key[number], out_class[number], out_ways[number] = keys[e], ending(total[e], state[e]), orders
            number += 1
            continue
        for v in range(10):
            f = follow[e, v]
            if f >= 0 and a == HIT:
                ways[f - base] += orders
            elif f >= 0:
                twice[f - base] += orders
            elif a == DOUBLE:
                out_key[number], out_class[number], out_ways[number] = keys[e] + (1 << (6 * v)), 14, orders
                number += 1
    for e in rows:
        if twice[e - base] > 0.0:
            out_key[number], out_class[number] = keys[e], 7 + ending(total[e], state[e])
            out_ways[number] = twice[e - base]
            number += 1
    count[0] = number


@loop
def ending(total, state):
    return 6 if state == CHARLIE else max(total - 16, 0)


@loop
def span(points, low, high, starts):
    """The sets that make `low` points and less than `high` together with one of so many points."""
    last = starts.shape[0] - 1
    return starts[min(max(low - points, 0), last)], starts[min(max(high - points, 0), last)]


@loop
def meet(left, right, begins, starts, low, high, alike, slots, unions, place, count):
    """Number the different unions of a set of one list and a set of the other; `count` says how many,
    -1 if there is no room for them.

    Where both lists are alike, each pair is met once. `place` gets the number of each pair in the order of the loops.
    """
    mask, number, pair = slots.shape[0] - 1, 0, 0
    for points in range(begins.shape[0] - 1):
        first, last = span(points, low, high, starts)
        for i in range(begins[points], begins[points + 1]):
            for j in range(max(first, i) if alike else first, last):
                key = left[i] + right[j]
                at = (key * 0x9E3779B97F4A7C15 >> 20) & mask
                while slots[at, 0] != key:
                    if slots[at, 0] < 0:
                        if number == unions.shape[0]:
                            count[0] = -1
                            return
                        slots[at, 0], slots[at, 1], unions[number] = key, number, key
                        number += 1
                        break
                    at = (at + 1) & mask
                place[pair] = slots[at, 1]
                pair += 1
    count[0] = number


@loop
def chances(keys, shoe, each, shoes, weight):
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
def join(place, begins, starts, low, high, alike, ways, others, classes, mates, ends, out):
    """Chances of the classes of two split hands together with the dealer's end."""
    pair = 0
    for points in range(begins.shape[0] - 1):
        first, last = span(points, low, high, starts)
        for i in range(begins[points], begins[points + 1]):
            for j in range(max(first, i) if alike else first, last):
                chance = ways[i] * others[j] * (2.0 if alike and i != j else 1.0)
                cell, row = out[classes[i], mates[j]], ends[place[pair]]
                for k in range(WIDTH):
                    cell[k] += chance * row[k]
                pair += 1
