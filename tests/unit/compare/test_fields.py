"""What counts as a difference between a desired and a live object, and what does not."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.apimachinery.paths import MISSING
from syncline.core.compare.compare import compare_object
from syncline.model import names
from syncline.model.comparison import ComparedObject, DifferenceCause, Verdict
from syncline.model.reason import Reason
from tests.support.objects import (
    as_applied,
    by_key,
    compared,
    config_map,
    context,
    crd,
    deployment,
    edited,
    obj,
    prepared,
    secret,
    service,
)


def row_of(wanted: Object, live: Object | None, **options: Any) -> ComparedObject:
    return compare_object(prepared(wanted).objects[0], live, context(**options))


def applied(wanted: Object) -> Object:
    return as_applied(prepared(wanted).objects[0].obj)


def pod_spec(value: Object) -> dict[str, Any]:
    spec: dict[str, Any] = value["spec"]["template"]["spec"]
    return spec


def container(value: Object, **fields: Any) -> Object:
    found = deployment()
    pod_spec(found)["containers"][0].update(fields)
    return {**found, "metadata": value["metadata"]}


@pytest.mark.parametrize(
    "wanted",
    [
        config_map(),
        config_map(data={}),
        deployment(),
        service(),
        secret(data={"password": "aHVudGVyMg=="}),
        obj("Secret", "keys", stringData={"password": "hunter2"}),
        obj("ServiceAccount", "robot"),
        obj("Namespace", "shop"),
        crd(),
        obj("Widget", "one", api="example.com/v1", spec={"size": 3, "tags": ["a", "b"]}),
        container(deployment(), env=[{"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]),
        container(deployment(), ports=[{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]),
    ],
    ids=lambda value: str(key_of(value)),
)
def test_an_object_as_it_was_applied_is_synced_whatever_the_server_filled_in(wanted: Object) -> None:
    row = row_of(wanted, applied(wanted))
    assert (row.verdict, row.reasons, row.differences) == (Verdict.SYNCED, (Reason.EQUAL,), ())


def test_an_object_that_is_not_live_is_missing() -> None:
    row = row_of(config_map(), None)
    assert (row.verdict, row.reasons, row.live) == (Verdict.OUT_OF_SYNC, (Reason.NOT_LIVE,), False)
    assert [(item.path, item.cause) for item in row.differences] == [("", DifferenceCause.MISSING)]


@pytest.mark.parametrize(
    ("written", "stored"),
    [("1000m", "1"), ("1", "1000m"), ("0.5", "500m"), ("1024Mi", "1Gi"), (2, "2")],
)
def test_quantities_that_say_the_same_amount_are_equal(written: str, stored: str) -> None:
    wanted = container(deployment(), resources={"limits": {"memory": written}})
    live = applied(container(deployment(), resources={"limits": {"memory": stored}}))
    assert row_of(wanted, live).verdict is Verdict.SYNCED


def test_another_amount_is_a_difference() -> None:
    live = applied(container(deployment(), resources={"limits": {"memory": "1Gi"}}))
    row = row_of(container(deployment(), resources={"limits": {"memory": "2Gi"}}), live)
    assert [(item.path, item.desired, item.live) for item in row.differences] == [
        ("spec.template.spec.containers[name=web].resources.limits.memory", "2Gi", "1Gi")
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"env": None},
        {"env": []},
        {"command": []},
        {"lifecycle": None},
        {"resources": {"limits": {}}},
        {"resources": {"limits": None}},
    ],
)
def test_null_and_empty_fields_are_as_if_they_were_not_written(fields: dict[str, Any]) -> None:
    assert row_of(container(deployment(), **fields), applied(deployment())).verdict is Verdict.SYNCED


def test_a_null_in_a_map_of_texts_is_an_empty_text() -> None:
    wanted = obj("ConfigMap", "settings", data={"colour": None})
    assert row_of(wanted, applied(config_map(data={"colour": ""}))).verdict is Verdict.SYNCED
    live = applied(config_map(data={"colour": "red"}))
    row = row_of(wanted, live)
    assert [(item.path, item.desired, item.live) for item in row.differences] == [("data.colour", "", "red")]


def test_a_field_whose_removal_leaves_the_default_is_no_difference() -> None:
    assert row_of(deployment(replicas=None), applied(deployment(replicas=1))).verdict is Verdict.SYNCED


def test_a_field_whose_removal_changes_the_value_is_removed_from_git() -> None:
    row = row_of(deployment(replicas=None), applied(deployment(replicas=3)))
    assert [(item.path, item.cause, item.desired, item.live) for item in row.differences] == [
        ("spec.replicas", DifferenceCause.GIT, 1, 3)
    ]


@pytest.mark.parametrize(("field", "zero"), [("hostNetwork", False), ("priority", 0), ("nodeName", "")])
def test_a_zero_value_that_was_applied_and_is_not_stored_is_no_difference(field: str, zero: object) -> None:
    wanted = deployment()
    pod_spec(wanted)[field] = zero
    live = applied(wanted)
    del pod_spec(live)[field]
    assert row_of(wanted, live).verdict is Verdict.SYNCED


def test_a_zero_value_that_was_never_applied_is_a_difference() -> None:
    wanted = deployment()
    pod_spec(wanted)["automountServiceAccountToken"] = False
    row = row_of(wanted, applied(deployment()))
    assert [(item.path, item.cause, item.desired) for item in row.differences] == [
        ("spec.template.spec.automountServiceAccountToken", DifferenceCause.GIT, False)
    ]


def test_status_and_what_the_server_keeps_for_itself_are_not_compared() -> None:
    live = applied(deployment())
    live["metadata"] |= {"uid": "u", "resourceVersion": "7", "generation": 2, "creationTimestamp": "t"}
    live["status"] = {"replicas": 1}
    assert row_of({**deployment(), "status": {"replicas": 7}}, live).verdict is Verdict.SYNCED


def test_fields_that_only_others_set_are_no_difference() -> None:
    live = applied(config_map())
    changed = {**live, "data": {**live["data"], "shape": "round"}}
    changed["metadata"] = {**live["metadata"], "labels": {"team": "a"}}
    assert row_of(config_map(), edited(live, changed)).verdict is Verdict.SYNCED


@pytest.mark.parametrize(
    ("command", "live_command", "paths"),
    [
        (["run", "--fast"], ["run", "--slow"], ["spec.template.spec.containers[name=web].command[1]"]),
        (["run"], ["run", "--slow"], ["spec.template.spec.containers[name=web].command"]),
    ],
)
def test_atomic_lists_differ_by_item_or_else_as_a_whole(
    command: list[str], live_command: list[str], paths: list[str]
) -> None:
    row = row_of(container(deployment(), command=command), applied(container(deployment(), command=live_command)))
    assert [item.path for item in row.differences] == paths


def test_the_order_of_associative_lists_does_not_count() -> None:
    first, second = {"name": "A", "value": "1"}, {"name": "B", "value": "2"}
    live = applied(container(deployment(), env=[second, first]))
    assert row_of(container(deployment(), env=[first, second]), live).verdict is Verdict.SYNCED


def test_a_field_the_schema_does_not_know_makes_one_unknown_row_and_no_more() -> None:
    wrong = {**deployment("wrong"), "spec": {**deployment("wrong")["spec"], "replica": 3}}
    wanted = prepared(wrong, config_map())
    comparison = compared(wanted, *(as_applied(wanted.objects[1].obj),), applied(deployment("wrong")))
    assert comparison.verdict is Verdict.UNKNOWN
    assert [(row.key.name, row.verdict, row.reasons) for row in comparison.rows] == [
        ("settings", Verdict.SYNCED, (Reason.EQUAL,)),
        ("wrong", Verdict.UNKNOWN, (Reason.UNCOMPARABLE,)),
    ]
    assert ".spec.replica: field not declared in schema" in comparison.rows[1].message
    assert comparison.rows[1].message.startswith("deploy/web.yaml:1: ")


@pytest.mark.parametrize("fields", [3, {"f:metadata": 7}, {"spec": {}}])
def test_managed_fields_that_cannot_be_read_make_one_unknown_row_or_count_for_nothing(fields: Any) -> None:
    """Files may hold them; a cluster serves none."""
    live = applied(config_map("odd"))
    entry = {
        "manager": "kubectl-client-side-apply",
        "operation": "Update",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    live["metadata"]["managedFields"] = [entry]
    wanted = prepared(config_map("odd"), config_map())
    comparison = compared(wanted, live, as_applied(wanted.objects[1].obj))
    assert [row.key.name for row in comparison.rows] == ["odd", "settings"]
    assert comparison.rows[1].verdict is Verdict.SYNCED


def test_a_custom_object_without_schema_is_compared_member_by_member_with_lists_as_a_whole() -> None:
    def widget(size: int, tags: list[str]) -> Object:
        return obj("Widget", "one", api="example.com/v1", spec={"size": size, "tags": tags})

    row = row_of(widget(3, ["a"]), applied(widget(4, ["a", "b"])))
    assert [(item.path, item.desired, item.live) for item in row.differences] == [
        ("spec.size", 3, 4),
        ("spec.tags", ["a"], ["a", "b"]),
    ]


def test_a_live_object_in_another_version_of_its_api_is_the_same_object() -> None:
    wanted = obj("Widget", "one", api="example.com/v1", spec={"size": 3})
    live = {**applied(wanted), "apiVersion": "example.com/v1beta1"}
    assert "apiVersion" not in [item.path for item in row_of(wanted, live).differences]


def test_last_applied_is_never_a_difference_even_as_the_only_annotation() -> None:
    live = applied(crd())
    live["metadata"]["annotations"] = {names.LAST_APPLIED: "{}"}
    changed = edited(applied(crd()), live, manager="kubectl-client-side-apply")
    assert row_of(crd(), changed).verdict is Verdict.SYNCED


def test_hooks_and_skipped_objects_have_no_verdict() -> None:
    wanted = prepared(
        config_map("skipped", annotations={names.HOOK: "Skip"}), config_map("hook", annotations={names.HOOK: "PreSync"})
    )
    comparison = compared(wanted)
    assert comparison.verdict is Verdict.SYNCED
    assert [(row.key.name, row.verdict, row.hook) for row in comparison.rows] == [
        ("hook", Verdict.NONE, True),
        ("skipped", Verdict.NONE, False),
    ]


def test_an_owned_object_that_git_lacks_is_extra_and_requires_pruning() -> None:
    extra = applied(config_map("extra"))
    comparison = compared(prepared(), extra, owned=[extra])
    assert comparison.verdict is Verdict.OUT_OF_SYNC
    assert [
        (row.key.name, row.reasons, row.requires_pruning, [item.cause for item in row.differences])
        for row in comparison.rows
    ] == [("extra", (Reason.NOT_DESIRED,), True, [DifferenceCause.EXTRA])]


def test_an_extra_object_with_ignore_extraneous_is_out_of_sync_but_the_app_is_not() -> None:
    extra = config_map("extra", annotations={names.COMPARE_OPTIONS: "IgnoreExtraneous"})
    comparison = compared(prepared(), extra, owned=[extra])
    assert (comparison.verdict, comparison.rows[0].verdict) == (Verdict.SYNCED, Verdict.OUT_OF_SYNC)


def test_an_extra_live_hook_has_no_verdict() -> None:
    left = obj("Job", "old", api="batch/v1", annotations={names.HOOK: "PreSync"})
    comparison = compared(prepared(), left, owned=[left])
    assert (comparison.verdict, comparison.rows[0].verdict, comparison.rows[0].hook) == (
        Verdict.SYNCED,
        Verdict.NONE,
        True,
    )


def test_a_live_object_of_nobody_that_git_lacks_is_no_row() -> None:
    assert compared(prepared(), config_map("foreign")).rows == ()


def test_difference_sides_that_are_absent_are_unset() -> None:
    row = row_of(config_map(data={"colour": "blue", "shape": "round"}), applied(config_map()))
    assert [(item.path, item.desired, item.live) for item in row.differences] == [("data.shape", "round", MISSING)]
    assert by_key(config_map()) == {row.key: config_map()}


def test_a_zero_value_that_is_new_in_a_custom_object_is_a_difference_and_one_that_was_applied_is_none() -> None:
    def widget(**spec: Any) -> Object:
        return obj("Widget", "one", api="example.com/v1", spec=spec)

    row = row_of(widget(allowEmpty=False), applied(widget()))
    assert [item.path for item in row.differences] == ["spec.allowEmpty"]
    live = applied(widget(allowEmpty=False))
    del live["spec"]["allowEmpty"]
    assert row_of(widget(allowEmpty=False), live).verdict is Verdict.SYNCED
