"""The CRDs are structural, small enough for kubectl apply, and shown as people know them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from syncline.model import crds

Json = dict[str, Any]

ALL = [pytest.param(crd, id=crd["spec"]["names"]["kind"]) for crd in crds.all_crds()]


def schema_of(crd: Json) -> Json:
    [version] = crd["spec"]["versions"]
    schema: Json = version["schema"]["openAPIV3Schema"]
    return schema


def nodes(schema: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    yield path, schema
    for name, member in schema.get("properties", {}).items():
        yield from nodes(member, f"{path}.{name}")
    for name in ("items", "additionalProperties"):
        if name in schema:
            yield from nodes(schema[name], f"{path}[]")


def at(crd: Json, path: str) -> Json:
    return dict(nodes(schema_of(crd)))[path]


@pytest.mark.parametrize("crd", ALL)
def test_every_node_has_a_type_or_says_that_anything_goes(crd: Json) -> None:
    free = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string")
    untyped = [
        path for path, node in nodes(schema_of(crd)) if "type" not in node and not any(node.get(f) for f in free)
    ]
    assert untyped == []


@pytest.mark.parametrize("crd", ALL)
def test_lists_say_what_is_in_them_and_maps_have_no_named_fields(crd: Json) -> None:
    for path, node in nodes(schema_of(crd)):
        assert (node.get("type") == "array") == ("items" in node), path
        assert not ("properties" in node and "additionalProperties" in node), path


@pytest.mark.parametrize("crd", ALL)
def test_required_fields_exist(crd: Json) -> None:
    for path, node in nodes(schema_of(crd)):
        assert set(node.get("required", ())) <= set(node.get("properties", {})), path


@pytest.mark.parametrize("crd", ALL)
def test_the_crd_fits_into_the_annotation_of_kubectl_apply(crd: Json) -> None:
    assert len(json.dumps(crd)) < 262_144


@pytest.mark.parametrize("crd", ALL)
def test_kubernetes_metadata_is_left_to_the_api_server(crd: Json) -> None:
    assert at(crd, ".metadata") == {"type": "object"}


@pytest.mark.parametrize(
    ("crd", "kind", "plural", "short_names", "subresources"),
    [
        (crds.application_crd(), "Application", "applications", ["app", "apps"], None),
        (crds.appproject_crd(), "AppProject", "appprojects", ["appproj", "appprojs"], None),
        (crds.applicationset_crd(), "ApplicationSet", "applicationsets", ["appset", "appsets"], {"status": {}}),
    ],
)
def test_names_and_endpoints_are_those_of_argo_cd(
    crd: Json, kind: str, plural: str, short_names: list[str], subresources: Json | None
) -> None:
    name = f"{plural}.argoproj.io"
    assert crd["metadata"] == {
        "name": name,
        "labels": {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"},
    }
    names = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": kind.lower(),
        "shortNames": short_names,
    }
    assert (crd["spec"]["group"], crd["spec"]["scope"], crd["spec"]["names"]) == ("argoproj.io", "Namespaced", names)
    [version] = crd["spec"]["versions"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)
    assert version.get("subresources") == subresources


def test_applications_are_listed_with_sync_and_health_and_on_demand_revision_and_project() -> None:
    [version] = crds.application_crd()["spec"]["versions"]
    shown = [(c["name"], c["jsonPath"], c.get("priority", 0)) for c in version["additionalPrinterColumns"]]
    assert shown == [
        ("Sync Status", ".status.sync.status", 0),
        ("Health Status", ".status.health.status", 0),
        ("Revision", ".status.sync.revision", 10),
        ("Project", ".spec.project", 10),
    ]


@pytest.mark.parametrize(
    ("crd", "path", "required"),
    [
        (crds.application_crd(), "", ["metadata", "spec"]),
        (crds.application_crd(), ".spec", ["destination", "project"]),
        (crds.application_crd(), ".spec.source", ["repoURL"]),
        (crds.application_crd(), ".spec.destination", []),
        (crds.application_crd(), ".spec.ignoreDifferences[]", ["kind"]),
        (crds.application_crd(), ".status", []),
        (crds.application_crd(), ".status.sync", ["status"]),
        (crds.application_crd(), ".status.operationState", ["operation", "phase", "startedAt"]),
        (crds.application_crd(), ".status.history[]", ["deployedAt", "id"]),
        (crds.application_crd(), ".status.conditions[]", ["message", "type"]),
        (crds.appproject_crd(), "", ["metadata", "spec"]),
        (crds.appproject_crd(), ".spec", []),
        (crds.appproject_crd(), ".spec.roles[]", ["name"]),
        (crds.applicationset_crd(), "", ["metadata", "spec"]),
        (crds.applicationset_crd(), ".spec", ["generators", "template"]),
        (crds.applicationset_crd(), ".spec.template", ["metadata", "spec"]),
        (crds.applicationset_crd(), ".spec.generators[].git", ["repoURL", "revision"]),
        (crds.applicationset_crd(), ".spec.generators[].list", []),
    ],
)
def test_required_is_what_argo_cd_requires(crd: Json, path: str, required: list[str]) -> None:
    assert at(crd, path).get("required", []) == required


ANYTHING = {"x-kubernetes-preserve-unknown-fields": True}
ANY_OBJECT = {"type": "object", **ANYTHING}
INT_OR_STRING = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}


@pytest.mark.parametrize(
    ("crd", "path", "schema"),
    [
        (crds.application_crd(), ".spec.source.helm.valuesObject", ANY_OBJECT),
        (crds.application_crd(), ".spec.source.kustomize.replicas[].count", INT_OR_STRING),
        (crds.application_crd(), ".spec.source.kustomize.commonLabels[]", {"type": "string"}),
        (crds.application_crd(), ".status.reconciledAt", {"type": "string", "format": "date-time"}),
        (crds.application_crd(), ".status.operationState.phase", {"type": "string"}),
        (crds.application_crd(), ".status.history[].id", {"type": "integer", "format": "int64"}),
        (crds.application_crd(), ".spec.syncPolicy.automated.enabled", {"type": "boolean"}),
        (crds.appproject_crd(), ".spec.sourceIntegrity", ANY_OBJECT),
        (crds.applicationset_crd(), ".spec.generators[].list.elements[]", ANYTHING),
        (crds.applicationset_crd(), ".spec.generators[].matrix.generators[]", ANY_OBJECT),
        (crds.applicationset_crd(), ".spec.strategy.rollingSync.steps[].maxUpdate", INT_OR_STRING),
        (
            crds.applicationset_crd(),
            ".spec.syncPolicy.applicationsSync",
            {"type": "string", "enum": ["create-delete", "create-only", "create-update", "sync"]},
        ),
    ],
)
def test_a_value_has_the_schema_argo_cd_gives_it(crd: Json, path: str, schema: Json) -> None:
    assert at(crd, path) == schema
