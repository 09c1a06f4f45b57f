from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle

import msgspec
import pytest

from syncline.apimachinery import quantity
from syncline.apimachinery.frozen import Frozen
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, ObjectKey
from syncline.apimachinery.merge.paths import FieldName, ValueElement
from syncline.apimachinery.paths import FieldPath, KeyMatch, ValueMatch

VALUES = [
    ObjectKey("apps", "Deployment", "shop", "web"),
    GroupKind("apps", "Deployment"),
    GroupVersionKind("apps", "v1", "Deployment"),
    FieldPath(("spec", 0)),
    KeyMatch((("name", "web"),)),
    ValueMatch("a"),
    FieldName("a"),
]
tried = pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)


@tried
def test_a_value_cannot_be_changed(value: Frozen) -> None:
    name = value.__match_args__[0]
    with pytest.raises(AttributeError, match="immutable"):
        setattr(value, name, "other")
    with pytest.raises(AttributeError, match="immutable"):
        delattr(value, name)


@tried
def test_a_copy_is_the_same_value(value: Frozen) -> None:
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert again == value
        assert hash(again) == hash(value)
        assert repr(again) == repr(value)


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (VALUES[0], b'{"group":"apps","kind":"Deployment","namespace":"shop","name":"web"}'),
        (VALUES[1], b'{"group":"apps","kind":"Deployment"}'),
        (VALUES[2], b'{"group":"apps","version":"v1","kind":"Deployment"}'),
    ],
)
def test_a_key_is_an_object_in_json(value: Frozen, encoded: bytes) -> None:
    assert msgspec.json.encode(value) == encoded
    again = msgspec.json.decode(encoded, type=type(value))
    assert again == value
    assert {value: 1}[again] == 1


def test_a_key_in_json_must_have_all_its_fields() -> None:
    with pytest.raises(msgspec.ValidationError, match="missing required field `name`"):
        msgspec.json.decode(b'{"group":"","kind":"Pod","namespace":"a"}', type=ObjectKey)


def test_to_others_a_key_is_a_dataclass() -> None:
    key = ObjectKey("", "Pod", "shop", "a")
    assert [field.name for field in dataclasses.fields(key)] == ["group", "kind", "namespace", "name"]  # type: ignore[arg-type]


def test_values_of_two_classes_are_never_equal() -> None:
    assert FieldName("a") != ValueElement("a")
    assert GroupKind("a", "b") != ("a", "b")
    assert len({FieldName("a"), ValueElement("a")}) == 2


def test_keys_sort_by_group_kind_namespace_and_name() -> None:
    ordered = [
        ObjectKey("", "Pod", "", "z"),
        ObjectKey("", "Pod", "a", "a"),
        ObjectKey("", "Pod", "a", "b"),
        ObjectKey("", "Service", "", "a"),
        ObjectKey("apps", "Deployment", "", "a"),
    ]
    assert sorted([ordered[place] for place in (3, 0, 4, 2, 1)]) == ordered
    for smaller, bigger in itertools.pairwise(ordered):
        assert smaller < bigger
        assert smaller <= bigger
        assert bigger > smaller
        assert bigger >= smaller


def test_only_values_of_one_class_have_an_order() -> None:
    with pytest.raises(TypeError):
        sorted([GroupKind("a", "b"), ObjectKey("a", "b", "c", "d")])


def test_quantities_are_equal_by_amount_alone() -> None:
    assert quantity.parse("1") == quantity.parse("1000m")
    assert hash(quantity.parse("1")) == hash(quantity.parse("1000m"))
    assert quantity.parse("999m") < quantity.parse("1")
