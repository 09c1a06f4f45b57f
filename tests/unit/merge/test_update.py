"""Writes that are no apply: who owns what afterwards, resets, the cap on updaters."""

from typing import Any

import pytest

from syncline.apimachinery import keys, merge
from syncline.apimachinery.schema.node import Node
from tests.unit.merge.kinds import NODE, Object, struct, thing

T1, T2 = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"


def updated(old: Object | None, new: Object, manager: str = "one", **more: Any) -> Object:
    return merge.update(old, new, manager=manager, **{"node": NODE, "now": T1, **more})


def owned(obj: Object) -> dict[str, Any]:
    return {entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"].get("managedFields", ())}


def with_spec(obj: Object, **spec: Any) -> Object:
    return {**obj, "spec": {**obj["spec"], **spec}}


def test_creation_owns_every_level_of_a_custom_kind() -> None:
    made = updated(None, thing({"struct": {"a": "1"}, "tags": ["x"]}, labels={"l": "1"}))
    assert made["metadata"]["managedFields"] == [
        {
            "apiVersion": "example.com/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": {".": {}, "f:l": {}}},
                "f:spec": {".": {}, "f:struct": {".": {}, "f:a": {}}, "f:tags": {".": {}, 'v:"x"': {}}},
            },
            "manager": "one",
            "operation": "Update",
            "time": T1,
        }
    ]


def test_creation_of_a_built_in_kind_owns_no_struct_as_such() -> None:
    containers = Node(type="array", list_type="map", list_keys=("name",), elements=struct(name=Node(type="string")))
    pod = struct(metadata=NODE.fields["metadata"], spec=struct(containers=containers, volumes=containers))
    new = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    made = updated(None, {**new, "spec": {"containers": [{"name": "c"}], "volumes": [{"name": "v"}]}}, node=pod)
    inside: Object = {".": {}, "f:name": {}}
    assert owned(made) == {
        "one": {
            "f:spec": {
                "f:containers": {'k:{"name":"c"}': inside},
                "f:volumes": {".": {}, 'k:{"name":"v"}': inside},
            }
        }
    }


def test_a_writer_gains_what_it_changes_and_others_lose_it() -> None:
    live = updated(None, thing({"text": "a", "number": 1}))
    changed = updated(live, with_spec(live, text="b"), "two", now=T2)
    assert owned(changed) == {
        "one": {"f:spec": {".": {}, "f:number": {}}},
        "two": {"f:spec": {"f:text": {}}},
    }


def test_a_writer_that_changes_nothing_owns_nothing_and_keeps_times() -> None:
    live = updated(None, thing({"text": "a"}))
    assert updated(live, live, "two", now=T2) == live
    assert updated(live, live, "one", now=T2) == live


def test_removed_fields_are_nobodys_and_owners_of_nothing_are_dropped() -> None:
    live = updated(None, thing({"text": "a"}))
    live = updated(live, with_spec(live, number=1), "two")
    assert owned(updated(live, {**live, "spec": {"text": "a"}}, "three")) == {
        "one": {"f:spec": {".": {}, "f:text": {}}}
    }


def test_a_second_write_joins_the_first_under_a_new_time() -> None:
    live = updated(None, thing({"text": "a"}))
    changed = updated(live, with_spec(live, number=1), now=T2)
    assert owned(changed) == {"one": {"f:spec": {".": {}, "f:number": {}, "f:text": {}}}}
    assert changed["metadata"]["managedFields"][0]["time"] == T2


@pytest.mark.parametrize("reset", [[], [{}]])
def test_an_empty_list_or_entry_forgets_all_owners_until_the_next_apply(reset: list[Object]) -> None:
    live = updated(None, thing({"text": "a"}))
    forgotten = updated(live, {**live, "metadata": {"name": "x", "managedFields": reset}}, "two")
    assert "managedFields" not in forgotten["metadata"]
    assert "managedFields" not in updated(forgotten, with_spec(forgotten, number=1), "two")["metadata"]


@pytest.mark.parametrize(
    "sent",
    [
        [{"manager": "x", "operation": "Nonsense", "apiVersion": "v1", "fieldsType": "FieldsV1"}],
        [{"manager": "x", "operation": "Apply", "fieldsType": "FieldsV1"}],
        [{"manager": "x", "operation": "Apply", "apiVersion": "v1"}],
        [{"manager": "x", "operation": "Apply", "apiVersion": "v1", "fieldsType": "V2"}],
        [
            {
                "manager": "x",
                "operation": "Apply",
                "apiVersion": "v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"i:x": {}},
            }
        ],
    ],
)
def test_malformed_owners_sent_by_a_client_are_ignored(sent: list[Object]) -> None:
    live = updated(None, thing({"text": "a"}))
    assert updated(live, {**live, "metadata": {"name": "x", "managedFields": sent}}, "two") == live


def test_a_subresource_takes_no_owners_from_the_client_and_is_an_owner_of_its_own() -> None:
    live = updated(None, thing({"text": "a"}))
    new = {**live, "status": {"phase": "x"}, "metadata": {"name": "x", "managedFields": [{}]}}
    changed = updated(live, new, subresource="status", ignored=merge.FieldSet.of(merge.path("spec")))
    assert [(e["manager"], e.get("subresource")) for e in changed["metadata"]["managedFields"]] == [
        ("one", None),
        ("one", "status"),
    ]


def test_ignored_fields_are_gained_by_nobody() -> None:
    live = updated(None, thing({"text": "a"}))
    ignored = merge.FieldSet.of(merge.path("status"))
    assert owned(updated(live, {**live, "status": {"phase": "x"}}, "two", ignored=ignored)) == owned(live)


def test_more_than_ten_updaters_fold_the_oldest() -> None:
    live = updated(None, thing({"labels": {"k00": "1"}}), "u00", now="2024-01-01T00:00:00Z")
    for number in range(1, 12):
        labels = {**live["spec"]["labels"], f"k{number:02}": "1"}
        live = updated(live, with_spec(live, labels=labels), f"u{number:02}", now=f"2024-01-01T00:00:{number:02}Z")
    entries = live["metadata"]["managedFields"]
    assert [entry["manager"] for entry in entries] == ["ancient-changes", *(f"u{n:02}" for n in range(3, 12))]
    assert entries[0]["fieldsV1"] == {"f:spec": {".": {}, "f:labels": {".": {}, "f:k00": {}, "f:k01": {}, "f:k02": {}}}}
    assert entries[0]["time"] == "2024-01-01T00:00:02Z"


def test_an_object_the_schema_cannot_follow_keeps_its_owners() -> None:
    live = updated(None, thing({"text": "a"}))
    assert owned(updated(live, with_spec(live, items=[{"value": "no key"}]), "two")) == owned(live)


@pytest.mark.parametrize(
    ("kind", "subresource", "fields"),
    [
        (keys.GroupKind("apps", "Deployment"), "", [".status"]),
        (keys.GroupKind("apps", "Deployment"), "status", [".spec", ".metadata.labels"]),
        (keys.GroupKind("", "Service"), "status", [".spec"]),
        (keys.GroupKind("example.com", "Service"), "status", [".metadata", ".spec"]),
        (keys.GroupKind("apps", "Deployment"), "scale", []),
    ],
)
def test_endpoints_leave_fields_alone(kind: keys.GroupKind, subresource: str, fields: list[str]) -> None:
    assert [str(path) for path in merge.reset_fields(kind, subresource).iterate()] == fields
