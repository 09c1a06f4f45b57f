"""`syncline app sync`: asks for a sync and follows it wave by wave until it ends."""

from __future__ import annotations

import asyncio
from typing import Any

import click
import msgspec

from syncline import wiring
from syncline.apimachinery.keys import Object
from syncline.cli.app_get import rows_of, summary
from syncline.cli.applications import read_application, split_name
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource, Cluster


class SyncRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    name: str
    prune: bool
    revision: str
    wait: bool
    timeout: int


async def sync_application(request: SyncRequest, kubeconfig: str, context: str, namespace: str) -> int:
    """Start a sync; exit 0 when it succeeded, 1 when it failed or took too long."""
    namespace, name = split_name(request.name, namespace)
    async with wiring.connected(kubeconfig=kubeconfig, context=context) as (cluster, words):
        resource, obj = await read_application(cluster, namespace, name)
        if obj.get("operation"):
            raise NeedsUser(f"another operation is already in progress on {name}", hint=_progress(obj))
        click.echo(words, err=True)
        patch: dict[str, Any] = {
            "metadata": {"resourceVersion": obj["metadata"]["resourceVersion"]},
            "operation": _operation(request),
        }
        stored = await cluster.patch(resource, namespace, name, patch, manager="syncline-cli")
        if not request.wait:
            click.echo(f"sync of {name} requested")
            return 0
        return await _Following(cluster, resource, stored).follow(request.timeout)


def _operation(request: SyncRequest) -> dict[str, Any]:
    sync: dict[str, Any] = {"prune": request.prune, "syncStrategy": {"hook": {}}}
    if request.revision:
        sync["revision"] = request.revision
    return {"sync": sync, "initiatedBy": {"username": "syncline-cli"}}


def _progress(obj: Object) -> str:
    return str(_state(obj).get("message") or "waiting to be started")


def _state(obj: Object) -> dict[str, Any]:
    return (obj.get("status") or {}).get("operationState") or {}


class _Following:
    """Looks at an Application until the sync that was just asked for is over."""

    def __init__(self, cluster: Cluster, resource: ApiResource, obj: Object) -> None:
        self._cluster = cluster
        self._resource = resource
        self._obj = obj
        # What the operation before this one left behind stays in the status until this one is started.
        self._before = _state(obj)
        self._shown: dict[str, str] = {}

    async def follow(self, timeout: int) -> int:
        """Show what happens; 0 when the sync succeeded, 1 when it failed or took too long."""
        try:
            async with asyncio.timeout(timeout or None):
                return await self._until_over()
        except TimeoutError:
            click.echo(f"timed out after {timeout} s: {self._words()}", err=True)
            return 1

    async def _until_over(self) -> int:
        namespace, name = self._obj["metadata"]["namespace"], self._obj["metadata"]["name"]
        while True:
            self._show()
            state = _state(self._obj)
            if not self._obj.get("operation") and state.get("phase") in ("Succeeded", "Failed", "Error"):
                click.echo("\n" + summary(self._obj))
                click.echo(f"\n{state['phase']}: {state.get('message', '')}")
                return 0 if state["phase"] == "Succeeded" else 1
            await asyncio.sleep(0.3)
            found = await self._cluster.get(self._resource, namespace, name)
            if found is None:
                raise NeedsUser(f"Application {name} was deleted during its sync")
            self._obj = found

    def _show(self) -> None:
        """Print what is new since the last look: rows that changed, and what is waited for."""
        if not self._obj.get("operation"):
            return
        for row in rows_of(self._obj) if self._started() else ():
            self._say("/".join(row[:4]), "  ".join(cell for cell in row if cell))
        self._say("", f"… {self._words()}")

    def _say(self, subject: str, line: str) -> None:
        if self._shown.get(subject) != line:
            self._shown[subject] = line
            click.echo(line)

    def _started(self) -> bool:
        state = _state(self._obj)
        return any(state.get(name) != self._before.get(name) for name in ("startedAt", "operation"))

    def _words(self) -> str:
        return _progress(self._obj) if self._started() else "waiting to be started"
