"""What the API server refused, and to whom: the sync of an object, or a controller that makes pods for one.

Shared by the rules on refusals (policies, quotas, immutable and unknown fields, missing kinds), which sort them by
their words. A refusal that one of them knows is not told once more as a failed sync.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.live.pods import top_of
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.model.comparison import Verdict
from syncline.model.operation import OperationPhase, OperationState, ResourceResult

KIND_MISSING = re.compile(r"could not find [\w.-]*/?(?P<kind>\w+)|no matches for kind \"(?P<quoted>\w+)\"")
IMMUTABLE = re.compile(
    r"field is immutable|spec is immutable after creation|may not change once set"
    r"|updates to statefulset spec for fields other than"
)
DENIED = re.compile(
    r"admission webhook \"(?P<webhook>[^\"]+)\" denied the request:? ?(?P<said>.*)"
    r"|ValidatingAdmissionPolicy '(?P<policy>[^']+)' with binding '(?P<binding>[^']+)' denied request: (?P<ruled>.*)"
    r"|violates PodSecurity \"(?P<level>[^\"]+)\": (?P<violated>.*)",
    re.DOTALL,
)
UNANSWERED = re.compile(r"failed calling webhook \"(?P<webhook>[^\"]+)\": (?P<said>.*)", re.DOTALL)
QUOTA = re.compile(
    r"exceeded quota: (?P<quota>[\w.-]+), requested: (?P<requested>.*?), "
    r"used: (?P<used>.*?), limited: (?P<hard>[^\s.]\S*)"
)
UNKNOWN_FIELD = re.compile(
    r"(?:\.(?P<path>[\w.\[\]\"=-]+): field not declared in schema|unknown field \"(?P<quoted>[^\"]+)\")"
)
BAD_QUANTITY = re.compile(r"quantities must match the regular expression|unable to parse quantity's suffix")
NO_NAMESPACE = re.compile(r"namespaces \"(?P<name>[^\"]+)\" not found")
_FAILED = ("Failed", "Error")
_APPLIED = "Synced"


class Refusal(msgspec.Struct, frozen=True):
    """One object that could not be made or changed, and the words of whoever refused it.

    `by_sync` says that a sync tried; else a controller did, and it tries again by itself.
    """

    key: ObjectKey
    message: str
    since: str = ""
    by_sync: bool = True


def refusals(app: App) -> Iterator[Refusal]:
    """Yield what was refused to the last sync, then what was refused to controllers."""
    yield from _of_sync(app)
    yield from _of_controllers(app)


def failing(app: App) -> bool:
    """Whether the last sync failed, or a failed attempt is to be repeated."""
    state = app.assessment.app.status.operation_state
    if state is None or _overtaken(app, state):
        return False
    retrying = state.phase is OperationPhase.RUNNING and state.finished_at is not None
    return retrying or state.phase in (OperationPhase.FAILED, OperationPhase.ERROR)


def _overtaken(app: App, state: OperationState) -> bool:
    """Whether the failed sync was of another revision, and the app is in sync with this one all the same."""
    tried = state.sync_result.all_revisions if state.sync_result is not None else ()
    return app.assessment.comparison.verdict is Verdict.SYNCED and tried != app.assessment.revisions


def retrying(app: App) -> bool:
    """Whether a failed attempt of the sync is repeated by itself."""
    state = app.assessment.app.status.operation_state
    return state is not None and state.phase is OperationPhase.RUNNING and state.finished_at is not None


def sync_again(app: App) -> str:
    """Return the command that syncs the app once more; empty where that happens by itself."""
    return "" if retrying(app) else f"syncline app sync {app.assessment.app.metadata.name}"


def _of_sync(app: App) -> Iterator[Refusal]:
    state = app.assessment.app.status.operation_state
    if state is None or state.sync_result is None or not failing(app):
        return
    for row in state.sync_result.resources:
        if row.hook_phase in _FAILED and row.message and not _was_applied(row):
            key = ObjectKey(row.group, row.kind, row.namespace, row.name)
            yield Refusal(key, row.message, state.finished_at or "")


def _was_applied(row: ResourceResult) -> bool:
    """Whether a task failed though its object was applied: it got Degraded, and nobody refused it."""
    return row.status == _APPLIED and not row.hook_type


def failed_by_health(app: App) -> list[Refusal]:
    """Return what the last sync applied and then failed at, with the words of its health then."""
    state = app.assessment.app.status.operation_state
    rows = state.sync_result.resources if state is not None and state.sync_result is not None else ()
    since = (state.finished_at or "") if state is not None else ""
    return [
        Refusal(ObjectKey(row.group, row.kind, row.namespace, row.name), row.message, since)
        for row in rows
        if failing(app) and row.hook_phase in _FAILED and _was_applied(row)
    ]


def _of_controllers(app: App) -> Iterator[Refusal]:
    """Yield why no pods are created: by the condition of a workload, or by an Event about it."""
    told: set[tuple[ObjectKey, str]] = set()
    for key, message, since in _failed_creations(app):
        shape = re.sub(r'"[^"]*"', "", message)
        if (key, shape) not in told:
            told.add((key, shape))
            yield Refusal(key, message, since, by_sync=False)


def _failed_creations(app: App) -> Iterator[tuple[ObjectKey, str, str]]:
    live = app.assessment.live
    for _key, obj in sorted(live.items()):
        for condition in (obj.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
                since = str(condition.get("lastTransitionTime") or "")
                yield _top(app, obj), str(condition.get("message") or ""), since
    for event in app.assessment.snapshot.events:
        about = events.subject(event)
        if about is not None and about in live and event.get("reason") == "FailedCreate":
            yield _top(app, live[about]), events.message(event), events.time(event)


def _top(app: App, obj: Object) -> ObjectKey:
    by_uid = {meta.uid(one): one for one in app.assessment.live.values()}
    return key_of(top_of(obj, by_uid))
