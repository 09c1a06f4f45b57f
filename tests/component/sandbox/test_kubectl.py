"""The real kubectl against the sandbox: everything a user of a small cluster does."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import urllib.error
import urllib.request

import aiohttp
import pytest

from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.server import Sandbox
from syncline.sandbox.serving.http import Served, serve
from syncline.sandbox.serving.kubeconfig import kubeconfig
from tests.component.sandbox.conftest import Kubectl
from tests.support.clocks import LoopClock, SeededIds

pytestmark = pytest.mark.timeout(180)
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
    assert "successfully rolled out" in kubectl.run("rollout", "status", "deploy/shop", "--timeout=60s")
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
    kubectl.run("rollout", "status", "deploy/tuned", "--timeout=60s")
    history = kubectl.run("rollout", "history", "deploy/tuned")
    assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
    kubectl.run("rollout", "undo", "deploy/tuned")
    kubectl.run("rollout", "status", "deploy/tuned", "--timeout=60s")
    live = json.loads(kubectl.run("get", "deploy", "tuned", "-o", "json"))
    assert live["metadata"]["labels"]["tier"] == "web"
    assert live["metadata"]["annotations"]["note"] == "hello"
    assert live["spec"]["replicas"] == 3
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "example/app:1"


def test_namespaces_come_and_go(kubectl: Kubectl) -> None:
    kubectl.run("create", "namespace", "team")
    kubectl.run("create", "configmap", "c", "-n", "team", "--from-literal=a=b")
    assert "configmap/c" in kubectl.run("get", "cm", "-n", "team", "-o", "name")
    kubectl.run("delete", "namespace", "team", "--timeout=60s")
    assert 'namespaces "team" not found' in kubectl.run("get", "ns", "team", code=1)
    missing = kubectl.run("create", "configmap", "c", "-n", "team", "--from-literal=a=b", code=1)
    assert 'namespaces "team" not found' in missing


def test_wait_logs_and_events_of_pods(kubectl: Kubectl) -> None:
    kubectl.run("run", "talker", "--image=example/talk:1")
    kubectl.run("wait", "--for=condition=Ready", "pod/talker", "--timeout=60s")
    assert kubectl.run("logs", "talker") == "hello from the sandbox\n"
    assert re.search(r"Normal +Started +Pod/talker +Started container talker", kubectl.run("events"))
    kubectl.run("run", "broken", "--image=example/app:missing")
    kubectl.run("wait", "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ErrImagePull", "pod/broken")
    described = kubectl.run("describe", "pod", "broken")
    assert 'Failed to pull image "example/app:missing": rpc error: code = NotFound' in described
    assert 'pod "talker" deleted' in kubectl.run("delete", "pod", "talker", "--timeout=60s")


def test_custom_kinds_are_discovered_and_explained(kubectl: Kubectl) -> None:
    kubectl.run("apply", "-f", "-", given=WIDGETS)
    kubectl.run("wait", "--for=condition=Established", "crd/gauges.kubectl.example", "--timeout=60s")
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


def test_edit_stores_what_the_editor_leaves(kubectl: Kubectl) -> None:
    kubectl.run("apply", "-f", "-", given=named(SETTINGS, "edited"))
    assert kubectl.run("edit", "cm", "edited", editor="sed -i s/fast/slow/") == "configmap/edited edited\n"
    assert kubectl.run("get", "cm", "edited", "-o", "jsonpath={.data}") == '{"color":"red","mode":"slow"}'


def test_delete_takes_names_labels_and_files(kubectl: Kubectl) -> None:
    for name in ("gone-one", "gone-two", "gone-three"):
        kubectl.run("apply", "-f", "-", given=named(SETTINGS, name))
    kubectl.run("label", "cm", "gone-two", "gone-three", "going=yes")
    assert kubectl.run("delete", "cm", "gone-one") == 'configmap "gone-one" deleted from default namespace\n'
    deleted = kubectl.run("delete", "cm", "-l", "going=yes")
    assert sorted(line.split()[1] for line in deleted.splitlines()) == ['"gone-three"', '"gone-two"']
    kubectl.run("delete", "-f", "-", "--ignore-not-found", given=named(SETTINGS, "gone-one"))
    assert 'configmaps "gone-two" not found' in kubectl.run("delete", "cm", "gone-two", code=1)


def test_rollouts_restart_pause_and_resume(kubectl: Kubectl) -> None:
    kubectl.run("create", "deployment", "rolling", "--image=example/app:1", "--replicas=1")
    kubectl.run("rollout", "status", "deploy/rolling", "--timeout=60s")
    kubectl.run("rollout", "pause", "deploy/rolling")
    kubectl.run("set", "image", "deploy/rolling", "app=example/app:2")
    image = "jsonpath={.items[*].spec.containers[*].image}"
    assert kubectl.run("get", "pods", "-l", "app=rolling", "-o", image) == "example/app:1"
    kubectl.run("rollout", "resume", "deploy/rolling")
    kubectl.run("rollout", "status", "deploy/rolling", "--timeout=60s")
    kubectl.run("rollout", "restart", "deploy/rolling")
    kubectl.run("rollout", "status", "deploy/rolling", "--timeout=60s")
    assert "example/app:2" in kubectl.run("rollout", "history", "deploy/rolling", "--revision=3")


@pytest.mark.parametrize("kind", ["DaemonSet", "StatefulSet"])
def test_sets_are_rolled_back(kubectl: Kubectl, kind: str) -> None:
    name = f"back-{kind.lower()}"
    body = WEB.replace("NAME", name).replace("kind: Deployment", f"kind: {kind}")
    kubectl.run("apply", "-f", "-", given=body if kind == "StatefulSet" else body.replace("  replicas: 2\n", ""))
    which = f"{kind.lower()}/{name}"
    kubectl.run("rollout", "status", which, "--timeout=60s")
    kubectl.run("set", "image", which, "app=example/app:2")
    kubectl.run("rollout", "status", which, "--timeout=60s")
    kubectl.run("rollout", "undo", which)
    kubectl.run("rollout", "status", which, "--timeout=60s")
    lines = kubectl.run("rollout", "history", which).splitlines()
    assert [line.split()[0] for line in lines[2:] if line] == ["2", "3"]
    image = "jsonpath={.spec.template.spec.containers[*].image}"
    assert kubectl.run("get", which, "-o", image) == "example/app:1"


def test_autoscalers_and_services_are_made_and_described(kubectl: Kubectl) -> None:
    kubectl.run("create", "deployment", "busy", "--image=example/app:1", "--port=80")
    kubectl.run("autoscale", "deployment", "busy", "--min=1", "--max=3", "--cpu=50%")
    kubectl.run("expose", "deployment", "busy")
    old, share = "horizontalpodautoscalers.v1.autoscaling", "jsonpath={.spec.targetCPUUtilizationPercentage}"
    assert kubectl.run("get", old, "busy", "-o", share) == "50"
    assert "Deployment/busy" in kubectl.run("get", "hpa", "busy")
    assert "Deployment/busy" in kubectl.run("describe", "hpa", "busy")
    assert "app=busy" in kubectl.run("describe", "service", "busy")


def test_events_of_both_groups_are_listed(kubectl: Kubectl) -> None:
    kubectl.run("run", "seen", "--image=example/app:1")
    kubectl.run("wait", "--for=condition=Ready", "pod/seen", "--timeout=60s")
    for resource in ("events", "events.events.k8s.io"):
        assert "pod/seen" in kubectl.run("get", resource)
    assert "Started container seen" in kubectl.run("events", "--for=pod/seen")


def test_quotas_and_limits_hold(kubectl: Kubectl) -> None:
    kubectl.run("create", "namespace", "tight")
    kubectl.run("create", "quota", "small", "-n", "tight", "--hard=configmaps=2")
    kubectl.run("wait", "--for=jsonpath={.status.used.configmaps}=1", "quota/small", "-n", "tight", "--timeout=60s")
    kubectl.run("create", "configmap", "a", "-n", "tight")
    refused = kubectl.run("create", "configmap", "b", "-n", "tight", code=1)
    assert "exceeded quota: small, requested: configmaps=1, used: configmaps=2, limited: configmaps=2" in refused
    assert re.search(r"configmaps +2 +2", kubectl.run("describe", "quota", "small", "-n", "tight"))


def test_a_node_is_cordoned_drained_and_opened_again(kubectl: Kubectl) -> None:
    node = kubectl.run("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")
    kubectl.run("taint", "nodes", node, "key=value:PreferNoSchedule")
    assert f"node/{node} cordoned" in kubectl.run("cordon", node)
    kubectl.run("run", "leaving", "--image=example/app:1")
    assert "FailedScheduling" in kubectl.run("events", "--for=pod/leaving", "--types=Warning")
    assert f"node/{node} uncordoned" in kubectl.run("uncordon", node)
    kubectl.run("wait", "--for=condition=Ready", "pod/leaving", "--timeout=60s")
    kubectl.run("taint", "nodes", node, "key-")
    assert "Ready" in kubectl.run("describe", "node", node)


def test_questions_about_oneself_are_answered(kubectl: Kubectl) -> None:
    assert "admin" in kubectl.run("auth", "whoami")
    kubectl.run("create", "role", "reader", "--verb=get,list", "--resource=pods")
    kubectl.run("create", "rolebinding", "reader", "--role=reader", "--user=ann")
    assert kubectl.run("auth", "can-i", "list", "pods", "--as=ann") == "yes\n"
    assert kubectl.run("auth", "can-i", "delete", "pods", "--as=ann", code=1) == "no\n"
    listed = kubectl.run("auth", "can-i", "--list", "--as=ann")
    assert re.search(r"pods +\[\] +\[\] +\[get list\]", listed)
    refused = kubectl.run("get", "secrets", "--as=ann", code=1)
    assert 'User "ann" cannot list resource "secrets" in API group "" in the namespace "default"' in refused
    kubectl.run("create", "serviceaccount", "robot")
    assert kubectl.run("create", "token", "robot").strip()


def test_replace_create_and_raw_paths(kubectl: Kubectl) -> None:
    kubectl.run("create", "-f", "-", given=named(SETTINGS, "replaced"))
    assert "already exists" in kubectl.run("create", "-f", "-", given=named(SETTINGS, "replaced"), code=1)
    kubectl.run("replace", "-f", "-", given=named(SETTINGS, "replaced").replace("red", "green"))
    raw = json.loads(kubectl.run("get", "--raw", "/api/v1/namespaces/default/configmaps/replaced"))
    assert raw["data"] == {"mode": "fast", "color": "green"}
    forced = ("diff", "--server-side", "--force-conflicts", "-f", "-")
    shown = kubectl.run(*forced, given=named(SETTINGS, "replaced"), code=1)
    assert "-  color: green" in shown
    assert "+  color: red" in shown


def test_rules_of_custom_kinds_are_enforced(kubectl: Kubectl) -> None:
    rule = "x-kubernetes-validations: [{rule: self.least <= self.most, message: least must not exceed most}]"
    sizes = "least: {type: integer}, most: {type: integer}"
    schema = f"spec: {{type: object, {rule}, properties: {{{sizes}}}}}"
    meters = WIDGETS.replace("gauges", "meters").replace("Gauge", "Meter").replace("[ga]", "[me]")
    meters = re.sub(r"spec: \{type: object, properties.*", schema, meters)
    kubectl.run("apply", "-f", "-", given=meters)
    kubectl.run("wait", "--for=condition=Established", "crd/meters.kubectl.example", "--timeout=60s")
    meter = "apiVersion: kubectl.example/v1\nkind: Meter\nmetadata: {name: one}\nspec: {least: 3, most: 2}\n"
    refused = kubectl.run("apply", "-f", "-", given=meter, code=1)
    assert 'The Meter "one" is invalid: spec: Invalid value: least must not exceed most' in refused


def test_a_wrong_token_is_refused(served: Served) -> None:
    trusted = ssl.create_default_context(cadata=served.authority)

    def answer(path: str, token: str) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(served.address + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30, context=trusted) as found:
                return found.status, json.loads(found.read())["kind"]
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read())["message"]

    assert answer("/api", "wrong") == (401, "Unauthorized")
    for path in ("/api", f"/access/{served.token}/api"):
        assert answer(path, "") == (403, f'forbidden: User "system:anonymous" cannot get path "{path}"')
    assert answer("/api", served.token) == (200, "APIVersions")


def test_without_tls_the_token_may_stand_in_the_path() -> None:
    async def story() -> list[int]:
        sandbox = Sandbox(LoopClock(), SeededIds(), settings=SandboxSettings(simulate=False))
        await sandbox.start()
        async with serve(sandbox) as plain, aiohttp.ClientSession() as session:
            paths = ("/api", "/access/wrong/api", f"/access/{plain.token}/api")
            codes = [(await session.get(plain.address + path)).status for path in paths]
            headers = {"Authorization": f"Bearer {plain.token}"}
            codes.append((await session.get(f"{plain.address}/api", headers=headers)).status)
            server = kubeconfig(plain)["clusters"][0]["cluster"]
            assert server == {"server": f"{plain.address}/access/{plain.token}"}
        await sandbox.stop()
        return codes

    assert asyncio.run(story()) == [403, 403, 200, 200]
