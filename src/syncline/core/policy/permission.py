"""Whether an Application may do what it says at all: its project, where it lives, its sources, its destination.

Asked by `syncline.controller.deliver.observe` and `syncline.verbs.permission` before a repository or cluster is
contacted. A denial is decided by names alone and its words do not depend on what is at an address, so that nobody can
explore a network through the errors of addresses that a project forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.policy import global_projects, namespaces, projects, scoped_clusters
from syncline.model import project
from syncline.model.application import Application, Destination
from syncline.model.cluster import KnownCluster
from syncline.model.condition import ConditionType
from syncline.model.errors import InvalidSpec
from syncline.model.project import AppProject, ProjectSpec
from syncline.model.reason import Reason
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import Trouble

FindProject = Callable[[str], Object | None]


class Permission(msgspec.Struct, frozen=True):
    """The project of an Application with what it inherits, and why the Application is not worked with."""

    project: Object | None = None
    denials: tuple[Trouble, ...] = ()

    @property
    def typed(self) -> AppProject | None:
        """The project as a value; None where there is none that can be read, which is a denial already."""
        try:
            return project.parse(self.project) if self.project is not None else None
        except InvalidSpec:
            return None

    @property
    def spec(self) -> ProjectSpec | None:
        """The rules of the project, if there are any that can be read."""
        typed = self.typed
        return typed.spec if typed is not None else None


def permission(
    app: Application,
    cluster: KnownCluster | None,
    settings: Settings,
    find: FindProject,
    known: Callable[[], Iterable[str]],
) -> Permission:
    """Return what the project says; `cluster` is the destination where it is known, `known` lists all projects."""
    first = source_permission(app, settings, find, known)
    if first.project is None or any(one.condition == ConditionType.UNKNOWN_ERROR for one in first.denials):
        return first
    typed = first.typed
    if typed is None:
        return first
    spec = msgspec.structs.replace(app.spec, destination=destination_of(app, cluster))
    found = list(projects.destination_denials(msgspec.structs.replace(app, spec=spec), typed))
    if cluster is not None and (refused := scoped_clusters.denial(cluster, typed, settings.compat)):
        found.append(refused)
    return Permission(first.project, (*first.denials, *map(invalid, found)))


def source_permission(
    app: Application, settings: Settings, find: FindProject, known: Callable[[], Iterable[str]]
) -> Permission:
    """Return what the project says about where the Application lives and what it reads."""
    name = app.spec.project or "default"
    obj = find(name)
    if obj is None:
        here = ", ".join(known()) or "none"
        message = f"Application referencing project {name} which does not exist (projects here: {here})"
        return Permission(None, (invalid(message),))
    obj = global_projects.merged(obj, settings.global_projects, find)
    try:
        typed = project.parse(obj)
    except InvalidSpec as error:
        return Permission(obj, (invalid(str(error)),))
    if refused := namespaces.denial(app, typed, settings):
        return Permission(obj, (Trouble(Reason.SPEC_INVALID, refused, ConditionType.UNKNOWN_ERROR),))
    return Permission(obj, tuple(map(invalid, projects.source_denials(app, typed))))


def destination_of(app: Application, cluster: KnownCluster | None) -> Destination:
    """Return the destination with both its names, since a project may permit it by either."""
    if cluster is None:
        return app.spec.destination
    return Destination(cluster.server, app.spec.destination.namespace, cluster.name)


def invalid(message: str) -> Trouble:
    """Return the trouble of an Application that cannot be worked with as written."""
    return Trouble(Reason.SPEC_INVALID, message, ConditionType.INVALID_SPEC_ERROR)
