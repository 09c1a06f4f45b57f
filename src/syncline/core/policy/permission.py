"""Whether an Application may do what it says at all: its project, where it lives, its sources, its destination.

Asked by `syncline.controller.deliver.observe` and `syncline.verbs.permission` before a repository or cluster is
contacted. A denial is decided by names alone and its words do not depend on what is at an address, so that nobody can
explore a network through the errors of addresses that a project forbids.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.policy import global_projects, namespaces, projects, scoped_clusters
from syncline.core.policy.denials import Denial
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
ReadProject = Callable[[Object], AppProject]
"""Makes a value of a project; somebody who asks often hands in one that remembers."""


class Permission(msgspec.Struct, frozen=True):
    """The project of an Application with what it inherits, and why the Application is not worked with.

    `denials` is why, `troubles` is the same as the controller tells it.
    """

    project: Object | None = None
    denials: tuple[Denial, ...] = ()
    condition: ConditionType = ConditionType.INVALID_SPEC_ERROR
    typed: AppProject | None = None
    """The project as a value; None where there is none that can be read, which is a denial already."""

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """Return the denials as troubles of the Application."""
        return tuple(Trouble(Reason.SPEC_INVALID, str(one), self.condition) for one in self.denials)

    @property
    def spec(self) -> ProjectSpec | None:
        """The rules of the project, if there are any that can be read."""
        return self.typed.spec if self.typed is not None else None


def permission(
    app: Application,
    cluster: KnownCluster | None,
    settings: Settings,
    find: FindProject,
    read: ReadProject = project.parse,
) -> Permission:
    """Return what the project says; `cluster` is the destination where it is known."""
    first = source_permission(app, settings, find, read)
    typed = first.typed
    if typed is None or first.condition == ConditionType.UNKNOWN_ERROR:
        return first
    spec = msgspec.structs.replace(app.spec, destination=destination_of(app, cluster))
    found = list(projects.destination_denials(msgspec.structs.replace(app, spec=spec), typed))
    if cluster is not None and (refused := scoped_clusters.denial(cluster, typed, settings.compat)):
        found.append(refused)
    return Permission(first.project, (*first.denials, *found), typed=typed)


def source_permission(
    app: Application, settings: Settings, find: FindProject, read: ReadProject = project.parse
) -> Permission:
    """Return what the project says about where the Application lives and what it reads."""
    name = app.spec.project or "default"
    obj = find(name)
    if obj is None:
        # Argo CD's words, and no names: whoever writes Applications need not see all projects.
        message = f"Application referencing project {name} which does not exist"
        return Permission(None, (Denial(message),))
    obj = global_projects.merged(obj, settings.global_projects, find)
    try:
        typed = read(obj)
    except InvalidSpec as error:
        return Permission(obj, (Denial(str(error)),))
    if refused := namespaces.denial(app, typed, settings):
        return Permission(obj, (refused,), ConditionType.UNKNOWN_ERROR, typed)
    return Permission(obj, projects.source_denials(app, typed), typed=typed)


def destination_of(app: Application, cluster: KnownCluster | None) -> Destination:
    """Return the destination with both its names, since a project may permit it by either."""
    if cluster is None:
        return app.spec.destination
    return Destination(cluster.server, app.spec.destination.namespace, cluster.name)


def invalid(message: str) -> Trouble:
    """Return the trouble of an Application that cannot be worked with as written."""
    return Trouble(Reason.SPEC_INVALID, message, ConditionType.INVALID_SPEC_ERROR)
