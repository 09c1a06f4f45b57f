"""Which Application would deliver the definition of a kind, and why it has not.

Shared by what rules say about kinds that a cluster does not serve. An app that was compared once has recorded what it
delivers. One that could never be rendered has recorded nothing: there its chart, path and name tell, and the answer
says that it is a guess.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core import known_kinds
from syncline.core.diagnose.live import around
from syncline.core.diagnose.messages import source_fixes
from syncline.core.diagnose.subjects import App

_DEFINITION = "CustomResourceDefinition"
_TOO_COMMON = {"io", "com", "dev", "org", "sh", "net", "k8s", "example", "apps", "core", "chart", "the", "kube", "api"}
_SHORTEST = 4


class Supplier(msgspec.Struct, frozen=True):
    """An Application, and whether it is known to have the definition or only looks like it."""

    key: ObjectKey
    known: bool


def supplier(app: App, kind: GroupKind) -> Supplier | None:
    """Return who would deliver the definition of a kind, whether or not it is delivered."""
    own = app.assessment.myself
    others = [(key, other) for key, other in around.of_kind(app, own.group_kind) if key != own]
    for key, other in others:
        if any(_defines(row, kind) for row in (other.get("status") or {}).get("resources") or ()):
            return Supplier(key, known=True)
    words = _words_of(kind)
    for key, other in others:
        if not_rendered(other) and words & _told_by(other):
            return Supplier(key, known=False)
    return None


def _defines(row: dict[str, Any], kind: GroupKind) -> bool:
    name = str(row.get("name") or "")
    plural, _dot, group = name.partition(".")
    return row.get("kind") == _DEFINITION and group == kind.group and plural.startswith(kind.kind.lower()[:-1])


def _words_of(kind: GroupKind) -> set[str]:
    """Return words by which somebody would name what delivers a kind."""
    told = f"{kind.group} {kind.kind} {comes_with([kind])}".lower()
    return {word for word in re.split(r"[^a-z0-9]+", told) if len(word) >= _SHORTEST} - _TOO_COMMON


def _told_by(other: Object) -> set[str]:
    """Return the words of an Application's name, charts and paths, also without a plural."""
    spec = other.get("spec") or {}
    sources = [one for one in (spec.get("source"), *(spec.get("sources") or ())) if isinstance(one, dict)]
    told = [str((other.get("metadata") or {}).get("name"))]
    told += [str(one.get(field) or "") for one in sources for field in ("chart", "path")]
    words = {word for text in told for word in re.split(r"[^a-z0-9]+", text.lower())}
    return words | {word.removesuffix("s") for word in words}


def not_rendered(other: Object) -> str:
    """Return why an Application cannot be rendered; empty where it can."""
    for one in (other.get("status") or {}).get("conditions") or ():
        if one.get("type") == "ComparisonError":
            return source_fixes.shortened(str(one.get("message") or ""))[0]
    return ""


def trouble(other: Object) -> str:
    """Return why an Application has not delivered what it has, in words."""
    if why := not_rendered(other):
        return f"cannot be rendered: {why}"
    status = other.get("status") or {}
    invalid = [one for one in status.get("conditions") or () if str(one.get("type")).endswith("Error")]
    if invalid:
        return f"is not valid: {invalid[0].get('message')}"
    operation = status.get("operationState") or {}
    if operation.get("phase") in ("Failed", "Error"):
        return f"its sync failed: {operation.get('message')}"
    if operation.get("phase") == "Running":
        return "is still syncing"
    sync = (status.get("sync") or {}).get("status") or "not compared yet"
    automated = ((other.get("spec") or {}).get("syncPolicy") or {}).get("automated")
    return f"is {sync}" if automated is not None else f"is {sync} and not synced automatically"


def comes_with(kinds: list[GroupKind]) -> str:
    """Return what usually brings one of these kinds; empty where that is not known."""
    return next(filter(None, (known_kinds.provider(kind.group) for kind in kinds)), "")
