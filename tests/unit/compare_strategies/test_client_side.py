"""Argo CD's default: three-way from last-applied, two-way without it, defaults on both sides."""

import json
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.core.compare.strategies.client_side import predict, trim
from syncline.model import names
from syncline.model.comparison import ComparedObject, CompareStrategy, DifferenceCause, Verdict
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import as_applied, config_map, context, deployment, obj, prepared, secret

ARGOCD = msgspec.structs.replace(context(settings=Settings(compat=Compat.ARGOCD)))


def row_of(wanted: Object, live: Object) -> ComparedObject:
    return compare_object(prepared(wanted).objects[0], live, ARGOCD)


def client_applied(value: Object, **changes: Any) -> Object:
    """Return an object as a client-side apply left it, without managedFields, and as it was changed since."""
    wanted = prepared(value).objects[0].obj
    annotations = {**wanted["metadata"]["annotations"], names.LAST_APPLIED: json.dumps(wanted)}
    live = as_applied({**wanted, **changes, "metadata": {**wanted["metadata"], "annotations": annotations}})
    live["metadata"].pop("managedFields")
    return live


def paths(row: ComparedObject) -> list[tuple[str, Any, Any]]:
    return [(item.path, item.desired, item.live) for item in row.differences]


def test_the_row_says_that_it_was_compared_client_side() -> None:
    row = row_of(config_map(), client_applied(config_map()))
    assert row.verdict is Verdict.SYNCED
    assert row.choice is not None
    assert row.choice.strategy is CompareStrategy.CLIENT_SIDE


@pytest.mark.parametrize("wanted", [deployment(), deployment(replicas=None), secret(stringData={"a": "b"})])
def test_what_was_applied_is_synced_with_defaults_filled_in_on_both_sides(wanted: Object) -> None:
    assert row_of(wanted, client_applied(wanted)).verdict is Verdict.SYNCED


def test_a_key_that_last_applied_has_and_git_has_no_more_is_removed() -> None:
    live = client_applied(config_map(data={"a": "1", "b": "2"}))
    row = row_of(config_map(data={"a": "1"}), live)
    assert [(item.path, item.cause, item.live) for item in row.differences] == [
        ("data.b", DifferenceCause.REMOVED, "2")
    ]


@pytest.mark.parametrize("text", [None, "no JSON", "[]"])
def test_without_a_readable_last_applied_it_is_two_way_and_a_removed_key_stays(text: str | None) -> None:
    live = client_applied(config_map(data={"a": "1", "b": "2"}))
    annotations = {**live["metadata"]["annotations"], names.LAST_APPLIED: text}
    live["metadata"]["annotations"] = {name: value for name, value in annotations.items() if value is not None}
    assert row_of(config_map(data={"a": "1"}), live).verdict is Verdict.SYNCED
    assert paths(row_of(config_map(data={"a": "2"}), live)) == [("data.a", "2", "1")]


def test_a_field_somebody_added_is_no_difference_and_one_somebody_changed_is() -> None:
    live = client_applied(config_map(data={"a": "1"}), data={"a": "7", "c": "3"})
    assert paths(row_of(config_map(data={"a": "1"}), live)) == [("data.a", "1", "7")]


def test_an_unknown_field_in_git_is_compared_as_it_is_and_makes_no_unknown_row() -> None:
    wrong = {**deployment(), "spec": {**deployment()["spec"], "replica": 3}}
    row = row_of(wrong, client_applied(deployment()))
    assert paths(row) == [("spec.replica", 3, msgspec.UNSET)]


def test_quantities_of_built_in_kinds_are_written_one_way_before_bytes_are_compared() -> None:
    def limited(cpu: str) -> Object:
        found = deployment()
        found["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": cpu}}
        return found

    assert row_of(limited("1000m"), client_applied(limited("1"))).verdict is Verdict.SYNCED
    assert row_of(limited("2"), client_applied(limited("1"))).verdict is Verdict.OUT_OF_SYNC


def test_the_namespace_in_git_and_empty_annotations_are_no_part_of_the_patch() -> None:
    wanted = obj("Widget", "one", api="example.com/v1", annotations={}, spec={"a": 1})
    live = obj("Widget", "one", api="example.com/v1", namespace="", annotations={"x": "y"}, spec={"a": 1})
    assert predict(wanted, wanted, live) == live


@pytest.mark.parametrize("field", ["volumeMode", "status"])
def test_what_the_server_adds_to_claim_templates_of_a_stateful_set_does_not_count(field: str) -> None:
    def stateful(**more: Any) -> Object:
        claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}, **more}
        return obj("StatefulSet", "db", api="apps/v1", spec={**deployment()["spec"], "volumeClaimTemplates": [claim]})

    live = client_applied(stateful())
    claim = live["spec"]["volumeClaimTemplates"][0]
    claim["spec" if field == "volumeMode" else "status"] = {**claim.get("spec", {}), field: "Filesystem"}
    assert row_of(stateful(), live).verdict is Verdict.SYNCED


def test_custom_kinds_take_a_json_merge_patch_with_live_trimmed_to_what_was_applied() -> None:
    """The default inside the list item is not in last-applied, so the lists are equal."""

    def widget(**item: Any) -> Object:
        return obj("Widget", "one", api="example.com/v1", spec={"items": [{"name": "a", **item}]})

    assert row_of(widget(), client_applied(widget(), spec=widget(policy="None")["spec"])).verdict is Verdict.SYNCED
    changed = client_applied(widget(), spec={"items": [{"name": "b", "policy": "None"}]})
    assert [path for path, _, _ in paths(row_of(widget(), changed))] == ["spec.items[0].name", "spec.items[0].policy"]


def test_trimming_keeps_items_beyond_the_pattern_so_that_they_show() -> None:
    assert trim({"a": [{"x": 1}]}, {"a": [{"x": 2, "y": 3}, {"z": 4}], "b": 5}) == {"a": [{"x": 2}, {"z": 4}]}


def test_a_live_object_with_the_instance_label_alone_gets_its_tracking_id_back() -> None:
    """As when an installation moved from labels to annotations."""
    wanted = config_map(labels={"app.kubernetes.io/instance": "shop"})
    live = as_applied(wanted)
    assert row_of(wanted, live).verdict is Verdict.SYNCED
    assert row_of(config_map(), as_applied(config_map())).verdict is Verdict.OUT_OF_SYNC
