"""The loops of the simulator: rounds of blackjack, duels, bonuses.

Blackjack deals four shoes in lock step through one table. A step of a lane draws one card by one step of a Fisher-Yates
shuffle (only cards that are dealt are ever shuffled; a fresh shoe starts again at position 0 of whatever order the pack
is in) and looks it up once. Nothing in a step branches on the cards: the end of a round is a bit of the entry, its
outcome is counted in place.
"""

from __future__ import annotations

import numpy as np

from ventuno.odds.kernels.loops.codes import CHUNK, LANES, OUTCOMES, PACK
from ventuno.odds.kernels.loops.compiler import inline, loop
from ventuno.odds.kernels.loops.xoshiro import U, high, next_word

NEXT = (1 << 24) - 1
NEXT_NOTED = (1 << 22) - 1
"""With side bets an entry has two bits more, both set where the card eaten is none that a side bet looks at."""


@inline
def _step(table, pack, lane, counts, state, dealt, rest, size, cut, cuts, depths, suits):
    """One card for one lane: the entry found, cards dealt, what is left of the random word, the cut, the card."""
    base = U(lane * PACK)
    left = size - dealt
    at = dealt + high(rest, left)
    rest = rest * left
    card = U(pack[base + at])
    pack[base + at] = pack[base + dealt]
    pack[base + dealt] = card
    entry = U(table[state + (card >> U(suits))])
    if suits == 0:
        counts[U(lane * OUTCOMES) + (entry >> U(24))] += 1
    dealt += U(1)
    if depths:
        if (entry >> U(31)) & ((cut - dealt - U(1)) >> U(63)):
            dealt = U(0)
            cut = cuts + high(rest, depths)
            rest = rest * depths
    else:
        # A shift, not a choice: compilers turn a choice into a branch that nobody can predict.
        dealt = dealt >> ((entry >> U(27)) & U(16))
    return entry, dealt, rest, cut, card


@loop
def _advance(table, pack, counts, lanes, random, size, cuts, depths, steps):
    """So many cards for each lane. `lanes` holds state, cards dealt and cut of each; they live in registers here."""
    a, b, c, d = random
    s0, s1, s2, s3 = lanes[0, 0], lanes[1, 0], lanes[2, 0], lanes[3, 0]
    n0, n1, n2, n3 = lanes[0, 1], lanes[1, 1], lanes[2, 1], lanes[3, 1]
    c0, c1, c2, c3 = lanes[0, 2], lanes[1, 2], lanes[2, 2], lanes[3, 2]
    for _ in range(steps):
        x, a, b, c, d = next_word(a, b, c, d)
        e, n0, x, c0, _card = _step(table, pack, 0, counts, s0, n0, x, size, c0, cuts, depths, 0)
        s0 = e & U(NEXT)
        e, n1, x, c1, _card = _step(table, pack, 1, counts, s1, n1, x, size, c1, cuts, depths, 0)
        s1 = e & U(NEXT)
        e, n2, x, c2, _card = _step(table, pack, 2, counts, s2, n2, x, size, c2, cuts, depths, 0)
        s2 = e & U(NEXT)
        e, n3, x, c3, _card = _step(table, pack, 3, counts, s3, n3, x, size, c3, cuts, depths, 0)
        s3 = e & U(NEXT)
    _keep(lanes, 0, s0, n0, c0)
    _keep(lanes, 1, s1, n1, c1)
    _keep(lanes, 2, s2, n2, c2)
    _keep(lanes, 3, s3, n3, c3)
    return a, b, c, d


@inline
def _keep(lanes, lane, state, dealt, cut):
    lanes[lane, 0] = state
    lanes[lane, 1] = dealt
    lanes[lane, 2] = cut


@inline
def _shift_in(entry, card, deal):
    """The cards that side bets look at, six bits each: another card is shifted in and out again."""
    return ((deal << U(6)) | card) >> ((entry >> U(21)) & U(6))


@inline
def _write_line(entry, lane, deal, log, rounds):
    """Write a round down: outcome, lane, cards. The line stays if the round is over, else the next overwrites it."""
    log[rounds] = (deal << U(32)) + entry + U(lane)
    return rounds + (entry >> U(31))


@loop
def _advance_noting(table, pack, counts, lanes, random, size, cuts, depths, steps, log):
    """As `_advance`, with whole cards, and a line in the log for each round."""
    a, b, c, d = random
    s0, s1, s2, s3 = lanes[0, 0], lanes[1, 0], lanes[2, 0], lanes[3, 0]
    n0, n1, n2, n3 = lanes[0, 1], lanes[1, 1], lanes[2, 1], lanes[3, 1]
    c0, c1, c2, c3 = lanes[0, 2], lanes[1, 2], lanes[2, 2], lanes[3, 2]
    d0, d1, d2, d3 = lanes[0, 3], lanes[1, 3], lanes[2, 3], lanes[3, 3]
    rounds = U(0)
    for _ in range(steps):
        x, a, b, c, d = next_word(a, b, c, d)
        e, n0, x, c0, card = _step(table, pack, 0, counts, s0, n0, x, size, c0, cuts, depths, 2)
        s0, d0 = e & U(NEXT_NOTED), _shift_in(e, card, d0)
        rounds = _write_line(e, 0, d0, log, rounds)
        e, n1, x, c1, card = _step(table, pack, 1, counts, s1, n1, x, size, c1, cuts, depths, 2)
        s1, d1 = e & U(NEXT_NOTED), _shift_in(e, card, d1)
        rounds = _write_line(e, 1, d1, log, rounds)
        e, n2, x, c2, card = _step(table, pack, 2, counts, s2, n2, x, size, c2, cuts, depths, 2)
        s2, d2 = e & U(NEXT_NOTED), _shift_in(e, card, d2)
        rounds = _write_line(e, 2, d2, log, rounds)
        e, n3, x, c3, card = _step(table, pack, 3, counts, s3, n3, x, size, c3, cuts, depths, 2)
        s3, d3 = e & U(NEXT_NOTED), _shift_in(e, card, d3)
        rounds = _write_line(e, 3, d3, log, rounds)
    _keep(lanes, 0, s0, n0, c0)
    _keep(lanes, 1, s1, n1, c1)
    _keep(lanes, 2, s2, n2, c2)
    _keep(lanes, 3, s3, n3, c3)
    lanes[0, 3], lanes[1, 3], lanes[2, 3], lanes[3, 3] = d0, d1, d2, d3
    return a, b, c, d, rounds


@loop
def _count(log, rounds, deals, pairs, counts, sides):
    """Each line of the log to its outcome, and to its categories: of the deal (both cards of the box and the up-card),
    of the dealer's pair where that is a bet; then the line ends with the hole card."""
    for k in range(rounds):
        line = log[k]
        counts[(line & U(3)) * U(OUTCOMES) + ((line >> U(24)) & U(255))] += 1
        if pairs.size:
            sides[1, pairs[((line >> U(38)) & U(0xFC0)) | ((line >> U(32)) & U(63))]] += 1
            line >>= U(6)
        sides[0, deals[(line >> U(32)) & U(0x3FFFF)]] += 1


@loop
def _finish(table, pack, counts, lane, lanes, random, size, cuts, depths, rounds, log):
    """Rounds of one lane, one by one, so that a block has exactly the rounds asked for; with no log, no suits."""
    a, b, c, d = random
    state, dealt, cut, deal = lanes[lane, 0], lanes[lane, 1], lanes[lane, 2], lanes[lane, 3]
    suits, follow, done = (2, U(NEXT_NOTED), U(0)) if log.size else (0, U(NEXT), U(0))
    while rounds > 0:
        x, a, b, c, d = next_word(a, b, c, d)
        entry, dealt, x, cut, card = _step(table, pack, lane, counts, state, dealt, x, size, cut, cuts, depths, suits)
        state = entry & follow
        if log.size:
            deal = _shift_in(entry, card, deal)
            done = _write_line(entry, lane, deal, log, done)
        rounds -= np.int64(entry >> U(31))
    _keep(lanes, lane, state, dealt, cut)
    lanes[lane, 3] = deal
    return a, b, c, d, done


@loop
def play(table, pack, counts, lanes, random, size, cuts, depths, quotas, none):
    """Exactly `quotas` rounds in each lane. A round takes three cards at least, so no lane runs past its quota."""
    a, b, c, d = random[0], random[1], random[2], random[3]
    left = _least_left(counts, quotas)
    while left > 16:
        a, b, c, d = _advance(table, pack, counts, lanes, (a, b, c, d), size, cuts, depths, 3 * left)
        left = _least_left(counts, quotas)
    for lane in range(LANES):
        rounds = quotas[lane] - _count_done(counts, lane)
        a, b, c, d, _ = _finish(table, pack, counts, lane, lanes, (a, b, c, d), size, cuts, depths, rounds, none)


@loop
def play_noting(table, pack, counts, lanes, random, size, cuts, depths, quotas, log, deals, pairs, sides):
    """As `play`, and every round's side bets by category."""
    a, b, c, d = random[0], random[1], random[2], random[3]
    left = _least_left(counts, quotas)
    while left > 16:
        steps = min(3 * left, CHUNK)
        a, b, c, d, done = _advance_noting(table, pack, counts, lanes, (a, b, c, d), size, cuts, depths, steps, log)
        _count(log, done, deals, pairs, counts, sides)
        left = _least_left(counts, quotas)
    for lane in range(LANES):
        rounds = quotas[lane] - _count_done(counts, lane)
        while rounds > 0:
            few = min(rounds, CHUNK)
            a, b, c, d, done = _finish(table, pack, counts, lane, lanes, (a, b, c, d), size, cuts, depths, few, log)
            _count(log, done, deals, pairs, counts, sides)
            rounds -= few


@loop
def _count_done(counts, lane):
    return counts[lane * OUTCOMES + OUTCOMES // 2 : (lane + 1) * OUTCOMES].sum()


@loop
def _least_left(counts, quotas):
    left = quotas[0] - _count_done(counts, 0)
    for lane in range(1, LANES):
        left = min(left, quotas[lane] - _count_done(counts, lane))
    return left


@inline
def _draw(pack, dealt, x, size):
    left = size - U(dealt)
    at = U(dealt) + high(x, left)
    card = pack[at]
    pack[at] = pack[dealt]
    pack[dealt] = card
    return U(card), x * left


@loop
def play_duel(random, pack, size, rounds, players, dealers, results, counts, sides):
    """The duel: a straight line from six cards to one outcome.

    Deal order: up-card, the dealer's first, left, right, the hidden card, the dealer's second.
    """
    a, b, c, d = random[0], random[1], random[2], random[3]
    value, ten = U(15), U(10)
    for _ in range(rounds):
        x, a, b, c, d = next_word(a, b, c, d)
        up, x = _draw(pack, 0, x, size)
        first, x = _draw(pack, 1, x, size)
        left, x = _draw(pack, 2, x, size)
        x, a, b, c, d = next_word(a, b, c, d)
        right, x = _draw(pack, 3, x, size)
        hidden, x = _draw(pack, 4, x, size)
        second, x = _draw(pack, 5, x, size)
        middle = (left & value) * ten + (right & value)
        player = players[((up & value) * U(100) + middle) * ten + (hidden & value)]
        dealer = dealers[((first & value) * U(100) + middle) * ten + (second & value)]
        counts[results[U(player) * U(32) + U(dealer)]] += 1
        up, left, right = up >> U(4), left >> U(4), right >> U(4)
        sides[U((up == left) | (left == right) | (up == right)) + U((up == left) & (left == right))] += 1


@inline
def _draw_weighted(sums, items, x):
    """What a random word draws by weight; the likeliest comes first."""
    drawn = np.int64(high(x, U(sums[-1])))
    at = 0
    while sums[at] <= drawn:
        at += 1
    return items[at]


@loop
def spin(
    random, triggers, boards, spins, box_cells, prizes, empty, counts,
    wheel, segments, start, starts, cell, cells, box, boxes, diamond, diamonds,
):  # fmt: skip
    """Play so many bonuses; `counts[1 + prize]` grows by one for each."""
    a, b, c, d = random[0], random[1], random[2], random[3]
    for _ in range(triggers):
        x, a, b, c, d = next_word(a, b, c, d)
        prize = _draw_weighted(wheel, segments, x)
        if prize >= 0:
            counts[1 + prize] += 1
            continue
        size, open_cells = boards[-1 - prize, 0], boards[-1 - prize, 0]
        for at in range(size):
            prizes[at] = 0
            empty[at] = at
        for _k in range(boards[-1 - prize, 1]):
            x, a, b, c, d = next_word(a, b, c, d)
            taken = high(x, U(open_cells))
            x = x * U(open_cells)
            prizes[empty[taken]] = _draw_weighted(start, starts, x)
            open_cells -= 1
            empty[taken] = empty[open_cells]
        left = spins
        while left > 0 and open_cells > 0:
            left -= 1
            at = 0
            while at < open_cells:
                x, a, b, c, d = next_word(a, b, c, d)
                shown = _draw_weighted(cell, cells, x)
                if shown == 0:
                    at += 1
                    continue
                prizes[empty[at]] = shown
                open_cells -= 1
                empty[at] = empty[open_cells]
                # The cell moved here from the end has not been spun yet: `at` stays.
                left = spins
        total = 0
        for first in range(0, size, box_cells):
            shown, full = 0, True
            for at in range(first, first + box_cells):
                shown += prizes[at]
                full = full and prizes[at] > 0
            x, a, b, c, d = next_word(a, b, c, d)
            if full:
                factor = _draw_weighted(box, boxes, x)
                if factor == 0:
                    x, a, b, c, d = next_word(a, b, c, d)
                    shown += _draw_weighted(diamond, diamonds, x)
                else:
                    shown *= factor
            total += shown
        counts[1 + total] += 1
