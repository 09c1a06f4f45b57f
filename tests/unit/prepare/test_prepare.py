"""From rendered objects to what would be applied."""

from typing import Any

import pytest

from syncline.apimachinery.keys import GroupKind, ObjectKey, gvk_of
from syncline.apimachinery.schema.node import ANY
from syncline.core.compare.prepare import prepare
from syncline.core.compare.schemas import SchemaCache
from syncline.model import names
from syncline.model.application import Condition
from syncline.model.desired import DesiredObject
from syncline.model.settings.settings import Settings
from tests.support.objects import (
    config_map,
    crd,
    desired,
    hook,
    obj,
    origin,
    prepared,
    typed_application,
    with_wave,
)

NAMESPACE = GroupKind("", "Namespace")


def test_a_namespaced_object_without_namespace_goes_to_the_destination() -> None:
    (found,) = prepared(config_map(namespace="")).objects
    assert found.obj["metadata"]["namespace"] == "shop"
    assert found.key == ObjectKey("", "ConfigMap", "shop", "settings")


def test_a_namespaced_object_keeps_its_own_namespace() -> None:
    (found,) = prepared(config_map(namespace="other")).objects
    assert found.key.namespace == "other"


def test_a_cluster_scoped_object_loses_its_namespace() -> None:
    value = obj("Namespace", "prod")
    value["metadata"]["namespace"] = "shop"
    (found,) = prepared(value, scopes={NAMESPACE: False}).objects
    assert found.key == ObjectKey("", "Namespace", "", "prod")
    assert "namespace" not in found.obj["metadata"]


def test_a_kind_of_unknown_scope_is_taken_as_namespaced() -> None:
    (found,) = prepared(obj("Widget", "one", api="example.com/v1", namespace=""), scopes={}).objects
    assert found.key.namespace == "shop"


def test_the_scope_of_a_kind_whose_crd_is_rendered_along_comes_from_the_crd() -> None:
    widget = obj("Widget", "one", api="example.com/v1", namespace="")
    crds = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
    found = prepared(widget, crd(scope="Cluster"), scopes={crds: False})
    assert [item.key.namespace for item in found.objects] == ["", ""]


def test_the_tracking_id_names_the_namespace_the_object_ends_up_in() -> None:
    (found,) = prepared(config_map(namespace="")).objects
    assert found.obj["metadata"]["annotations"] == {names.TRACKING_ID: "shop:/ConfigMap:shop/settings"}


def test_without_any_namespace_the_spec_is_invalid_and_the_file_is_named() -> None:
    app = typed_application(destination={"server": names.IN_CLUSTER_SERVER})
    found = prepared(config_map(namespace=""), app=app)
    assert found.objects == ()
    assert found.conditions == (
        Condition(
            "InvalidSpecError",
            "Namespace for settings /v1, Kind=ConfigMap is missing. (deploy/web.yaml:1: set metadata.namespace there,"
            " or spec.destination.namespace in the Application)",
        ),
    )


def test_of_objects_with_one_key_the_last_wins_and_a_warning_says_so() -> None:
    found = prepared(config_map(data={"a": "1"}), config_map(data={"a": "2"}), config_map("other"))
    assert [(item.key.name, item.obj["data"]) for item in found.objects] == [
        ("settings", {"a": "2"}),
        ("other", {"colour": "blue"}),
    ]
    assert found.conditions == (
        Condition(
            "RepeatedResourceWarning",
            "Resource /ConfigMap/shop/settings appeared 2 times among application resources.",
        ),
    )


@pytest.mark.parametrize("pattern", ["ConfigMap", "Config*", "*"])
def test_excluded_kinds_are_dropped_with_a_warning(pattern: str) -> None:
    found = prepared(config_map(), settings=Settings(exclusions=(pattern,)))
    assert found.objects == ()
    text = "Resource /ConfigMap settings is excluded in the settings"
    assert found.conditions == (Condition("ExcludedResourceWarning", text),)


def test_hooks_are_kept_apart_with_their_types_and_wave() -> None:
    found = prepared(with_wave(config_map(), 3), hook("migrate", "PreSync,PostSync", wave=-2))
    assert [(item.key.name, item.wave, item.is_hook) for item in found.objects] == [("settings", 3, False)]
    assert [(item.key.name, item.wave, item.hook_types) for item in found.hooks] == [
        ("migrate", -2, ("PreSync", "PostSync"))
    ]


def test_objects_with_generate_name_get_a_key_with_a_number() -> None:
    found = prepared(hook("", generateName="migrate-"), hook("", "PostSync", generateName="migrate-"))
    assert [item.key.name for item in found.hooks] == ["migrate-0", "migrate-1"]


def test_string_data_becomes_data_as_the_server_stores_it() -> None:
    (found,) = prepared(obj("Secret", "keys", data={"a": "b25l"}, stringData={"b": "two"})).objects
    assert found.obj["data"] == {"a": "b25l", "b": "dHdv"}
    assert "stringData" not in found.obj


def test_an_object_keeps_its_origin() -> None:
    place = origin("deploy/settings.yaml", 7)
    (found,) = prepare(desired(DesiredObject(config_map(), place)), typed_application(), Settings(), {}).objects
    assert found.origin == place


@pytest.mark.parametrize("spec", [5, {"names": 5}, {"names": {"kind": ["x"]}}, {"names": {}, "group": [1]}])
def test_a_definition_without_its_form_defines_nothing_and_its_render_is_prepared(spec: Any) -> None:
    broken = {**crd(), "spec": spec}
    found = prepare(desired(broken, config_map()), typed_application(), Settings(), {})
    assert [item.key.kind for item in found.objects] == ["CustomResourceDefinition", "ConfigMap"]
    assert SchemaCache().of([broken]).node_for(gvk_of(config_map())) is not ANY


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        (["a"], "metadata must be a map"),
        ({"name": "a", "annotations": True}, "metadata.annotations must be a map"),
        ({"name": "a", "labels": ["x"]}, "metadata.labels must be a map"),
        ({"name": "a", "finalizers": 5}, "metadata.finalizers must be a list of strings"),
        ({"name": "a", "ownerReferences": "x"}, "metadata.ownerReferences must be a list of maps"),
        ({"name": "a", "managedFields": [1]}, "metadata.managedFields must be a list of maps"),
        ({}, "metadata.name is missing"),
    ],
)
def test_metadata_without_its_form_is_an_error_that_names_the_place_and_not_a_crash(
    metadata: Any, sentence: str
) -> None:
    broken = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    found = prepare(desired(broken, config_map()), typed_application(), Settings(), {})
    assert [item.key.name for item in found.objects] == ["settings"]
    assert found.conditions == (Condition("ComparisonError", f"deploy/web.yaml:1: {sentence}"),)
