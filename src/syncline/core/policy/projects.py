"""Whether a project permits an Application's source and destination, and the objects it delivers.

Called by `syncline.core.policy.permission` and `syncline.core.sync.refusals`; every `Denial` names the field that
decided and the smallest change that would allow it.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy.denials import Denial, destination_denial, kind_denial, repo_denial
from syncline.core.policy.matching import destination_permitted, kind_permitted, resolved
from syncline.model.application import Application, Destination
from syncline.model.project import AppProject, ProjectSpec
from syncline.model.sources.permitted import repo_permitted


def source_denials(app: Application, project: AppProject) -> tuple[Denial, ...]:
    """Return one denial per source that the project does not permit."""
    return tuple(
        repo_denial(source.repo_url, project)
        for source in app.spec.all_sources
        if not repo_permitted(source.repo_url, project.spec.source_repos)
    )


def destination_denials(app: Application, project: AppProject) -> tuple[Denial, ...]:
    """Return why the project does not permit the destination; nothing when it does."""
    destination = app.spec.destination
    there = resolved(destination)
    if destination_permitted(there, project.spec.destinations):
        return ()
    message = (
        f"application destination server '{destination.server or destination.name}' and namespace"
        f" '{destination.namespace}' do not match any of the allowed destinations in project"
        f" '{project.metadata.name}'"
    )
    return (destination_denial(message, there, project),)


def object_denial(key: ObjectKey, destination: Destination, project: AppProject) -> Denial | None:
    """Return why a project does not permit an object; None when it does."""
    name = project.metadata.name
    if not kind_permitted(key, project.spec):
        return kind_denial(f"resource {key.group}:{key.kind} is not permitted in project {name}", key, project)
    if not key.namespace:
        return None
    there = resolved(Destination(server=destination.server, name=destination.name, namespace=key.namespace))
    if destination_permitted(there, project.spec.destinations):
        return None
    return destination_denial(f"namespace {key.namespace} is not permitted in project '{name}'", there, project)


def denied_keys(keys: Iterable[ObjectKey], destination: Destination, project: AppProject) -> frozenset[ObjectKey]:
    """Return the objects that a project does not permit; a rule is asked once for all that it cannot tell apart."""
    verdicts: dict[tuple[str, str, str, str], bool] = {}
    denied, by_name = [], tells_names_apart(project.spec)
    for key in keys:
        alike = (key.group, key.kind, key.namespace, "" if key.namespace and not by_name else key.name)
        if alike not in verdicts:
            verdicts[alike] = object_denial(key, destination, project) is not None
        if verdicts[alike]:
            denied.append(key)
    return frozenset(denied)


def tells_names_apart(spec: ProjectSpec) -> bool:
    """Whether an entry for namespaced kinds permits or denies objects by their names."""
    lists = (spec.namespace_resource_whitelist or (), spec.namespace_resource_blacklist)
    return any(pattern.name for patterns in lists for pattern in patterns)
