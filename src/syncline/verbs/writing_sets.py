"""Stores ApplicationSets for callers of the API: judged by their rights, held to a project, and marked with it.

Called by the routes of sets, and by `syncline.verbs.own_objects` for sets that are objects of an Application. What is
overwritten is judged as it is stored at that moment, not as a watch saw it last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.appsets.keys import AppSetKey
from syncline.core.policy import set_writing
from syncline.core.policy.set_tenancy import literal_project
from syncline.model import applicationset, names
from syncline.model.project import AppProject
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.applications import MANAGER
from syncline.verbs.applicationsets import kept_metadata, merged_metadata, resource_of
from syncline.verbs.errors import Conflict, Denied, NotFound, Refused

_ATTEMPTS = 5


class Caller(Protocol):
    """Whoever asks, and what they may do."""

    @property
    def is_admin(self) -> bool:
        """Whether they may change every project."""

    def require(self, resource: str, action: str, project: str, namespace: str, name: str) -> None:
        """Raise unless they may do something."""


class Installation(msgspec.Struct, frozen=True):
    """The projects that can be read, and the control-plane namespace."""

    projects: Mapping[str, AppProject]
    control_namespace: str


async def write_set(
    cluster: Cluster, appset: Object, caller: Caller, installation: Installation, *, upsert: bool
) -> Object:
    """Create a set, or with `upsert` overwrite the one of its name; return it as it is stored."""
    metadata = kept_metadata(appset, installation.control_namespace)
    body = {**appset, "metadata": metadata}
    body.pop("status", None)
    key = AppSetKey(metadata["namespace"], metadata["name"])
    caller.require("applicationsets", "create", set_writing.template_project(body), key.namespace, key.name)
    applicationset.parse(body)
    wanted = _permitted(body, None, caller, installation)
    resource = await resource_of(cluster)
    try:
        return await cluster.create(resource, wanted, manager=MANAGER)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
    stored = await cluster.get(resource, key.namespace, key.name)
    if stored is None:
        raise Conflict(f"ApplicationSet {key.name} was deleted at the same time", hint="try again")
    _require_update(stored, body, caller)
    after = {**stored, "spec": body["spec"], "metadata": {**stored["metadata"], **merged_metadata(metadata, stored)}}
    wanted = _permitted(_asking(after, body), stored, caller, installation)
    if stored.get("spec") == body["spec"] and (not caller.is_admin or _mark(wanted) == _mark(stored)):
        return stored
    if not upsert:
        raise Conflict(
            f"ApplicationSet {key.name} already exists with a different spec", hint="overwrite it with upsert"
        )
    return await cluster.replace(resource, wanted, manager=MANAGER)


async def change_set(
    cluster: Cluster, key: AppSetKey, change: Callable[[Object], Object], caller: Caller, installation: Installation
) -> Object:
    """Change a stored set, also when others write to it; `change` returns it as it is wanted."""
    resource = await resource_of(cluster)
    for _ in range(_ATTEMPTS):
        stored = await cluster.get(resource, key.namespace, key.name)
        if stored is None:
            raise NotFound(f"ApplicationSet {key.name} not found in namespace {key.namespace}")
        after = change(stored)
        _require_update(stored, after, caller)
        applicationset.parse(after)
        # Whoever takes the mark out of what is stored asks for none.
        asked = {**meta.annotations(after), names.SET_PROJECT: _mark(after)}
        wanted = _permitted(
            {**after, "metadata": {**after["metadata"], "annotations": asked}}, stored, caller, installation
        )
        try:
            return await cluster.replace(resource, wanted, manager=MANAGER)
        except ApiError as error:
            if error.reason != "Conflict":
                raise
    raise Conflict(f"ApplicationSet {key.name} keeps being changed by others", hint="try again")


def _require_update(stored: Object, after: Object, caller: Caller) -> None:
    """Require a right to the project that a set is in, and to the one that it moves to."""
    namespace, name = meta.namespace(stored), meta.name(stored)
    before, moved = set_writing.project_of(stored), set_writing.template_project(after)
    caller.require("applicationsets", "update", before, namespace, name)
    if moved != before:
        caller.require("applicationsets", "create", moved, namespace, name)
        caller.require("applicationsets", "update", moved, namespace, name)


def _permitted(appset: Object, stored: Object | None, caller: Caller, installation: Installation) -> Object:
    """Return a set with its mark; raises why the caller may not write it."""
    control = installation.control_namespace
    if not caller.is_admin and not literal_project(appset):
        raise Denied(
            f"{set_writing.TEMPLATE_FIELD} has to name a project: only admins may write ApplicationSets whose project"
            " is a template or missing",
            (),
            control=control,
            hint="write the name of your project there; an admin is someone who may update every project",
        )
    wanted = set_writing.with_mark(appset, set_writing.marked(appset, stored, is_admin=caller.is_admin))
    if problem := set_writing.leaving(wanted, installation.projects, control):
        raise Refused(
            f"{problem}: everything that the set generates must be in its project", hint="docs/guide/access.md"
        )
    return wanted


def _asking(after: Object, asked: Object) -> Object:
    """Return a set whose mark is the one that was asked for, if any: what is stored does not ask for its own."""
    mark = meta.annotations(asked).get(names.SET_PROJECT)
    annotations = {name: text for name, text in meta.annotations(after).items() if name != names.SET_PROJECT}
    if mark is not None:
        annotations[names.SET_PROJECT] = mark
    return {**after, "metadata": {**after["metadata"], "annotations": annotations}}


def _mark(appset: Object) -> str:
    return meta.annotation(appset, names.SET_PROJECT)
