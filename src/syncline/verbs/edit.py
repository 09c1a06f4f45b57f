"""Changes of an Application that is there: its settings, its sources, its whole spec, or by a patch.

Every change is worked out on what is stored, so that edits of others are kept; fields that nobody here knows stay.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_merge, json_patch
from syncline.apimachinery.patch.errors import PatchError
from syncline.controller.app_key import AppKey
from syncline.ports.kube import Cluster
from syncline.verbs.applications import StoredApplication, change_application, read_application
from syncline.verbs.errors import Conflict, InvalidRequest
from syncline.verbs.permission import read_rules
from syncline.verbs.policy import PolicyChange, put_policy
from syncline.verbs.settings import ANY_SOURCE, SourceChoice, SpecSetting, UnsetFields, position_of, put_settings
from syncline.verbs.settings import unset as remove_fields
from syncline.verbs.validation import validate

Permit = Callable[[Object, Object], None]
"""Is shown an Application before and after a change, and raises what forbids it."""


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one Application; `control` is the namespace of its installation, where that is another one.

    A change that is `judged` elsewhere, by the server that it is sent to, is not asked about here.
    """

    app: AppKey
    control: str = ""
    judged: bool = False


class SetRequest(_Request, frozen=True, kw_only=True):
    """Settings to write; those of a source go into the chosen one."""

    settings: tuple[SpecSetting, ...] = ()
    source: SourceChoice = ANY_SOURCE
    policy: PolicyChange = PolicyChange()
    validate: bool = True


class UnsetRequest(_Request, frozen=True, kw_only=True):
    """Fields of a source to remove."""

    fields: tuple[UnsetFields, ...]
    source: SourceChoice = ANY_SOURCE


class AddSourceRequest(_Request, frozen=True, kw_only=True):
    """A further source."""

    source: Object


class RemoveSourceRequest(_Request, frozen=True, kw_only=True):
    """A source to remove from an Application that has several."""

    source: SourceChoice


class ReplaceSpecRequest(_Request, frozen=True, kw_only=True):
    """A whole spec; with `expected` only while the stored one is still that."""

    spec: Object
    expected: Object | None = None
    validate: bool = True


class PatchRequest(_Request, frozen=True, kw_only=True):
    """A JSON patch (a list of operations) or a merge patch (a mapping) of an Application."""

    patch: Any
    kind: Literal["json", "merge"] = "json"


async def set_fields(cluster: Cluster, request: SetRequest) -> StoredApplication:
    """Write settings."""

    def change(app: Object) -> Object:
        put_settings(app, request.settings, request.source)
        put_policy(app, request.policy)
        return app

    return await _change(cluster, request, change, check=request.validate)


async def unset_fields(cluster: Cluster, request: UnsetRequest) -> StoredApplication:
    """Remove settings of a source."""

    def change(app: Object) -> Object:
        remove_fields(request.source.of(app), request.fields)
        return app

    return await _change(cluster, request, change)


async def add_source(cluster: Cluster, request: AddSourceRequest) -> StoredApplication:
    """Add a source behind those there are."""

    def change(app: Object) -> Object:
        spec = app["spec"]
        if spec.get("sourceHydrator"):
            raise InvalidRequest("a hydrated Application has just one source")
        before = spec.get("sources") or ([spec["source"]] if spec.get("source") else [])
        spec["sources"] = [*before, request.source]
        spec.pop("source", None)
        return app

    return await _change(cluster, request, change)


async def remove_source(cluster: Cluster, request: RemoveSourceRequest) -> StoredApplication:
    """Remove a source; the last one stays."""

    def change(app: Object) -> Object:
        sources = app["spec"].get("sources") or []
        position = request.source.position or position_of(sources, request.source.name)
        if position > len(sources):
            raise InvalidRequest(f"no source {position}: this Application has {len(sources)} sources in a list")
        if len(sources) == 1:
            raise InvalidRequest("this is the last source", hint="delete the Application instead")
        del sources[position - 1]
        return app

    return await _change(cluster, request, change)


async def replace_spec(
    cluster: Cluster, request: ReplaceSpecRequest, permit: Permit = lambda _before, _after: None
) -> StoredApplication:
    """Replace the spec; raises `Conflict` when it is no longer the one that was expected.

    `permit` is shown the stored Application before and after, and raises what forbids it.
    """

    def change(app: Object) -> Object:
        if request.expected is not None and app["spec"] != request.expected:
            raise Conflict(f"someone else changed {request.app.name} while you edited it, so nothing was changed")
        wanted = {**app, "spec": request.spec}
        permit(app, wanted)
        return wanted

    return await _change(cluster, request, change, check=request.validate)


async def patch_application(
    cluster: Cluster, request: PatchRequest, permit: Permit = lambda _before, _after: None
) -> StoredApplication:
    """Patch an Application; it cannot be renamed. `permit` is shown it before and after, and raises what forbids it."""
    if request.kind == "json" and not isinstance(request.patch, list):
        raise InvalidRequest("a JSON patch is a list of operations", hint="for a mapping use --type merge")
    if request.kind == "merge" and not isinstance(request.patch, dict):
        raise InvalidRequest("a merge patch is a mapping", hint="for a list of operations use --type json")

    def change(app: Object) -> Object:
        apply = json_patch.apply if request.kind == "json" else json_merge.apply
        before = copy.deepcopy(app)
        try:
            patched: Any = apply(app, request.patch)
        except PatchError as error:
            raise InvalidRequest(f"the patch does not apply: {error}") from None
        if not isinstance(patched, dict) or meta.metadata(patched).get("name") != before["metadata"]["name"]:
            raise InvalidRequest("a patch cannot rename an Application")
        if not isinstance(patched.get("spec"), dict):
            raise InvalidRequest("a patch cannot take the spec of an Application away")
        permit(before, patched)
        return patched

    return await _change(cluster, request, change)


async def _change(
    cluster: Cluster, request: _Request, change: Callable[[Object], Object], *, check: bool = True
) -> StoredApplication:
    """Change an Application; as with Argo CD its project is asked whatever of the spec is changed."""
    before = await read_application(cluster, request.app)
    control = before.control_namespace(request.control or request.app.namespace)
    rules = None if request.judged else await read_rules(cluster, control)

    def checked(app: Object) -> Object:
        spec = copy.deepcopy(app["spec"])
        wanted = change(app)
        if check:
            validate(wanted)
        if rules is not None and wanted["spec"] != spec:
            rules.require(wanted, known_cluster=check)
        return wanted

    stored = await change_application(cluster, request.app, checked)
    return msgspec.structs.replace(stored, note=rules.unread if rules is not None else "")
