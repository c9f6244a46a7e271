"""The kernels by name: every loop that is called from outside `loops`, which says what each takes and does."""

from __future__ import annotations

from ventuno.odds.kernels.kernel import Kernel

dealer_ends = Kernel("solver", "dealer_ends")
plan = Kernel("solver", "plan")
improve = Kernel("solver", "improve")
doubling = Kernel("solver", "doubling")
flow = Kernel("solver", "flow")

finals = Kernel("split_pairs", "finals")
meet = Kernel("split_pairs", "meet")
chances = Kernel("split_pairs", "chances")
join = Kernel("split_pairs", "join")

play = Kernel("blackjack", "play")
play_noting = Kernel("blackjack", "play_noting")
duel = Kernel("duel", "play")
spin = Kernel("bonus", "spin")

deal = Kernel("environment", "deal")
step = Kernel("environment", "step")
