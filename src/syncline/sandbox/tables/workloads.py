"""The columns of Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs."""

from __future__ import annotations

from datetime import datetime

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.sandbox.tables.columns import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    TableColumn,
    at,
    dig,
    human_duration,
    labels_text,
    number,
    since,
)


def _ready(obj: Object, _now: datetime) -> str:
    return f"{dig(obj, ('status', 'readyReplicas'), 0)}/{dig(obj, ('spec', 'replicas'), 1)}"


def _job_status(obj: Object, _now: datetime) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    held = {one.get("type") for one in conditions if one.get("status") == "True"}
    if "deletionTimestamp" in obj["metadata"]:
        held.add("Terminating")
    ranked = ("Complete", "Failed", "Terminating", "Suspended", "FailureTarget", "SuccessCriteriaMet")
    return next((word for word in ranked if word in held), "Running")


def _completions(obj: Object, _now: datetime) -> str:
    spec, done = obj.get("spec") or {}, dig(obj, ("status", "succeeded"), 0)
    if spec.get("completions") is not None:
        return f"{done}/{spec['completions']}"
    parallel = spec.get("parallelism") or 1
    return f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"


def _duration(obj: Object, now: datetime) -> str:
    status = obj.get("status") or {}
    if not status.get("startTime"):
        return ""
    end = times.parse(status["completionTime"]) if status.get("completionTime") else now
    return human_duration((end - times.parse(status["startTime"])).total_seconds())


def _last_schedule(obj: Object, now: datetime) -> str:
    last = dig(obj, ("status", "lastScheduleTime"))
    return since(last, now) if last else "<none>"


def _suspended(obj: Object, _now: datetime) -> str:
    return "True" if dig(obj, ("spec", "suspend"), default=False) else "False"


def _active(obj: Object, _now: datetime) -> int:
    return len((obj.get("status") or {}).get("active") or ())


def _node_selector(obj: Object, _now: datetime) -> str:
    return labels_text(dig(obj, ("spec", "template", "spec", "nodeSelector"), {}))


_WIDE = (CONTAINERS, IMAGES, SELECTOR)
DEPLOYMENTS = (
    NAME,
    TableColumn("Ready", _ready),
    TableColumn("Up-to-date", number("status", "updatedReplicas")),
    TableColumn("Available", number("status", "availableReplicas")),
    AGE,
    *_WIDE,
)
REPLICA_SETS = (
    NAME,
    TableColumn("Desired", number("spec", "replicas"), type="integer"),
    TableColumn("Current", number("status", "replicas"), type="integer"),
    TableColumn("Ready", number("status", "readyReplicas"), type="integer"),
    AGE,
    *_WIDE,
)
STATEFUL_SETS = (NAME, TableColumn("Ready", _ready), AGE, CONTAINERS, IMAGES)
DAEMON_SETS = (
    NAME,
    TableColumn("Desired", number("status", "desiredNumberScheduled"), type="integer"),
    TableColumn("Current", number("status", "currentNumberScheduled"), type="integer"),
    TableColumn("Ready", number("status", "numberReady"), type="integer"),
    TableColumn("Up-to-date", number("status", "updatedNumberScheduled"), type="integer"),
    TableColumn("Available", number("status", "numberAvailable"), type="integer"),
    TableColumn("Node Selector", _node_selector),
    AGE,
    *_WIDE,
)
JOBS = (
    NAME,
    TableColumn("Status", _job_status),
    TableColumn("Completions", _completions),
    TableColumn("Duration", _duration),
    AGE,
    *_WIDE,
)
CRON_JOBS = (
    NAME,
    TableColumn("Schedule", at("spec", "schedule")),
    TableColumn("Timezone", at("spec", "timeZone", default="<none>")),
    TableColumn("Suspend", _suspended, type="boolean"),
    TableColumn("Active", _active, type="integer"),
    TableColumn("Last Schedule", _last_schedule),
    AGE,
    *_WIDE,
)
