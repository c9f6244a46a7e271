"""What a player finds who has chosen nothing yet (V-71)."""

from __future__ import annotations

from dataclasses import asdict

from ventuno.house.accounts.settings import Settings


def test_v71_settings_of_a_new_player() -> None:
    """Everything is shown and heard, nothing is hidden, nothing is decided for him (V-31, V-61, V-65, V-68, X-07)."""
    settings = asdict(Settings())
    general = settings["general"]
    assert (general["language"], general["currency"], general["clock_24h"]) == ("it", "EUR", True)
    assert (general["show_chat"], general["focus"]) == (True, False)
    assert (general["four_colours"], general["reduced_motion"]) == (False, False)
    assert settings["video"] == {"quality": "auto", "full_screen": False}
    assert settings["audio"] == {"voice": True, "voice_volume": 80, "sounds": True, "sounds_volume": 80}
    behind = settings["bet_behind"]
    assert (behind["follow_double"], behind["follow_split"], behind["allow_others"]) == (False, False, True)
    game = settings["game"]
    assert (game["show_cash_out"], game["show_totals"], game["trainer"], game["confirm_deal"]) == (
        True,
        True,
        False,
        False,
    )
    assert (game["fast"], game["skip_animations"], game["chip"]) == (False, False, 100)
