"""The real kubectl against the sandbox: everything a user of a small cluster does."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import pytest

from syncline.sandbox.http import Served
from tests.component.sandbox.conftest import Kubectl

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, labels: {team: a}}
spec:
  replicas: 2
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers: [{name: app, image: "example/app:1"}]
"""
SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME}
data: {mode: fast, color: red}
"""
WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gauges.kubectl.example}
spec:
  group: kubectl.example
  scope: Namespaced
  names: {plural: gauges, kind: Gauge, shortNames: [ga]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, description: How large it is}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""


def named(manifest: str, name: str) -> str:
    return manifest.replace("NAME", name)


def test_apply_rolls_out_and_get_shows_it(kubectl: Kubectl) -> None:
    assert kubectl.run("apply", "-f", "-", given=named(WEB, "shop")) == "deployment.apps/shop created\n"
    assert "successfully rolled out" in kubectl.run("rollout", "status", "deploy/shop", "--timeout=10s")
    rows = [line.split() for line in kubectl.run("get", "deploy", "shop", "-o", "wide").splitlines()]
    assert rows[0] == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"]
    assert rows[1][:4] == ["shop", "2/2", "2", "2"]
    assert rows[1][5:] == ["app", "example/app:1", "app=shop"]
    assert kubectl.run("apply", "-f", "-", given=named(WEB, "shop")) == "deployment.apps/shop unchanged\n"
    images = kubectl.run("get", "pods", "-l", "app=shop", "-o", "jsonpath={.items[*].spec.containers[0].image}")
    assert images == "example/app:1 example/app:1"
    assert "kind: Deployment" in kubectl.run("get", "deploy", "shop", "-o", "yaml")
    described = kubectl.run("describe", "deploy", "shop")
    assert re.search(r"Available +True +MinimumReplicasAvailable", described)
    assert re.search(r"ScalingReplicaSet .* Scaled up replica set shop-\w+ from 0 to 2", described)


def test_server_side_apply_reports_conflicts_in_full(kubectl: Kubectl) -> None:
    ours = named(SETTINGS, "common")
    assert "serverside-applied" in kubectl.run("apply", "--server-side", "-f", "-", given=ours)
    theirs = ours.replace("red", "blue")
    refused = kubectl.run("apply", "--server-side", "--field-manager=other", "-f", "-", given=theirs, code=1)
    assert 'conflict with "kubectl": .data.color' in refused
    forced = ("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", "-")
    kubectl.run(*forced, given=theirs)
    assert kubectl.run("get", "cm", "common", "-o", "jsonpath={.data.color}") == "blue"


def test_diff_shows_what_would_change(kubectl: Kubectl) -> None:
    kubectl.run("apply", "-f", "-", given=named(SETTINGS, "differing"))
    assert kubectl.run("diff", "-f", "-", given=named(SETTINGS, "differing")) == ""
    shown = kubectl.run("diff", "-f", "-", given=named(SETTINGS, "differing").replace("fast", "slow"), code=1)
    assert "-  mode: fast" in shown
    assert "+  mode: slow" in shown


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("merge", '{"data":{"mode":"slow"}}'),
        ("strategic", '{"data":{"mode":"slow"}}'),
        ("json", '[{"op":"replace","path":"/data/mode","value":"slow"}]'),
    ],
)
def test_patch_of_every_type(kubectl: Kubectl, kind: str, patch: str) -> None:
    name = f"patched-{kind}"
    kubectl.run("apply", "-f", "-", given=named(SETTINGS, name))
    kubectl.run("patch", "cm", name, f"--type={kind}", "-p", patch)
    assert kubectl.run("get", "cm", name, "-o", "jsonpath={.data.mode}") == "slow"


def test_labels_annotations_scale_and_images(kubectl: Kubectl) -> None:
    kubectl.run("create", "deployment", "tuned", "--image=example/app:1")
    kubectl.run("label", "deploy", "tuned", "tier=web")
    kubectl.run("annotate", "deploy", "tuned", "note=hello")
    kubectl.run("scale", "deploy", "tuned", "--replicas=3")
    kubectl.run("set", "image", "deploy/tuned", "app=example/app:2")
    kubectl.run("rollout", "status", "deploy/tuned", "--timeout=10s")
    history = kubectl.run("rollout", "history", "deploy/tuned")
    assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
    kubectl.run("rollout", "undo", "deploy/tuned")
    kubectl.run("rollout", "status", "deploy/tuned", "--timeout=10s")
    live = json.loads(kubectl.run("get", "deploy", "tuned", "-o", "json"))
    assert live["metadata"]["labels"]["tier"] == "web"
    assert live["metadata"]["annotations"]["note"] == "hello"
    assert live["spec"]["replicas"] == 3
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "example/app:1"


def test_namespaces_come_and_go(kubectl: Kubectl) -> None:
    kubectl.run("create", "namespace", "team")
    kubectl.run("create", "configmap", "c", "-n", "team", "--from-literal=a=b")
    assert "configmap/c" in kubectl.run("get", "cm", "-n", "team", "-o", "name")
    kubectl.run("delete", "namespace", "team", "--timeout=10s")
    assert 'namespaces "team" not found' in kubectl.run("get", "ns", "team", code=1)
    missing = kubectl.run("create", "configmap", "c", "-n", "team", "--from-literal=a=b", code=1)
    assert 'namespaces "team" not found' in missing


def test_wait_logs_and_events_of_pods(kubectl: Kubectl) -> None:
    kubectl.run("run", "talker", "--image=example/talk:1")
    kubectl.run("wait", "--for=condition=Ready", "pod/talker", "--timeout=10s")
    assert kubectl.run("logs", "talker") == "hello from the sandbox\n"
    assert re.search(r"Normal +Started +Pod/talker +Started container talker", kubectl.run("events"))
    kubectl.run("run", "broken", "--image=example/app:missing")
    kubectl.run("wait", "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ErrImagePull", "pod/broken")
    described = kubectl.run("describe", "pod", "broken")
    assert 'Failed to pull image "example/app:missing": rpc error: code = NotFound' in described
    assert 'pod "talker" deleted' in kubectl.run("delete", "pod", "talker", "--timeout=10s")


def test_custom_kinds_are_discovered_and_explained(kubectl: Kubectl) -> None:
    kubectl.run("apply", "-f", "-", given=WIDGETS)
    kubectl.run("wait", "--for=condition=Established", "crd/gauges.kubectl.example", "--timeout=5s")
    gauge = "apiVersion: kubectl.example/v1\nkind: Gauge\nmetadata: {name: one}\nspec: {size: 3}\n"
    kubectl.run("apply", "-f", "-", given=gauge)
    assert [line.split() for line in kubectl.run("get", "ga").splitlines()] == [["NAME", "SIZE"], ["one", "3"]]
    assert "How large it is" in kubectl.run("explain", "gauge.spec.size")
    unknown = kubectl.run("apply", "-f", "-", given=gauge.replace("size", "sise"), code=1)
    assert 'unknown field "spec.sise"' in unknown


def test_api_resources_and_explain_of_built_in_kinds(kubectl: Kubectl) -> None:
    listed = {line.split()[0] for line in kubectl.run("api-resources", "--verbs=list", "-o", "name").splitlines()}
    assert {"configmaps", "deployments.apps", "jobs.batch", "pods", "services"} <= listed
    explained = kubectl.run("explain", "deployment.spec.strategy.rollingUpdate.maxSurge")
    assert "FIELD: maxSurge <IntOrString>" in explained


def test_questions_about_rights_and_versions(kubectl: Kubectl) -> None:
    assert kubectl.run("auth", "can-i", "delete", "pods") == "yes\n"
    assert kubectl.run("auth", "can-i", "get", "pods", "--as=nobody", code=1).startswith("no")
    assert "Server Version: v1.37.1" in kubectl.run("version")


def test_a_wrong_token_is_refused(served: Served) -> None:
    for path, headers in (("/api", {}), ("/access/wrong/api", {}), ("/api", {"Authorization": "Bearer wrong"})):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(served.address + path, headers=headers), timeout=5)
        assert refused.value.code == 401
        assert json.loads(refused.value.read())["message"] == "Unauthorized"
    bearer = {"Authorization": f"Bearer {served.token}"}
    with urllib.request.urlopen(urllib.request.Request(served.address + "/api", headers=bearer), timeout=5) as answer:
        assert answer.status == 200
