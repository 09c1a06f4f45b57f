"""What is known to fail before it is tried: kinds nobody serves, objects the project forbids, objects without a name.

Called by `syncline.core.sync.plan`. Under Argo CD's rules one such object stops the whole sync; otherwise it fails
alone, and all of them are named at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.policy import projects
from syncline.core.sync import options
from syncline.model.application import Destination
from syncline.model.plan import Method, Task, TaskAction
from syncline.model.project import AppProject
from syncline.model.reason import Reason
from syncline.model.sync_options import NO_OPTIONS, SyncOptions


class Permitted(msgspec.Struct, frozen=True, kw_only=True):
    """What the cluster serves (nothing: unknown), what the sync brings along, and what the project allows."""

    known_kinds: Mapping[GroupKind, tuple[str, ...]] = {}
    provided: frozenset[GroupKind] = frozenset()
    app_options: SyncOptions = NO_OPTIONS
    project: AppProject | None = None
    destination: Destination = Destination()

    def denial(self, key: ObjectKey) -> str:
        """Return why the project does not permit an object; empty when it does."""
        found = projects.object_denial(key, self.destination, self.project) if self.project else None
        return str(found) if found else ""


def checked(tasks: Sequence[Task], objects: Mapping[ObjectKey, Object], permitted: Permitted) -> list[Task]:
    """Return the tasks, those that are bound to fail with the reason why."""
    return [
        task if task.action is TaskAction.PRUNE else _checked(task, objects.get(task.source_key or task.key), permitted)
        for task in tasks
    ]


def _checked(task: Task, obj: Object | None, permitted: Permitted) -> Task:
    if task.refusal:
        return task
    if denial := permitted.denial(task.key):
        return _refused(task, Reason.NOT_PERMITTED, denial)
    metadata = meta.metadata(obj)
    nameless = task.action is TaskAction.APPLY and not metadata.get("name") and metadata.get("generateName")
    if nameless and task.how.method not in (Method.CREATE, Method.REPLACE):
        message = "cannot use generateName with apply: give the object a name, make it a hook, or set Replace=true"
        return _refused(task, Reason.NAME_MISSING, message)
    versions = permitted.known_kinds.get(task.key.group_kind)
    if not permitted.known_kinds or (versions is not None and (not versions or task.version in versions)):
        return task
    if task.key.group_kind in permitted.provided:
        return _untried(task, "its CRD is part of this sync")
    if options.dry_run_skipped(permitted.app_options, obj):
        return _untried(task, "SkipDryRunOnMissingResource=true")
    return _refused(task, Reason.KIND_UNKNOWN, _unknown_kind(task, versions or ()))


def _refused(task: Task, reason: Reason, message: str) -> Task:
    return msgspec.structs.replace(task, reason=reason, refusal=message)


def _untried(task: Task, why: str) -> Task:
    return msgspec.structs.replace(task, how=msgspec.structs.replace(task.how, dry_run_skipped=why))


def _unknown_kind(task: Task, versions: Sequence[str]) -> str:
    key = task.key
    kind, whose = f"{key.group}/{key.kind}", f"for requested resource {key.namespace}/{key.name}."
    if versions:
        served = " and ".join(f'"{version}"' for version in versions)
        return (
            f'The Kubernetes API could not find version "{task.version}" of {kind} {whose}'
            f" Version {served} of {kind} is installed on the destination cluster."
        )
    return (
        f"The Kubernetes API could not find {kind} {whose}"
        f' Make sure the "{key.kind}" CRD is installed on the destination cluster.'
    )
