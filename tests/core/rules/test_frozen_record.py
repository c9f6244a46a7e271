"""Records are frozen data classes, however they are made and compared."""

from __future__ import annotations

from copy import copy
from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any

import pytest

from ventuno.core.rules.frozen_record import FrozenRecord, QuickRecord


class Stake(FrozenRecord):
    bet: str
    amount: int = 5


class QuickStake(QuickRecord):
    bet: str
    amount: int = 5


class QuickRaise(QuickStake):
    by: int = 0


EITHER = pytest.mark.parametrize("kind", [Stake, QuickStake])


@EITHER
def test_fields_are_given_by_place_by_name_or_by_default(kind: type[Any]) -> None:
    assert asdict(kind("main")) == asdict(kind(bet="main", amount=5)) == {"bet": "main", "amount": 5}
    assert replace(kind("main"), amount=3) == kind("main", 3)
    assert copy(kind("main")) == kind("main")
    assert [each.name for each in fields(kind)] == ["bet", "amount"]
    assert repr(kind("main")) == f"{kind.__name__}(bet='main', amount=5)"


def test_a_derived_record_has_all_fields() -> None:
    assert asdict(QuickRaise("main", 7, by=2)) == {"bet": "main", "amount": 7, "by": 2}


@EITHER
@pytest.mark.parametrize(("args", "names"), [((), {}), (("main", 1, 2), {}), (("main",), {"other": 1})])
def test_fields_that_are_missing_or_too_many_are_refused(
    kind: type[Any], args: tuple[Any, ...], names: dict[str, Any]
) -> None:
    with pytest.raises(TypeError, match=kind.__name__):
        kind(*args, **names)


@EITHER
def test_nothing_of_a_record_is_changed(kind: type[Any]) -> None:
    stake = kind("main")
    with pytest.raises(FrozenInstanceError):
        stake.amount = 6
    with pytest.raises(FrozenInstanceError):
        del stake.amount
    with pytest.raises(FrozenInstanceError):
        stake.other = 1


@EITHER
def test_records_are_equal_by_class_and_fields(kind: type[Any]) -> None:
    assert type(kind("main")) is kind
    assert kind("main") == kind("main", 5)
    assert hash(kind("main")) == hash(kind("main", 5))
    assert kind("main") != kind("main", 6)
    assert kind("main") != QuickRaise("main")
    assert kind("main") != ("main", 5)
