"""Reads and writes AppProjects; every change is checked as a server of Argo CD would before it is stored.

A change is a function from the object as it is stored to the object as it should be. Where somebody else wrote in
between it is worked out again, and fields that nobody here knows stay as they are. A change that would take the source
or the destination from an Application that has them now is refused, with the names of those Applications.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.nearest import instead
from syncline.core.policy import project_form, projects
from syncline.core.policy.denials import Denial
from syncline.model import names, project
from syncline.model.application import Application
from syncline.model.errors import InvalidSpec, NeedsUser
from syncline.model.project import AppProject
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.verbs.applications import MANAGER
from syncline.verbs.errors import Conflict, InvalidRequest, NotFound, Refused
from syncline.verbs.list import ListRequest, list_applications

_PROJECT = GroupKind(names.GROUP, "AppProject")
_ATTEMPTS = 10
_SHOWN = 5

ProjectChange = Callable[[Object], None]
"""Changes the spec of a project in place; the one it gets is a copy."""


class ChangeOutcome(msgspec.Struct, frozen=True):
    """A project as it is stored now, and whether the request changed it."""

    obj: Object
    changed: bool


async def project_resource(cluster: Cluster) -> ApiResource:
    """Return how AppProjects are served; raises a sentence when they are not."""
    resource = (await cluster.discover()).find(_PROJECT)
    if resource is None:
        hint = "install the CRDs: syncline admin crds | kubectl apply --server-side -f -"
        raise NeedsUser("this cluster has no AppProjects", hint=hint)
    return resource


async def list_projects(cluster: Cluster, namespace: str) -> list[Object]:
    """Return the projects of an installation, by name."""
    listed = await cluster.list(await project_resource(cluster), namespace=namespace)
    return sorted(listed.items, key=meta.name)


async def read_project(cluster: Cluster, namespace: str, name: str) -> Object:
    """Return one project; raises a sentence that names those there are."""
    resource = await project_resource(cluster)
    found = await cluster.get(resource, namespace, name)
    if found is None:
        known = [meta.name(item) for item in await list_projects(cluster, namespace)]
        raise NotFound(f"no project named {name} in namespace {namespace}", hint=instead(name, known))
    return found


async def create_project(cluster: Cluster, obj: Object, *, upsert: bool) -> ChangeOutcome:
    """Store a new project; one that is there and says something else is overwritten only with `upsert`."""
    check(obj)
    resource = await project_resource(cluster)
    namespace, name = meta.namespace(obj), meta.name(obj)
    found = await cluster.get(resource, namespace, name)
    if found is None:
        return ChangeOutcome(await cluster.create(resource, obj, manager=MANAGER), changed=True)
    if (found.get("spec") or {}) == (obj.get("spec") or {}):
        return ChangeOutcome(found, changed=False)
    if not upsert:
        raise Conflict(f"project {name} exists and says something else", hint="pass --upsert to overwrite it")

    def over(spec: Object) -> None:
        spec.clear()
        spec.update(obj.get("spec") or {})

    return await change_project(cluster, namespace, name, over)


async def change_project(cluster: Cluster, namespace: str, name: str, change: ProjectChange) -> ChangeOutcome:
    """Change the spec of a project, also when others write to it."""
    resource = await project_resource(cluster)
    for _ in range(_ATTEMPTS):
        found = await read_project(cluster, namespace, name)
        wanted = copy.deepcopy(found)
        wanted["spec"] = wanted.get("spec") or {}
        change(wanted["spec"])
        if wanted["spec"] == (found.get("spec") or {}):
            return ChangeOutcome(found, changed=False)
        check(wanted)
        await _keep_applications(cluster, namespace, found, wanted)
        try:
            return ChangeOutcome(await cluster.replace(resource, wanted, manager=MANAGER), changed=True)
        except ApiError as error:
            if error.reason != "Conflict":
                raise
    raise Conflict(f"project {name} keeps being changed by others", hint="try again")


async def delete_project(cluster: Cluster, namespace: str, name: str) -> None:
    """Delete a project that no Application uses; `default` stays."""
    if name == "default":
        raise Refused("the project default cannot be deleted", hint="remove its destinations and sources instead")
    resource = await project_resource(cluster)
    found = await read_project(cluster, namespace, name)
    used = await _applications(cluster, namespace, name)
    if used:
        many = f"{len(used)} Application{'' if len(used) == 1 else 's'}"
        raise Refused(f"project {name} is used by {many}: {_listed(app.metadata.name for app in used)}")
    await cluster.delete(resource, namespace, name, uid=str(meta.uid(found)))


def check(obj: Object) -> None:
    """Raise a sentence with all that is wrong with a project."""
    if found := project_form.problems(project.parse(obj)):
        raise InvalidRequest(f"project {meta.name(obj)} is not valid: {'; '.join(found)}")


async def _keep_applications(cluster: Cluster, namespace: str, before: Object, after: Object) -> None:
    """Raise a sentence when a change takes its source or destination from an Application that has them now."""
    old, new = project.parse(before), project.parse(after)
    lost = [
        app.metadata.name
        for app in await _applications(cluster, namespace, old.metadata.name)
        if len(_denied(app, new)) > len(_denied(app, old))
    ]
    if lost:
        many = f"{len(lost)} Application{'' if len(lost) == 1 else 's'}"
        hint = "move them to another project or destination first"
        raise Refused(f"the change would take source or destination from {many}: {_listed(lost)}", hint=hint)


def _denied(app: Application, typed: AppProject) -> tuple[Denial, ...]:
    return (*projects.source_denials(app, typed), *projects.destination_denials(app, typed))


async def _applications(cluster: Cluster, namespace: str, name: str) -> list[Application]:
    found = []
    for stored in await list_applications(cluster, namespace, ListRequest(projects=(name,))):
        try:
            found.append(stored.app)
        except InvalidSpec:
            continue
    return found


def _listed(found: Iterable[str]) -> str:
    every = sorted(found)
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
