"""Metadata of objects: read as typed values, and as nothing where a part has not its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from syncline.apimachinery import meta

WHOLE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {
        "name": "settings",
        "generateName": "set-",
        "namespace": "shop",
        "uid": "8c1f",
        "resourceVersion": "42",
        "generation": 3,
        "creationTimestamp": "2026-03-01T08:00:00Z",
        "deletionTimestamp": "2026-03-01T09:00:00Z",
        "labels": {"app": "web"},
        "annotations": {"note": "one"},
        "finalizers": ["a/b", "c/d"],
        "ownerReferences": [{"kind": "ReplicaSet", "name": "web-1", "uid": "77"}],
        "managedFields": [{"manager": "kubectl", "operation": "Update"}],
    },
}
READS: list[tuple[Callable[[Any], Any], Any, Any]] = [
    (meta.name, "settings", ""),
    (meta.generate_name, "set-", ""),
    (meta.namespace, "shop", ""),
    (meta.uid, "8c1f", ""),
    (meta.resource_version, "42", ""),
    (meta.generation, 3, 0),
    (meta.creation_timestamp, "2026-03-01T08:00:00Z", ""),
    (meta.deletion_timestamp, "2026-03-01T09:00:00Z", ""),
    (meta.labels, {"app": "web"}, {}),
    (meta.annotations, {"note": "one"}, {}),
    (meta.finalizers, ("a/b", "c/d"), ()),
    (meta.owner_references, ({"kind": "ReplicaSet", "name": "web-1", "uid": "77"},), ()),
    (meta.managed_fields, ({"manager": "kubectl", "operation": "Update"},), ()),
]
NAMES = [read.__name__ for read, _, _ in READS]


@pytest.mark.parametrize(("read", "found", "_empty"), READS, ids=NAMES)
def test_every_part_of_metadata_is_read_as_the_server_has_it(
    read: Callable[[Any], Any], found: Any, _empty: Any
) -> None:
    assert read(WHOLE) == found


@pytest.mark.parametrize("odd", [None, [], "text", 7, {}, False], ids=str)
@pytest.mark.parametrize(("read", "_found", "empty"), READS, ids=NAMES)
def test_metadata_of_the_wrong_form_reads_as_empty(
    read: Callable[[Any], Any], _found: Any, empty: Any, odd: Any
) -> None:
    assert read({"metadata": odd}) == empty
    assert read({}) == empty
    assert read(None) == empty


@pytest.mark.parametrize("odd", [None, [["app", "web"]], {"deep": {"er": 1}}], ids=str)
@pytest.mark.parametrize(("read", "_found", "empty"), READS, ids=NAMES)
def test_a_part_of_the_wrong_form_reads_as_empty(read: Callable[[Any], Any], _found: Any, empty: Any, odd: Any) -> None:
    parts = dict.fromkeys(WHOLE["metadata"], odd)
    assert read({"metadata": parts}) == empty


def test_values_that_yaml_read_as_numbers_or_booleans_are_texts() -> None:
    obj = {"metadata": {"name": 7, "labels": {"tier": 1, "on": True, "gone": None, "app": "web"}, "generation": True}}
    assert meta.name(obj) == "7"
    assert meta.labels(obj) == {"tier": "1", "on": "true", "app": "web"}
    assert meta.generation(obj) == 0


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [({"note": "one"}, "one"), ({"note": 5}, "5"), ({"note": None}, ""), ({}, ""), (["note"], ""), (None, "")],
    ids=str,
)
def test_one_annotation_is_a_text(annotations: Any, expected: str) -> None:
    assert meta.annotation({"metadata": {"annotations": annotations}}, "note") == expected


def test_items_of_lists_that_have_not_their_form_are_left_out() -> None:
    obj = {"metadata": {"finalizers": ["a/b", 3, None], "ownerReferences": [None, "x", {"uid": "1"}]}}
    assert meta.finalizers(obj) == ("a/b",)
    assert meta.owner_references(obj) == ({"uid": "1"},)


def test_labels_of_a_proper_object_are_handed_out_without_a_copy() -> None:
    assert meta.labels(WHOLE) is WHOLE["metadata"]["labels"]
