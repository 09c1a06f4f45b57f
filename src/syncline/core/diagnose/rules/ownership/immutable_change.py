"""A change to a field that the API server does not let change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of
from syncline.apimachinery.schema import immutable
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.waits import then_sync
from syncline.core.diagnose.live.written import item, line, rewrite
from syncline.core.diagnose.messages.refusals import IMMUTABLE, Refusal, refusals
from syncline.core.diagnose.repository.rendered import rendered
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Change
from syncline.model.comparison import Difference
from syncline.model.finding import Edit, Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.sync_options import SyncOptions

RULE = Rule(
    code="OWN-007",
    name="immutable-change",
    severity=Severity.ERROR,
    summary="The change sets a field that cannot change once the object exists.",
    fix="keep the field as it is, or plan to recreate the object: give it a new name, or delete it in a maintenance "
    "window",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.HISTORY),
    tells=Tells.REFUSAL,
    why="The API server refuses the change, so every sync of the app fails from then on. Ignoring the field hides "
    "the difference, not the failure.",
    bad="""\
kind: Deployment
spec:
  selector:
    matchLabels: {app: web, tier: front}  # was {app: web}
""",
    good="""\
kind: Deployment
metadata:
  name: web-front  # a new object
spec:
  selector:
    matchLabels: {app: web, tier: front}
""",
)


def _kept(change: Change) -> Iterator[tuple[str, tuple[Prepared, Prepared]]]:
    """Yield the objects that both sides deliver; where several apps do, the first stands for them."""
    head = rendered(change.head)
    for address, apps in rendered(change.base).items():
        if address in head:
            yield str(address[1]), (apps[0].item, head[address][0].item)


@RULE.on_each(Change, _kept)
def check(_change: Change, part: tuple[Prepared, Prepared]) -> Iterator[Finding]:
    """Yield one finding per field that cannot change; an object that is replaced by force may change."""
    before, after = part
    if before.obj is after.obj:
        return
    if SyncOptions.of(after.obj).force:
        return
    for found in immutable.violations(before.obj, after.obj, gvk_of(after.obj)):
        place = after.origin.place(found.path)
        yield RULE.finding(
            after.key.short,
            f"{after.key.short}: {found.path} cannot change once the object exists",
            evidence=[
                Evidence(kind=EvidenceKind.FIELD, text=str(found), subject=after.key, path=found.path, place=place)
            ],
            fix=RULE.usual_fix,
        )


_FIELD = re.compile(r"(?P<path>spec(?:\.[\w\[\]]+)+|roleRef|data|type|provisioner|parameters): ")
_DELETES = {
    "Deployment": "its pods stop until it is created again",
    "DaemonSet": "its pods stop until it is created again",
    "StatefulSet": "--cascade=orphan keeps its pods and claims, which the new one takes over",
    "Job": "its pods and their logs go",
    "PersistentVolumeClaim": "THE DATA OF ITS VOLUME is lost unless its StorageClass retains it",
    "Service": "its address changes",
    "RoleBinding": "the permissions are gone until it is created again",
    "ClusterRoleBinding": "the permissions are gone until it is created again",
}

_READY = {"Deployment": "readyReplicas", "DaemonSet": "numberReady"}


@RULE.on(App)
def check_app(app: App) -> Iterator[Finding]:
    """Yield one finding per object whose sync the server refused because of a field that cannot change."""
    for one in refusals(app):
        if one.by_sync and IMMUTABLE.search(one.message):
            yield _refused(app, one)


def refused_paths(message: str) -> list[str]:
    """Return the fields that cannot change, by the words of the server."""
    return [match["path"] for match in _FIELD.finditer(message)]


def _refused(app: App, one: Refusal) -> Finding:
    found = item(app, one.key)
    live = app.assessment.live.get(one.key)
    paths = refused_paths(one.message)
    if found is not None and live is not None:
        broken = [one.path for one in immutable.violations(live, found.obj, gvk_of(found.obj))]
        # What the server fills in itself differs too, and it does not complain of that.
        paths = [path for path in broken if path in paths] or broken or paths
    changed = [row for row in _differences(app, one.key) if any(_below(row.path, path) for path in paths)]
    named = ", ".join(dict.fromkeys(paths)) or "a field"
    said = "; ".join(f"live {_shown(row.live)}, Git {_shown(row.desired)}" for row in changed[:2])
    lines = [
        found for row in changed[:3] for found in line(app, one.key, row.path, f"{row.path}: {_shown(row.desired)}")
    ]
    idle = nothing_lost(live or {})
    back, again = _revert(app, one.key, changed, paths, idle), _recreate(app, one.key, idle)
    return RULE.finding(
        one.key.short,
        f"{one.key.short}: {named} cannot change once the object exists" + (f" ({said})" if said else ""),
        evidence=[*lines, Evidence(kind=EvidenceKind.MESSAGE, text=one.message, time=one.since)],
        fix=again if idle else back,
        options=[back if idle else again],
        since=one.since,
    )


def nothing_lost(live: Object) -> str:
    """Return why nothing is lost with a live object, where it does not do its job; empty where it may."""
    status = live.get("status")
    status = status if isinstance(status, dict) else {}
    kind = live.get("kind")
    if kind == "PersistentVolumeClaim":
        bound = status.get("phase") != "Pending" or (live.get("spec") or {}).get("volumeName")
        return "" if bound else "it was never bound, and has no data"
    if kind == "Job":
        held = {one.get("type") for one in status.get("conditions") or () if one.get("status") == "True"}
        return "it has failed for good; its pods and their logs go" if "Failed" in held else ""
    if kind in _READY and status:
        return "" if status.get(_READY[kind]) else "none of its pods is ready"
    return ""


def _differences(app: App, key: ObjectKey) -> list[Difference]:
    return [one for row in app.assessment.comparison.rows if row.key == key for one in row.differences]


def _below(path: str, above: str) -> bool:
    return path == above or path.startswith((f"{above}.", f"{above}["))


def _revert(app: App, key: ObjectKey, changed: list[Difference], paths: list[str], idle: str) -> Fix:
    """Return the edits that revert the change; the labels of pods go with their selector."""
    labels = "spec.template.metadata.labels"
    also = [row for row in _differences(app, key) if "spec.selector" in paths and _below(row.path, labels)]
    edits: list[Edit] = []
    for row in (*changed, *also):
        if row.live is msgspec.UNSET:
            break
        fix = rewrite(app, key, row.path, row.live)
        if not fix.edits:
            return fix
        edits += fix.edits
    else:
        if edits:
            return Fix(text="revert the change" if idle else "keep what runs", edits=tuple(edits))
    return Fix(text=f"decide: revert the change to {', '.join(paths) or 'the field'} in {key.short}, or recreate it")


def recreate(app: str, key: ObjectKey) -> Fix:
    """Return the commands that delete an object and have an app make it again, with what that takes along."""
    return Fix(text=_consequence(key), command=f"{_deletion(key)} && syncline app sync {app}")


def _recreate(app: App, key: ObjectKey, idle: str) -> Fix:
    return Fix(text=_consequence(key, idle), command=then_sync(app, _deletion(key)))


def _consequence(key: ObjectKey, idle: str = "") -> str:
    return f"recreate it: {idle or _DELETES.get(key.kind, 'whatever depends on it is without it meanwhile')}"


def _deletion(key: ObjectKey) -> str:
    cascade = " --cascade=orphan" if key.kind == "StatefulSet" else ""
    resource = key.kind.lower() + (f".{key.group}" if key.group else "")
    where = f" -n {key.namespace}" if key.namespace else ""
    return f"kubectl delete {resource} {key.name}{where}{cascade}"


def _shown(value: Any) -> str:
    return "nothing" if value is msgspec.UNSET else str(value)
