"""The Gymnasium environment of a duel: one hand, dealt from a full, freshly shuffled shoe, on the real table.

A step is one decision: fold or take a community card, then hit or stand. The reward is the net result in antes, at the
end of the round; `info["net"]` is the same as an exact fraction. What may be done now is in `info["action_mask"]`; an
action that is not legal counts as the sheet's time-out: the choice folds, the second decision stands.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from numpy.typing import NDArray

from ventuno.core.rules.cards import NAMES, pack
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.core.scenario.scenario import TIMEOUT
from ventuno.core.table.legal import DUEL_ACTIONS
from ventuno.environments.blackjack import ANSI, name_features
from ventuno.library.sheets import read_sheet
from ventuno.library.shoe import Shoe
from ventuno.library.table import Decision, Table, read_values

ACTIONS = tuple(str(action) for action in DUEL_ACTIONS)
FEATURES = ("phase", "up", "left", "right", "total", "soft")
SIZES = (3, 11, 11, 11, 22, 2)
"""How many values each feature has: cards by value, 1 for an ace; total and softness are those of the own hand."""
CHOICE, SECOND, OVER = range(3)
CARDS = 6
"""What a round of one hand takes from the shoe."""
PLAYER = "agent"

Info = dict[str, Any]
View = NDArray[np.int8]


class DuelEnv(gymnasium.Env[View, int]):
    """One hand of a duel, given by name or as a sheet.

    >>> env = DuelEnv(render_mode="ansi")
    >>> view, info = env.reset(seed=4)
    >>> [env.actions[action] for action in info["action_mask"].nonzero()[0]]
    ['fold', 'left', 'right']
    >>> view, reward, over, _, info = env.step(env.actions.index("fold"))
    >>> reward, info["net"], over
    (-1.0, Fraction(-1, 1), True)
    """

    metadata = {"render_modes": [ANSI], "render_fps": 1}  # noqa: RUF012  Gymnasium's own attribute
    features, actions = FEATURES, ACTIONS

    def __init__(self, game: str | Sheet = "duello", render_mode: str | None = None) -> None:
        self._sheet = read_sheet(game)
        if self._sheet.game.family != DUEL:
            raise ValueError(f"{self._sheet.game.id}: only duels have this environment")
        kind: Any = MultiDiscrete
        self.observation_space = kind(np.array(SIZES), dtype=np.int8)
        self.action_space: Any = Discrete(len(ACTIONS))
        self.render_mode = render_mode
        self._names = tuple(NAMES[card] for card in pack(self._sheet.shoe.decks))
        self._ante = self._sheet.stakes.limits["main"][0]
        self._table: Table | None = None
        self._now: Decision | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[View, Info]:
        super().reset(seed=seed, options=options)
        drawn = self.np_random.choice(len(self._names), CARDS, replace=False)
        self._table = Table(self._sheet, shoe=Shoe(tuple(self._names[place] for place in drawn)))
        self._table.seat(PLAYER)
        self._table.bet(PLAYER, self._ante)
        self._now = self._table.deal()
        return self._observe()

    def step(self, action: int) -> tuple[View, float, bool, bool, Info]:
        if self._table is None or self._now is None:
            raise gymnasium.error.ResetNeeded("the round is over: reset deals the next one")
        word = ACTIONS[action]
        self._now = self._table.decide(word if word in self._now.options else TIMEOUT)
        view, info = self._observe()
        if self._now is not None:
            return view, 0.0, False, False, info
        net = Fraction(self._table.settle().players[PLAYER].net, self._ante)
        info["net"] = net
        return view, float(net), True, False, info

    def render(self) -> str | None:
        """The felt as text, where `render_mode` is "ansi"."""
        return str(self._table) if self.render_mode == ANSI and self._table is not None else None

    def name_features(self, view: View) -> dict[str, int]:
        """A view by the names of its features."""
        return name_features(FEATURES, view)

    def _observe(self) -> tuple[View, Info]:
        now = self._now
        mask = np.array([int(now is not None and action in now.options) for action in ACTIONS], dtype=np.int8)
        if now is None:
            mask[-1] = 1
            return np.array([OVER, *[0] * 5], dtype=np.int8), {"action_mask": mask}
        phase = CHOICE if "fold" in now.options else SECOND
        seen = [phase, now.values[0], *read_values(now.community), now.total, int(now.is_soft)]
        return np.array(seen, dtype=np.int8), {"action_mask": mask}
