"""Objects kept in few bytes: nothing is lost, alike ones take next to nothing, and few stay decoded."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.controller.live.compact import Press
from syncline.controller.live.recent import Recent

KIND = GroupKind("", "ConfigMap")
VALUES = st.text() | st.integers(-(2**53), 2**53) | st.none() | st.lists(st.text(max_size=5), max_size=3)


@settings(max_examples=50)
@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=5), max_size=8))
def test_whatever_comes_in_any_order_comes_back_equal(objects: list[dict[str, Any]]) -> None:
    press = Press()
    packed = [press.compact(KIND, item) for item in objects]
    assert [item.whole() for item in packed] == objects


def lines(name: str, count: int) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": {f"key-{number}": f"value of {number}" for number in range(count)}}


def test_an_object_like_one_before_it_costs_little_more_than_what_differs() -> None:
    press = Press()
    first, second = (press.compact(KIND, lines(name, 200)) for name in ("first", "second"))
    assert (first.length, second.length) == (len(first.text()), len(second.text()))
    assert second.size() < second.length / 20


def test_a_kind_that_begins_with_a_short_object_learns_from_a_longer_one() -> None:
    press = Press()
    short = press.compact(KIND, {"metadata": {"name": "short"}})
    press.compact(KIND, lines("long", 200))
    assert press.compact(KIND, lines("another", 200)).size() < short.length * 4
    assert short.whole() == {"metadata": {"name": "short"}}


def key(name: str) -> ObjectKey:
    return ObjectKey("", "ConfigMap", "shop", name)


def test_what_was_not_asked_for_longest_is_dropped_first() -> None:
    recent = Recent(limit=10)
    for name in ("a", "b"):
        recent.add(key(name), {"name": name}, 5)
    assert recent.get(key("a")) == {"name": "a"}
    recent.add(key("c"), {"name": "c"}, 5)
    assert [name for name in "abc" if key(name) in recent] == ["a", "c"]


def test_an_object_longer_than_all_there_is_room_for_displaces_nobody() -> None:
    recent = Recent(limit=10)
    recent.add(key("a"), {}, 5)
    recent.add(key("long"), {}, 11)
    assert (key("a") in recent, key("long") in recent) == (True, False)
