"""Applying: merging, ownership, conflicts, pruning, times."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from syncline.apimachinery import merge
from syncline.apimachinery.schema.node import Node
from tests.unit.merge.kinds import NODE, SPEC, Object, struct, thing

T1, T2, T3 = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z"


def applied(live: Object | None, spec: Object | None, manager: str = "one", **more: Any) -> merge.Merged:
    options = {"node": NODE, "force": False, "now": T1, **more}
    return merge.apply(live, thing(spec), manager=manager, **options)


def entry(manager: str, spec: Object, time: str | None = T1, operation: str = "Apply") -> Object:
    made = {
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": spec},
        "manager": manager,
        "operation": operation,
    }
    return made if time is None else {**made, "time": time}


def managed(merged: merge.Merged) -> list[Object]:
    found: list[Object] = merged.obj["metadata"]["managedFields"]
    return found


def test_creation_owns_what_it_mentions_and_not_its_name() -> None:
    merged = applied(None, {"text": "a", "struct": {"a": "1"}})
    assert merged.changed
    assert merged.obj["spec"] == {"text": "a", "struct": {"a": "1"}}
    assert managed(merged) == [entry("one", {"f:struct": {"f:a": {}}, "f:text": {}})]


def test_the_same_again_changes_nothing_and_keeps_the_time() -> None:
    live = applied(None, {"text": "a"}).obj
    merged = applied(live, {"text": "a"}, now=T2)
    assert (merged.changed, merged.obj) == (False, live)


def test_a_shared_value_is_no_conflict_and_stays_until_its_last_owner_leaves() -> None:
    live = applied(None, {"text": "a", "number": 1}).obj
    shared = applied(live, {"text": "a"}, "two", now=T2)
    # Nothing changed but an owner, so its entry has no time: the API server does the same.
    assert managed(shared) == [entry("two", {"f:text": {}}, None), entry("one", {"f:number": {}, "f:text": {}})]
    left = applied(shared.obj, {"number": 1}, now=T3)
    assert left.obj["spec"] == {"text": "a", "number": 1}
    gone = applied(left.obj, None, "two", now=T3)
    assert gone.obj["spec"] == {"number": 1}
    assert managed(gone) == [entry("one", {"f:number": {}})]


def test_another_value_is_a_conflict_until_it_is_forced() -> None:
    live = applied(None, {"text": "a", "number": 1}).obj
    refused = applied(live, {"text": "b"}, "two")
    assert (refused.obj, refused.changed) == (live, False)
    assert refused.conflicts == (
        merge.FieldConflict(manager="one", path=".spec.text", operation="Apply", api_version="example.com/v1", time=T1),
    )
    forced = applied(live, {"text": "b"}, "two", force=True, now=T2)
    assert forced.obj["spec"] == {"text": "b", "number": 1}
    assert managed(forced) == [entry("one", {"f:number": {}}), entry("two", {"f:text": {}}, T2)]


def test_a_field_left_out_goes_unless_it_was_never_ours() -> None:
    live = applied(None, {"text": "a", "labels": {"a": "1"}, "items": [{"name": "a", "value": "1"}]}).obj
    live = merge.update(
        live,
        {**live, "spec": {**live["spec"], "labels": {"a": "1", "b": "2"}, "number": 7}},
        manager="two",
        node=NODE,
        now=T2,
    )
    merged = applied(live, {"text": "a"}, now=T3)
    assert merged.obj["spec"] == {"text": "a", "labels": {"b": "2"}, "number": 7}
    assert managed(merged) == [
        entry("one", {"f:text": {}}, T3),
        entry("two", {"f:labels": {"f:b": {}}, "f:number": {}}, T2, "Update"),
    ]


def test_an_item_others_describe_stays_with_what_they_own() -> None:
    live = applied(None, {"items": [{"name": "a", "value": "1"}]}).obj
    live = applied(live, {"items": [{"name": "a", "nested": {"x": "1"}}]}, "two").obj
    merged = applied(live, {})
    assert merged.obj["spec"] == {"items": [{"name": "a", "nested": {"x": "1"}}]}


def test_an_object_never_tracked_belongs_to_before_first_apply() -> None:
    live = thing({"text": "a", "number": 1})
    merged = applied(live, {"text": "a"}, now=T2)
    assert managed(merged) == [
        entry("one", {"f:text": {}}, None),
        entry("before-first-apply", {".": {}, "f:number": {}, "f:text": {}}, T2, "Update"),
    ]
    assert applied(live, {"text": "b"}).conflicts[0].manager == "before-first-apply"


def test_ignored_fields_are_owned_by_nobody() -> None:
    ignored = merge.FieldSet.of(merge.path("status"))
    config = {**thing({"text": "a"}), "status": {"phase": "x"}}
    merged = merge.apply(None, config, manager="one", node=NODE, force=False, now=T1, ignored=ignored)
    assert managed(merged) == [entry("one", {"f:text": {}})]


def test_managed_fields_in_a_configuration_are_refused() -> None:
    with pytest.raises(merge.SchemaError, match=r"^metadata\.managedFields must be nil$"):
        merge.apply(None, thing({}, managedFields=[]), manager="one", node=NODE, force=False, now=T1)


NEWER = struct(**{**NODE.fields, "spec": struct(**{**SPEC.fields, "renamed": Node(type="string")})})


def renamed(obj: Object, api_version: str) -> Object:
    """Version 2 calls the text `renamed`."""
    old, new = ("text", "renamed") if api_version.endswith("v2") else ("renamed", "text")
    spec = {new if name == old else name: part for name, part in (obj.get("spec") or {}).items()}
    return {**obj, "apiVersion": api_version, "spec": spec}


def in_version_2(spec: Object) -> Object:
    return {**thing(spec), "apiVersion": "example.com/v2"}


def test_owners_of_another_version_are_followed() -> None:
    live = applied(None, {"text": "a", "number": 1}).obj
    options: dict[str, Any] = {
        "manager": "two",
        "node": NEWER,
        "now": T2,
        "node_for": {"example.com/v1": NODE}.get,
        "to_version": renamed,
    }
    refused = merge.apply(live, in_version_2({"renamed": "b"}), force=False, **options)
    assert [conflict.path for conflict in refused.conflicts] == [".spec.text"]
    forced = merge.apply(live, in_version_2({"renamed": "b"}), force=True, **options)
    assert [one["fieldsV1"] for one in managed(forced)] == [
        {"f:spec": {"f:number": {}}},
        {"f:spec": {"f:renamed": {}}},
    ]


def test_owners_of_a_version_that_is_gone_are_dropped() -> None:
    live = applied(None, {"text": "a"}).obj
    merged = merge.apply(live, in_version_2({"number": 1}), manager="two", node=NEWER, force=False, now=T2)
    assert [one["manager"] for one in managed(merged)] == ["two"]


def test_parts_of_what_became_atomic_are_owned_whole() -> None:
    live = applied(None, {"struct": {"a": "1"}}).obj
    sealed = Node(type="object", map_type="atomic", fields=SPEC.fields["struct"].fields)
    node = struct(**{**NODE.fields, "spec": struct(**{**SPEC.fields, "struct": sealed})})
    merged = applied(live, {"text": "x"}, "two", node=node)
    assert managed(merged)[0] == entry("one", {"f:struct": {}})


LAST = "kubectl.kubernetes.io/last-applied-configuration"


def client_side(spec: Object, last: str) -> Object:
    obj = thing(spec, annotations={LAST: last})
    return merge.update(None, obj, manager="kubectl-client-side-apply", node=NODE, now=T1)


def test_kubectl_takes_over_what_it_applied_on_the_client_side() -> None:
    last = '{"apiVersion":"example.com/v1","kind":"Thing","spec":{"text":"a"}}'
    live = client_side({"text": "a", "number": 1}, last)
    assert applied(live, {"text": "b"}, "other").conflicts
    merged = applied(live, {"text": "b"}, "kubectl", now=T2)
    assert merged.conflicts == ()
    assert merged.obj["metadata"]["annotations"] == {
        LAST: '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"text":"b"}}\n'
    }
    assert [conflict.path for conflict in applied(live, {"text": "b", "number": 2}, "kubectl").conflicts] == [
        ".spec.number"
    ]


TEXTS = st.sampled_from(["1", "2"])
NAMES = st.sampled_from(["a", "b", "c"])


def name_of(item: Any) -> str:
    return str(item["name"])


SPECS = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "atomic": st.lists(NAMES, max_size=2),
        "tags": st.lists(NAMES, unique=True),
        "labels": st.dictionaries(NAMES, TEXTS),
        "struct": st.fixed_dictionaries({}, optional={"a": TEXTS, "b": TEXTS}),
        "items": st.lists(
            st.fixed_dictionaries({"name": NAMES}, optional={"value": TEXTS}),
            unique_by=name_of,
        ),
        "free": st.dictionaries(NAMES, st.one_of(TEXTS, st.dictionaries(NAMES, TEXTS))),
    },
)


@settings(deadline=None)
@given(SPECS, SPECS)
def test_applying_twice_is_applying_once(before: Object, spec: Object) -> None:
    live = applied(None, before, "other").obj
    once = applied(live, spec, force=True).obj
    again = applied(once, spec, now=T2)
    assert (again.obj, again.changed, again.conflicts) == (once, False, ())


def filled(value: Any) -> Any:
    """Leave out nulls and empties: what is emptied stays as such, and nobody owns it."""
    if not isinstance(value, dict):
        return value
    inside = {name: filled(part) for name, part in value.items() if name != "managedFields"}
    return {name: part for name, part in inside.items() if part not in (None, {}, [])}


@settings(deadline=None)
@given(SPECS, SPECS)
def test_applying_nothing_removes_what_only_we_owned(theirs: Object, ours: Object) -> None:
    live = applied(None, {"number": 1, **theirs}, "other").obj
    merged = applied(live, ours)
    assume(not merged.conflicts)
    left = applied(merged.obj, None).obj
    assert [one["manager"] for one in left["metadata"]["managedFields"]] == ["other"]
    assert merge.typed.compare(filled(live), filled(left), NODE) == merge.typed.FieldChanges()


@settings(deadline=None)
@given(SPECS, SPECS)
def test_a_forced_configuration_is_in_the_result(before: Object, spec: Object) -> None:
    live = applied(None, before, "other").obj
    merged = applied(live, spec, force=True).obj
    comparison = merge.typed.compare(merged, merge.typed.combine(merged, thing(spec), NODE), NODE)
    assert comparison == merge.typed.FieldChanges()
