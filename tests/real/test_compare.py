"""What a real API server stores of an applied object is Synced, however it spells it; a removed field is found."""

import copy
import json
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema import builtin
from syncline.core.compare.compare import compare_object
from syncline.model import names
from syncline.model.comparison import CompareStrategy, Difference, DifferenceCause
from syncline.model.settings.settings import Compat, Settings
from tests.real.api import Api
from tests.support.objects import APPLIER, context, deployment, obj, prepared

APPLY = "application/apply-patch+yaml"


def pod(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "web", "image": "shop/web:1", **fields.pop("container", {})}], **fields}


def workload(kind: str = "Deployment", api: str = "apps/v1", **fields: Any) -> Object:
    spec = deployment()["spec"]
    extra = fields.pop("spec", {})
    template = {"metadata": {"labels": {"app": "web"}, "creationTimestamp": None}, "spec": pod(**fields)}
    keep = {name: value for name, value in spec.items() if kind != "DaemonSet" or name != "replicas"}
    return obj(kind, "web", api=api, spec={**keep, "template": template, **extra})


TEMPLATE = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}},
}
RULE = {"host": "a.example.com", "http": {"paths": [
    {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"number": 80}}}}]}}  # fmt: skip
HPA = {
    "maxReplicas": 3,
    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
    "metrics": [],
}
RBAC = "rbac.authorization.k8s.io/v1"

CASES: dict[str, Object] = {
    "plain": workload(),
    "zero values": workload(hostNetwork=False, hostPID=False, nodeName="", terminationGracePeriodSeconds=0),
    "zero values of pointers": workload(automountServiceAccountToken=False, enableServiceLinks=False),
    "empty values": workload(
        volumes=[], nodeSelector={}, tolerations=[], securityContext={}, affinity={}, imagePullSecrets=[],
        container={"env": [], "command": [], "resources": {}, "securityContext": {}, "args": None},
    ),
    "null values": workload(nodeSelector=None, affinity=None, spec={"replicas": None, "strategy": None}),
    "empty text": workload(container={"env": [{"name": "A", "value": ""}, {"name": "B"}]}),
    "quantities": workload(
        container={"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}, "requests": {"cpu": 0.5}}}
    ),
    "atomic references": workload(
        container={"env": [{"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                           {"name": "L", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]}
    ),
    "volumes": workload(volumes=[
        {"name": "a", "configMap": {"name": "a"}}, {"name": "b", "emptyDir": {}}, {"name": "e"},
        {"name": "c", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
        {"name": "d", "secret": {"secretName": "s", "items": [{"key": "k", "path": "p"}]}}]),
    "probes": workload(container={"livenessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 0},
                                  "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]}),
    "DaemonSet": workload("DaemonSet", spec={"updateStrategy": {"type": "OnDelete"}}),
    "StatefulSet": workload("StatefulSet", spec={"serviceName": "web", "volumeClaimTemplates": [TEMPLATE]}),
    "Job": obj("Job", "web", api="batch/v1", spec={"template": {"spec": pod(restartPolicy="Never")}, "suspend": False}),
    "CronJob": obj("CronJob", "web", api="batch/v1", spec={
        "schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": pod(restartPolicy="Never")}}}}),
    "Service": obj("Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}),
    "Service of many ports": obj("Service", "web", spec={"selector": {}, "ports": [
        {"port": 53, "name": "t"}, {"port": 53, "protocol": "UDP", "name": "u", "targetPort": 5353}]}),
    "Service with a node port": obj("Service", "web", spec={
        "type": "NodePort", "selector": {"app": "web"}, "ports": [{"port": 80}]}),
    "Service of a load balancer": obj("Service", "web", spec={
        "type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [{"port": 80}]}),
    "Service without address": obj("Service", "web", spec={"clusterIP": "None", "selector": {"app": "web"}}),
    "Pod": obj("Pod", "web", spec=pod(hostNetwork=False)),
    "Ingress": obj("Ingress", "web", api="networking.k8s.io/v1", spec={"rules": [RULE], "tls": []}),
    "NetworkPolicy": obj("NetworkPolicy", "web", api="networking.k8s.io/v1", spec={
        "podSelector": {}, "ingress": [], "policyTypes": ["Ingress"]}),
    "Role": obj("Role", "web", api=RBAC, rules=[]),
    "RoleBinding": obj("RoleBinding", "web", api=RBAC, roleRef={"kind": "Role", "name": "web"}, subjects=[
        {"kind": "ServiceAccount", "name": "web"}, {"kind": "User", "name": "me"}]),
    "HorizontalPodAutoscaler": obj("HorizontalPodAutoscaler", "web", api="autoscaling/v2", spec=HPA),
    "PodDisruptionBudget": obj("PodDisruptionBudget", "web", api="policy/v1", spec={
        "maxUnavailable": "50%", "selector": {"matchLabels": {"app": "web"}}}),
    "ConfigMap": obj("ConfigMap", "web", data={"a": "1", "b": None}, binaryData={}, labels={}),
    "Secret": obj("Secret", "web", data={"a": "b25l\n", "n": None}, stringData={"b": "two"}),
    "ServiceAccount": obj("ServiceAccount", "web", imagePullSecrets=[{"name": "a"}], secrets=[]),
    "PersistentVolumeClaim": obj("PersistentVolumeClaim", "web", spec={
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}, "storageClassName": ""}),
    "ResourceQuota": obj("ResourceQuota", "web", spec={"hard": {"cpu": "2000m", "pods": 10}}),
    "LimitRange": obj("LimitRange", "web", spec={"limits": [{"type": "Container", "default": {"cpu": "1000m"}}]}),
}  # fmt: skip


def resource_path(value: Object) -> str:
    gvk = gvk_of(value)
    info = builtin.kinds()[gvk]
    root = f"/apis/{gvk.api_version}" if gvk.group else f"/api/{gvk.version}"
    return f"{root}/namespaces/{value['metadata']['namespace']}/{info.plural}"


def in_namespace(value: Object, namespace: str) -> Object:
    return {**copy.deepcopy(value), "metadata": {**value["metadata"], "namespace": namespace}}


def differences(value: Object, live: Object) -> list[Difference]:
    row = compare_object(prepared(value).objects[0], live, context())
    assert row.message == ""
    return list(row.differences)


def applied(api: Api, value: Object) -> Object:
    """Server-side apply an object as we do, and read it back."""
    wanted = prepared(value).objects[0].obj
    path = f"{resource_path(wanted)}/{wanted['metadata']['name']}"
    api.ok("PATCH", f"{path}?fieldManager={APPLIER}&force=true", wanted, APPLY)
    return api.ok("GET", path)


def client_applied(api: Api, value: Object) -> Object:
    """Create an object as `kubectl apply` does on the client side."""
    wanted = prepared(value).objects[0].obj
    metadata = wanted["metadata"]
    annotations = {**metadata["annotations"], names.LAST_APPLIED: json.dumps(wanted)}
    whole = {**wanted, "metadata": {**metadata, "annotations": annotations}}
    return api.ok("POST", f"{resource_path(wanted)}?fieldManager=kubectl-client-side-apply", whole)


@pytest.mark.parametrize("name", CASES)
def test_an_object_that_was_applied_is_synced_as_the_server_stores_it(api: Api, namespace: str, name: str) -> None:
    value = in_namespace(CASES[name], namespace)
    assert differences(value, applied(api, value)) == []


@pytest.mark.parametrize("name", CASES)
def test_an_object_that_kubectl_applied_on_the_client_side_is_synced(api: Api, namespace: str, name: str) -> None:
    value = in_namespace(CASES[name], namespace)
    live = client_applied(api, value)
    assert differences(value, live) == []
    del live["metadata"]["managedFields"]
    assert differences(value, live) == []


@pytest.mark.parametrize("way", [applied, client_applied])
def test_a_key_that_was_removed_is_found_however_it_was_applied(api: Api, namespace: str, way: Any) -> None:
    two = in_namespace(obj("ConfigMap", "web", data={"a": "1", "b": "2"}), namespace)
    one = {**two, "data": {"a": "1"}}
    assert [(found.path, found.cause) for found in differences(one, way(api, two))] == [
        ("data.b", DifferenceCause.REMOVED)
    ]


def labelled(value: Object, **labels: str) -> Object:
    return {**value, "metadata": {**value["metadata"], "labels": {**value["metadata"].get("labels", {}), **labels}}}


def env(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"container": {"env": [{"name": name, "value": value} for name, value in pairs]}}


def port(*ports: dict[str, Any]) -> Object:
    return obj("Service", "web", spec={"selector": {"app": "web"}, "ports": list(ports)})


CHANGES: dict[str, tuple[Object, Object]] = {
    "image": (workload(), workload(container={"image": "shop/web:2"})),
    "replicas": (workload(spec={"replicas": 2}), workload(spec={"replicas": 3})),
    "replicas left to the server": (workload(spec={"replicas": 2}), workload(spec={"replicas": None})),
    "default spelled out": (workload(), workload(terminationGracePeriodSeconds=30, dnsPolicy="ClusterFirst")),
    "default taken back": (workload(terminationGracePeriodSeconds=30), workload()),
    "zero spelled out": (workload(), workload(hostNetwork=False)),
    "false pointer": (workload(), workload(automountServiceAccountToken=False)),
    "quantity spelled otherwise": (
        workload(container={"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}),
        workload(container={"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}}),
    ),
    "quantity": (
        workload(container={"resources": {"limits": {"cpu": "1"}}}),
        workload(container={"resources": {"limits": {"cpu": "1500m"}}}),
    ),
    "variable added": (workload(**env(("A", "1"))), workload(**env(("A", "1"), ("B", "2")))),
    "variable removed": (workload(**env(("A", "1"), ("B", "2"))), workload(**env(("A", "1")))),
    "variable emptied": (workload(**env(("A", "1"))), workload(**env(("A", "")))),
    "last variable removed": (workload(**env(("A", "1"))), workload()),
    "arguments": (workload(container={"args": ["a", "b"]}), workload(container={"args": ["a"]})),
    "arguments emptied": (workload(container={"args": ["a"]}), workload(container={"args": []})),
    "volume kind": (
        workload(volumes=[{"name": "a", "emptyDir": {}}]), workload(volumes=[{"name": "a", "configMap": {"name": "a"}}])
    ),
    "probe": (
        workload(container={"livenessProbe": {"httpGet": {"port": 80}}}),
        workload(container={"livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 10}}),
    ),
    "node selector": (workload(nodeSelector={"a": "1", "b": "2"}), workload(nodeSelector={"a": "1"})),
    "port number": (port({"port": 80, "name": "a"}), port({"port": 81, "name": "a"})),
    "port default": (port({"port": 80}), port({"port": 80, "protocol": "TCP", "targetPort": 80})),
    "port added": (port({"port": 80, "name": "a"}), port({"port": 80, "name": "a"}, {"port": 81, "name": "b"})),
    "port removed": (port({"port": 80, "name": "a"}, {"port": 81, "name": "b"}), port({"port": 80, "name": "a"})),
    "key removed": (obj("ConfigMap", "web", data={"a": "1", "b": "2"}), obj("ConfigMap", "web", data={"a": "1"})),
    "all keys removed": (obj("ConfigMap", "web", data={"a": "1"}), obj("ConfigMap", "web")),
    "key emptied": (obj("ConfigMap", "web", data={"a": "1"}), obj("ConfigMap", "web", data={"a": None})),
    "secret": (obj("Secret", "web", stringData={"a": "1"}), obj("Secret", "web", stringData={"a": "2"})),
    "secret spelled otherwise": (obj("Secret", "web", stringData={"a": "1"}), obj("Secret", "web", data={"a": "MQ=="})),
    "rules": (
        obj("Role", "web", api=RBAC, rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]),
        obj("Role", "web", api=RBAC, rules=[]),
    ),
    "budget": (
        obj("PodDisruptionBudget", "web", api="policy/v1", spec={"maxUnavailable": "50%", "selector": {}}),
        obj("PodDisruptionBudget", "web", api="policy/v1", spec={"maxUnavailable": 1, "selector": {}}),
    ),
    "quota spelled otherwise": (
        obj("ResourceQuota", "web", spec={"hard": {"cpu": "2"}}),
        obj("ResourceQuota", "web", spec={"hard": {"cpu": "2000m"}}),
    ),
}  # fmt: skip


def dry_run(api: Api, value: Object) -> Object:
    """Return what the server says an apply of ours would leave behind."""
    wanted = prepared(value).objects[0].obj
    path = f"{resource_path(wanted)}/{wanted['metadata']['name']}"
    return api.ok("PATCH", f"{path}?dryRun=All&fieldManager={APPLIER}&force=true", wanted, APPLY)


def content(value: Object) -> Object:
    """Return an object without what every write changes."""
    kept = ("managedFields", "resourceVersion", "generation")
    return {**value, "metadata": {name: part for name, part in value["metadata"].items() if name not in kept}}


def agree(api: Api, value: Object, live: Object) -> None:
    """Hold our prediction, and our reading of the server's own, against what the server would change."""
    answer = dry_run(api, value)
    changed = content(answer) != content(live)
    assert bool(differences(value, live)) is changed, differences(value, live)
    item = prepared(value).objects[0]
    for options in ((), ("IncludeMutationWebhook=true",)):
        given = msgspec.structs.replace(
            context(), predicted={item.key: answer}, strategy=CompareStrategy.SERVER_SIDE, compare_options=options
        )
        row = compare_object(item, live, given)
        assert bool(row.differences) is changed, row


@pytest.mark.parametrize("name", CHANGES)
def test_the_server_and_we_agree_whether_a_change_in_git_changes_anything(api: Api, namespace: str, name: str) -> None:
    before, after = (in_namespace(value, namespace) for value in CHANGES[name])
    live = applied(api, before)
    agree(api, before, live)
    agree(api, after, live)


@pytest.mark.parametrize("name", CASES)
def test_the_server_and_we_agree_about_labels_of_ours_and_of_others(api: Api, namespace: str, name: str) -> None:
    plain = in_namespace(CASES[name], namespace)
    value = labelled(plain, team="a", tier="front")
    live = applied(api, value)
    agree(api, value, live)
    agree(api, plain, live)
    path = f"{resource_path(live)}/{live['metadata']['name']}"
    patch = {"metadata": {"labels": {"team": "b", "other": "x"}}}
    live = api.ok("PATCH", f"{path}?fieldManager=somebody", patch, "application/merge-patch+json")
    agree(api, value, live)
    agree(api, labelled(plain, team="b", tier="front"), live)


@pytest.mark.parametrize("managed", [True, False])
@pytest.mark.parametrize("compat", Compat)
def test_a_key_removed_from_string_data_that_kubectl_applied_is_found(
    api: Api, namespace: str, managed: bool, compat: Compat
) -> None:
    two = in_namespace(obj("Secret", "web", stringData={"a": "1", "b": "2"}), namespace)
    annotations = {**prepared(two).objects[0].obj["metadata"]["annotations"], names.LAST_APPLIED: json.dumps(two)}
    whole = {**two, "metadata": {**two["metadata"], "annotations": annotations}}
    live = api.ok("POST", f"{resource_path(two)}?fieldManager=kubectl-client-side-apply", whole)
    if not managed:
        del live["metadata"]["managedFields"]
    item = prepared({**two, "stringData": {"a": "1"}}).objects[0]
    row = compare_object(item, live, context(settings=Settings(compat=compat)))
    assert [(found.path, found.cause) for found in row.differences] == [("data.b", DifferenceCause.REMOVED)]
