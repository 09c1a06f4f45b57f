"""`syncline app wait`: until Applications are synced, healthy, idle, suspended, degraded or gone."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.get import OUTPUTS, print_ended, rows_of
from syncline.cli.app.resource_names import ResourceName, parse_resource
from syncline.cli.app.waiting import held_words, identity_of
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.words import sync_and_health
from syncline.controller.app_key import AppKey
from syncline.model.errors import NeedsUser
from syncline.verbs.applications import application_resource, read_application
from syncline.verbs.home import Home
from syncline.verbs.list import ListRequest

_WISHES = ("sync", "health", "operation", "suspended", "degraded", "delete")


@click.command()
@app_argument("apps", several=True)
@chosen_cluster
@click.option("--sync", is_flag=True, help="Wait until Synced.")
@click.option("--health", is_flag=True, help="Wait until Healthy.")
@click.option("--operation", is_flag=True, help="Wait until no operation is pending.")
@click.option("--suspended", is_flag=True, help="Wait until Suspended.")
@click.option("--degraded", is_flag=True, help="Wait until Degraded.")
@click.option("--delete", is_flag=True, help="Wait until deleted.")
@click.option("--resource", "resources", multiple=True, help="Only these objects: [!]GROUP:KIND:[NAMESPACE/]NAME.")
@click.option("-l", "--selector", default="", help="All Applications whose labels match.")
@click.option("--timeout", type=click.IntRange(min=0), default=0, help="Give up after this many seconds (0: never).")
@output_option(*OUTPUTS)
def wait(
    apps: tuple[str, ...],
    chosen: Chosen,
    resources: tuple[str, ...],
    selector: str,
    timeout: int,
    output: str,
    **wishes: bool,
) -> int:
    """Wait for Applications; by default until they are Synced, Healthy and idle."""
    if bool(apps) == bool(selector):
        raise NeedsUser("name the Applications", hint="by name, or with --selector")
    wanted = frozenset(name for name in _WISHES if wishes[name]) or frozenset({"sync", "health", "operation"})
    wish = Wish(wanted, tuple(map(parse_resource, resources)), output)
    return asyncio.run(_wait(apps, selector, chosen, wish, timeout))


class Wish:
    """What is waited for, and whether an Application fulfils it."""

    def __init__(self, wanted: frozenset[str], resources: tuple[ResourceName, ...] = (), output: str = "wide") -> None:
        self.wanted = wanted
        self.output = output
        self._resources = resources

    def missing(self, obj: Object | None) -> str:
        """Return what is still missing, in words; empty when the wish is fulfilled."""
        if obj is None:
            return ""
        if "delete" in self.wanted:
            return "not deleted yet"
        sync, health = self._statuses(obj)
        parts = []
        if "operation" in self.wanted and (words := _operation(obj)):
            parts.append(words)
        if "sync" in self.wanted and sync != "Synced":
            parts.append(f"sync is {sync}")
        healths = {name.capitalize() for name in ("suspended", "degraded") if name in self.wanted}
        healths |= {"Healthy"} if "health" in self.wanted else set()
        if healths and health not in healths:
            parts.append(f"health is {health}")
        return ", ".join(parts)

    def failed(self, obj: Object, before: Object | None) -> str:
        """Return why waiting for health makes no sense any more: an object has just become Degraded."""
        if "health" not in self.wanted or "degraded" in self.wanted:
            return ""
        earlier = {identity_of(item): _health(item) for item in _rows(before)} if before else {}
        for item in _rows(obj):
            known = earlier.get(identity_of(item))
            if _health(item) == "Degraded" and known not in (None, "", "Unknown", "Degraded"):
                message = (item.get("health") or {}).get("message") or ""
                return f"{item.get('kind')}/{item.get('name')} went from {known} to Degraded: {message}".rstrip(": ")
        return ""

    def _statuses(self, obj: Object) -> tuple[str, str]:
        if not self._resources:
            return sync_and_health(obj)
        rows = [item for item in _rows(obj) if any(name.matches(item) for name in self._resources)]
        if not rows:
            return "Unknown", "Missing"
        syncs = {str(item.get("status") or "Synced") for item in rows}
        healths = [_health(item) for item in rows if _health(item)]
        worst = [name for name in _ORDER if name in healths]
        return ("Synced" if syncs == {"Synced"} else min(syncs - {"Synced"})), (worst or ["Healthy"])[0]


_ORDER = ("Missing", "Degraded", "Unknown", "Progressing", "Suspended", "Healthy")


def _rows(obj: Object) -> list[dict[str, Any]]:
    return list((obj.get("status") or {}).get("resources") or ())


def _health(item: Object) -> str:
    return str((item.get("health") or {}).get("status") or "")


def _operation(obj: Object) -> str:
    """Return what still goes on: an operation, or one that ended after the last look at the cluster."""
    status = obj.get("status") or {}
    state = status.get("operationState") or {}
    if obj.get("operation"):
        return held_words(str(state.get("message") or "an operation is waiting to start"))
    finished, looked = str(state.get("finishedAt") or ""), str(status.get("reconciledAt") or "")
    return "the result of the operation was not compared yet" if finished and looked and looked < finished else ""


async def _wait(apps: tuple[str, ...], selector: str, chosen: Chosen, wish: Wish, timeout: int) -> int:
    async with chosen.opened() as home:
        terminal.echo(home.words, err=True)
        if selector:
            found = await chosen.applications(home.cluster, ListRequest(selector=selector))
            apps = tuple(str(stored.key) for stored in found)
            if not apps and "delete" not in wish.wanted:
                raise NeedsUser(f"no Application matches {selector}")
        elif "delete" not in wish.wanted:
            found = [await read_application(home.cluster, await chosen.find(home.cluster, app, home)) for app in apps]
            apps = tuple(str(stored.key) for stored in found)
        waits = [_Waiting(home, chosen.key_at(home, app), wish) for app in apps]
        try:
            async with asyncio.timeout(timeout or None):
                codes = await asyncio.gather(*(one.until_fulfilled() for one in waits))
        except TimeoutError:
            for one in waits:
                if one.missing:
                    terminal.echo(f"timed out after {timeout} s: {one.name}: {one.missing}", err=True)
            return 1
    return max(codes, default=0)


class _Waiting:
    """Looks at one Application until a wish is fulfilled."""

    def __init__(self, home: Home, key: AppKey, wish: Wish) -> None:
        self.name = key.name
        self.missing = "not compared yet"
        self._home = home
        self._namespace = key.namespace
        self._wish = wish
        self._shown: dict[str, str] = {}

    async def until_fulfilled(self) -> int:
        resource = await application_resource(self._home.cluster)
        before: Object | None = None
        while True:
            obj = await self._home.cluster.get(resource, self._namespace, self.name)
            if obj is None and "delete" not in self._wish.wanted:
                raise NeedsUser(f"Application {self.name} was deleted")
            self.missing = self._wish.missing(obj)
            if not self.missing:
                if obj is None:
                    terminal.echo(f"application '{self.name}' is gone")
                else:
                    await print_ended(self._home, obj, self._wish.output)
                return 0
            if obj and (failure := self._wish.failed(obj, before)):
                terminal.echo(f"{self.name}: {failure}", err=True)
                return 1
            self._show(obj)
            before = obj
            await asyncio.sleep(0.5)

    def _show(self, obj: Object | None) -> None:
        for row in rows_of(obj) if obj else ():
            self._say("/".join(row[:4]), "  ".join(cell for cell in row if cell))
        self._say("", f"… {self.name}: {self.missing}")

    def _say(self, subject: str, line: str) -> None:
        if self._shown.get(subject) != line:
            self._shown[subject] = line
            terminal.echo(line, err=True)
