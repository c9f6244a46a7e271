"""Several seats of a live table, one agent each, by PettingZoo's AEC: whoever is asked is the agent that acts.

    from ventuno.environments import live_table
    env = live_table.env(seats=3, rounds=10)

All sit at one table and see all that lies open; the shoe goes on from round to round until its cut card. Everybody
stakes the same. The reward is the net result of a round in stakes, for every seat when the round is settled; at the
end `infos[agent]["net"]` is the sum of an agent's rounds as an exact fraction. `FEATURES` names what is observed,
`infos[agent]["action_mask"]` says what may be done. An action that is not legal counts as the table's time-out. Where
the first deal settles everything, the first agent sees phase 2, and its step ends the round.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from ventuno.core.rules.cards import VALUES, rank
from ventuno.core.rules.sheet import BLACKJACK, Sheet
from ventuno.core.scenario.scenario import TIMEOUT
from ventuno.core.table.round import Stage
from ventuno.core.table.state import Phase
from ventuno.environments.blackjack import ANSI, name_features
from ventuno.library.sheets import read_sheet
from ventuno.library.table import Decision, Table
from ventuno.odds.simulator import automaton
from ventuno.odds.simulator.automaton import INSURANCE, OVER, PLAY, SETTLED
from ventuno.odds.simulator.round_machine import ACTIONS, STAND

FEATURES = (*automaton.FEATURES, *(f"seen_{value}" for value in range(1, 11)))
"""Those of one box, and how many cards of each value have been seen of this shoe, 1 for the aces."""
STAKES_A_ROUND = 10
"""More than the stakes of any round: four hands doubled, and insurance."""

View = NDArray[np.int16]


def env(**options: Any) -> AECEnv[str, View, int]:
    """The live table behind PettingZoo's usual checks; the options are those of `LiveTableEnv`."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(LiveTableEnv(**options)))


class LiveTableEnv(AECEnv[str, View, int]):
    """`seats` agents, `box_1` and so on, for so many `rounds`; the game is one that is played live."""

    metadata = {"render_modes": [ANSI], "name": "ventuno_live_table_v0", "is_parallelizable": False}  # noqa: RUF012
    features, actions = FEATURES, ACTIONS

    def __init__(
        self, game: str | Sheet = "ventuno", seats: int = 3, rounds: int = 1, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self._sheet = sheet = read_sheet(game)
        if sheet.game.family != BLACKJACK or sheet.game.solo:
            raise ValueError(f"{sheet.game.id}: only a live game of the blackjack family has this environment")
        if not 1 <= seats <= sheet.seats.count or rounds < 1:
            raise ValueError(f"from 1 to {sheet.seats.count} seats and a round or more, not {seats} and {rounds}")
        self._rounds, self._stake = rounds, sheet.stakes.limits["main"][0]
        self.render_mode = render_mode
        self.possible_agents = [f"box_{box}" for box in range(1, seats + 1)]
        self._boxes = {agent: box for box, agent in enumerate(self.possible_agents, start=1)}
        copies = [sheet.shoe.decks * (16 if value == 10 else 4) + 1 for value in range(1, 11)]
        most = np.array((*automaton.SIZES, *copies), dtype=np.int16) - 1
        self._views: dict[str, Any] = {agent: Box(0, most, dtype=np.int16) for agent in self.possible_agents}
        self._acts: dict[str, Any] = {agent: Discrete(len(ACTIONS)) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()
        self._table = Table(sheet, seed=0)
        self._seen, self._shoe = Counter[int](), 0

    def observation_space(self, agent: str) -> Any:
        return self._views[agent]

    def action_space(self, agent: str) -> Any:
        return self._acts[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.agents = list(self.possible_agents)
        self._table = Table(self._sheet, seed=int(self._random.integers(2**32)))
        for agent, box in self._boxes.items():
            self._table.seat(agent, box, self._stake * STAKES_A_ROUND * self._rounds)
        self._seen, self._shoe, self._played = Counter(), 0, 0
        self._nets = dict.fromkeys(self.agents, Fraction(0))
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._now = self._deal()
        self._select()

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self._now is not None and action is not None:
            self._now = self._table.decide(_read_action(self._now, action))
        while self._now is None and not self.terminations[agent]:
            self._close_round()
        self._select()
        self._accumulate_rewards()

    def observe(self, agent: str) -> View:
        """What this agent sees of its own box, and of all cards."""
        seen = self._count_seen()
        return np.array([*self._observe_box(agent), *(seen[value] for value in range(1, 11))], dtype=np.int16)

    def render(self) -> str | None:
        """The felt as text, where `render_mode` is "ansi"."""
        return str(self._table) if self.render_mode == ANSI else None

    def close(self) -> None:
        """Nothing is kept open."""

    def name_features(self, view: View) -> dict[str, int]:
        """An observation by the names of its features."""
        return name_features(FEATURES, view)

    def _deal(self) -> Decision | None:
        for agent, box in self._boxes.items():
            self._table.bet(agent, self._stake, box)
        if (shoe := self._table.state.shoe) is not None and shoe.number != self._shoe:
            self._seen, self._shoe = Counter(), shoe.number
        return self._table.deal()

    def _close_round(self) -> None:
        """Everybody's result; then the next round, or the end."""
        settlement = self._table.settle()
        for agent in self.agents:
            net = Fraction(settlement.players[agent].net, self._stake)
            self._nets[agent] += net
            self.rewards[agent] += float(net)
        self._seen, self._played = self._count_seen(), self._played + 1
        if self._played == self._rounds:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self._now = self._deal()

    def _select(self) -> None:
        self.agent_selection = self._now.player if self._now is not None else self.agents[0]
        self.infos = {agent: self._inform(agent) for agent in self.agents}

    def _inform(self, agent: str) -> dict[str, Any]:
        net = {"net": self._nets[agent]} if self.terminations[agent] else {}
        return {"action_mask": self._find_mask(agent), **net}

    def _count_seen(self) -> Counter[int]:
        """Cards by value that lay open: those of earlier rounds of this shoe, and those on the felt now."""
        play = self._table.state.round
        if play is None or self._played == self._rounds:
            return self._seen
        shown = [card for box in play.boxes for hand in box.hands for card in hand.cards]
        return self._seen + Counter(VALUES[card] for card in (*play.dealer, *shown))

    def _find_mask(self, agent: str) -> NDArray[np.int8]:
        mask = np.zeros(len(ACTIONS), dtype=np.int8)
        if self._now is not None and self._now.player == agent:
            mask[:] = [_read_action(self._now, action) != TIMEOUT for action in range(len(ACTIONS))]
        elif self._now is None:
            mask[STAND] = 1
        return mask

    def _observe_box(self, agent: str) -> list[int]:
        """The eight features of one's own box: of the hand that is asked, else of the first that is still played."""
        play = self._table.state.round
        if play is None or self._table.state.phase is not Phase.ROUND:
            return [OVER if self.terminations.get(agent, True) else SETTLED, *[0] * 7]
        box = play.get_box(self._boxes[agent])
        mine = self._now is not None and self._now.player == agent
        index = self._now.hand - 1 if self._now is not None and mine else 0
        held = box.hands[index]
        phase = INSURANCE if play.stage is Stage.INSURANCE else PLAY
        split, waiting = int(len(box.hands) > 1), len(box.hands) - index - 1
        up, total = VALUES[play.dealer[0]], min(held.total, 21)
        soft = int(held.total <= 21 and sum(VALUES[card] for card in held.cards) < held.total)
        pair = VALUES[held.cards[0]] if self._is_pair(held.cards) else 0
        return [phase, total, soft, pair, up, split, waiting, int(len(held.cards) == 2)]

    def _is_pair(self, cards: tuple[int, ...]) -> bool:
        if len(cards) != 2:
            return False
        equal = [rank(card) if self._sheet.split.equal == "rank" else VALUES[card] for card in cards]
        return equal[0] == equal[1]


def _read_action(now: Decision, action: int) -> str:
    """The word of an action where it is legal: even money is how a Blackjack is insured where a sheet has it."""
    word = ACTIONS[action]
    if word == "insure" and "even-money" in now.options:
        return "even-money"
    return word if word in now.options else TIMEOUT
