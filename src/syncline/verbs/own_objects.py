"""Applications, ApplicationSets and AppProjects of this installation that are objects of an Application.

An app of apps delivers them, so the routes about single objects reach them too. A right to the parent is not enough to
change what decides about rights: each is changed and deleted with the rights, and held to the rules, of its own API.
Called by those routes, instead of `syncline.verbs.resources` or before it.
"""

from __future__ import annotations

import copy
from typing import Any, Protocol

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.apimachinery.patch import json_merge, json_patch
from syncline.apimachinery.patch.errors import PatchError
from syncline.controller.app_key import AppKey
from syncline.controller.appsets.keys import AppSetKey
from syncline.core.policy import set_writing
from syncline.model import names
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.edit import PatchRequest, patch_application
from syncline.verbs.errors import Conflict, InvalidRequest, NotFound, Refused
from syncline.verbs.look import Seen
from syncline.verbs.projects import change_project, read_project
from syncline.verbs.resources import DeleteResourceRequest, PatchResourceRequest, delete_resource, resource_of
from syncline.verbs.writing_sets import Caller, Installation, change_set

_ATTEMPTS = 5
_KINDS = {"Application": "applications", "ApplicationSet": "applicationsets", "AppProject": "projects"}


class OwnCaller(Caller, Protocol):
    """Whoever asks, and what they may do to projects too."""

    def require_project(self, action: str, project: str) -> None:
        """Raise unless they may do something to a project."""


def is_own_kind(key: ObjectKey) -> bool:
    """Whether an object is of a kind that decides what this installation delivers."""
    return key.group == names.GROUP and key.kind in _KINDS


def require(caller: OwnCaller, obj: Object, action: str) -> None:
    """Raise unless the caller may do something to an Application, a set or a project itself."""
    kind = str(obj.get("kind"))
    if kind == "AppProject":
        caller.require_project(action, meta.name(obj))
    else:
        caller.require(_KINDS[kind], action, _project_of(obj), meta.namespace(obj), meta.name(obj))


async def read_own(cluster: Cluster, obj: Object, caller: OwnCaller, action: str) -> Object:
    """Return an Application, a set or a project as it is stored, for a caller who has the right to that state.

    The live view may be behind: it may have moved to another project.
    """
    key = key_of(obj)
    resource = await resource_of(cluster, obj)
    stored = await cluster.get(resource, key.namespace, key.name)
    if stored is None or meta.uid(stored) != meta.uid(obj):
        require(caller, obj, action)
        raise NotFound(f"{key.kind} {key.name} was deleted", hint="look again")
    stored = {"apiVersion": obj["apiVersion"], "kind": key.kind, **stored}
    require(caller, stored, action)
    return stored


async def delete_own(
    cluster: Cluster, seen: Seen, request: DeleteResourceRequest, obj: Object, caller: OwnCaller
) -> None:
    """Delete an Application, a set or a project that an Application delivers, in the state it is judged by."""
    for _ in range(_ATTEMPTS):
        stored = await read_own(cluster, obj, caller, "delete")
        judged = msgspec.structs.replace(request, resource_version=meta.resource_version(stored))
        try:
            await delete_resource(seen, judged)
        except ApiError as error:
            if error.reason != "Conflict":
                raise
        else:
            return
    raise Conflict(f"{request.key.kind} {request.key.name} keeps being changed by others", hint="try again")


async def patch_own(
    cluster: Cluster, request: PatchResourceRequest, caller: OwnCaller, installation: Installation
) -> Object:
    """Patch an Application, a set or a project as its own API would; return it as it is stored."""
    key = request.key
    if request.kind == "strategic":
        raise InvalidRequest(f"a {key.kind} takes no strategic merge patch", hint="send a merge patch")
    if key.kind == "Application":
        return await _patch_application(cluster, request, caller, installation)
    if key.kind == "ApplicationSet":

        def change(stored: Object) -> Object:
            return _patched(stored, request)

        return await change_set(cluster, AppSetKey(key.namespace, key.name), change, caller, installation)
    return await _patch_project(cluster, request, caller)


async def _patch_application(
    cluster: Cluster, request: PatchResourceRequest, caller: OwnCaller, installation: Installation
) -> Object:
    key = request.key

    def permit(before: Object, after: Object) -> None:
        caller.require("applications", "update", _project_of(before), key.namespace, key.name)
        if _project_of(after) != _project_of(before):
            caller.require("applications", "create", _project_of(after), key.namespace, key.name)
        _refuse_side_doors(before, after)

    patch = PatchRequest(
        app=AppKey(key.namespace, key.name),
        control=installation.control_namespace,
        patch=request.patch,
        kind="json" if request.kind == "json" else "merge",
    )
    return (await patch_application(cluster, patch, permit)).obj


async def _patch_project(cluster: Cluster, request: PatchResourceRequest, caller: OwnCaller) -> Object:
    key = request.key
    caller.require_project("update", key.name)
    stored = await read_project(cluster, key.namespace, key.name)
    after = _patched(stored, request)
    if {**after, "spec": None} != {**stored, "spec": None}:
        raise Refused(f"a patch of project {key.name} may change its spec only")

    def change(spec: Object) -> None:
        patched = _patched({**stored, "spec": copy.deepcopy(spec)}, request)["spec"]
        spec.clear()
        spec.update(patched)

    return (await change_project(cluster, key.namespace, key.name, change)).obj


def _patched(stored: Object, request: PatchResourceRequest) -> Object:
    """Return an object with a patch applied, which changes its spec, labels, annotations and finalizers at most."""
    apply = json_patch.apply if request.kind == "json" else json_merge.apply
    if not isinstance(request.patch, list if request.kind == "json" else dict):
        raise InvalidRequest("a JSON patch is a list of operations, a merge patch is a mapping")
    try:
        after: Any = apply(copy.deepcopy(stored), request.patch)
    except PatchError as error:
        raise InvalidRequest(f"the patch does not apply: {error}") from None
    if not isinstance(after, dict) or not isinstance(after.get("spec"), dict):
        raise InvalidRequest(f"a patch cannot take the spec of {request.key.kind} {request.key.name} away")
    _refuse_side_doors(stored, after)
    return after


_CHANGEABLE = ("labels", "annotations", "finalizers")


def _refuse_side_doors(before: Object, after: Object) -> None:
    """Refuse to change status, operation, name or owners: what the patch makes is looked at, not what it says."""
    if _fixed(before) != _fixed(after):
        raise Refused("a patch may change spec, labels, annotations and finalizers only")


def _fixed(obj: Object) -> Object:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return {}
    kept = {name: value for name, value in metadata.items() if name not in _CHANGEABLE}
    return {**{name: value for name, value in obj.items() if name != "spec"}, "metadata": kept}


def _project_of(obj: Object) -> str:
    if obj.get("kind") == "ApplicationSet":
        return set_writing.project_of(obj)
    spec = obj.get("spec")
    return str((spec.get("project") if isinstance(spec, dict) else "") or "default")
