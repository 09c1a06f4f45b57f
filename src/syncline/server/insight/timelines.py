"""What happened to an Application when, on one axis: commits, syncs, edits of live objects, health, Events.

Used by the route of timelines with one look at an Application. Everything is read from what the cluster and Git record
anyway; what nobody wrote down is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.world import World
from syncline.core.assess import Assessment
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model import application
from syncline.ports.source import CommitNote
from syncline.server.insight.planning import object_json

_COMMITS_AT_MOST = 10
_EDITS_AT_MOST = 200
Entry = dict[str, Any]


async def commits(world: World, app: Object) -> list[CommitNote]:
    """Return the notes of the commits that an Application was synced to, the newest few; charts have none."""
    typed = application.parse(app)
    sources = typed.spec.all_sources
    if not sources or sources[0].chart:
        return []
    status = typed.status
    revisions = [entry.revision or next(iter(entry.revisions), "") for entry in reversed(status.history)]
    if status.sync is not None:
        revisions.insert(0, status.sync.revision or next(iter(status.sync.revisions), ""))
    wanted = list(dict.fromkeys(filter(None, revisions)))[:_COMMITS_AT_MOST]
    found = [await world.source.describe(sources[0].repo_url, one) for one in wanted]
    return [one for one in found if one is not None]


def timeline_json(assessment: Assessment, notes: Iterable[CommitNote], *, limit: int) -> dict[str, Any]:
    """Return the timeline, newest first."""
    entries = [*map(_commit, notes), *_syncs(assessment), *_healths(assessment)]
    entries += [*_edits(assessment), *_events(assessment)]
    dated = sorted((one for one in entries if one["time"]), key=lambda one: str(one["time"]), reverse=True)[:limit]
    return {
        "schemaVersion": 1,
        "app": f"{assessment.app.metadata.namespace}/{assessment.app.metadata.name}",
        "from": dated[-1]["time"] if dated else "",
        "to": dated[0]["time"] if dated else "",
        "entries": dated,
    }


def _entry(time: str, lane: str, kind: str, title: str, **more: Any) -> Entry:
    key = more.pop("key", None)
    found = {
        "time": time,
        "lane": lane,
        "kind": kind,
        "title": without_secrets(title),
        "text": "",
        "object": object_json(key) if key is not None else None,
        "by": "",
        "revision": "",
        "severity": "info",
        **more,
    }
    return {**found, "text": without_secrets(str(found["text"]))}


def _commit(note: CommitNote) -> Entry:
    first, _, rest = note.message.strip().partition("\n")
    return _entry(note.date, "git", "commit", first, text=rest.strip(), by=note.author, revision=note.revision)


def _syncs(assessment: Assessment) -> Iterator[Entry]:
    status = assessment.app.status
    for one in status.history:
        by = one.initiated_by
        who = ("auto-sync" if by.automated else by.username) if by else ""
        revision = one.revision or next(iter(one.revisions), "")
        yield _entry(one.deployed_at, "sync", "deployed", f"sync {one.id} done", by=who, revision=revision)
    state = status.operation_state
    if state is None:
        return
    by = state.operation.initiated_by
    who = ("auto-sync" if by.automated else by.username) if by else ""
    revision = state.sync_result.revision if state.sync_result else ""
    yield _entry(state.started_at, "sync", "started", "sync started", by=who, revision=revision)
    if state.finished_at:
        bad = state.phase.value in ("Failed", "Error")
        yield _entry(
            state.finished_at,
            "sync",
            state.phase.value.lower(),
            f"sync {state.phase.value.lower()}",
            text=state.message,
            by=who,
            revision=revision,
            severity="error" if bad else "info",
        )


def _healths(assessment: Assessment) -> Iterator[Entry]:
    health = assessment.app.status.health
    if health is not None and health.last_transition_time:
        bad = health.status in ("Degraded", "Missing", "Unknown")
        severity = "error" if bad else "info"
        yield _entry(health.last_transition_time, "health", "health", f"became {health.status}", severity=severity)
    for condition in assessment.app.status.conditions:
        kind = "error" if condition.is_error else "warning"
        time = condition.last_transition_time or ""
        yield _entry(time, "health", "condition", condition.type, text=condition.message, severity=kind)
    for key, found in assessment.healths.items():
        if found.since and found.status.value != "Healthy":
            title = f"{key.short} is {found.status.value}"
            yield _entry(found.since, "health", "object", title, text=found.message, key=key, severity="warning")


def _edits(assessment: Assessment) -> Iterator[Entry]:
    """Yield who wrote to objects of the Application last, besides the controllers of Kubernetes itself."""
    rows = {row.key for row in assessment.comparison.rows}
    found = [one for key in sorted(rows & set(assessment.live)) for one in _managers(key, assessment.live[key])]
    yield from sorted(found, key=lambda one: str(one["time"]), reverse=True)[:_EDITS_AT_MOST]


def _managers(key: ObjectKey, obj: Object) -> Iterator[Entry]:
    for one in meta.metadata(obj).get("managedFields") or ():
        if not isinstance(one, Mapping) or one.get("subresource"):
            continue
        manager, time = str(one.get("manager") or ""), str(one.get("time") or "")
        yield _entry(time, "live", "edit", f"{manager} wrote {key.short}", by=manager, key=key)


def _events(assessment: Assessment) -> Iterator[Entry]:
    for event in assessment.snapshot.events:
        involved = event.get("involvedObject") or event.get("regarding") or {}
        key = ObjectKey(
            str(involved.get("apiVersion") or "").rpartition("/")[0],
            str(involved.get("kind") or ""),
            str(involved.get("namespace") or ""),
            str(involved.get("name") or ""),
        )
        time = str(event.get("lastTimestamp") or event.get("eventTime") or "")
        reason = str(event.get("reason") or "")
        words = str(event.get("message") or event.get("note") or "")
        yield _entry(time, "event", reason, f"{key.short}: {reason}", text=words, key=key, severity="warning")
