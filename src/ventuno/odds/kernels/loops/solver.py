"""The loops of the solver. All of them see one up-card; `rest` is the shoe left beside each hand.

A peek is exact without conditioning: with a peek, results are summed over the cases in which the dealer has no
Blackjack, and cards are drawn from the unconditioned shoe. Best play is the same, since the chance of that event is a
common factor.
"""

from __future__ import annotations

import numpy as np

from ventuno.odds.kernels.loops.codes import ABREAST, CHARLIE, DOUBLE, FREE, HIT, MUST_HIT, STAND, SURRENDER
from ventuno.odds.kernels.loops.compiler import loop


@loop
def dealer_ends(depth, value, copies, inner, orders, end, shoes, room, out):  # type: ignore[no-untyped-def]
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


@loop
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


@loop
def natural(rest, left, hole, card):  # type: ignore[no-untyped-def]
    """Chance of a dealer Blackjack once `card` has left too; `hole` is the value that makes it, or -1."""
    if hole < 0:
        return 0.0
    return (rest[hole] - (1.0 if card == hole else 0.0)) / (left - 1.0)


@loop
def drawn(e, follow, rest, left, total, state, ends, hole, peek, val, stakes, loss):  # type: ignore[no-untyped-def]
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
            result += copies * (stakes * settled(ends[f], total[f], state[f]) - loss * ends[f, 6])
    return result / left[e]


@loop
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


@loop
def plan(order, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, stakes, given, quality, act, val):  # type: ignore[no-untyped-def]
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
def improve(  # type: ignore[no-untyped-def]
    order, bounds, follow, rest, left, total, kind, state, may, ends, hole, peek, loss, reach, room, chart, act, val,
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
                    score[choice] += reach[e] * q[chosen(choice, may[e])]
        best = np.int64(0)
        for choice in range(1, 6):
            if score[choice] > score[best]:
                best = np.int64(choice)
        chart[line] = best
        for i in range(bounds[line], bounds[line + 1]):
            e = order[i]
            a = chosen(best, may[e])
            if state[e] != FREE:
                a = HIT if state[e] == MUST_HIT else STAND
            act[e] = a
            val[e] = quality[i, a]


@loop
def chosen(choice, may):  # type: ignore[no-untyped-def]
    """The action a choice of the chart comes to, for a hand that may or may not double and surrender."""
    if choice >= 4 and may[1]:
        return SURRENDER
    if (choice == 2 or choice == 3) and may[0]:
        return DOUBLE
    return HIT if choice == 1 or choice == 2 or choice == 4 else STAND


@loop
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


@loop
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
