"""Webhooks of the sandbox: where they are called, what is said of those that are not, and who waits for them."""

from __future__ import annotations

import base64
import json
from typing import Any

from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.hooks import Call, Reply
from tests.unit.sandbox.driving import DEPLOYMENTS, PODS, Kube, play, workload

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"
MAPS = "/api/v1/namespaces/default/configmaps"


def configured(client: dict[str, Any], resource: str = "configmaps", **more: Any) -> dict[str, Any]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]}
    hook = {"name": "check.example.io", "clientConfig": client, "rules": [rule], "sideEffects": "None"}
    return {"metadata": {"name": "check"}, "webhooks": [{**hook, "admissionReviewVersions": ["v1"], **more}]}


def label(**labels: str) -> dict[str, Any]:
    patch = [{"op": "add", "path": f"/metadata/labels/{name}", "value": value} for name, value in labels.items()]
    return {"allowed": True, "patch": base64.b64encode(json.dumps(patch).encode()).decode(), "patchType": "JSONPatch"}


def warnings(answer: Any) -> list[str]:
    return [value for name, value in answer.headers if name == "warning"]


async def post(kube: Kube, path: str, body: Any) -> Any:
    from syncline.sandbox.access.rbac import User

    headers = {"content-type": "application/json"}
    return await kube.sandbox.respond("POST", path, headers, json.dumps(body).encode(), User())


def test_a_service_is_called_at_the_address_the_cluster_file_gives() -> None:
    service = {"namespace": "shop", "name": "checker", "path": "/check", "port": 8443}
    settings = SandboxSettings(simulate=False, webhooks={"shop/checker": "127.0.0.1:9443"})
    calls: list[Call] = []

    async def caller(call: Call) -> Reply:
        calls.append(call)
        return Reply({"allowed": False, "status": {"message": "not this one"}})

    async def story(kube: Kube) -> Any:
        kube.sandbox.backend.hooks.caller = caller
        await kube.create(CONFIGURATIONS.format("validating"), configured({"service": service}))
        return await post(kube, MAPS, {"metadata": {"generateName": "one-"}})

    answer = play(story, settings)
    assert answer.status == 400
    assert json.loads(answer.body)["message"] == 'admission webhook "check.example.io" denied the request: not this one'
    [call] = calls
    assert (call.url, call.server_name) == ("https://127.0.0.1:9443/check?timeout=10s", "checker.shop.svc")
    assert call.shown_url == "https://checker.shop.svc:8443/check?timeout=10s"
    assert call.review["request"]["object"]["metadata"]["generateName"] == "one-"


def test_what_is_not_called_is_said() -> None:
    async def story(kube: Kube) -> Any:
        service = {"namespace": "shop", "name": "checker"}
        await kube.create(CONFIGURATIONS.format("validating"), configured({"service": service}))
        away = configured({"url": "https://hooks.example.com/check"})
        await kube.create(CONFIGURATIONS.format("mutating"), away)
        return await post(kube, MAPS, {"metadata": {"name": "one"}})

    answer = play(story, SandboxSettings(simulate=False))
    before = '299 - "the sandbox did not ask webhook \\"check.example.io\\": '
    assert answer.status == 201
    assert warnings(answer) == [
        f'{before}https://hooks.example.com/check is not on this machine"',
        f'{before}webhooks in the cluster file has no shop/checker"',
    ]


def test_pods_that_a_controller_makes_are_changed_too() -> None:
    asked: list[str] = []

    async def caller(call: Call) -> Reply:
        asked.append(call.review["request"]["userInfo"]["username"])
        return Reply(label(injected="yes"))

    async def story(kube: Kube) -> Any:
        kube.sandbox.backend.hooks.caller = caller
        client = {"url": "https://127.0.0.1:9443/inject"}
        await kube.create(CONFIGURATIONS.format("mutating"), configured(client, "pods"))
        await kube.create(DEPLOYMENTS, workload("Deployment", "web", replicas=2))
        await kube.clock.sleep(5)
        return (await kube.get(PODS))["items"]

    pods = play(story)
    assert [pod["metadata"]["labels"].get("injected") for pod in pods] == ["yes", "yes"]
    assert asked


def test_a_rule_about_another_version_gets_the_object_in_it_and_changes_it_there() -> None:
    calls: list[Call] = []
    add = [{"op": "add", "path": "/spec/targetCPUUtilizationPercentage", "value": 70}]
    patch = base64.b64encode(json.dumps(add).encode()).decode()

    async def caller(call: Call) -> Reply:
        calls.append(call)
        return Reply({"allowed": True, "patch": patch, "patchType": "JSONPatch"})

    async def story(kube: Kube) -> Any:
        kube.sandbox.backend.hooks.caller = caller
        client = {"url": "https://127.0.0.1:9443/change"}
        rule = {"apiGroups": ["autoscaling"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["*"]}
        for policy in ("Exact", "Equivalent"):
            path = CONFIGURATIONS.format("mutating")
            configuration = configured(client, rules=[rule], matchPolicy=policy)
            await kube.create(path, {**configuration, "metadata": {"name": policy.lower()}})
        target = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
        made = {"metadata": {"name": "web"}, "spec": {"maxReplicas": 3, "scaleTargetRef": target}}
        return await post(kube, "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", made)

    answer = play(story, SandboxSettings(simulate=False))
    assert answer.status == 201
    utilization = {"type": "Utilization", "averageUtilization": 70}
    assert json.loads(answer.body)["spec"]["metrics"] == [
        {"type": "Resource", "resource": {"name": "cpu", "target": utilization}}
    ]
    [call] = calls
    asked = call.review["request"]
    assert (asked["kind"]["version"], asked["requestKind"]["version"]) == ("v1", "v2")
    assert (asked["resource"]["version"], asked["requestResource"]["version"]) == ("v1", "v2")
    assert asked["object"]["apiVersion"] == "autoscaling/v1"
