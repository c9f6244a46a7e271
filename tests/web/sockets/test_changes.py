"""The difference of two trees turns the one into the other, whatever they are, and is short where little changed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventuno.core.views.private_view import Option
from ventuno.core.views.public_view import Dealer
from ventuno.web.sockets import changes as module
from ventuno.web.sockets.changes import MANY, Change, apply_changes, diff

LEAVES = st.none() | st.integers(-5, 5) | st.text("ab\u2660", max_size=2)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=25,
)


def sent(made: list[Change]) -> list[Change]:
    """The changes as they arrive at a client."""
    found: list[Change] = json.loads(json.dumps(made))
    return found


def differs(old: Any, new: Any) -> bool:
    """Whether what is sent fails to turn the one into the other."""
    before = json.dumps(old)
    try:
        same = bool(apply_changes(old, sent(module.diff(old, new))) == new)
    except (LookupError, TypeError):
        same = False
    assert json.dumps(old) == before, "the tree that was given has changed"
    return not same


@given(TREES, TREES)
def test_changes_turn_one_tree_into_another(old: Any, new: Any) -> None:
    assert not differs(old, new)


@given(TREES, st.data())
def test_a_tree_that_was_changed_here_and_there(old: Any, data: st.DataObject) -> None:
    """Small differences deep inside, as play makes them."""
    new = json.loads(json.dumps(old))
    for _ in range(data.draw(st.integers(1, 3))):
        new = nudged(new, data)
    assert not differs(old, new)


def nudged(tree: Any, data: st.DataObject) -> Any:
    if isinstance(tree, dict) and tree and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(tree)))
        return {**tree, key: nudged(tree[key], data)}
    if isinstance(tree, list) and tree and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(tree) - 1))
        return [*tree[:place], nudged(tree[place], data), *tree[place + 1 :]]
    if isinstance(tree, list):
        return [*tree, data.draw(LEAVES)] if data.draw(st.booleans()) else tree[:-1]
    return data.draw(LEAVES)


@given(TREES)
def test_equal_trees_have_no_changes(tree: Any) -> None:
    assert diff(tree, json.loads(json.dumps(tree))) == []


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ({"cards": ["AS"]}, {"cards": ["AS", "KD"]}, [[["cards", 1], "KD"]]),
        ({"cards": ["AS", "KD", "2C"]}, {"cards": ["AS"]}, [[["cards", 2]], [["cards", 1]]]),
        ({"cards": ["AS", "KD"]}, {"cards": []}, [[["cards"], []]]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, [[["a", "b"]], [["a", "c"], 3]]),
        ({"turn": None}, {"turn": {"box": 1}}, [[["turn"], {"box": 1}]]),
        ([1], {"a": 1}, [[[], {"a": 1}]]),
    ],
)
def test_each_kind_of_change(old: Any, new: Any, made: list[Change]) -> None:
    assert sent(diff(old, new)) == made
    assert apply_changes(old, made) == new


def test_a_list_that_changed_all_over_is_sent_whole() -> None:
    old = [{"box": place, "cards": ["AS", "KD"], "total": "21"} for place in range(MANY)]
    new = [{"box": 9 - place, "cards": ["2C"], "total": "2"} for place in range(MANY)]
    assert sent(diff({"boxes": old}, {"boxes": new})) == [[["boxes"], new]]


def test_tuples_and_lists_are_the_same_to_who_reads() -> None:
    """Trees are built with both; JSON has one."""
    assert sent(diff({"cards": ("AS",)}, {"cards": ("AS", "KD")})) == [[["cards", 1], "KD"]]


def test_a_view_is_compared_field_by_field_and_an_option_sent_whole() -> None:
    old, new = Dealer(("AS",), 1, "1/11", (), ("1/11",)), Dealer(("AS", "KD"), 0, "21", (), ("1/11", "21"))
    assert sent(diff({"dealer": old}, {"dealer": new})) == [
        [["dealer", "cards", 1], "KD"],
        [["dealer", "face_down"], 0],
        [["dealer", "total"], "21"],
        [["dealer", "totals", 1], "21"],
    ]
    assert diff(old, replace(old)) == diff([Option(100, ())], [Option(100, ())]) == []
    assert diff({"deal": Option(None, ())}, {"deal": Option(100, ())}) == [(("deal",), Option(100, ()))]


@pytest.mark.parametrize("path", [["b", "c"], ["a", 5], ["a", "x"], [0], ["a", 0, "x"]])
def test_a_path_that_leads_nowhere_is_an_error(path: list[Any]) -> None:
    with pytest.raises(LookupError):
        apply_changes({"a": [1]}, [[path, 1]] if len(path) > 1 else [[[*path, "x", "y"], 1]])


def forgets_removals(old: Any, new: Any) -> list[Change]:
    return [one for one in diff(old, new) if len(one) > 1]


def removes_from_the_front(old: Any, new: Any) -> list[Change]:
    made = diff(old, new)
    gone = sorted((one for one in made if len(one) == 1), key=lambda one: str(one[0]))
    return [*gone, *(one for one in made if len(one) > 1)]


def overwrites_the_last(old: Any, new: Any) -> list[Change]:
    return [
        ((*one[0][:-1], one[0][-1] - 1), one[1]) if len(one) > 1 and one[0] and one[0][-1] == 1 else one
        for one in diff(old, new)
    ]


@pytest.mark.parametrize("fault", [forgets_removals, removes_from_the_front, overwrites_the_last])
def test_a_wrong_difference_is_found(fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: each of these faults is caught on one of a few trees."""
    pairs = [({"a": 1, "b": 2}, {"b": 2}), ([1, 2, 3, 4], [1, 2]), ([7], [7, 8]), ([1, 2, 3], [5])]
    assert not any(differs(*pair) for pair in pairs)
    monkeypatch.setattr(module, "diff", fault)
    assert any(differs(*pair) for pair in pairs)
