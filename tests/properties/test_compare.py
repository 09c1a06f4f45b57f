"""What holds of every comparison."""

import base64
import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery import diff
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of
from syncline.apimachinery.paths import FieldPath
from syncline.core.compare.compare import compare_object
from syncline.model.codec import encode
from syncline.model.comparison import DifferenceCause, Verdict
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from tests.support.generated import OBJECTS, WORDS, app_objects
from tests.support.objects import (
    LATER,
    as_applied,
    compared,
    context,
    edited,
    node_for,
    placed,
    prepared,
    secret,
)

KEYS = st.builds(ObjectKey, WORDS, WORDS, WORDS, WORDS)


@given(OBJECTS)
def test_what_was_applied_is_synced(wanted: Object) -> None:
    item = prepared(wanted).objects[0]
    row = compare_object(item, as_applied(item.obj), context())
    assert (row.verdict, row.differences) == (Verdict.SYNCED, ())


def texts(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of texts that may be changed without moving anything else: no list keys, no names."""
    if isinstance(value, dict):
        for name, member in value.items():
            if (isinstance(member, str) and name in ("image", "value")) or path[-1:] == ("data",):
                yield (*path, name)
            elif isinstance(member, dict | list):
                yield from texts(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from texts(member, (*path, index))


def put(value: Any, path: tuple[str | int, ...], new: str) -> None:
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = new


@given(OBJECTS.filter(lambda value: any(texts(value))), st.data())
def test_one_changed_field_is_one_difference_with_path_writer_time_and_line(
    wanted: Object, data: st.DataObject
) -> None:
    where = data.draw(st.sampled_from(list(texts(wanted))))
    line = data.draw(st.integers(2, 99))
    origin = placed({str(FieldPath(where)): line})
    item = prepared(DesiredObject(wanted, origin)).objects[0]
    live = as_applied(item.obj)
    changed = copy.deepcopy(live)
    put(changed, where, "somebody changed this")
    after = edited(live, changed)
    row = compare_object(item, after, context())
    (expected,) = diff.diff(live, changed, node_for(gvk_of(live)))
    assert row.verdict is Verdict.OUT_OF_SYNC
    assert [(found.path, found.cause, found.manager, found.time, found.place) for found in row.differences] == [
        (expected.path, DifferenceCause.LIVE, "kubectl-edit", LATER, Place("deploy/web.yaml", line))
    ]


@settings(max_examples=50)
@given(app_objects(), app_objects(), st.randoms(use_true_random=False))
def test_the_order_of_objects_never_matters_and_every_out_of_sync_row_has_a_reason(
    wanted: list[Object], present: list[Object], chance: Any
) -> None:
    live = [as_applied(item.obj) for item in (*prepared(*present).objects, *prepared(*present).hooks)]
    first = compared(prepared(*wanted), *live, owned=live)
    chance.shuffle(wanted)
    chance.shuffle(live)
    assert compared(prepared(*wanted), *live, owned=live) == first
    for row in first.rows:
        assert row.reasons
        if row.verdict is Verdict.OUT_OF_SYNC:
            assert row.differences


VALUES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=8, max_size=20)


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.dictionaries(WORDS, VALUES, max_size=4), st.booleans())
def test_no_value_of_a_secret_is_ever_in_a_comparison(
    wanted: dict[str, str], present: dict[str, str], plain: bool
) -> None:
    def coded(data: dict[str, str]) -> dict[str, str]:
        return {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}

    source = secret(stringData=wanted) if plain else secret(data=coded(wanted))
    live = as_applied(prepared(secret(data=coded(present))).objects[0].obj)
    comparison = compared(prepared(source), live)
    assert (comparison.verdict is Verdict.SYNCED) is (wanted == present)
    text = encode(comparison).decode() + repr(comparison)
    for value in (*wanted.values(), *present.values(), *coded(wanted).values(), *coded(present).values()):
        assert value not in text


@given(st.lists(KEYS), st.randoms(use_true_random=False))
def test_keys_have_one_order_and_read_back_what_they_print(keys: list[ObjectKey], chance: Any) -> None:
    expected = sorted(keys)
    chance.shuffle(keys)
    assert sorted(keys) == expected
    assert [ObjectKey.parse(str(key)) for key in keys] == keys
