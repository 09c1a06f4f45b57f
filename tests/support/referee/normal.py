"""What is compared: an Application's status and the objects in its namespace, without what no two runs share.

`tests.support.referee.fleet` hands in what it read. Times, uids, versions and addresses go; commits are named by their
place in the story.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.support.referee.case import Json

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\b\d{1,2}:\d\d(:\d\d)?(AM|PM)\b")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHA = re.compile(r"\b[0-9a-f]{40}\b")
_STAMP = re.compile(r"\b[0-9a-f]{8}(?=\.\d+\.(PreSync|Sync|PostSync|SyncFail)\b)")
_GENERATED = re.compile(r"\b[0-9a-f]{7}-(presync|sync|postsync|syncfail)-\d{10}\b")
_MOUNT = re.compile(r"(?<=kube-api-access-)\w{5}\b")
_SHORT = re.compile(r"(?<= at main \()[0-9a-f]{7}(?=\))")
_POD = re.compile(r"(?<=-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=: container )")
_PORT = re.compile(r'(?<="nodePort": )\d+')
_ADDRESS = re.compile(r"\b10\.\d+\.\d+\.\d+\b")
_PATTERNS = (
    (_STAMP, "STAMP"),
    (_POD, "POD"),
    (_GENERATED, "GENERATED"),
    (_MOUNT, "MOUNT"),
    (_SHORT, "COMMIT"),
    (_ADDRESS, "ADDRESS"),
    (_UID, "UID"),
    (_TIME, "TIME"),
    (_PORT, "1"),
)
_DROPPED = (
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "ownerReferences",
)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

HEALS = "heals"
"""How often the last operation healed what it had not been asked to; it explains races and is not compared."""
NAMED = "kubernetes.io/metadata.name"
ROLLED_OUT = "deployment.kubernetes.io/revision"


class Words:
    """Makes texts of different runs alike: the address of the repositories goes, commits get names."""

    def __init__(self, root: str, commits: Mapping[str, str]) -> None:
        self._root = root
        self._commits = commits

    def plain(self, text: str) -> str:
        """Return a text without what no two runs share."""
        text = text.replace(self._root, "ROOT").replace(self._root.removeprefix("file://"), "ROOT")
        text = _SHA.sub(lambda found: self._commits.get(found[0], "SHA"), text)
        for pattern, word in _PATTERNS:
            text = pattern.sub(word, text)
        return text

    def deep(self, value: Any) -> Any:
        """Return a value with all its texts made plain."""
        return json.loads(self.plain(json.dumps(value)))


def verdict(app: Json | None, objects: Iterable[Json], words: Words) -> Json:
    """Return what is compared of one case."""
    kept = [obj for obj in objects if not _made_by_the_cluster(obj)]
    found: Json = {"objects": {_key(obj): words.deep(_object(obj)) for obj in kept}}
    if app is None:
        return {"gone": True, **found}
    status = app.get("status") or {}
    if app["metadata"].get("deletionTimestamp"):
        found["deleting"] = sorted(app["metadata"].get("finalizers") or ())
    asked: Json = {"operation": "requested"} if app.get("operation") else {}
    told: Json = words.deep(_status(status))
    return told | found | asked


def _status(status: Json) -> Json:
    compared = status.get("sync") or {}
    return _without_empty(
        {
            "sync": compared.get("status"),
            "revisions": compared.get("revisions") or [compared.get("revision") or ""],
            "health": status.get("health", {}).get("status"),
            "conditions": _conditions(status.get("conditions") or ()),
            "sourceTypes": status.get("sourceTypes") or [status.get("sourceType") or ""],
            "summary": status.get("summary"),
            "resources": {_row_key(row): _resource(row) for row in status.get("resources") or ()},
            "history": [
                [one["id"], one.get("revisions") or [one.get("revision") or ""]] for one in status.get("history") or ()
            ],
            "state": _state(status.get("operationState") or {}),
        }
    )


def _conditions(conditions: Iterable[Json]) -> Json:
    found: dict[str, list[str]] = {}
    for one in conditions:
        found.setdefault(one["type"], []).append(one["message"])
    return {kind: sorted(messages) for kind, messages in found.items()}


def _resource(row: Json) -> Json:
    return _without_empty(
        {
            "status": row.get("status"),
            "health": (row.get("health") or {}).get("status"),
            "message": (row.get("health") or {}).get("message"),
            **{name: row.get(name) for name in ("hook", "requiresPruning", "syncWave", "requiresDeletionConfirmation")},
        }
    )


def _state(state: Json) -> Json:
    result = state.get("syncResult") or {}
    return _without_empty(
        {
            "phase": state.get("phase"),
            "message": state.get("message"),
            "retries": state.get("retryCount"),
            "by": (state.get("operation") or {}).get("initiatedBy"),
            HEALS: ((state.get("operation") or {}).get("sync") or {}).get("autoHealAttemptsCount"),
            "revisions": result.get("revisions") or [result.get("revision") or ""],
            "namespace": result.get("managedNamespaceMetadata"),
            "rows": {_row_key(row): _result(row) for row in result.get("resources") or ()},
        }
    )


def _result(row: Json) -> Json:
    names = ("status", "message", "hookType", "hookPhase", "syncPhase", "images")
    return _without_empty({name: row.get(name) for name in names})


def _row_key(row: Json) -> str:
    parts = [row.get(name) or "" for name in ("group", "version", "kind", "namespace", "name")]
    return "/".join(parts) + (f" {row['syncPhase']}" if row.get("hookType") else "")


def _made_by_the_cluster(obj: Json) -> bool:
    """Tell what controllers of a cluster make, of which a bare API server has none."""
    metadata = obj["metadata"]
    names = {"ConfigMap": "kube-root-ca.crt", "ServiceAccount": "default"}
    return bool(metadata.get("ownerReferences")) or names.get(obj["kind"]) == metadata["name"]


def _key(obj: Json) -> str:
    return f"{obj['kind']}/{obj['metadata']['name']}"


def _object(obj: Json) -> Json:
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _DROPPED}
    if metadata.pop("deletionTimestamp", None):
        metadata["deleting"] = True
        metadata.pop("deletionGracePeriodSeconds", None)
    notes = metadata.pop("annotations", None) or {}
    notes = {name: text for name, text in notes.items() if name not in (LAST_APPLIED, ROLLED_OUT)}
    content = {name: value for name, value in obj.items() if name not in ("metadata", "status", "apiVersion", "kind")}
    if obj["kind"] == "Namespace":
        content = {}
        metadata["labels"] = {name: text for name, text in metadata.get("labels", {}).items() if name != NAMED}
    return _without_empty({**metadata, "annotations": notes, **content})


def _without_empty(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, [""], 0, False)}


def differences(theirs: Json, ours: Json, path: str = "") -> dict[str, tuple[Any, Any]]:
    """Return the fields that are not the same, by path."""
    found: dict[str, tuple[Any, Any]] = {}
    for name in sorted({*theirs, *ours}):
        one, other = theirs.get(name), ours.get(name)
        where = f"{path}.{name}" if path else name
        if isinstance(one, dict) and isinstance(other, dict):
            found |= differences(one, other, where)
        elif one != other:
            found[where] = (one, other)
    return found
