"""The kernels by name: every loop that is called from outside `loops`, which says what each takes and does."""

from __future__ import annotations

from ventuno.odds.kernel import Kernel

dealer_ends = Kernel("solving", "dealer_ends")
plan = Kernel("solving", "plan")
improve = Kernel("solving", "improve")
doubling = Kernel("solving", "doubling")
flow = Kernel("solving", "flow")

finals = Kernel("splitting", "finals")
meet = Kernel("splitting", "meet")
chances = Kernel("splitting", "chances")
join = Kernel("splitting", "join")

play = Kernel("dealing", "play")
play_noting = Kernel("dealing", "play_noting")
duel = Kernel("duelling", "play")
spin = Kernel("spinning", "spin")

deal = Kernel("boxes", "deal")
step = Kernel("boxes", "step")
