"""A write that the API server would prune is found before it is sent."""

from typing import Any

import pytest

from syncline.apimachinery.schema import crd as crd_schema
from syncline.apimachinery.schema import prune
from syncline.model import crds
from tests.support import schema_check

Json = dict[str, Any]

PATCHES = [
    ({}, ()),
    ({"status": {"sync": {"status": "Synced"}}}, ()),
    ({"operation": None, "status": {"conditions": None}}, ()),
    ({"metadata": {"annotations": {"argocd.argoproj.io/refresh": None}}}, ()),
    ({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "shop"}}, ()),
    ({"stat": {}}, ("stat",)),
    ({"status": {"sync": {"state": "Synced", "status": "Synced"}}}, ("status.sync.state",)),
    ({"status": {"reason": {"deep": {"inside": 1}}}}, ("status.reason",)),
    (
        {"status": {"resources": [{"name": "a"}, {"name": "b", "why": "x", "health": {"since": "y"}}]}},
        ("status.resources[1].why", "status.resources[1].health.since"),
    ),
    ({"spec": {"source": {"helm": {"valuesObject": {"any": {"thing": [{"goes": 1}]}}}}}}, ()),
    ({"spec": {"source": {"kustomize": {"commonLabels": {"any": "label"}}}}}, ()),
    (
        {"spec": {"source": {"kustomize": {"replicas": [{"name": "web", "count": 3, "max": 4}]}}}},
        ("spec.source.kustomize.replicas[0].max",),
    ),
    ({"status": {"summary": {"images": [{"not": "a text"}]}}}, ("status.summary.images[0].not",)),
]


@pytest.mark.parametrize(("patch", "unknown"), PATCHES)
def test_unknown_fields_are_named_by_their_path(patch: Json, unknown: tuple[str, ...]) -> None:
    assert schema_check.unknown_fields(patch, crds.application_crd()) == unknown


@pytest.mark.parametrize(("patch", "unknown"), PATCHES)
def test_what_is_unknown_is_what_pruning_takes(patch: Json, unknown: tuple[str, ...]) -> None:
    node = crd_schema.schema_for(crds.application_crd(), "v1alpha1")
    assert node is not None
    assert (prune.prune(patch, node) == patch) == (unknown == ())


def test_any_depth_of_nested_generators_is_kept() -> None:
    nested = {"matrix": {"generators": [{"merge": {"generators": [{"list": {"elements": [1]}}], "new": True}}]}}
    patch = {"spec": {"generators": [nested]}}
    assert schema_check.unknown_fields(patch, crds.applicationset_crd()) == ()
