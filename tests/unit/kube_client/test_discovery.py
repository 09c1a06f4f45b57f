"""Discovery names every kind, the preferred version first, and says which groups it could not ask."""

from typing import Any

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import GroupKind, GroupVersionKind
from syncline.ports.kube import ApiError, ApiResource, Discovery
from syncline.ports.transport import TransportError
from tests.unit.kube_client.scripted import Answer, ByPath, json, refusal

VERBS = ["create", "get", "list", "watch"]
VERSION = json({"major": "1", "minor": "37", "gitVersion": "v1.37.1"})


def served(group: str, version: str, kind: str, plural: str, *, namespaced: bool = True) -> ApiResource:
    gvk = GroupVersionKind(group, version, kind)
    return ApiResource(gvk=gvk, plural=plural, namespaced=namespaced, verbs=frozenset(VERBS))


EXPECTED = (
    served("", "v1", "ConfigMap", "configmaps"),
    served("", "v1", "Namespace", "namespaces", namespaced=False),
    served("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    served("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
)


def aggregated(plural: str, kind: str, *, scope: str = "Namespaced") -> dict[str, Any]:
    return {
        "resource": plural,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": scope,
        "verbs": VERBS,
        "subresources": [{"subresource": "status", "responseKind": {"kind": kind}, "verbs": ["get"]}],
    }


def group(name: str, *versions: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": name} if name else {}, "versions": list(versions)}


def version(name: str, *resources: dict[str, Any], freshness: str = "Current") -> dict[str, Any]:
    return {"version": name, "resources": list(resources), "freshness": freshness}


def discovery_list(*groups: dict[str, Any]) -> Answer:
    return json({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": list(groups)})


HPA = aggregated("horizontalpodautoscalers", "HorizontalPodAutoscaler")
CORE = discovery_list(
    group(
        "",
        version("v1", aggregated("configmaps", "ConfigMap"), aggregated("namespaces", "Namespace", scope="Cluster")),
    )
)


async def test_aggregated_discovery_needs_one_request_per_root() -> None:
    groups = discovery_list(group("autoscaling", version("v2", HPA), version("v1", HPA)))
    transport = ByPath({"/api": CORE, "/apis": groups, "/version": VERSION})
    found = await KubeCluster(transport).discover()
    assert found == Discovery(EXPECTED, {}, "v1.37.1")
    assert sorted(request.path for request in transport.requests) == ["/api", "/apis", "/version"]
    accepts = {request.path: request.headers["Accept"] for request in transport.requests}
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    assert (accepts["/api"], accepts["/apis"]) == (accept, accept)
    wanted = found.find(GroupKind("autoscaling", "HorizontalPodAutoscaler"))
    assert wanted is not None
    assert wanted.gvk.version == "v2"


async def test_a_stale_group_is_failed_and_not_gone() -> None:
    groups = discovery_list(
        group("metrics.k8s.io", version("v1beta1", freshness="Stale")),
        group("autoscaling", version("v2", HPA), version("v1", HPA)),
    )
    found = await KubeCluster(ByPath({"/api": CORE, "/apis": groups, "/version": VERSION})).discover()
    failed = {"metrics.k8s.io": "the server behind metrics.k8s.io/v1beta1 does not answer"}
    assert found == Discovery(EXPECTED, failed, "v1.37.1")


def plain(plural: str, kind: str, *, namespaced: bool = True) -> dict[str, Any]:
    return {"name": plural, "kind": kind, "namespaced": namespaced, "verbs": VERBS}


def resource_list(*resources: dict[str, Any]) -> Answer:
    return json({"kind": "APIResourceList", "resources": list(resources)})


HPA_LIST = resource_list(
    plain("horizontalpodautoscalers", "HorizontalPodAutoscaler"),
    plain("horizontalpodautoscalers/status", "HorizontalPodAutoscaler"),
)
PLAIN: dict[str, Answer | TransportError] = {
    "/api": json({"kind": "APIVersions", "versions": ["v1"]}),
    "/api/v1": resource_list(
        plain("configmaps", "ConfigMap"),
        plain("namespaces", "Namespace", namespaced=False),
        plain("namespaces/finalize", "Namespace"),
    ),
    "/apis": json(
        {
            "kind": "APIGroupList",
            "groups": [
                {
                    "name": "autoscaling",
                    "versions": [{"version": "v1"}, {"version": "v2"}],
                    "preferredVersion": {"version": "v2"},
                },
                {"name": "metrics.k8s.io", "versions": [{"version": "v1beta1"}]},
                {"name": "custom.io", "versions": [{"version": "v1"}]},
            ],
        }
    ),
    "/apis/autoscaling/v1": HPA_LIST,
    "/apis/autoscaling/v2": HPA_LIST,
    "/apis/metrics.k8s.io/v1beta1": Answer(503, b"service unavailable"),
    "/apis/custom.io/v1": TransportError("cannot reach scripted: the connection was reset"),
    "/version": refusal(403, "Forbidden", "no"),
}


async def test_a_server_without_aggregated_discovery_is_asked_group_by_group() -> None:
    found = await KubeCluster(ByPath(PLAIN)).discover()
    failed = {
        "metrics.k8s.io": "/apis/metrics.k8s.io/v1beta1: GET /apis/metrics.k8s.io/v1beta1 was answered 503 "
        "ServiceUnavailable: service unavailable",
        "custom.io": "/apis/custom.io/v1: cannot reach scripted: the connection was reset",
    }
    assert found == Discovery(EXPECTED, failed, "")


async def test_a_server_that_cannot_name_its_groups_raises() -> None:
    answers = {"/api": CORE, "/apis": refusal(403, "Forbidden", "no"), "/version": VERSION}
    with pytest.raises(ApiError):
        await KubeCluster(ByPath(answers)).discover()
