"""Global projects: rules that an installation adds to every project with certain labels.

Called by `syncline.core.policy.permission` with the project of an Application; the merged project goes into the
snapshot, so that permissions and sync windows are decided from one object. Lists are put one behind the other: a list
that neither project has stays absent, which for namespaced kinds means that all are permitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import project as project_model
from syncline.model.errors import InvalidSpec
from syncline.model.project import AppProject
from syncline.model.settings.parts import GlobalProject

_LISTS = (
    "sourceRepos",
    "destinations",
    "clusterResourceWhitelist",
    "clusterResourceBlacklist",
    "namespaceResourceWhitelist",
    "namespaceResourceBlacklist",
    "syncWindows",
    "destinationServiceAccounts",
)


def merged(project: Object, rules: Iterable[GlobalProject], find: Callable[[str], Object | None]) -> Object:
    """Return a project with the rules of the global ones that hold for it; `find` returns a project by its name."""
    chosen = inherited(project, rules, find)
    if not chosen:
        return project
    specs = [found.get("spec") or {} for found in (project, *chosen)]
    added = {name: items for name in _LISTS if (items := [item for spec in specs for item in spec.get(name) or ()])}
    return {**project, "spec": {**specs[0], **added}}


def read_merged(name: str, rules: Iterable[GlobalProject], find: Callable[[str], Object | None]) -> AppProject | None:
    """Return a project with what it inherits; None where it does not exist or cannot be read, so permits nothing."""
    obj = find(name)
    if obj is None:
        return None
    try:
        return project_model.parse(merged(obj, rules, find))
    except InvalidSpec:
        return None


def read_all(
    names: Iterable[str], rules: Sequence[GlobalProject], find: Callable[[str], Object | None]
) -> dict[str, AppProject]:
    """Return the projects that can be read, by name, each with what it inherits."""
    read = {name: read_merged(name, rules, find) for name in names}
    return {name: project for name, project in read.items() if project is not None}


def holder(
    project: Object, field: str, rules: Iterable[GlobalProject], find: Callable[[str], Object | None]
) -> tuple[Object, str]:
    """Return which project an entry of a merged list (`spec.destinations[2]`) comes from, and its field there."""
    name, bracket, index = field.removeprefix("spec.").rstrip("]").partition("[")
    if not bracket:
        return project, field
    position = int(index)
    for found in (project, *inherited(project, rules, find)):
        count = len((found.get("spec") or {}).get(name) or ())
        if position < count:
            return found, f"spec.{name}[{position}]"
        position -= count
    return project, f"spec.{name}"


def inherited(project: Object, rules: Iterable[GlobalProject], find: Callable[[str], Object | None]) -> list[Object]:
    """Return the global projects that hold for a project."""
    metadata = meta.metadata(project)
    labels = metadata.get("labels") or {}
    return [
        other
        for rule in rules
        if rule.project != metadata.get("name")
        and all(requirement.matches(labels) for requirement in rule.requirements)
        and (other := find(rule.project)) is not None
    ]
