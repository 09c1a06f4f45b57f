"""The objects of an Application as a tree: what it manages, and below that what those own, with health and waiting.

Drawn by `app get -o tree` from one look at the cluster (`syncline.verbs.look`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.cli.app.waiting import queued
from syncline.cli.show.tables import age, table
from syncline.core.assess import Assessment
from syncline.core.health import checkup
from syncline.model.comparison import ComparedObject
from syncline.model.finding import EvidenceKind
from syncline.model.health import Health


def tree(assessment: Assessment, now: datetime, *, detailed: bool) -> str:
    """Return the tree as a table; `detailed` adds age and reason."""
    judge = checkup.of_snapshot(assessment.snapshot, assessment.live)
    children = _children(assessment)
    header = ["KIND/NAME", "STATUS", "HEALTH", *(["AGE", "REASON"] if detailed else []), "MESSAGE"]
    waits = queued(assessment.snapshot.app)
    rows = []
    for row in assessment.comparison.rows:
        for prefix, key in _walk(row.key, children, "", ""):
            obj = assessment.live.get(key)
            health = judge(obj) if obj is not None else None
            status = row.verdict.value if key == row.key else ""
            message = _message(health, below=bool(children.get(key)))
            if key == row.key:
                message = waits.get((key.group, key.kind, key.namespace, key.name)) or message
            if key == row.key and obj is None:
                message = f"missing live; {message}" if message else "missing live"
            extra = [_created(obj, now), _reason(row if key == row.key else None, health)] if detailed else []
            shown = health.status.value if health else ("Missing" if obj is None else "")
            rows.append([f"{prefix}{key.kind}/{key.name}", status, shown, *extra, message or ""])
    return table(header, rows)


def _children(assessment: Assessment) -> dict[ObjectKey, list[ObjectKey]]:
    """Return who owns whom, among the live objects; an object with several owners hangs below its controller."""
    keys = {meta.uid(obj): key for key, obj in assessment.live.items()}
    children: dict[ObjectKey, list[ObjectKey]] = defaultdict(list)
    for key, obj in sorted(assessment.live.items()):
        owners = sorted(meta.owner_references(obj), key=lambda owner: not owner.get("controller"))
        parent = next((keys[uid] for owner in owners if (uid := str(owner.get("uid"))) in keys), None)
        if parent is not None:
            children[parent].append(key)
    return children


def _walk(
    key: ObjectKey, children: dict[ObjectKey, list[ObjectKey]], here: str, below: str
) -> Iterator[tuple[str, ObjectKey]]:
    yield here, key
    owned = children.get(key, [])
    for position, child in enumerate(owned):
        last = position == len(owned) - 1
        yield from _walk(child, children, below + ("└─" if last else "├─"), below + ("  " if last else "│ "))


def resource_tree(
    assessment: Assessment, roots: Sequence[tuple[ObjectKey, str]], now: datetime, *, detailed: bool
) -> str:
    """Return objects with what they own as a table; `detailed` adds age, health and reason."""
    judge = checkup.of_snapshot(assessment.snapshot, assessment.live)
    children = _children(assessment)
    rows = []
    for root, orphaned in roots:
        for prefix, key in _walk(root, children, "", ""):
            row = [key.group, f"{prefix}{key.kind}", key.namespace, key.name, orphaned]
            if detailed:
                obj = assessment.live.get(key)
                health = judge(obj) if obj is not None else None
                row += [_created(obj, now), health.status.value if health else "", _reason(None, health)]
            rows.append(row)
    header = ["GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED", *(["AGE", "HEALTH", "REASON"] if detailed else [])]
    return table(header, rows)


def _message(health: Health | None, *, below: bool) -> str:
    """Return what to say about an object; what its own objects say stands in their rows."""
    if health is None:
        return ""
    own = next((one.text for one in reversed(health.evidence) if one.kind is EvidenceKind.MESSAGE), "")
    deeper = health.evidence and health.evidence[0].subject is not None
    return own if below and deeper and own else health.message


def _created(obj: Object | None, now: datetime) -> str:
    created = meta.metadata(obj).get("creationTimestamp")
    return age(str(created), now) if created else ""


def _reason(row: ComparedObject | None, health: Health | None) -> str:
    found = [*(one.value for one in (row.reasons if row else ())), *([health.reason] if health else [])]
    return ",".join(dict.fromkeys(filter(None, found)))
