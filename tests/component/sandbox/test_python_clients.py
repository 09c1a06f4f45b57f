"""The official Python client and lightkube against the sandbox, with nothing but its kubeconfig."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes
import kubernetes.dynamic
import pytest
from lightkube import ApiError, Client, KubeConfig
from lightkube.generic_resource import create_namespaced_resource, load_in_cluster_generic_resources
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap, Namespace, Pod
from lightkube.types import PatchType

# Both are driven with plain dictionaries, which their annotations do not know.
official: Any = kubernetes.client
config: Any = kubernetes.config
dynamic: Any = kubernetes.dynamic
watch: Any = kubernetes.watch
CONTAINERS = [{"name": "app", "image": "example/talk:1"}]


def deployment(name: str, **metadata: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": CONTAINERS}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, **metadata},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture(scope="module")
def python(kubeconfig_path: Path) -> Iterator[Any]:
    """The official client."""
    with config.new_client_from_config(str(kubeconfig_path)) as made:
        yield made


@pytest.fixture(scope="module")
def light(kubeconfig_path: Path) -> Iterator[Any]:
    """Lightkube's client."""
    made = Client(config=KubeConfig.from_file(kubeconfig_path), field_manager="light")
    yield made
    made.close()


def until(look: Any, seconds: float = 60.0) -> Any:
    """Look again until there is something to see."""
    ends = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < ends, "it never came"
        time.sleep(0.05)
    return found


class TestOfficialClient:
    """The client of the Kubernetes project."""

    def test_lists_pages_and_selects(self, python: Any) -> None:
        core = official.CoreV1Api(python)
        core.create_namespace({"metadata": {"name": "py-list"}})
        for number in range(5):
            labels = {"even": str(number % 2 == 0).lower()}
            body = {"metadata": {"name": f"m{number}", "labels": labels}, "data": {"n": str(number)}}
            core.create_namespaced_config_map("py-list", body)
        page = core.list_namespaced_config_map("py-list", limit=2, label_selector="even")
        rest = core.list_namespaced_config_map("py-list", _continue=page.metadata._continue, label_selector="even")
        assert [one.metadata.name for one in (*page.items, *rest.items)] == ["m0", "m1", "m2", "m3", "m4"]
        chosen = core.list_namespaced_config_map("py-list", label_selector="even=true")
        assert [one.data for one in chosen.items] == [{"n": "0"}, {"n": "2"}, {"n": "4"}]

    def test_watches_what_happens(self, python: Any) -> None:
        core = official.CoreV1Api(python)
        core.create_namespace({"metadata": {"name": "py-watch"}})
        begun = core.list_namespaced_config_map("py-watch", label_selector="mine").metadata.resource_version
        made = {"metadata": {"name": "w", "labels": {"mine": "yes"}}, "data": {"a": "1"}}
        core.create_namespaced_config_map("py-watch", made)
        core.patch_namespaced_config_map("w", "py-watch", {"data": {"a": "2"}})
        core.delete_namespaced_config_map("w", "py-watch")
        stream = watch.Watch().stream(
            core.list_namespaced_config_map,
            "py-watch",
            label_selector="mine",
            resource_version=begun,
            timeout_seconds=1,
        )
        assert [(one["type"], one["object"].data) for one in stream] == [
            ("ADDED", {"a": "1"}),
            ("MODIFIED", {"a": "2"}),
            ("DELETED", {"a": "2"}),
        ]

    @pytest.mark.parametrize(
        ("media", "body"),
        [
            ("application/merge-patch+json", {"data": {"mode": "slow"}}),
            ("application/strategic-merge-patch+json", {"data": {"mode": "slow"}}),
            ("application/json-patch+json", [{"op": "replace", "path": "/data/mode", "value": "slow"}]),
        ],
    )
    def test_patches_with_every_type(self, python: Any, media: str, body: Any) -> None:
        core = official.CoreV1Api(python)
        made = core.create_namespaced_config_map(
            "default", {"metadata": {"generateName": "py-patch-"}, "data": {"mode": "fast"}}
        )
        changed = core.patch_namespaced_config_map(made.metadata.name, "default", body, _content_type=media)
        assert changed.data == {"mode": "slow"}

    def test_scales_reads_logs_and_deletes(self, python: Any) -> None:
        apps, core = official.AppsV1Api(python), official.CoreV1Api(python)
        apps.create_namespaced_deployment("default", deployment("py-web"))
        apps.patch_namespaced_deployment_scale("py-web", "default", {"spec": {"replicas": 2}})
        assert apps.read_namespaced_deployment_scale("py-web", "default").spec.replicas == 2
        until(lambda: apps.read_namespaced_deployment_status("py-web", "default").status.ready_replicas == 2)
        pod = core.list_namespaced_pod("default", label_selector="app=py-web").items[0].metadata.name
        assert core.read_namespaced_pod_log(pod, "default") == "hello from the sandbox\n"
        apps.delete_namespaced_deployment("py-web", "default", propagation_policy="Foreground")
        until(lambda: not core.list_namespaced_pod("default", label_selector="app=py-web").items)
        with pytest.raises(official.ApiException) as refused:
            apps.read_namespaced_deployment("py-web", "default")
        assert refused.value.status == 404

    def test_applies_on_the_server_through_the_dynamic_client(self, python: Any) -> None:
        maps = dynamic.DynamicClient(python).resources.get(api_version="v1", kind="ConfigMap")
        ours = maps.server_side_apply(config_map("py-applied", a="1"), namespace="default", field_manager="ours")
        assert ours.data.to_dict() == {"a": "1"}
        with pytest.raises(dynamic.exceptions.ConflictError):
            maps.server_side_apply(config_map("py-applied", a="2"), namespace="default", field_manager="theirs")
        forced = maps.server_side_apply(
            config_map("py-applied", a="2"), namespace="default", field_manager="theirs", force_conflicts=True
        )
        assert [entry.manager for entry in forced.metadata.managedFields] == ["theirs"]

    def test_finds_every_group_through_the_dynamic_client(self, python: Any) -> None:
        found = dynamic.DynamicClient(python).resources
        for api_version, kind in (
            ("autoscaling/v1", "HorizontalPodAutoscaler"),
            ("autoscaling/v2", "HorizontalPodAutoscaler"),
            ("events.k8s.io/v1", "Event"),
            ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
            ("resource.k8s.io/v1", "ResourceClaim"),
        ):
            assert found.get(api_version=api_version, kind=kind).get().kind == f"{kind}List"

    def test_asks_what_it_may_do(self, python: Any) -> None:
        attributes = official.V1ResourceAttributes(verb="delete", resource="pods", namespace="default")
        spec = official.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
        review = official.V1SelfSubjectAccessReview(spec=spec)
        answer = official.AuthorizationV1Api(python).create_self_subject_access_review(review)
        assert answer.status.allowed


class TestLightkube:
    """A client that speaks typed objects and nothing else."""

    def test_creates_lists_and_watches(self, light: Any) -> None:
        light.create(Namespace(metadata=ObjectMeta(name="light")))
        made = light.create(ConfigMap(metadata=ObjectMeta(name="one", namespace="light", labels={"l": "1"})))
        assert made.metadata is not None
        assert [one.metadata.name for one in light.list(ConfigMap, namespace="light", labels={"l": "1"})] == ["one"]
        seen = light.watch(ConfigMap, namespace="light", labels={"l": "1"}, resource_version="0", server_timeout=1)
        with contextlib.closing(seen):
            kind, found = next(seen)
        assert (kind, found.metadata.name) == ("ADDED", "one")

    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            (PatchType.MERGE, {"data": {"mode": "slow"}}),
            (PatchType.STRATEGIC, {"data": {"mode": "slow"}}),
            (PatchType.JSON, [{"op": "replace", "path": "/data/mode", "value": "slow"}]),
        ],
    )
    def test_patches_with_every_type(self, light: Any, kind: PatchType, body: Any) -> None:
        name = f"light-{kind.name.lower()}"
        light.create(ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data={"mode": "fast"}))
        assert light.patch(ConfigMap, name, body, namespace="default", patch_type=kind).data == {"mode": "slow"}

    def test_applies_on_the_server(self, light: Any) -> None:
        wanted: Any = ConfigMap.from_dict(config_map("light-applied", a="1"))
        wanted.metadata.namespace = "default"
        assert light.apply(wanted).data == {"a": "1"}
        wanted.data = {"b": "2"}
        assert light.apply(wanted).data == {"b": "2"}
        other: Any = ConfigMap.from_dict(config_map("light-applied", b="3"))
        other.metadata.namespace = "default"
        with pytest.raises(ApiError) as refused:
            light.apply(other, field_manager="other")
        assert refused.value.status.code == 409

    def test_scales_waits_logs_and_deletes(self, light: Any) -> None:
        light.create(Deployment.from_dict(deployment("light-web", namespace="default")))
        light.patch(Deployment.Scale, "light-web", {"spec": {"replicas": 2}}, namespace="default")
        light.wait(Deployment, "light-web", for_conditions=["Available"], namespace="default")
        until(lambda: len(list(light.list(Pod, namespace="default", labels={"app": "light-web"}))) == 2)
        pod = next(iter(light.list(Pod, namespace="default", labels={"app": "light-web"})))
        light.wait(Pod, pod.metadata.name, for_conditions=["Ready"], namespace="default")
        assert list(light.log(pod.metadata.name, namespace="default")) == ["hello from the sandbox\n"]
        light.delete(Deployment, "light-web", namespace="default")
        until(lambda: not list(light.list(Pod, namespace="default", labels={"app": "light-web"})))

    def test_speaks_of_custom_kinds(self, light: Any, python: Any) -> None:
        names = {"plural": "lamps", "kind": "Lamp", "singular": "lamp"}
        schema = {
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": {"on": {"type": "boolean"}}}},
        }
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        spec = {"group": "light.example", "scope": "Namespaced", "names": names, "versions": [version]}
        extensions = official.ApiextensionsV1Api(python)
        extensions.create_custom_resource_definition({"metadata": {"name": "lamps.light.example"}, "spec": spec})
        until(lambda: extensions.read_custom_resource_definition("lamps.light.example").status.accepted_names.kind)
        load_in_cluster_generic_resources(light)
        lamp = create_namespaced_resource("light.example", "v1", "Lamp", "lamps")
        light.create(lamp(metadata=ObjectMeta(name="one", namespace="default"), spec={"on": True}))
        assert light.get(lamp, "one", namespace="default").spec == {"on": True}
        objects = official.CustomObjectsApi(python)
        changed = objects.patch_namespaced_custom_object(
            "light.example", "v1", "default", "lamps", "one", {"spec": {"on": False}}
        )
        assert changed["spec"] == {"on": False}
