"""How much a known word or one's own name may be dressed up and still be refused (R-44, ASVS 6.2)."""

from __future__ import annotations

import pytest

from ventuno.house.accounts.passwords import PasswordCommon, check_password


@pytest.mark.parametrize("added", [0, 6])
def test_r44_a_common_word_with_six_signs_more_is_refused_and_with_seven_is_not(added: int) -> None:
    word = "juventus"
    assert check_password(word + "1!2?3."[:added], "Zoe") == PasswordCommon("common-word", word)
    assert check_password(f"{word}1!2?3.4", "Zoe") is None


def test_r44_a_name_with_six_signs_more_is_refused_and_with_seven_is_not() -> None:
    assert check_password("xkfilomenaqzvw", "Filomena") == PasswordCommon("own-name")
    assert check_password("xkjfilomenaqzvw", "Filomena") is None
    assert check_password("xkfilomenaqzvw", "") is None
