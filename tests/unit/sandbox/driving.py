"""Drives a sandbox in virtual time through its transport, the way any client would."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

from syncline.ports.transport import Request, Response
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.server import Sandbox
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops import simulated

T = TypeVar("T")
Story = Callable[["Kube"], Awaitable[T]]
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


class Refused(Exception):
    """The server said no; carries its Status object."""

    def __init__(self, code: int, status: Any) -> None:
        super().__init__(status["message"] if isinstance(status, dict) else status)
        self.code = code
        self.status = status


class Kube:
    """A small client that speaks paths."""

    def __init__(self, sandbox: Sandbox, user: str = "admin", groups: tuple[str, ...] = ("system:masters",)) -> None:
        self.sandbox = sandbox
        self.clock = sandbox.backend.clock
        self.transport = sandbox.transport(user, groups)

    async def call(
        self, method: str, path: str, body: Any = None, *, content_type: str = "application/json", **query: Any
    ) -> Any:
        """Send a request and return the decoded answer; raises `Refused`."""
        if query:
            path = f"{path}?{urlencode(query)}"
        headers = {"Content-Type": content_type, "User-Agent": "tester/1.0"}
        content = b"" if body is None else json.dumps(body).encode()
        response = await self.transport.send(Request(method=method, path=path, headers=headers, body=content))
        answer = await response.read()
        decoded = json.loads(answer) if response.headers["content-type"] == "application/json" else answer.decode()
        if response.status >= 400:
            raise Refused(response.status, decoded)
        return decoded

    async def ask(self, path: str, accept: str) -> Response:
        """Return the answer to a request for a certain form."""
        return await self.transport.send(Request(method="GET", path=path, headers={"Accept": accept}))

    async def get(self, path: str, **query: Any) -> Any:
        return await self.call("GET", path, **query)

    async def create(self, path: str, body: Any, **query: Any) -> Any:
        return await self.call("POST", path, body, **query)

    async def put(self, path: str, body: Any, **query: Any) -> Any:
        return await self.call("PUT", path, body, **query)

    async def merge(self, path: str, body: Any, **query: Any) -> Any:
        return await self.call("PATCH", path, body, content_type=MERGE, **query)

    async def apply(self, path: str, body: Any, **query: Any) -> Any:
        query.setdefault("fieldManager", "tester")
        return await self.call("PATCH", path, body, content_type=APPLY, **query)

    async def delete(self, path: str, body: Any = None, **query: Any) -> Any:
        return await self.call("DELETE", path, body, **query)

    async def names(self, path: str, **query: Any) -> list[str]:
        return [item["metadata"]["name"] for item in (await self.get(path, **query))["items"]]

    async def refusal(self, method: str, path: str, body: Any = None, **rest: Any) -> tuple[int, str, str]:
        """Return code, reason and message of a request that must fail."""
        try:
            answer = await self.call(method, path, body, **rest)
        except Refused as refused:
            return refused.code, refused.status.get("reason", ""), refused.status["message"]
        raise AssertionError(f"{method} {path} was not refused: {answer}")

    async def events(self, kind: str, namespace: str = "default") -> list[tuple[str, str]]:
        """Return reason and message of the events about a kind, oldest first."""
        found = (await self.get(f"/api/v1/namespaces/{namespace}/events"))["items"]
        about = [one for one in found if one["involvedObject"]["kind"] == kind]
        about.sort(key=lambda one: (one["firstTimestamp"], int(one["metadata"]["resourceVersion"])))
        return [(one["reason"], one["message"]) for one in about]

    async def until(self, path: str, holds: Callable[[Any], bool], *, seconds: float = 60.0) -> Any:
        """Look every tenth of a virtual second until something holds."""
        for _ in range(int(seconds * 10)):
            obj = await self.get(path)
            if holds(obj):
                return obj
            await self.clock.sleep(0.1)
        raise AssertionError(f"{path} did not get there in {seconds} s: {obj.get('status')}")


def play(story: Story[T], settings: SandboxSettings | None = None, *, seed: int = 0) -> T:
    """Run a story against a fresh sandbox in virtual time."""

    async def run() -> T:
        sandbox = Sandbox(LoopClock(), SeededIds(seed), settings=settings or SandboxSettings())
        await sandbox.start()
        await sandbox.settled()
        try:
            return await story(Kube(sandbox))
        finally:
            await sandbox.stop()

    return simulated.run_simulated(run, seed=seed)


def config_map(name: str = "settings", **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **rest.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **rest}


def pod_spec(image: str = "example/app:1", **rest: Any) -> dict[str, Any]:
    return {"containers": [{"name": "app", "image": image, **rest.pop("container", {})}], **rest}


def workload(
    kind: str = "Deployment", name: str = "web", *, image: str = "example/app:1", **spec: Any
) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec(image)}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **spec},
    }


def definition(**version: Any) -> dict[str, Any]:
    """Return a CRD for `widgets.example.io` with a status subresource."""
    size = {"type": "integer", "minimum": 1}
    color = {"type": "string", "default": "red", "enum": ["red", "blue"]}
    spec = {"type": "object", "required": ["size"], "properties": {"size": size, "color": color}}
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}}
    served = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": schema,
        "subresources": {"status": {}},
        **version,
    }
    names = {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.io"},
        "spec": {"group": "example.io", "scope": "Namespaced", "names": names, "versions": [served]},
    }


def widget(name: str = "one", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.io/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": 1, **spec}}


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
REPLICA_SETS = "/apis/apps/v1/namespaces/default/replicasets"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/example.io/v1/namespaces/default/widgets"
