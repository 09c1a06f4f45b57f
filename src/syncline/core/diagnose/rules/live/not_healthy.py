"""Objects that are not healthy, in their own words, where no closer cause was found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.live import around, written
from syncline.core.diagnose.live.pods import container_path
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.core.references import read
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.health import Health, HealthCode

_NO_REQUEST = re.compile(r"missing request for (?P<resource>[\w.-]+)(?: in container (?P<container>[\w.-]+))?")
_SEVERITIES = {
    HealthCode.DEGRADED: Severity.ERROR,
    HealthCode.UNKNOWN: Severity.WARNING,
    HealthCode.PROGRESSING: Severity.INFO,
    HealthCode.SUSPENDED: Severity.INFO,
}
RULE = Rule(
    code="LIV-106",
    name="not-healthy",
    severity=Severity.ERROR,
    other_severities=frozenset(_SEVERITIES.values()) - {Severity.ERROR},
    last_resort=True,
    summary="An object is Degraded; a warning if its health is Unknown, a note while it is Progressing.",
    fix="check the status and events of the object; the finding quotes its status",
    looks_at=(LooksAt.LIVE,),
    tells=Tells.STATE,
    why="The object's status says that it does not work. This rule reports only what no other rule explains.",
)


def _fix(app: App, key: ObjectKey, health: Health) -> Fix | None:
    """Return what its own words leave to do; nothing where it only has to be waited for."""
    if health.status is HealthCode.PROGRESSING:
        return None
    if key.kind in ("Deployment", "Rollout") and written.value(app, key, "spec.paused") is True:
        return written.clear(app, key, "spec.paused", remark="it then rolls out")
    if key.kind == "CronJob" and written.value(app, key, "spec.suspend") is True:
        return written.clear(app, key, "spec.suspend", remark="it then runs on schedule")
    if key.kind == "Job" and health.reason == "DeadlineExceeded":
        limit = _at(app, key, "spec.activeDeadlineSeconds")
        return Fix(
            text=f"decide: why it takes longer, or raise {limit}, and delete the Job so that it is created again"
        )
    if found := _NO_REQUEST.search(health.message):
        return Fix(text=_request(app, key, found))
    kind = f"{key.kind.lower()}.{key.group}" if key.group else key.kind.lower()
    space = f" -n {key.namespace}" if key.namespace else ""
    more = f"kubectl describe {kind} {key.name}{space}"
    return Fix(text="decide by its message; its Events may say more", command=more)


def _request(app: App, key: ObjectKey, found: re.Match[str]) -> str:
    """Return the decision about an autoscaler that cannot tell percents, with the place of the container."""
    target = next((one.key for one in read.references(around.get(app, key) or {})), None)
    path = container_path(app, target, found["container"] or "") if target is not None else ""
    where = written.place(app, target, path) if target is not None and path else None
    at = f" at {where}" if where else ""
    who, resource = found["container"] or "of its pods", found["resource"]
    return f"decide: how much {resource} container {who} requests (resources.requests.{resource}){at}"


def _held(app: App, key: ObjectKey) -> str:
    """Return which finalizers hold an object that is being deleted, and since when."""
    live = app.assessment.live.get(key) or {}
    since, held = meta.deletion_timestamp(live), meta.finalizers(live)
    return f" since {since}, held by finalizer {', '.join(held)}" if since and held else ""


def _at(app: App, key: ObjectKey, path: str) -> str:
    where = written.place(app, key, path)
    return f"{path} at {where}" if where else path


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per managed object whose health is not Healthy."""
    for row in app.assessment.comparison.rows:
        health = app.assessment.healths.get(row.key)
        if row.hook or health is None or health.status not in _SEVERITIES:
            continue
        detail = f": {health.message}{_held(app, row.key)}" if health.message else ""
        child = row.key.group_kind == app.assessment.myself.group_kind
        said = Evidence(kind=EvidenceKind.FIELD, text=health.reason, subject=row.key, path="status")
        yield RULE.finding(
            row.key.short,
            f"{row.key.short} is {health.status.value}{detail}",
            evidence=[] if child else [said],
            severity=_SEVERITIES[health.status],
            fix=Fix(command=f"syncline why {around.title(app, row.key)}") if child else _fix(app, row.key, health),
        )
