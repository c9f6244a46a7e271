"""Environments for agents that learn (extra `research`): `import ventuno.environments`, then `gymnasium.make(ID)`.

Each game of the package has one; the first of the lobby is `Ventuno/Blackjack-v0`. Several seats of a live table are
`ventuno.environments.live_table`, by PettingZoo. docs/environments.md has features, actions and rewards.

>>> import gymnasium
>>> list(IDS)
['Ventuno/Blackjack-v0', 'Ventuno/FirstPerson-v0', 'Ventuno/Sisal-v0', 'Ventuno/Duello-v0', 'Ventuno/Link-v0']
>>> env = gymnasium.make("Ventuno/Duello-v0", render_mode="ansi")
>>> view, info = env.reset(seed=21)
>>> env.unwrapped.actions
('fold', 'left', 'right', 'hit', 'stand')
"""

from __future__ import annotations

from collections.abc import Mapping

try:
    import gymnasium
except ModuleNotFoundError as fault:
    line = f"ventuno.environments needs {fault.name}: pip install 'ventuno[research]'"
    raise ModuleNotFoundError(line, name=fault.name) from None

from ventuno.core.rules.sheet import BLACKJACK, DUEL
from ventuno.sheets import load_games

__all__ = ["IDS"]

_ENTRY_POINTS = {
    BLACKJACK: (f"{__name__}.blackjack:BlackjackEnv", f"{__name__}.blackjack:BlackjackVectorEnv"),
    DUEL: (f"{__name__}.duel:DuelEnv", None),
}
"""The environment of each family, and the one of many boxes where there is one."""


def _name_environment(game: str, place: int) -> str:
    """`Ventuno/FirstPerson-v0` for `first-person`; the first game of the lobby is blackjack as everybody knows it."""
    return f"Ventuno/{game.title().replace('-', '') if place else 'Blackjack'}-v0"


def _register() -> Mapping[str, str]:
    """Every game of the package, by the environment of its family; the ids with their games."""
    ids = {}
    for place, (game, sheet) in enumerate(load_games().items()):
        name = _name_environment(game, place)
        if name not in gymnasium.registry:
            single, many = _ENTRY_POINTS[sheet.game.family]
            gymnasium.register(name, entry_point=single, vector_entry_point=many, kwargs={"game": game})
        ids[name] = game
    return ids


IDS = _register()
"""The id of each game's environment, with the name of the game."""
