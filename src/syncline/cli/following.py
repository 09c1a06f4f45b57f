"""Asks for an operation and follows it wave by wave until it ends, for `app sync` and `app rollback`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app_get import rows_of, summary
from syncline.cli.applications import MANAGER, read_application, split_name
from syncline.cli.options import Chosen
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, ApiResource, Cluster

_ATTEMPTS = 5


async def request_operation(
    name: str, chosen: Chosen, operation: Callable[[Object], dict[str, Any]], *, timeout: int = 0, wait: bool = True
) -> int:
    """Start what `operation` makes of the Application; exit 0 when it succeeded, 1 when it failed or took too long."""
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        click.echo(words, err=True)
        resource, stored = await _put(cluster, namespace, name, operation)
        if not wait:
            click.echo(f"sync of {name} requested")
            return 0
        return await Following(cluster, resource, stored).follow(timeout)


async def _put(
    cluster: Cluster, namespace: str, name: str, operation: Callable[[Object], dict[str, Any]]
) -> tuple[ApiResource, Object]:
    """Write the operation into the Application that was read, again where the controller wrote in between."""
    for _ in range(_ATTEMPTS):
        resource, obj = await read_application(cluster, namespace, name)
        if obj.get("operation"):
            raise NeedsUser(f"another operation is already in progress on {name}", hint=_progress(obj))
        patch: dict[str, Any] = {
            "metadata": {"resourceVersion": obj["metadata"]["resourceVersion"]},
            "operation": operation(obj),
        }
        try:
            return resource, await cluster.patch(resource, namespace, name, patch, manager=MANAGER)
        except ApiError as error:
            if error.reason != "Conflict":
                raise
    raise NeedsUser(f"Application {name} is being changed by others all the time", hint="try again")


def _progress(obj: Object) -> str:
    return str(_state(obj).get("message") or "waiting to be started")


def _state(obj: Object) -> dict[str, Any]:
    return (obj.get("status") or {}).get("operationState") or {}


class Following:
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
