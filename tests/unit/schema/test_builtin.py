"""What the published schemas say of built-in kinds, read through nodes."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.keys import GroupVersionKind
from syncline.apimachinery.schema import builtin, definitions, resources
from syncline.apimachinery.schema.node import ANY, UNSET, Node

DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")
SERVICE = GroupVersionKind("", "v1", "Service")
POD = "spec.template.spec"


def at(gvk: GroupVersionKind, path: str, version: str | None = None) -> Node:
    node = builtin.for_kind(gvk, version)
    for name in path.split("."):
        assert node is not None, path
        node = node.elements if name == "*" else node.field(name)
    assert node is not None, path
    return node


@pytest.mark.parametrize(
    ("gvk", "path", "list_type", "list_keys", "merge_key", "strategies"),
    [
        (DEPLOYMENT, f"{POD}.containers", "map", ("name",), "name", ("merge",)),
        (DEPLOYMENT, f"{POD}.containers.*.ports", "map", ("containerPort", "protocol"), "containerPort", ("merge",)),
        (DEPLOYMENT, f"{POD}.containers.*.env", "map", ("name",), "name", ("merge",)),
        (DEPLOYMENT, f"{POD}.containers.*.args", "atomic", (), "", ()),
        (DEPLOYMENT, f"{POD}.containers.*.volumeMounts", "map", ("mountPath",), "mountPath", ("merge",)),
        (DEPLOYMENT, f"{POD}.volumes", "map", ("name",), "name", ("merge", "retainKeys")),
        (DEPLOYMENT, f"{POD}.tolerations", "atomic", (), "", ()),
        (DEPLOYMENT, "metadata.finalizers", "set", (), "", ("merge",)),
        (DEPLOYMENT, "metadata.ownerReferences", "map", ("uid",), "uid", ("merge",)),
        (SERVICE, "spec.ports", "map", ("port", "protocol"), "port", ("merge",)),
    ],
)
def test_lists_know_how_they_merge(
    gvk: GroupVersionKind,
    path: str,
    list_type: str,
    list_keys: tuple[str, ...],
    merge_key: str,
    strategies: tuple[str, ...],
) -> None:
    node = at(gvk, path)
    assert (node.type, node.list_type, node.list_keys) == ("array", list_type, list_keys)
    assert (node.merge_key, node.patch_strategies) == (merge_key, strategies)


@pytest.mark.parametrize("version", definitions.versions())
@pytest.mark.parametrize("path", [f"{POD}.containers", f"{POD}.volumes", f"{POD}.imagePullSecrets"])
def test_a_list_without_a_list_type_takes_it_from_its_patch_strategy_in_every_version(path: str, version: str) -> None:
    node = at(DEPLOYMENT, path, version)
    assert (node.list_type, node.list_keys) == ("map", ("name",))


@pytest.mark.parametrize(
    ("path", "map_type"),
    [("spec.selector", "atomic"), (f"{POD}.nodeSelector", "atomic"), ("metadata.labels", "granular")],
)
def test_maps_know_how_they_merge(path: str, map_type: str) -> None:
    assert at(DEPLOYMENT, path).map_type == map_type


def test_strategy_keeps_only_written_keys() -> None:
    node = at(DEPLOYMENT, "spec.strategy")
    assert node.patch_strategies == ("retainKeys",)
    assert set(node.fields) == {"rollingUpdate", "type"}


@pytest.mark.parametrize(
    ("path", "default"),
    [
        (f"{POD}.containers.*.ports.*.protocol", "TCP"),
        (f"{POD}.containers.*.name", ""),
        (f"{POD}.containers.*.image", UNSET),
    ],
)
def test_defaults_of_list_keys_are_known(path: str, default: Any) -> None:
    assert at(DEPLOYMENT, path).default == default


def test_values_compared_otherwise_than_as_text_are_marked() -> None:
    assert at(DEPLOYMENT, f"{POD}.containers.*.resources.limits.*").format == "quantity"
    assert at(DEPLOYMENT, "spec.strategy.rollingUpdate.maxSurge").int_or_string
    assert at(DEPLOYMENT, "metadata.creationTimestamp").format == "date-time"


def test_raw_extensions_are_atomic_and_json_is_free() -> None:
    revision = at(GroupVersionKind("apps", "v1", "ControllerRevision"), "data")
    assert (revision.map_type, revision.preserve_unknown, revision.field("x")) == ("atomic", True, ANY)
    crd = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    schema = at(crd, "spec.versions.*.schema.openAPIV3Schema")
    assert schema.field("properties") is not None
    assert schema.fields["not"] is schema
    assert at(crd, "spec.versions.*.schema.openAPIV3Schema.default").field("x") is ANY


def test_the_default_version_is_the_newest() -> None:
    assert builtin.for_kind(DEPLOYMENT) is builtin.for_kind(DEPLOYMENT, definitions.versions()[-1])


def test_metadata_is_object_meta() -> None:
    assert at(DEPLOYMENT, "metadata") is builtin.object_meta()
    assert at(DEPLOYMENT, "spec.template.metadata") is builtin.object_meta()


@pytest.mark.parametrize("version", definitions.versions())
def test_every_served_kind_has_a_schema_with_metadata_or_is_a_review(version: str) -> None:
    for gvk in builtin.kinds(version):
        node = builtin.for_kind(gvk, version)
        assert node is not None
        assert {"apiVersion", "kind"} <= set(node.fields), gvk


@pytest.mark.parametrize(
    ("gvk", "first", "last"),
    [
        (GroupVersionKind("flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema"), "1.29", "1.31"),
        (GroupVersionKind("resource.k8s.io", "v1", "ResourceClaim"), "1.34", "1.37"),
        (GroupVersionKind("apps", "v1", "Deployment"), "1.29", "1.37"),
    ],
)
def test_kinds_come_and_go_with_versions(gvk: GroupVersionKind, first: str, last: str) -> None:
    having = [version for version in definitions.versions() if builtin.for_kind(gvk, version)]
    assert (having[0], having[-1]) == (first, last)


def test_an_unknown_kind_has_no_schema() -> None:
    assert builtin.for_kind(GroupVersionKind("example.com", "v1", "Widget")) is None


@pytest.mark.parametrize("version", ["1.31", "v1.31.4", "1.31.0"])
def test_a_version_may_be_written_as_a_server_prints_it(version: str) -> None:
    assert set(builtin.kinds(version)) == set(builtin.kinds("1.31"))


def test_a_version_without_schemas_is_refused_with_those_there_are() -> None:
    with pytest.raises(definitions.UnknownVersion, match=r"no schemas for Kubernetes 1\.12: choose 1\.29 to 1\.37"):
        builtin.for_kind(DEPLOYMENT, "1.12")


def test_names_scope_and_subresources_are_those_of_api_resources() -> None:
    assert builtin.kinds()[DEPLOYMENT] == resources.ResourceInfo(
        plural="deployments",
        singular="deployment",
        short_names=("deploy",),
        namespaced=True,
        categories=("all",),
        subresources=("scale", "status"),
    )
    assert not builtin.kinds()[GroupVersionKind("", "v1", "Namespace")].namespaced
    assert builtin.kinds()[GroupVersionKind("authorization.k8s.io", "v1", "SubjectAccessReview")].verbs == ("create",)


@pytest.mark.parametrize(
    ("gvk", "expected"),
    [
        (GroupVersionKind("extensions", "v1beta1", "Ingress"), resources.RemovedApi("1.22", "networking.k8s.io/v1")),
        (GroupVersionKind("policy", "v1beta1", "PodSecurityPolicy"), resources.RemovedApi("1.25", "")),
        (GroupVersionKind("batch", "v1beta1", "CronJob"), resources.RemovedApi("1.25", "batch/v1")),
        (GroupVersionKind("batch", "v1", "CronJob"), None),
    ],
)
def test_removed_versions_name_their_replacement(gvk: GroupVersionKind, expected: resources.RemovedApi | None) -> None:
    assert builtin.removed(gvk) == expected


def test_no_removed_version_is_still_served_by_the_minor_that_removed_it() -> None:
    served = {version: set(builtin.kinds(version)) for version in definitions.versions()}
    for version, gvks in served.items():
        for gvk in gvks:
            gone = builtin.removed(gvk)
            assert gone is None or int(gone.since.split(".")[1]) > int(version.split(".")[1]), gvk
