"""Which live objects of an Application a command is about: the flags that name them, and finding them.

Used by `app resources`, `get-resource`, `patch-resource`, `delete-resource`, `logs` and `actions`. What an Application
manages and what those objects own is seen, and nothing else: a name that belongs to another Application is not found.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click
import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.cli.applications import control_namespace, read_application, split_name
from syncline.cli.looking import looking
from syncline.cli.options import Chosen
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.controller.clusters.destinations import Place
    from syncline.core.assess import Assessment


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of an Application are meant."""

    kind: str
    group: str | None
    namespace: str
    name: str

    def matches(self, key: ObjectKey) -> bool:
        """Whether an object is meant; what was not said matches everything."""
        return (
            (not self.kind or key.kind == self.kind)
            and (self.group is None or key.group == self.group)
            and (not self.namespace or key.namespace == self.namespace)
            and (not self.name or key.name == self.name)
        )

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind or 'object'} {where}{self.name}".strip()


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name objects, with their kind; the command takes them as one `selection`."""
    return _with_selection(command, click.option("--kind", required=True, help="Kind of the object."))


def optional_selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same options for a command that may be about all objects."""
    return _with_selection(command, click.option("--kind", default="", help="Kind of the object (else all kinds)."))


def _with_selection(command: Callable[..., Any], kind_option: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(command)
    def with_selection(
        *args: Any, kind: str, group: str | None, namespace: str, resource_name: str, **others: Any
    ) -> Any:
        selection = Selection(kind=kind, group=group, namespace=namespace, name=resource_name)
        return command(*args, selection=selection, **others)

    wrapped: Callable[..., Any] = with_selection
    for option in (
        click.option("--resource-name", default="", help="Name of the object."),
        click.option("--namespace", default="", help="Namespace of the object."),
        click.option("--group", default=None, help="API group of the object."),
        kind_option,
    ):
        wrapped = option(wrapped)
    return wrapped


project_option = click.option("--project", default="", help="Project the Application has to belong to.")


@asynccontextmanager
async def seen(name: str, chosen: Chosen, project: str = "") -> AsyncIterator[tuple[Assessment, Place, str]]:
    """Yield the Application as it is now, the cluster it is delivered to, and the words for the home cluster."""
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        _, obj = await read_application(cluster, namespace, name)
        if project and project != (belongs := str((obj.get("spec") or {}).get("project") or "default")):
            raise NeedsUser(f"Application {name} belongs to project {belongs}, not to {project}")
        async with looking(cluster, control_namespace(obj, chosen.namespace)) as eyes:
            assessment = await eyes.assess(namespace, name)
            yield assessment, await eyes.place(assessment), words


def managed_keys(assessment: Assessment) -> set[ObjectKey]:
    """Return what the app manages and what is owned by that: live objects, and desired ones that are missing."""
    rows = {row.key for row in assessment.comparison.rows}
    uids = {uid_of(obj) for key, obj in assessment.live.items() if key in rows}
    owned: set[ObjectKey] = set()
    while True:
        fresh = {
            key
            for key, obj in assessment.live.items()
            if key not in owned and any(owner.get("uid") in uids for owner in owners_of(obj))
        }
        if not fresh:
            return rows | owned
        owned |= fresh
        uids |= {uid_of(assessment.live[key]) for key in fresh}


def uid_of(obj: Object) -> Any:
    """Return the uid of an object."""
    return (obj.get("metadata") or {}).get("uid")


def owners_of(obj: Object) -> list[Any]:
    """Return the owner references of an object."""
    return (obj.get("metadata") or {}).get("ownerReferences") or []


def chosen_objects(assessment: Assessment, selection: Selection) -> list[Object]:
    """Return the live objects that are meant; raises a sentence that names those of the same kind."""
    keys = managed_keys(assessment)
    found = [obj for key, obj in sorted(assessment.live.items()) if key in keys and selection.matches(key)]
    if not found:
        others = sorted(key.name for key in keys if key.kind == selection.kind)
        kinds = ", ".join(sorted({key.kind for key in keys}))
        there = f"of that kind: {', '.join(others)}" if others else f"kinds there: {kinds or 'none'}"
        raise NeedsUser(f"{assessment.app.metadata.name} has no {selection}", hint=there)
    return found


def one_of(found: list[Object], selection: Selection, *, every: bool) -> list[Object]:
    """Return the objects when there is one, or when all are meant; raises a sentence otherwise."""
    if len(found) > 1 and not every:
        listed = ", ".join(key_of(obj).short for obj in found[:10])
        raise NeedsUser(f"{len(found)} objects match {selection}", hint=f"name one, or say --all: {listed}")
    return found
