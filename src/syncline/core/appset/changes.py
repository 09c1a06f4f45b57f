"""What has to be written so that a live Application is as its set wants it.

Called by `syncline.core.appset.decide`. What others may set stays: preserved annotations and labels, finalizers of
deletion hooks, and fields that `ignoreApplicationDifferences` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_merge
from syncline.core.compare.ignore.rules import Answers, IgnoreRule, stripped
from syncline.model import names
from syncline.model.application import ApplicationSpec
from syncline.model.script import Script
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.resources import IgnoredFields

KIND = "ApplicationSet"
_PRESERVED = (
    names.NOTIFIED,
    names.REFRESH,
    names.REFRESH_TIMESTAMP,
    names.HYDRATE,
    names.DELETION_APPROVED,
    names.FREEZE,
    names.ACCEPTED_DRIFT,
    names.ADOPTED,
    names.TAKEN_OVER,
)
_HOOK_FINALIZERS = (names.PRE_DELETE_FINALIZER, names.POST_DELETE_FINALIZER)
_UNREADABLE = "cannot be parsed"
"""What fails only for this object, such as a path into nothing, ignores nothing."""
_BLOCKS = ("helm", "kustomize", "directory")


class Difference(NamedTuple):
    """A merge patch (None where nothing differs), and scripts that have to run before that can be told.

    Where a rule about what to ignore cannot be read, nothing is told but that.
    """

    patch: Object | None
    pending: tuple[Script, ...] = ()
    problem: str = ""


def normalized_spec(spec: Mapping[str, Any]) -> Object:
    """Return a spec as Argo CD stores it: with a project, without source blocks and policies that say nothing."""
    result = {name: value for name, value in spec.items() if value is not None}
    result["project"] = result.get("project") or "default"
    if not result.get("syncPolicy"):
        result.pop("syncPolicy", None)
    if result.get("source"):
        result["source"] = _source(result["source"])
    if result.get("sources"):
        result["sources"] = [_source(one) for one in result["sources"]]
    return result


def _source(source: Mapping[str, Any]) -> Object:
    return {name: value for name, value in source.items() if value or name not in _BLOCKS}


def owner_of(appset: Object) -> Object:
    """Return the reference by which Applications say that a set controls them."""
    return {
        "apiVersion": names.API_VERSION,
        "kind": KIND,
        "name": meta.name(appset),
        "uid": meta.uid(appset),
        "controller": True,
        "blockOwnerDeletion": True,
    }


class Controller(msgspec.Struct, frozen=True):
    """What controls an Application. `is_set` is whether it is an ApplicationSet."""

    kind: str
    name: str
    uid: str
    is_set: bool

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def controller_from(kind: str, name: str, uid: str, api_version: str) -> Controller:
    """Return what an owner reference names."""
    return Controller(kind, name, uid, kind == KIND and api_version.partition("/")[0] == names.GROUP)


def controller_of(app: Object) -> Controller | None:
    """Return what controls an Application; None where nothing does."""
    for reference in meta.owner_references(app):
        if reference.get("controller"):
            kind, name, uid, version = (str(reference.get(key) or "") for key in ("kind", "name", "uid", "apiVersion"))
            return controller_from(kind, name, uid, version)
    return None


def is_controlled(app: Object, appset: Object) -> bool:
    """Whether a set controls an Application: names can be taken, the UID cannot."""
    controller, uid = controller_of(app), meta.uid(appset)
    return controller is not None and bool(uid) and controller.uid == uid


def created(appset: Object, generated: Object) -> Object:
    """Return the Application that is created for what a set generated."""
    metadata = {**generated["metadata"], "ownerReferences": [owner_of(appset)]}
    return {**generated, "metadata": metadata, "spec": normalized_spec(generated["spec"])}


def difference(
    appset: Object, generated: Object, live: Object, settings: ApplicationSets, answers: Answers
) -> Difference:
    """Return what has to be written to a live Application."""
    wanted = _wanted(appset, generated, live, settings)
    now = _owned_part(live)
    rules = _rules(appset["spec"], meta.name(live))
    if rules:
        sides = [
            stripped({**one, "kind": "Application", "apiVersion": names.API_VERSION}, rules, answers)
            for one in (now, wanted)
        ]
        pending = tuple(script for side in sides for script in side.pending)
        if pending:
            return Difference(None, pending)
        if problem := next((one for side in sides for one in side.problems if _UNREADABLE in one), ""):
            return Difference(None, problem=f"spec.ignoreApplicationDifferences: {problem}")
        now, wanted = (_without_type(side.obj) for side in sides)
    if _same_spec(now.get("spec"), wanted.get("spec")):
        wanted = {**wanted, "spec": now.get("spec")}
    return Difference(None if now == wanted else json_merge.make(now, wanted))


def _without_type(obj: Object) -> Object:
    return {name: value for name, value in obj.items() if name not in ("apiVersion", "kind")}


def _wanted(appset: Object, generated: Object, live: Object, settings: ApplicationSets) -> Object:
    preserved = appset["spec"].get("preservedFields") or {}
    given = generated["metadata"]
    kept_annotations = {*_PRESERVED, *(preserved.get("annotations") or ()), *settings.preserved_annotations}
    if meta.annotation(live, names.TAKEN_OVER):
        kept_annotations.add(names.SKIP_RECONCILE)
    kept_labels = {*(preserved.get("labels") or ()), *settings.preserved_labels}
    finalizers = list(given.get("finalizers") or ())
    finalizers += [one for one in meta.finalizers(live) if one.startswith(_HOOK_FINALIZERS) and one not in finalizers]
    metadata = {
        "annotations": _kept(given.get("annotations"), meta.annotations(live), kept_annotations),
        "labels": _kept(given.get("labels"), meta.labels(live), kept_labels),
        "finalizers": finalizers,
        "ownerReferences": _owners(appset, live),
    }
    wanted = {"metadata": {name: value for name, value in metadata.items() if value}}
    wanted["spec"] = normalized_spec(generated["spec"])
    # An operation that was asked for in another project must not run in this one.
    stays = ((live.get("spec") or {}).get("project") or "default") == wanted["spec"]["project"]
    operation = generated.get("operation") or (live.get("operation") if stays else None)
    return {**wanted, "operation": operation} if operation else wanted


def _kept(given: Mapping[str, str] | None, live: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {**(given or {}), **{name: text for name, text in live.items() if name in names}}


def _owners(appset: Object, live: Object) -> list[Object]:
    mine = owner_of(appset)
    others = [one for one in meta.owner_references(live) if one.get("uid") != mine["uid"] and not _stale(one, mine)]
    return [*others, mine]


def _stale(reference: Object, mine: Object) -> bool:
    """Whether a reference is to a set of this name that was there before this one."""
    group = str(reference.get("apiVersion") or "").partition("/")[0]
    return (group, reference.get("kind"), reference.get("name")) == (names.GROUP, KIND, mine["name"])


def _owned_part(live: Object) -> Object:
    """Return the part of a live Application that its set decides about."""
    metadata = {
        "annotations": dict(meta.annotations(live)),
        "labels": dict(meta.labels(live)),
        "finalizers": list(meta.finalizers(live)),
        "ownerReferences": list(meta.owner_references(live)),
    }
    part = {"metadata": {name: value for name, value in metadata.items() if value}, "spec": live.get("spec") or {}}
    return {**part, "operation": live["operation"]} if live.get("operation") else part


def _rules(spec: Mapping[str, Any], name: str) -> list[IgnoreRule]:
    found = []
    for entry in spec.get("ignoreApplicationDifferences") or ():
        if entry.get("name") in (None, "", name):
            fields = IgnoredFields(
                json_pointers=tuple(entry.get("jsonPointers") or ()),
                jq_path_expressions=tuple(entry.get("jqPathExpressions") or ()),
            )
            found.append(IgnoreRule(kind="Application", group=names.GROUP, fields=fields))
    return found


def _same_spec(one: Any, other: Any) -> bool:
    """Whether two specs mean the same: a field that is left out, and one that says nothing, are no difference."""
    if one == other:
        return True
    try:
        return bool(msgspec.convert(one, ApplicationSpec) == msgspec.convert(other, ApplicationSpec)) and not (
            _unknown(one) or _unknown(other)
        )
    except msgspec.ValidationError:
        return False


def _unknown(spec: Mapping[str, Any]) -> bool:
    known = {field.encode_name for field in msgspec.structs.fields(ApplicationSpec)}
    return not set(spec) <= known
