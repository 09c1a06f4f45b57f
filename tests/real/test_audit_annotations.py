"""What policies write into the audit record of a request, by the real API server and by the sandbox."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from tests.real import api as client
from tests.real import audit
from tests.unit.sandbox.driving import Kube, play

pytestmark = pytest.mark.real
GROUP = "/apis/admissionregistration.k8s.io/v1"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
PROBE = {"metadata": {"name": "probe"}, "data": {"x": "probe", "y": "1"}}
ASKED = {"metadata": {"name": "asked"}, "data": {"x": "1", "y": "2"}}


def policy(name: str, namespace: str) -> tuple[dict[str, Any], dict[str, Any]]:
    where = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}}}
    spec = {
        "matchConstraints": {"resourceRules": [RULE]},
        "validations": [
            {"expression": "true"},
            {"expression": "object.data.size() < 2", "messageExpression": "'many: ' + object.data.x"},
        ],
        "auditAnnotations": [
            {"key": "entries", "valueExpression": "'has ' + string(object.data.size())"},
            {"key": "none", "valueExpression": "object.data.x == '1' ? ' ' : 'x'"},
        ],
    }
    bound = {"policyName": name, "validationActions": ["Warn", "Audit"], "matchResources": where}
    return {"metadata": {"name": name}, "spec": spec}, {"metadata": {"name": name}, "spec": bound}


def about(name: str, annotations: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in annotations.items() if "policy" in key or name in key}


def by_server(api: client.Api, name: str) -> dict[str, str]:
    api.ok("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    given, bound = policy(name, name)
    api.ok("POST", f"{GROUP}/validatingadmissionpolicies", given)
    api.ok("POST", f"{GROUP}/validatingadmissionpolicybindings", bound)
    path = f"/api/v1/namespaces/{name}/configmaps"
    for _ in range(600):  # policies are read from a cache that follows a moment later
        if api.warnings("POST", f"{path}?dryRun=All", PROBE):
            break
        time.sleep(0.1)
    api.ok("POST", path, ASKED)
    audit.settle(api, name)
    for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
        api.ok("DELETE", f"{GROUP}/{kind}/{name}")
    [entry] = [
        one
        for one in audit.entries(api.cluster, name)
        if one["verb"] == "create" and one["objectRef"].get("name") == "asked"
    ]
    return about(name, entry["annotations"])


def by_sandbox(name: str) -> dict[str, str]:
    async def story(kube: Kube) -> dict[str, str]:
        given, bound = policy(name, "default")
        await kube.create(f"{GROUP}/validatingadmissionpolicies", given)
        await kube.create(f"{GROUP}/validatingadmissionpolicybindings", bound)
        seen: list[Any] = []
        kube.sandbox.on_request = seen.append
        await kube.create("/api/v1/namespaces/default/configmaps", ASKED)
        return about(name, seen[-1].annotations)

    return play(story)


def test_both_write_the_same_into_the_record(api: client.Api) -> None:
    name = f"audited-{uuid.uuid4().hex[:8]}"
    right, found = by_server(api, name), by_sandbox(name)
    assert f"{name}/entries" in right
    failures = "validation.policy.admission.k8s.io/validation_failure"
    assert json.loads(found.pop(failures)) == json.loads(right.pop(failures))
    assert found == right
