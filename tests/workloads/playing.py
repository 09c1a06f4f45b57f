"""Plays a workload story on a cluster and returns what was seen there, masked.

A cluster is a function that sends a request and one that lets time pass: the sandbox in virtual time
(`tests.workloads.embedded`) or a real control plane (`tests.workloads.served`). What happened in between is read from
watches that begin before the first step, so nothing is missed and nothing is polled for.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from tests.workloads import masking
from tests.workloads.steps import CLUSTER_WIDE, SERVED, Json, Look, Pause, Send, Step, Story, Until

# Virtual or real seconds; only a story that hangs needs them all.
PATIENCE = 90.0
_WATCHED = ("pods", "replicasets", "controllerrevisions", "jobs", "events")

Ask = Callable[[str, str, Any, str], Awaitable[tuple[int, Any]]]
"""Sends method, path, body and content type; a watch answers a list of its notifications."""


class Unfinished(Exception):
    """A wait of a story took too long."""


class Played:
    """One story on one cluster."""

    def __init__(self, story: Story, ask: Ask, *, namespace: str, quiet: float) -> None:
        self._story = story
        self._ask = ask
        self._namespace = namespace
        self._quiet = quiet

    async def run(self) -> Json:
        """Play the story and return what was seen."""
        begin = await self._start()
        looks: dict[str, Json] = {}
        try:
            for step in self._story.steps:
                await self._step(step, looks)
            looks["end"] = await self._look()
            history = {plural: await self._history(plural, begin) for plural in _WATCHED}
        finally:
            await self._tidy()
        return masking.masked(self._story, looks, history, self._namespace)

    async def _start(self) -> str:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}}
        status, made = await self._ask("POST", "/api/v1/namespaces", body, "application/json")
        assert status == 201, made
        await self._until(Until("serviceaccounts/default", "metadata.name", "default"))
        await self._until(Until("configmaps/kube-root-ca.crt", "metadata.name", "kube-root-ca.crt"))
        return str(made["metadata"]["resourceVersion"])

    async def _tidy(self) -> None:
        for resource in self._story.cluster_wide:
            await self._ask("DELETE", self._path(resource), None, "application/json")
        await self._ask("DELETE", f"/api/v1/namespaces/{self._namespace}", None, "application/json")

    async def _step(self, step: Step, looks: dict[str, Json]) -> None:
        match step:
            case Send():
                await self._send(step)
            case Until():
                await self._until(step)
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Look(name):
                looks[name] = await self._look()

    async def _send(self, step: Send) -> None:
        path = self._path(step.resource) + (f"?{step.query}" if step.query else "")
        body = None if step.body is None else json.loads(self._own(json.dumps(step.body)))
        status, answer = await self._ask(step.method, path, body, step.content_type)
        right = status == step.code if step.code else 200 <= status < 300
        assert right, f"{step.method} {path}: {status} {json.dumps(answer)[:1000]}"

    async def _until(self, step: Until) -> None:
        waited = 0.0
        while not await self._holds(step):
            if waited > PATIENCE:
                _, found = await self._ask("GET", self._path(step.resource), None, "")
                raise Unfinished(f"{step} does not come true: {json.dumps(found)[:3000]}")
            await asyncio.sleep(0.1)
            waited += 0.1

    async def _holds(self, step: Until) -> bool:
        status, found = await self._ask("GET", self._path(step.resource), None, "")
        if "/" not in step.resource and step.resource != "..":
            return bool(len(found["items"]) == step.value)
        if step.value is None and not step.field:
            return status == 404
        return status == 200 and bool(_at(found, step.field) == step.value)

    async def _look(self) -> Json:
        """Wait until nothing has changed for a while; return all objects by resource."""
        before = await self._everything()
        while True:
            await asyncio.sleep(self._quiet)
            after = await self._everything()
            if _versions(after) == _versions(before):
                return after
            before = after

    async def _everything(self) -> Json:
        found = {}
        for plural in {*self._story.looks_at, "pods"}:
            status, answer = await self._ask("GET", self._path(plural), None, "")
            if plural == ".." or "/" in plural:
                found[plural] = [answer] if status == 200 else []
            else:
                found[plural] = answer["items"]
        return found

    async def _history(self, plural: str, begin: str) -> list[Json]:
        """Return every notification about a resource since the story began."""
        path = f"{self._path(plural)}?watch=true&resourceVersion={begin}&timeoutSeconds=1"
        status, found = await self._ask("GET", path, None, "")
        assert status == 200, found
        return [one for one in found if one["type"] != "BOOKMARK"]

    def _path(self, resource: str) -> str:
        if resource == "..":
            return f"/api/v1/namespaces/{self._namespace}"
        plural, _, rest = self._own(resource).partition("/")
        if plural in CLUSTER_WIDE:
            return f"{CLUSTER_WIDE[plural]}/{plural}" + (f"/{rest}" if rest else "")
        base = f"{SERVED[plural]}/namespaces/{self._namespace}/{plural}"
        return f"{base}/{rest}" if rest else base

    def _own(self, text: str) -> str:
        return text.replace("trial", self._namespace)


def _versions(found: Json) -> list[tuple[str, str]]:
    return sorted(
        (one["metadata"]["uid"], one["metadata"]["resourceVersion"]) for each in found.values() for one in each
    )


def _at(obj: Any, path: str) -> Any:
    """Return a field by its dotted path; `conditions[Ready]` picks one by type, a missing number is 0."""
    for part in path.split("."):
        name, _, kind = part.partition("[")
        obj = (obj or {}).get(name.replace("~", "."))
        if kind:
            obj = next((one for one in obj or () if one.get("type") == kind.rstrip("]")), None)
    return obj
