"""Records are frozen data classes, however they are made and compared."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any

import pytest

from ventuno.core.rules.frozen_record import FrozenRecord


class Stake(FrozenRecord):
    bet: str
    amount: int = 5


class Raise(Stake):
    by: int = 0


class Wager(FrozenRecord):
    bet: str
    amount: int = 5


def test_fields_are_given_by_place_by_name_or_by_default() -> None:
    assert asdict(Stake("main")) == asdict(Stake(bet="main", amount=5)) == {"bet": "main", "amount": 5}
    assert asdict(Raise("main", 7, by=2)) == {"bet": "main", "amount": 7, "by": 2}
    assert replace(Raise("main"), by=3) == Raise("main", 5, 3)
    assert [field.name for field in fields(Raise)] == ["bet", "amount", "by"]
    assert repr(Stake("main")) == "Stake(bet='main', amount=5)"


@pytest.mark.parametrize(("args", "names"), [((), {}), (("main", 1, 2), {}), (("main",), {"other": 1})])
def test_fields_that_are_missing_or_too_many_are_refused(args: tuple[Any, ...], names: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Stake(*args, **names)


def test_nothing_of_a_record_is_changed() -> None:
    stake: Any = Stake("main")
    with pytest.raises(FrozenInstanceError):
        stake.amount = 6
    with pytest.raises(FrozenInstanceError):
        del stake.amount
    with pytest.raises(FrozenInstanceError):
        stake.other = 1


def test_records_are_equal_by_class_and_fields() -> None:
    assert Stake("main") == Stake("main", 5)
    assert hash(Stake("main")) == hash(Stake("main", 5))
    assert Stake("main") != Stake("main", 6)
    assert [Stake("main")] != [Wager("main")]
    assert Stake("main") != Raise("main")


def test_a_field_without_a_default_comes_first() -> None:
    wrong = {"__annotations__": {"amount": "int", "bet": "str"}, "amount": 5}
    with pytest.raises(SyntaxError):
        type("Wrong", (FrozenRecord,), wrong)
