"""The kernels by name: every loop that is called from outside `loops`, which says what each takes and does."""

from __future__ import annotations

from ventuno.odds.kernels.kernel import Kernel

dealer_ends = Kernel("solver", "dealer_ends")
plan = Kernel("solver", "plan")
improve = Kernel("solver", "improve")
doubling = Kernel("solver", "doubling")
flow = Kernel("solver", "flow")

finals = Kernel("solver", "finals")
meet = Kernel("solver", "meet")
chances = Kernel("solver", "chances")
join = Kernel("solver", "join")

play = Kernel("simulator", "play")
play_noting = Kernel("simulator", "play_noting")
duel = Kernel("simulator", "play_duel")
spin = Kernel("simulator", "spin")

deal = Kernel("environment", "deal")
step = Kernel("environment", "step")
