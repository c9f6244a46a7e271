"""Gymnasium environments of the blackjack family: one box, or many at once.

A step is one decision. Every round is dealt from a full, freshly shuffled shoe of the sheet's decks. The reward is the
net result in stakes, at the end of the round; it includes doubled, split and insured stakes, and `info["net"]` is the
same as an exact fraction. What may be done now is in `info["action_mask"]`; an action that is not legal counts as stand
(or as declining insurance). A round that is settled by the deal (a Blackjack, a dealer Blackjack found by the peek)
shows phase 2 and ends with the next step.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card, line
from ventuno.core.rules.sheet import BLACKJACK, Sheet
from ventuno.library.sheets import read_sheet
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import WORDS
from ventuno.odds.simulator.automaton import (
    FEATURES,
    FIRST_OUTCOME,
    FIRST_QUESTION,
    SIZES,
    OpenAutomaton,
    compile_open,
)
from ventuno.odds.simulator.machines import derive_seeds
from ventuno.odds.simulator.round_machine import ACTIONS, DRAW, SPLIT, SPLIT_IT, STEPS_OF_THE_HOLE, UP

ANSI = "ansi"
DECK = 52
Info = dict[str, Any]
View = NDArray[np.int8]


def _find_automaton(game: str | Sheet) -> OpenAutomaton:
    sheet = read_sheet(game)
    if sheet.game.family != BLACKJACK:
        raise ValueError(f"{sheet.game.id}: only games of the blackjack family have this environment")
    return compile_open(sheet)


def name_features(names: Sequence[str], view: Sequence[int] | NDArray[Any]) -> dict[str, int]:
    """A view by the names of its features."""
    return {name: int(value) for name, value in zip(names, view, strict=True)}


def _view_space() -> Any:
    kind: Any = MultiDiscrete
    return kind(np.array(SIZES), dtype=np.int8)


def _action_space() -> Any:
    return Discrete(len(ACTIONS))


def _pack_views(features: NDArray[np.int8], legal: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Eight features and eight flags of a question as two words, so that a view is one copy."""
    return np.ascontiguousarray(np.concatenate([features, legal], axis=1)).view(np.uint64).reshape(-1, 2)


class Felt:
    """The cards of one box and of the dealer as they lie, for `render`: told card by card what each one is."""

    def __init__(self) -> None:
        self.hands: list[list[Card]] = [[]]
        self.waiting: list[Card] = []
        self.dealer: list[Card] = []
        self.hole: Card | None = None

    def take(self, step: int, card: Card) -> None:
        if step == UP:
            self.dealer = [card]
        elif step in STEPS_OF_THE_HOLE:
            self.hole = card
        elif step == DRAW:
            self.dealer.append(card)
        elif step == SPLIT and len(self.hands[-1]) != 1:
            self.hands.append([self.waiting.pop(), card])
        else:
            self.hands[-1].append(card)

    def split(self) -> None:
        self.waiting.append(self.hands[-1].pop())

    def write(self, last: str, *, over: bool) -> str:
        """The cards, the hole card turned once the round is over, and a last line."""
        up, *drawn = self.dealer
        turned = (up, self.hole, *drawn) if over and self.hole is not None else (up,)
        total = f"  {hand.total(turned)}" if len(turned) > 1 else ""
        rows = [f"Dealer  {line(turned)}{total}" if len(turned) > 1 else f"Dealer  {line(turned)} ??"]
        rows += [
            f"Hand {number}  {line(tuple(cards))}  {hand.format_total(tuple(cards), resolved=over)}"
            for number, cards in enumerate(self.hands, start=1)
        ]
        return "\n".join([*rows, last])


class BlackjackEnv(gymnasium.Env[View, int]):
    """One box of a game, given by name or as a sheet.

    >>> env = BlackjackEnv("first-person", render_mode="ansi")
    >>> view, info = env.reset(seed=21)
    >>> [env.actions[action] for action in info["action_mask"].nonzero()[0]]
    ['hit', 'stand', 'double', 'cash-out']
    >>> env.name_features(view)["total"]
    10
    """

    metadata = {"render_modes": [ANSI], "render_fps": 1}  # noqa: RUF012  Gymnasium's own attribute
    features, actions = FEATURES, ACTIONS

    def __init__(self, game: str | Sheet = "ventuno", render_mode: str | None = None) -> None:
        self._automaton = _find_automaton(game)
        self.observation_space = _view_space()
        self.action_space = _action_space()
        self.render_mode = render_mode
        self._place, self._used, self._felt = 0, list[int](), Felt()

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[View, Info]:
        super().reset(seed=seed, options=options)
        self._used, self._felt = [], Felt()
        self._deal_on(0)
        return self._observe()

    def step(self, action: int) -> tuple[View, float, bool, bool, Info]:
        if self._place < FIRST_OUTCOME:
            question = self._place - FIRST_QUESTION
            if action == SPLIT_IT and self.render_mode == ANSI and self._automaton.legal[question, action]:
                self._felt.split()
            self._deal_on(int(self._automaton.answers[question, action]))
            if self._place < FIRST_OUTCOME:
                view, info = self._observe()
                return view, 0.0, False, False, info
        view, info = self._observe(over=True)
        info["net"] = self._net
        return view, float(self._automaton.won[self._place - FIRST_OUTCOME]), True, False, info

    def render(self) -> str | None:
        """The cards as text, where `render_mode` is "ansi"; the hole card lies face down until the round is over."""
        if self.render_mode != ANSI or not self._felt.dealer:
            return None
        over = self._place >= FIRST_OUTCOME
        mask = self._automaton.legal[self._place - FIRST_QUESTION] if not over else ()
        allowed = " ".join(action for action, legal in zip(ACTIONS, mask, strict=False) if legal)
        return self._felt.write(f"Net     {float(self._net):+g}" if over else f"May     {allowed}", over=over)

    def name_features(self, view: View) -> dict[str, int]:
        """A view by the names of its features."""
        return name_features(FEATURES, view)

    @property
    def _net(self) -> Fraction:
        return Fraction(self._automaton.units[self._place - FIRST_OUTCOME], self._automaton.unit)

    def _deal_on(self, place: int) -> None:
        while place < FIRST_QUESTION:
            at = int(self.np_random.integers(self._automaton.pack.size))
            if at not in self._used:
                self._used.append(at)
                if self.render_mode == ANSI:
                    self._felt.take(self._automaton.steps[place], at % DECK)
                place = int(self._automaton.follow[place, self._automaton.pack[at]])
        self._place = place

    def _observe(self, over: bool = False) -> tuple[View, Info]:
        row = len(self._automaton.answers) + over if self._place >= FIRST_OUTCOME else self._place - FIRST_QUESTION
        return self._automaton.features[row].copy(), {"action_mask": self._automaton.legal[row].copy()}


class BlackjackVectorEnv(VectorEnv[View, NDArray[np.int64], NDArray[Any]]):
    """Many boxes, each with a shoe of its own, stepped by one kernel; a finished box is dealt anew by the next step.

    The arrays returned are the environment's own and change with the next step: copy what is to be kept.
    """

    features, actions = FEATURES, ACTIONS
    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  Gymnasium's own attribute

    def __init__(self, num_envs: int, game: str | Sheet = "ventuno") -> None:
        self.num_envs = num_envs
        self._automaton = _find_automaton(game)
        self.single_observation_space, self.single_action_space = _view_space(), _action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._words = _pack_views(self._automaton.features, self._automaton.legal)
        self._places, self._rows = np.zeros(num_envs, dtype=np.int32), np.zeros(num_envs, dtype=np.int32)
        self._used = np.zeros((num_envs, WORDS), dtype=np.uint64)
        self._views, self._masks = np.zeros(num_envs, dtype=np.uint64), np.zeros(num_envs, dtype=np.uint64)
        self._rewards, self._over = np.zeros(num_envs), np.zeros(num_envs, dtype=np.bool_)
        self._never = np.zeros(num_envs, dtype=np.bool_)
        self._random = np.zeros(4, dtype=np.uint64)
        self._actions = np.zeros(num_envs, dtype=np.int64)
        self._step = registry.step.bind(
            self._actions, *self._arguments(), self._automaton.won, self._rewards, self._over
        )

    def reset(self, *, seed: int | list[int | None] | None = None, options: Info | None = None) -> tuple[View, Info]:
        """Deal in every box, or in those of `options["reset_mask"]`. A list of seeds is hashed into one."""
        if seed is not None or not self._random.any():
            words = [seed] if isinstance(seed, int) else seed
            self._random[:] = derive_seeds(int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0]), 0)  # type: ignore[arg-type]
        mask = (options or {}).get("reset_mask")
        boxes = np.flatnonzero(mask) if mask is not None else np.arange(self.num_envs)
        self._over[boxes] = False
        registry.deal(boxes, *self._arguments())
        return self._observe()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[View, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        self._actions[:] = actions
        self._step()
        view, info = self._observe()
        return view, self._rewards, self._over, self._never, info

    def _arguments(self) -> tuple[Any, ...]:
        automaton = self._automaton
        drawn = (self._places, automaton.follow, automaton.answers, automaton.pack, self._used, self._random)
        return (*drawn, self._rows, self._views, self._words, self._masks)

    def _observe(self) -> tuple[View, Info]:
        shape = (self.num_envs, len(ACTIONS))
        return self._views.view(np.int8).reshape(shape), {"action_mask": self._masks.view(np.int8).reshape(shape)}
