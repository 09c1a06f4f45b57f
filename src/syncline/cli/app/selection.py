"""Which live objects of an Application a command is about: the flags that name them, and the look that finds them.

Used by `app resources`, `get-resource`, `patch-resource`, `delete-resource`, `logs` and `actions`.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.options import Chosen
from syncline.model.errors import NeedsUser
from syncline.verbs.applications import read_application
from syncline.verbs.resources import ResourceChoice, only_one

if TYPE_CHECKING:
    from syncline.verbs.home import Sight


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name objects, with their kind; the command takes them as one `selection`."""
    return _with_selection(command, click.option("--kind", required=True, help="Kind of the object."))


def optional_selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same options for a command that may be about all objects."""
    return _with_selection(command, click.option("--kind", default="", help="Kind of the object (default: all)."))


def _with_selection(command: Callable[..., Any], kind_option: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(command)
    def with_selection(
        *args: Any, kind: str, group: str | None, namespace: str, resource_name: str, **others: Any
    ) -> Any:
        selection = ResourceChoice(kind=kind, group=group, namespace=namespace, name=resource_name)
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


project_option = click.option("--project", default="", help="Project that the Application must belong to.")


@asynccontextmanager
async def looked_at(name: str, chosen: Chosen, project: str = "") -> AsyncIterator[tuple[Sight, str]]:
    """Yield the Application as it is now, with what can be done to its objects, and the words for the installation."""
    async with chosen.opened() as home:
        stored = await read_application(home.cluster, await chosen.find(home.cluster, name, home))
        if project and project != (belongs := str((stored.obj.get("spec") or {}).get("project") or "default")):
            raise NeedsUser(f"Application {stored.key.name} belongs to project {belongs}, not to {project}")
        async with home.seeing(stored) as sight:
            yield sight, home.words


def one_or_all(found: list[Object], choice: ResourceChoice, *, every: bool) -> list[Object]:
    """Return the objects when there is one, or when all are meant; raises a sentence otherwise."""
    return found if every else [only_one(found, choice)]
