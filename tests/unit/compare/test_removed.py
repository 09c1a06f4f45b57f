"""A key that Git no longer has is found, whichever way it was applied."""

import json
from typing import Any

import pytest

from syncline.apimachinery import merge
from syncline.apimachinery.keys import Object, gvk_of
from syncline.core.compare.compare import compare_object
from syncline.model import names
from syncline.model.comparison import ComparedObject, DifferenceCause, Verdict
from tests.support.objects import (
    EARLIER,
    as_applied,
    config_map,
    context,
    deployment,
    edited,
    node_for,
    prepared,
    secret,
)

TWO = {"colour": "blue", "shape": "round"}


def row_of(wanted: Object, live: Object) -> ComparedObject:
    return compare_object(prepared(wanted).objects[0], live, context())


def prepared_object(value: Object) -> Object:
    return prepared(value).objects[0].obj


def by_client_side_apply(value: Object, manager: str) -> Object:
    """Return the object as `kubectl apply` on the client side makes it."""
    wanted = prepared_object(value)
    annotations = {**wanted["metadata"]["annotations"], names.LAST_APPLIED: json.dumps(wanted)}
    whole = {**wanted, "metadata": {**wanted["metadata"], "annotations": annotations}}
    return merge.update(None, whole, manager=manager, node=node_for(gvk_of(whole)), now=EARLIER)


def without_managed_fields(live: Object) -> Object:
    metadata = {name: value for name, value in live["metadata"].items() if name != "managedFields"}
    return {**live, "metadata": metadata}


@pytest.mark.parametrize(
    "live",
    [
        pytest.param(as_applied(prepared_object(config_map(data=TWO))), id="server-side by us"),
        pytest.param(by_client_side_apply(config_map(data=TWO), "kubectl-client-side-apply"), id="kubectl apply"),
        pytest.param(by_client_side_apply(config_map(data=TWO), "argocd-controller"), id="Argo CD client-side"),
        pytest.param(by_client_side_apply(config_map(data=TWO), "some-tool"), id="whoever wrote last-applied"),
        pytest.param(
            without_managed_fields(by_client_side_apply(config_map(data=TWO), "kubectl-client-side-apply")),
            id="last-applied alone, as kubectl get prints it",
        ),
    ],
)
def test_a_key_removed_from_a_config_map_is_found(live: Object) -> None:
    row = row_of(config_map(data={"colour": "blue"}), live)
    assert row.verdict is Verdict.OUT_OF_SYNC
    assert [(item.path, item.cause, item.live, item.manager) for item in row.differences] == [
        ("data.shape", DifferenceCause.REMOVED, "round", "")
    ]


def test_what_was_applied_on_the_client_side_and_is_still_desired_is_synced() -> None:
    live = by_client_side_apply(config_map(data=TWO), "kubectl-client-side-apply")
    assert row_of(config_map(data=TWO), live).verdict is Verdict.SYNCED


def test_a_key_that_somebody_else_added_is_not_ours_to_remove() -> None:
    live = as_applied(prepared_object(config_map(data={"colour": "blue"})))
    assert row_of(config_map(data={"colour": "blue"}), edited(live, {**live, "data": TWO})).verdict is Verdict.SYNCED


def test_a_removed_label_is_found() -> None:
    live = as_applied(prepared_object(config_map(labels={"tier": "web"})))
    row = row_of(config_map(), live)
    assert [(item.path, item.cause) for item in row.differences] == [("metadata.labels.tier", DifferenceCause.REMOVED)]


def test_a_removed_container_is_found() -> None:
    two = deployment()
    two["spec"]["template"]["spec"]["containers"].append({"name": "proxy", "image": "shop/proxy:1"})
    row = row_of(deployment(), as_applied(prepared_object(two)))
    assert [(item.path, item.cause) for item in row.differences] == [
        ("spec.template.spec.containers[name=proxy]", DifferenceCause.REMOVED)
    ]


def test_a_removed_key_of_a_secret_is_found_and_its_value_is_not_shown() -> None:
    live = as_applied(prepared_object(secret(data={"a": "b25l", "b": "dHdv"})))
    row = row_of(secret(data={"a": "b25l"}), live)
    assert [(item.path, item.cause, item.live) for item in row.differences] == [
        ("data.b", DifferenceCause.REMOVED, "++++++++++++")
    ]


def test_a_key_somebody_put_into_an_atomic_map_is_a_live_change_of_theirs() -> None:
    wanted = deployment()
    wanted["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "ssd"}
    live = as_applied(prepared_object(wanted))
    changed: dict[str, Any] = json.loads(json.dumps(live))
    changed["spec"]["template"]["spec"]["nodeSelector"]["zone"] = "a"
    row = row_of(wanted, edited(live, changed))
    assert [(item.path, item.cause, item.manager) for item in row.differences] == [
        ("spec.template.spec.nodeSelector.zone", DifferenceCause.LIVE, "kubectl-edit")
    ]


def test_a_key_removed_from_string_data_is_found_by_last_applied_alone() -> None:
    two = prepared_object(secret(data={"a": "MQ==", "b": "Mg=="}))
    applied = {**secret(stringData={"a": "1", "b": "2"}), "metadata": two["metadata"]}
    annotations = {**two["metadata"]["annotations"], names.LAST_APPLIED: json.dumps(applied)}
    live = {**two, "metadata": {**two["metadata"], "annotations": annotations}}
    row = row_of(secret(stringData={"a": "1"}), live)
    assert [(item.path, item.cause) for item in row.differences] == [("data.b", DifferenceCause.REMOVED)]
