"""Webhooks as the real API server calls them, and as the sandbox does: one HTTPS server answers both."""

from __future__ import annotations

import base64
import functools
import json
import pathlib
import re
import tempfile
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from syncline.sandbox.access.rbac import User
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.server import Sandbox
from tests.real import api as client
from tests.real import certificates
from tests.support import hooked
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops.running import run_real

GROUP = "/apis/admissionregistration.k8s.io/v1"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"], "scope": "*"}
WRITES = {**RULE, "operations": ["CREATE", "UPDATE"]}
MUTATING, VALIDATING = "mutatingwebhookconfigurations", "validatingwebhookconfigurations"
_ADMIN = User("admin", ("system:masters", "system:authenticated"))

OTHER_BUNDLE, NO_BUNDLE = "of another authority", "no certificate"
CASES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "allows": (VALIDATING, [{"at": "allow"}]),
    "warns": (VALIDATING, [{"at": "warn"}]),
    "denies": (VALIDATING, [{"at": "deny"}]),
    "denies without a word": (VALIDATING, [{"at": "deny-bare"}]),
    "is told of the request": (VALIDATING, [{"at": "shape"}]),
    "changes": (MUTATING, [{"at": "label"}]),
    "changes twice": (MUTATING, [{"at": "count", "rules": [WRITES]}, {"at": "count", "rules": [WRITES]}]),
    "is called again": (
        MUTATING,
        [{"at": "count", "rules": [WRITES], "reinvocationPolicy": "IfNeeded"}, {"at": "count", "rules": [WRITES]}],
    ),
    "patches what is not there": (MUTATING, [{"at": "bad-patch"}]),
    "is told before a change": (MUTATING, [{"at": "shape"}]),
    "is broken": (VALIDATING, [{"at": "broken"}]),
    "is broken and ignored": (VALIDATING, [{"at": "broken", "failurePolicy": "Ignore"}]),
    "answers nothing": (VALIDATING, [{"at": "empty"}]),
    "answers another question": (VALIDATING, [{"at": "wrong-id"}]),
    "is slow": (VALIDATING, [{"at": "slow", "timeoutSeconds": 1}]),
    "is slow and ignored": (VALIDATING, [{"at": "slow", "timeoutSeconds": 1, "failurePolicy": "Ignore"}]),
    "asks for other objects": (VALIDATING, [{"at": "deny", "objectSelector": {"matchLabels": {"a": "b"}}}]),
    "asks for these objects": (VALIDATING, [{"at": "deny", "objectSelector": {"matchLabels": {"app": "web"}}}]),
    "asks on a condition": (
        VALIDATING,
        [{"at": "deny", "matchConditions": [{"name": "a", "expression": "request.operation == 'UPDATE'"}]}],
    ),
    "fails on a condition": (
        VALIDATING,
        [{"at": "deny", "matchConditions": [{"name": "a", "expression": "object.nope == 'x'"}]}],
    ),
    "fails on a condition and is ignored": (
        VALIDATING,
        [
            {
                "at": "deny",
                "failurePolicy": "Ignore",
                "matchConditions": [{"name": "a", "expression": "object.nope == 'x'"}],
            }
        ],
    ),
    "asks on a condition that another settles": (
        VALIDATING,
        [
            {
                "at": "deny",
                "matchConditions": [
                    {"name": "a", "expression": "object.nope == 'x'"},
                    {"name": "b", "expression": "false"},
                ],
            }
        ],
    ),
    "asks who is allowed to": (
        VALIDATING,
        [
            {
                "at": "deny",
                "matchConditions": [
                    {
                        "name": "a",
                        "expression": "!authorizer.group('').resource('pods').namespace(request.namespace)"
                        ".check('get').allowed()",
                    }
                ],
            }
        ],
    ),
    "changes on a condition": (
        MUTATING,
        [{"at": "label", "matchConditions": [{"name": "a", "expression": "request.operation == 'CREATE'"}]}],
    ),
    "is signed by another authority": (VALIDATING, [{"at": "allow", "caBundle": OTHER_BUNDLE}]),
    "is signed by another authority and ignored": (
        VALIDATING,
        [{"at": "deny", "caBundle": OTHER_BUNDLE, "failurePolicy": "Ignore"}],
    ),
    "has a bundle without a certificate": (VALIDATING, [{"at": "allow", "caBundle": NO_BUNDLE}]),
    "has no bundle": (VALIDATING, [{"at": "allow", "caBundle": ""}]),
    "is not there": (VALIDATING, [{"at": "allow", "url": "https://127.0.0.1:9/allow"}]),
}


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    folder: pathlib.Path = tmp_path_factory.mktemp("hook")
    certificates.write(folder)
    with hooked.serving(folder) as port:
        yield port, base64.b64encode((folder / "ca.crt").read_bytes()).decode()


@functools.cache
def bundles() -> dict[str, str]:
    """Return bundles that do not fit the webhook's certificate."""
    with tempfile.TemporaryDirectory() as folder:
        certificates.write(pathlib.Path(folder))
        other = (pathlib.Path(folder) / "ca.crt").read_bytes()
    return {
        OTHER_BUNDLE: base64.b64encode(other).decode(),
        NO_BUNDLE: base64.b64encode(b"no certificate").decode(),
    }


def configuration(name: str, namespace: str, hooks: list[dict[str, Any]], hook: tuple[int, str]) -> dict[str, Any]:
    def one(index: int, given: dict[str, Any]) -> dict[str, Any]:
        rest = {key: value for key, value in given.items() if key not in ("at", "caBundle", "url")}
        client = {"url": given.get("url") or f"https://127.0.0.1:{hook[0]}/{given['at']}", "caBundle": hook[1]}
        if "caBundle" in given:
            client["caBundle"] = bundles().get(given["caBundle"], "")
        return {
            "name": f"h{index}.hooks.example.io",
            "clientConfig": {key: value for key, value in client.items() if value},
            "rules": [RULE],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **rest,
        }

    return {"metadata": {"name": name}, "webhooks": [one(*pair) for pair in enumerate(hooks)]}


def requests(namespace: str) -> list[tuple[str, str, dict[str, Any] | None]]:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    made = {"metadata": {"name": "one", "labels": {"app": "web"}}, "data": {"x": "1"}}
    return [
        ("POST", f"{path}?dryRun=All", made),
        ("POST", path, made),
        ("PUT", f"{path}/one", {**made, "data": {"x": "2"}}),
        ("DELETE", f"{path}/one", None),
    ]


def told(status: int, body: dict[str, Any], warnings: list[str], namespace: str) -> dict[str, Any]:
    """Return what is compared of an answer."""
    text = json.dumps([body.get("message"), body.get("reason"), (body.get("details") or {}).get("causes"), warnings])
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}", "UID", text.replace(namespace, "trial"))
    # Go adds a guess where two authorities have one name, as the two of this test have.
    text = re.sub(
        r" \(possibly because of .*? while trying to verify candidate authority certificate [^)]*\)", "", text
    )
    found = {"status": status, "told": text}
    if body.get("kind") == "ConfigMap":
        found |= {"data": body.get("data"), "labels": body["metadata"].get("labels")}
    return found


def of_real(api: client.Api, name: str, kind: str, hooks: list[dict[str, Any]], hook: tuple[int, str]) -> list[Any]:
    namespace = f"hooks-{uuid.uuid4().hex[:8]}"
    api.ok("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    api.ok("POST", f"{GROUP}/{kind}", configuration(name, namespace, hooks, hook))
    # A second one that is known to deny shows when the configurations are in force.
    probe = configuration(f"{name}-probe", namespace, [{"at": "deny"}], hook)
    probe["webhooks"][0]["rules"] = [{**RULE, "resources": ["secrets"]}]
    api.ok("POST", f"{GROUP}/{VALIDATING}", probe)
    for _ in range(600):
        secret = {"metadata": {"name": "probe"}}
        if api.request("POST", f"/api/v1/namespaces/{namespace}/secrets?dryRun=All", secret)[0] == 418:
            break
        time.sleep(0.1)
    time.sleep(1.0)  # the two kinds of configurations have a cache each
    try:
        return [
            told(*api.request(method, path, body), api.last_warnings, namespace)
            for method, path, body in requests(namespace)
        ]
    finally:
        api.ok("DELETE", f"{GROUP}/{kind}/{name}")
        api.ok("DELETE", f"{GROUP}/{VALIDATING}/{name}-probe")


def of_sandbox(name: str, kind: str, hooks: list[dict[str, Any]], hook: tuple[int, str]) -> list[Any]:
    async def run() -> list[Any]:
        sandbox = Sandbox(LoopClock(), SeededIds(0), settings=SandboxSettings(simulate=False))
        await sandbox.start()

        async def send(method: str, path: str, body: Any) -> tuple[int, Any, list[str]]:
            content = b"" if body is None else json.dumps(body).encode()
            answer = await sandbox.respond(method, path, {"content-type": "application/json"}, content, _ADMIN)
            warnings = [json.loads(value.partition(" - ")[2]) for key, value in answer.headers if key == "warning"]
            return answer.status, json.loads(answer.body), warnings

        try:
            await send("POST", "/api/v1/namespaces", {"metadata": {"name": "trial"}})
            status, body, _ = await send("POST", f"{GROUP}/{kind}", configuration(name, "trial", hooks, hook))
            assert status == 201, body
            return [told(*(await send(*one)), "trial") for one in requests("trial")]
        finally:
            await sandbox.stop()

    return run_real(run())  # unlike asyncio.run it also hangs up on the webhook's server


@pytest.mark.parametrize("case", CASES)
def test_both_servers_answer_alike_when_a_webhook(case: str, api: client.Api, hook: tuple[int, str]) -> None:
    kind, hooks = CASES[case]
    name = f"hooks-{uuid.uuid4().hex[:8]}"
    assert of_sandbox(name, kind, hooks, hook) == of_real(api, name, kind, hooks, hook)
