"""Patches against a real kube-apiserver: every type, several kinds, and the texts of refusals.

What a patch makes of an object is compared by the server itself: the patch and an update with our result, both as dry
runs, must end in the same object, defaults and all.
"""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.patch import errors, json_merge, json_patch, strategic
from syncline.apimachinery.schema import builtin
from tests.oracle.patch.kubectl import without_values
from tests.real import audit, cluster
from tests.real.api import Api

Doc = dict[str, Any]

JSON = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
COLLECTIONS = {
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "Service": "/api/v1/namespaces/{}/services",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies",
    "CronJob": "/apis/batch/v1/namespaces/{}/cronjobs",
}


def container(name: str, **more: Any) -> Doc:
    return {"name": name, "image": f"example.com/{name}:1", **more}


def deployment() -> Doc:
    labels = {"app": "web"}
    environment = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    web = container("web", env=environment, ports=[{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}])
    pod = {"containers": [web, container("log"), container("proxy")], "volumes": [{"name": "v", "emptyDir": {}}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"team": "a"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }


def service() -> Doc:
    ports = [{"port": 80, "name": "http"}, {"port": 443, "name": "tls"}]
    metadata = {"name": "web", "finalizers": ["x.io/a", "x.io/b"]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": ports}}


def config_map() -> Doc:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "data": {"a": "1", "b": "2"}}


def service_account() -> Doc:
    secrets = [{"name": "s1"}, {"name": "s2"}]
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "web"}, "secrets": secrets}


def cron_job() -> Doc:
    pod = {"containers": [container("job")], "restartPolicy": "Never"}
    spec = {"schedule": "0 1 * * *", "jobTemplate": {"spec": {"template": {"spec": pod}}}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "web"}, "spec": spec}


def network_policy() -> Doc:
    spec = {"podSelector": {"matchLabels": {"a": "b"}}, "ingress": [{"ports": [{"port": 80}]}]}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "web"},
        "spec": spec,
    }


def pod_patch(**patch: Any) -> Doc:
    return {"spec": {"template": {"spec": patch}}}


def order(*names: str) -> list[Doc]:
    return [{"name": name} for name in names]


def replace(path: str, value: Any) -> Doc:
    return {"op": "replace", "path": path, "value": value}


CONTAINERS = "/spec/template/spec/containers"

PATCHES: list[tuple[Doc, str, Any]] = [
    (deployment(), STRATEGIC, {"spec": {"replicas": 5}}),
    (deployment(), STRATEGIC, {"metadata": {"labels": {"team": None, "x": "y"}, "annotations": {"a": None, "b": "c"}}}),
    (deployment(), STRATEGIC, {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
    (deployment(), STRATEGIC, {"spec": {"strategy": {"$patch": "replace", "type": "Recreate"}}}),
    (deployment(), STRATEGIC, {"spec": {"strategy": {"rollingUpdate": {"maxSurge": "50%"}}}}),
    (deployment(), STRATEGIC, pod_patch(containers=[{"name": "log", "image": "example.com/log:2"}])),
    (deployment(), STRATEGIC, pod_patch(containers=[container("new")])),
    (deployment(), STRATEGIC, pod_patch(containers=[{"name": "log", "$patch": "delete"}])),
    (deployment(), STRATEGIC, pod_patch(containers=[{"$patch": "replace"}, container("only")])),
    (deployment(), STRATEGIC, pod_patch(**{"$setElementOrder/containers": order("proxy", "web")})),
    (
        deployment(),
        STRATEGIC,
        pod_patch(
            **{
                "$setElementOrder/containers": order("new", "proxy"),
                "containers": [container("new"), {"name": "web", "$patch": "delete"}],
            }
        ),
    ),
    (deployment(), STRATEGIC, pod_patch(containers=[{"name": "web", "env": [{"name": "B", "$patch": "delete"}]}])),
    (deployment(), STRATEGIC, pod_patch(containers=[{"name": "web", "ports": [{"containerPort": 80, "name": "h"}]}])),
    (
        deployment(),
        STRATEGIC,
        pod_patch(volumes=[{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}]),
    ),
    (deployment(), STRATEGIC, pod_patch(volumes=None, nodeSelector={"a": "b"})),
    (deployment(), STRATEGIC, pod_patch(securityContext={"$patch": "delete"})),
    (deployment(), MERGE, {"spec": {"replicas": None, "paused": True}}),
    (deployment(), MERGE, pod_patch(containers=[container("only", command=None)])),
    (deployment(), MERGE, {"metadata": {"labels": None}}),
    (deployment(), JSON, [replace("/spec/replicas", 7)]),
    (deployment(), JSON, [{"op": "add", "path": f"{CONTAINERS}/-", "value": container("last")}]),
    (deployment(), JSON, [{"op": "remove", "path": f"{CONTAINERS}/-1"}]),
    (deployment(), JSON, [{"op": "move", "from": f"{CONTAINERS}/2", "path": f"{CONTAINERS}/0"}]),
    (deployment(), JSON, [{"op": "test", "path": "/spec/replicas", "value": 2}, replace("/metadata/labels/new", "x")]),
    (service(), STRATEGIC, {"spec": {"ports": [{"port": 443, "targetPort": "tls"}]}}),
    (service(), STRATEGIC, {"spec": {"ports": [{"port": 80, "$patch": "delete"}]}}),
    (service(), STRATEGIC, {"spec": {"$setElementOrder/ports": [{"port": 443}, {"port": 80}]}}),
    (service(), STRATEGIC, {"metadata": {"finalizers": ["x.io/c"]}}),
    (service(), STRATEGIC, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.io/a"]}}),
    (service(), STRATEGIC, {"metadata": {"$setElementOrder/finalizers": ["x.io/b", "x.io/a"]}}),
    (service(), MERGE, {"spec": {"ports": [{"port": 81}]}}),
    (
        service(),
        JSON,
        [
            {"op": "copy", "from": "/spec/ports/0/name", "path": "/metadata/labels", "value": 1},
            replace("/metadata/labels", {"a": "b"}),
        ],
    ),
    (config_map(), STRATEGIC, {"data": {"a": None, "c": "3"}}),
    (config_map(), STRATEGIC, {"data": {"$patch": "replace", "z": "9"}}),
    (config_map(), MERGE, {"data": {"a": None, "c": "3"}}),
    (config_map(), MERGE, {"data": None}),
    (
        config_map(),
        JSON,
        [
            {"op": "add", "path": "/metadata/annotations", "value": {"x/y": "1"}},
            replace("/metadata/annotations/x~1y", "2"),
        ],
    ),
    (service_account(), STRATEGIC, {"secrets": [{"name": "s3"}, {"name": "s1", "$patch": "delete"}]}),
    (service_account(), STRATEGIC, {"imagePullSecrets": [{"name": "r"}], "automountServiceAccountToken": False}),
    (
        cron_job(),
        STRATEGIC,
        {"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [container("job", args=["x"])]}}}}}},
    ),
    (cron_job(), STRATEGIC, {"spec": {"suspend": True, "timeZone": "Etc/UTC"}}),
    (
        network_policy(),
        STRATEGIC,
        {"spec": {"ingress": [{"ports": [{"port": 443}]}], "policyTypes": ["Ingress", "Egress"]}},
    ),
    (network_policy(), STRATEGIC, {"spec": {"podSelector": {"matchLabels": {"a": None, "c": "d"}}}}),
]


def patched(obj: Doc, content_type: str, patch: Any) -> Doc:
    if content_type == JSON:
        result: Doc = json_patch.apply(obj, patch)
        return result
    if content_type == MERGE:
        return json_merge.apply(obj, patch)
    return strategic.apply(obj, patch, builtin.for_kind(gvk_of(obj)))


def created(api: Api, namespace: str, obj: Doc) -> tuple[Doc, str]:
    """Create the object and return it as the server keeps it, with the path a dry run goes to."""
    collection = COLLECTIONS[obj["kind"]].format(namespace)
    live = api.ok("POST", collection, obj)
    return live, f"{collection}/{obj['metadata']['name']}?dryRun=All"


def compared(obj: Doc) -> Doc:
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "managedFields"}}


@pytest.mark.parametrize(("obj", "content_type", "patch"), PATCHES)
def test_the_server_makes_the_same_of_a_patch(
    obj: Doc, content_type: str, patch: Any, api: Api, namespace: str
) -> None:
    live, path = created(api, namespace, obj)
    theirs = api.ok("PATCH", path, patch, content_type=content_type)
    ours = api.ok("PUT", path, patched(live, content_type, patch))
    assert compared(ours) == compared(theirs)


REFUSED: list[tuple[str, Any]] = [
    (JSON, [{"op": "test", "path": "/spec/replicas", "value": 9}]),
    (JSON, [{"op": "remove", "path": "/spec/nope"}]),
    (JSON, [{"op": "add", "path": "/nope/x", "value": 1}]),
    (JSON, [{"op": "replace", "path": f"{CONTAINERS}/9", "value": 1}]),
    (JSON, [{"op": "add", "path": f"{CONTAINERS}/x", "value": 1}]),
    (JSON, [{"op": "remove", "path": f"{CONTAINERS}/9"}]),
    (JSON, [{"op": "move", "from": "/nope", "path": "/x"}]),
    (JSON, [{"op": "bogus", "path": "/x"}]),
    (JSON, [{"op": "test", "path": "/spec/replicas", "value": 2}] * 10_001),
    (STRATEGIC, pod_patch(containers=[{"image": "x"}])),
    (STRATEGIC, pod_patch(containers=[{"name": "a", "$patch": "bogus"}])),
    (STRATEGIC, pod_patch(containers=[{"name": "a", "$patch": "merge"}])),
    (STRATEGIC, {"spec": {"$patch": "bogus"}}),
    (STRATEGIC, {"spec": {"$retainKeys": ["x"], "replicas": 1}}),
    (STRATEGIC, pod_patch(**{"$setElementOrder": []})),
    (STRATEGIC, pod_patch(**{"$deleteFromPrimitiveList": []})),
    (STRATEGIC, pod_patch(containers=[["x"]])),
    (STRATEGIC, {"spec": {"$setElementOrder/selector": []}}),
    (JSON, {"op": "add"}),
    (JSON, ["add"]),
    (MERGE, [1]),
    (STRATEGIC, [1]),
]


@pytest.mark.parametrize(("content_type", "patch"), REFUSED)
def test_the_server_refuses_a_patch_in_the_same_words(content_type: str, patch: Any, api: Api, namespace: str) -> None:
    live, path = created(api, namespace, deployment())
    status, answer = api.request("PATCH", path, patch, content_type=content_type)
    with pytest.raises(errors.PatchError) as caught:
        patched(live, content_type, patch)
    refusal = caught.value
    assert (status, answer.get("reason", "")) == (refusal.status, refusal.reason)
    assert without_values(answer["message"]).startswith(refusal.answer)


def apply_with_kubectl(where: cluster.Cluster, namespace: str, obj: Doc) -> None:
    kubectl = pathlib.Path(sys.executable).with_name("kubectl")
    command = [str(kubectl), "apply", "-n", namespace, "--kubeconfig", where.kubeconfig_path, "-f", "-"]
    subprocess.run(command, input=json.dumps(obj).encode(), check=True, capture_output=True, timeout=180)


def sent_patches(where: cluster.Cluster, namespace: str) -> list[Doc]:
    return [
        entry["requestObject"]
        for entry in audit.entries(where, namespace)
        if entry["verb"] == "patch" and "kubectl" in entry["userAgent"]
    ]


def edited(rng: random.Random, obj: Doc) -> Doc:
    """Return the deployment with a few of its parts changed, as an author or another client would."""
    result: Doc = json.loads(json.dumps(obj))
    spec, pod = result["spec"], result["spec"]["template"]["spec"]
    edits: list[Callable[[], object]] = [
        lambda: spec.update(replicas=rng.randint(3, 9)),
        lambda: spec.pop("replicas"),
        lambda: result["metadata"].setdefault("labels", {}).update({rng.choice("abc"): rng.choice("xyz")}),
        lambda: result["metadata"].pop("labels"),
        lambda: pod["containers"].append(container(rng.choice(["side", "extra"]))),
        lambda: pod["containers"].pop(-1),
        lambda: pod["containers"].sort(key=lambda item: item["image"]),
        lambda: pod["containers"][0].update(image="example.com/other:2"),
        lambda: pod["containers"][0].pop("env", None),
        lambda: pod["containers"][0].setdefault("env", []).append({"name": rng.choice("XYZ"), "value": "9"}),
        lambda: pod.update(volumes=[{"name": "v", "configMap": {"name": "c"}}]),
        lambda: spec.update(strategy={"type": "Recreate"}),
        lambda: pod.update(tolerations=[{"key": "k", "operator": "Exists"}]),
        lambda: spec["template"]["metadata"].update(annotations={"at": rng.choice("123")}),
    ]
    for edit in rng.sample(edits, 4):
        edit()
    return result


@pytest.mark.parametrize("seed", range(12))
def test_kubectl_apply_sends_the_patch_we_compute(
    seed: int, api: Api, namespace: str, real_cluster: cluster.Cluster
) -> None:
    rng = random.Random(seed)
    original = deployment()
    apply_with_kubectl(real_cluster, namespace, original)
    path = f"{COLLECTIONS['Deployment'].format(namespace)}/web"
    current = api.ok("PUT", path, edited(rng, api.ok("GET", path)))
    modified = edited(rng, original)
    apply_with_kubectl(real_cluster, namespace, modified)
    audit.settle(api, namespace)
    patches = sent_patches(real_cluster, namespace)
    applied = api.ok("GET", path)["metadata"]["annotations"]
    last_applied = "kubectl.kubernetes.io/last-applied-configuration"
    modified["metadata"].update(namespace=namespace, annotations={last_applied: applied[last_applied]})
    original = json.loads(current["metadata"]["annotations"][last_applied])
    ours = strategic.three_way(original, modified, current, builtin.for_kind(gvk_of(modified)))
    assert [ours] == patches
