"""What is compared: the conditions of a set, and its Applications without what no two runs share."""

from collections.abc import Iterable
from typing import Any

from syncline.apimachinery.keys import Object
from tests.support.judged_sets.case import Json, Places, filled

_OURS = "syncline.io/"
_PASSING = ("argocd.argoproj.io/refresh", "argocd.argoproj.io/hydrate")


def verdict(name: str, applicationset: Object | None, apps: Iterable[Object], places: Places) -> Json:
    """Return what became of a set: of the Applications that are its own, or that are named like it."""
    own = [app for app in apps if _belongs(app, name) and not app["metadata"].get("deletionTimestamp")]
    told: Json = {"apps": {app["metadata"]["name"]: _alike(_app(app, name), places) for app in own}}
    if applicationset is None:
        return {**told, "gone": True}
    status = applicationset.get("status") or {}
    told["conditions"] = {
        one["type"]: f"{one['status']} {one['reason']}" for one in status.get("conditions") or () if _lasts(one)
    }
    told["messages"] = {
        one["type"]: _alike(one["message"], places)
        for one in status.get("conditions") or ()
        if one["type"] == "ErrorOccurred" and one["status"] == "True"
    }
    return told


def _lasts(condition: Json) -> bool:
    """Whether a condition says something; some that hold not are left out by either side."""
    return not (condition["type"] == "RolloutProgressing" and condition["status"] == "False")


def _belongs(app: Object, name: str) -> bool:
    owners = [one["name"] for one in app["metadata"].get("ownerReferences") or ()]
    return name in owners or (not owners and str(app["metadata"]["name"]).startswith(f"{name}-"))


def _app(app: Object, name: str) -> Json:
    metadata = app["metadata"]
    annotations = {
        key: text
        for key, text in (metadata.get("annotations") or {}).items()
        if not key.startswith(_OURS) and key not in _PASSING
    }
    told = {
        "labels": metadata.get("labels"),
        "annotations": annotations,
        "finalizers": sorted(metadata.get("finalizers") or ()),
        "spec": _said(app.get("spec")),
        "operation": app.get("operation"),
        "owned": any(one["name"] == name for one in metadata.get("ownerReferences") or ()),
    }
    return {key: value for key, value in told.items() if value}


def _said(value: Any) -> Any:
    """Return a value without the fields that say nothing: whether those are written is nobody's concern."""
    if isinstance(value, dict):
        parts = {key: _said(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in (None, "", [], False)}
    if isinstance(value, list):
        return [_said(part) for part in value]
    return value


def _alike(value: Any, places: Places) -> Any:
    return filled(value, {address: word for word, address in places.items()})
