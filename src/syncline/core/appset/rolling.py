"""Rolling sync: Applications in steps, each begun when every Application of those before is Synced and Healthy.

Called by `syncline.core.appset.decide`. Per Application: Waiting (there is something new), Pending (its sync was asked
for), Progressing (that sync began), Healthy. A step counts as done for this revision only: where an Application of a
later step has seen a commit that one of an earlier step has not, the later one waits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset.conditions import INVALID_ROLLOUT, ROLLOUT, Said
from syncline.model import names

WAITING, PENDING, PROGRESSING, HEALTHY = "Waiting", "Pending", "Progressing", "Healthy"
_STARTED_BY = "syncline.io/rollout"
"""Info of an operation: when its Application became Pending, so that a restart asks for no second sync."""
_NO_STATUS = "No Application status found, defaulting status to Waiting"
_REVISION = "Application has pending changes (revision changed), setting status to Waiting"
_SPEC = "Application has pending changes (spec changed), setting status to Waiting"
_SYNCED = "Application resource has synced, updating status to {}"
_STARTED = "Application resource became Progressing, updating status from Pending to Progressing"
_ENDED = "Application resource completed a sync, updating status from Pending to Progressing"
_IN_ERROR = "Application resource has error and cannot sync, updating status to Progressing"
_BECAME_HEALTHY = "Application resource became Healthy, updating status from Progressing to Healthy"
_MOVED = "Application moved to Pending status, watching for the Application resource to start Progressing"
_ERRORS = ("InvalidSpecError", "UnknownError")

Entry = dict[str, Any]


class Rollout(NamedTuple):
    """How far a set is: an entry for each live Application, and what to say of the whole."""

    entries: list[Entry]
    said: tuple[Said, ...]


def is_rolling(spec: Mapping[str, Any]) -> bool:
    """Whether a set asks for a rolling sync."""
    strategy = spec.get("strategy") or {}
    return strategy.get("type") == "RollingSync" and strategy.get("rollingSync") is not None


def steps_of(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the steps of a rolling sync."""
    return list(((spec.get("strategy") or {}).get("rollingSync") or {}).get("steps") or ())


def deletes_in_reverse(spec: Mapping[str, Any]) -> bool:
    """Whether Applications are deleted from the last step to the first."""
    order = str((spec.get("strategy") or {}).get("deletionOrder") or "")
    return is_rolling(spec) and bool(steps_of(spec)) and order.lower() == "reverse"


def placed(steps: Sequence[Mapping[str, Any]], apps: Iterable[Object]) -> dict[str, int]:
    """Return the step of each Application that one selects: the first that does."""
    found: dict[str, int] = {}
    for app in apps:
        for number, step in enumerate(steps):
            if selects(step, meta.labels(app)):
                found.setdefault(meta.name(app), number)
    return found


def selects(step: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a step takes an Application; a label that is missing fails In and passes NotIn."""
    for expression in step.get("matchExpressions") or ():
        operator, values = expression.get("operator"), expression.get("values") or ()
        value = labels.get(str(expression.get("key")))
        if operator not in ("In", "NotIn"):
            if value is not None:
                return False
            continue
        if value is None:
            if operator == "In":
                return False
        elif (value in values) != (operator == "In"):
            return False
    return True


def advance(
    spec: Mapping[str, Any],
    before: Sequence[Mapping[str, Any]],
    live: Mapping[str, Object],
    desired: Mapping[str, Object],
    changed: Collection[str],
    now: str,
) -> Rollout:
    """Return where every Application is now, given where it was; `changed` are those that have not their spec yet."""
    steps = steps_of(spec)
    step_by_app = placed(steps, desired.values())
    known = {str(entry.get("application")): entry for entry in before}
    entries = [
        _looked_at(known.get(name), app, step_by_app.get(name, -1), now, changed=name in changed)
        for name, app in sorted(live.items())
    ]
    ready = _ready(steps, step_by_app, {one["application"]: one for one in entries}, live, desired)
    return Rollout(
        _promoted(entries, steps, step_by_app, ready, now),
        (_invalid(steps, step_by_app, desired), _progress(entries, steps)),
    )


def _looked_at(before: Mapping[str, Any] | None, app: Object, step: int, now: str, *, changed: bool) -> Entry:
    """Return the entry of one Application after its status was looked at."""
    status = app.get("status") or {}
    revisions = revisions_of(app)
    entry: Entry = (
        dict(before)
        if before is not None
        else {
            "application": meta.name(app),
            "status": WAITING,
            "message": _NO_STATUS,
            "targetRevisions": revisions,
            "lastTransitionTime": now,
        }
    )
    entry["step"] = str(step + 1 if step >= 0 else -1)
    entry.setdefault("targetRevisions", revisions)
    if list(entry["targetRevisions"]) != revisions or changed:
        said = _SPEC if changed else _REVISION
        if (entry["status"], entry["message"], list(entry["targetRevisions"])) != (WAITING, said, revisions):
            entry |= {"status": WAITING, "message": said, "targetRevisions": revisions, "lastTransitionTime": now}
    return _moved(entry, status, now, settled=not changed and is_compared(app))


def _moved(entry: Entry, status: Mapping[str, Any], now: str, *, settled: bool) -> Entry:
    synced = (status.get("sync") or {}).get("status") == "Synced" and settled
    healthy = (status.get("health") or {}).get("status") == "Healthy"

    def to(state: str, message: str) -> Entry:
        return {**entry, "status": state, "message": message, "lastTransitionTime": now}

    if entry["status"] == WAITING and synced:
        state = HEALTHY if healthy else PROGRESSING
        return to(state, _SYNCED.format(state))
    if entry["status"] == PENDING:
        operation = status.get("operationState") or {}
        if _is_ours(operation, str(entry.get("lastTransitionTime"))):
            return to(PROGRESSING, _ENDED if operation.get("finishedAt") else _STARTED)
        if any(one.get("type") in _ERRORS for one in status.get("conditions") or ()):
            return to(PROGRESSING, _IN_ERROR)
    if entry["status"] == PROGRESSING and synced and healthy:
        return to(HEALTHY, _BECAME_HEALTHY)
    if entry["status"] == HEALTHY and (status.get("sync") or {}).get("status") == "OutOfSync":
        return to(WAITING, _REVISION)
    return entry


def _is_ours(operation: Mapping[str, Any], since: str) -> bool:
    """Whether an operation began because its Application became Pending at that time, or later than that."""
    info = (operation.get("operation") or {}).get("info") or ()
    ours = any(one.get("name") == _STARTED_BY and one.get("value") == since for one in info)
    return ours or str(operation.get("startedAt") or "") > since


def is_compared(app: Object) -> bool:
    """Whether the status of an Application is about the sources that its spec has now."""
    spec, compared = app.get("spec") or {}, ((app.get("status") or {}).get("sync") or {}).get("comparedTo") or {}
    if meta.annotation(app, names.REFRESH):
        return False
    return all(_asked(spec.get(part)) == _asked(compared.get(part)) for part in ("source", "sources"))


def _asked(source: Any) -> Any:
    """Return which files a source names."""
    if isinstance(source, list):
        return [_asked(one) for one in source]
    if not isinstance(source, Mapping):
        return None
    return tuple(str(source.get(name) or "") for name in ("repoURL", "path", "chart", "targetRevision"))


def revisions_of(app: Object) -> list[str]:
    """Return the revisions an Application was last compared with."""
    sync = (app.get("status") or {}).get("sync") or {}
    return list(sync.get("revisions") or ([sync["revision"]] if sync.get("revision") else []))


def _heads(app: Object) -> dict[Any, str]:
    """Return the commit that each repository and branch of an Application stood for when it was compared."""
    spec = app.get("spec") or {}
    sources = spec.get("sources") or ([spec["source"]] if spec.get("source") else [])
    pairs = zip(sources, revisions_of(app), strict=False)
    return {(one.get("repoURL"), one.get("targetRevision") or ""): sha for one, sha in pairs if not one.get("chart")}


def _ready(
    steps: Sequence[Any],
    step_by_app: Mapping[str, int],
    entries: Mapping[str, Entry],
    live: Mapping[str, Object],
    desired: Mapping[str, Object],
) -> set[str]:
    """Return the Applications whose turn it is: all steps before are done, and at the same commits."""
    ready: set[str] = set()
    seen: dict[Any, set[str]] = {}
    for number in range(len(steps)):
        members = [name for name in desired if step_by_app.get(name) == number]
        for name in members:
            heads = _heads(live[name]) if name in live else {}
            if all(seen.get(head, {sha}) == {sha} for head, sha in heads.items()):
                ready.add(name)
        if any(name not in live or entries[name]["status"] != HEALTHY for name in members):
            break
        for name in members:
            for head, sha in _heads(live[name]).items():
                seen.setdefault(head, set()).add(sha)
    return ready


def _promoted(
    entries: list[Entry], steps: Sequence[Mapping[str, Any]], step_by_app: Mapping[str, int], ready: set[str], now: str
) -> list[Entry]:
    """Return the entries with those moved to Pending that may be, as many at a time as their step says."""
    totals: dict[int, int] = {}
    busy: dict[int, int] = {}
    for entry in entries:
        step = step_by_app.get(entry["application"], -1)
        totals[step] = totals.get(step, 0) + 1
        busy[step] = busy.get(step, 0) + (entry["status"] in (PENDING, PROGRESSING))
    found = []
    for entry in entries:
        step = step_by_app.get(entry["application"], -1)
        if entry["status"] == WAITING and entry["application"] in ready and step >= 0:
            most = limit(steps[step].get("maxUpdate"), totals[step])
            if most is None or busy[step] < most:
                entry = {**entry, "status": PENDING, "message": _MOVED, "lastTransitionTime": now}
                busy[step] += 1
        found.append(entry)
    return found


def limit(max_update: Any, total: int) -> int | None:
    """Return how many Applications of a step may be updated at a time; None for all, also where it is not a number."""
    if max_update is None:
        return None
    if isinstance(max_update, int):
        return max_update
    text = str(max_update)
    if text.endswith("%") and text[:-1].isascii() and text[:-1].isdigit():
        return 0 if text == "0%" else max(total * int(text[:-1]) // 100, 1)
    return None


def _progress(entries: Sequence[Entry], steps: Sequence[Any]) -> Said:
    unfinished = {entry["step"] for entry in entries if entry["status"] != HEALTHY}
    for number in range(1, len(steps) + 1):
        if str(number) in unfinished:
            return Said(
                ROLLOUT, True, "ApplicationSetModified", f"ApplicationSet is performing rollout of step {number}"
            )
    return Said(ROLLOUT, False, "ApplicationSetRolloutComplete", "ApplicationSet Rollout has completed")


def _invalid(steps: Sequence[Mapping[str, Any]], step_by_app: Mapping[str, int], desired: Mapping[str, Object]) -> Said:
    """Return what is wrong with the steps: one that takes nothing, Applications of none, an operator or limit."""
    problems = []
    for number, step in enumerate(steps):
        odd = {str(one.get("operator")) for one in step.get("matchExpressions") or ()} - {"In", "NotIn"}
        problems += [f"step {number + 1}: operator {one!r} is neither In nor NotIn" for one in sorted(odd)]
        given = step.get("maxUpdate")
        if given is not None and limit(given, 1) is None:
            problems.append(f"step {number + 1}: maxUpdate {given!r} is neither a number nor a percentage")
        if desired and number not in step_by_app.values():
            problems.append(f"step {number + 1} selects no Application")
    outside = sorted(set(desired) - set(step_by_app))
    if outside:
        problems.append(f"no step selects {', '.join(outside[:5])}{' …' if len(outside) > 5 else ''}: never synced")
    if problems:
        return Said(INVALID_ROLLOUT, True, "InvalidRolloutConfig", "; ".join(problems))
    return Said(INVALID_ROLLOUT, False, "ValidRolloutConfig", "Rolling Sync Configured correctly")


def without_automation(generated: Object) -> Object:
    """Return an Application that does not sync unasked: its set says when."""
    policy = generated["spec"].get("syncPolicy") or {}
    if not policy.get("automated") and "automated" not in policy:
        return generated
    off = {**policy, "automated": {**(policy.get("automated") or {}), "enabled": False}}
    return {**generated, "spec": {**generated["spec"], "syncPolicy": off}}


def asked_to_sync(generated: Object, live: Object, entry: Mapping[str, Any], original: Object) -> Object:
    """Return a Pending Application with the sync it is to run, unless that was asked for already."""
    since = str(entry.get("lastTransitionTime"))
    if live.get("operation") or _is_ours((live.get("status") or {}).get("operationState") or {}, since):
        return generated
    spec = generated["spec"]
    policy = spec.get("syncPolicy") or {}
    automated = (original["spec"].get("syncPolicy") or {}).get("automated")
    sync: dict[str, Any] = {}
    revisions = list(entry.get("targetRevisions") or ())
    if spec.get("sources"):
        sync["revisions"] = revisions
    elif revisions:
        sync["revision"] = revisions[0]
    if policy.get("syncOptions"):
        sync["syncOptions"] = policy["syncOptions"]
    if automated is not None and automated.get("enabled") is not False and automated.get("prune"):
        sync["prune"] = True
    operation = {
        "initiatedBy": {"username": "applicationset-controller", "automated": True},
        "info": [
            {"name": "Reason", "value": "ApplicationSet RollingSync triggered a sync of this Application resource"},
            {"name": _STARTED_BY, "value": since},
        ],
        "sync": sync,
        "retry": policy.get("retry") or {"limit": 5},
    }
    return {**generated, "operation": operation}
