"""Starts the Jobs of CronJobs when their time comes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET = Bucket("batch", "cronjobs")
_JOBS = Bucket("batch", "jobs")
_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_NAMES = {
    name: str(number)
    for names in (
        enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1),
        enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
    )
    for number, name in names
}
_LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_LOOK_AHEAD = 366 * 5


class CronJobs:
    """Plays the CronJob controller."""

    name = "cronjobs"
    buckets = (BUCKET, _JOBS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="cronjob-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed cron jobs and at those whose jobs changed."""
        if event.row.place.bucket == BUCKET:
            if event.type != "DELETED":
                yield event.row.place
            return
        for owner in event.row.decode()["metadata"].get("ownerReferences") or ():
            if owner.get("kind") == "CronJob":
                yield RowKey(BUCKET, event.row.place.namespace, owner["name"])

    def reconcile(self, place: RowKey) -> float | None:
        """Start what is due; returns how long until the next time."""
        obj = self._client.get(place)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return None
        jobs = list(self._client.owned(obj, "jobs"))
        self._forget(obj, jobs)
        obj = self._note_active(obj, jobs)
        if obj["spec"].get("suspend"):
            return None
        now = self._backend.clock.now()
        status = obj.get("status") or {}
        since = times.parse(status.get("lastScheduleTime") or obj["metadata"]["creationTimestamp"])
        due = next_time(obj["spec"].get("schedule", ""), since, obj["spec"].get("timeZone"))
        if due is None:
            text = f"unparseable schedule: {obj['spec'].get('schedule', '')!r}"
            self._client.record(obj, "Warning", "UnparseableSchedule", text)
            return None
        if due <= now:
            self._start(obj, due, jobs)
            due = next_time(obj["spec"]["schedule"], now, obj["spec"].get("timeZone")) or now + timedelta(minutes=1)
        return max(0.0, (due - now).total_seconds())

    def _note_active(self, obj: Object, jobs: list[Object]) -> Object:
        active = [job for job in jobs if not _finished(job)]
        references = [_reference(job) for job in active]
        known = {one.get("uid") for one in (obj.get("status") or {}).get("active") or ()}
        for job in jobs:
            if job["metadata"]["uid"] in known and _finished(job):
                how = "Complete" if readiness.condition(job, "Complete") else "Failed"
                text = f"Saw completed job: {job['metadata']['name']}, condition: {how}"
                self._client.record(obj, "Normal", "SawCompletedJob", text)
        status = {key: value for key, value in (obj.get("status") or {}).items() if key != "active"}
        done = [job for job in jobs if readiness.condition(job, "Complete")]
        last = max((job["status"].get("completionTime", "") for job in done), default="")
        if last:
            status["lastSuccessfulTime"] = last
        if references:
            status["active"] = references
        return self._client.set_status(obj, status)

    def _start(self, obj: Object, due: datetime, jobs: list[Object]) -> None:
        active = [job for job in jobs if not _finished(job)]
        policy = obj["spec"].get("concurrencyPolicy", "Allow")
        if active and policy == "Forbid":
            text = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._client.record(obj, "Normal", "JobAlreadyActive", text)
            self._client.set_status(obj, {**(obj.get("status") or {}), "lastScheduleTime": times.format_time(due)})
            return
        if policy == "Replace":
            for job in active:
                self._client.delete(job)
                text = f"Deleted job {job['metadata']['name']}"
                self._client.record(obj, "Normal", "SuccessfulDelete", text)
        template = obj["spec"].get("jobTemplate") or {}
        metadata = meta.metadata(template)
        name = f"{obj['metadata']['name'][:52]}-{int(due.timestamp()) // 60}"
        if self._backend.store.get(_JOBS, obj["metadata"]["namespace"], name) is None:
            body = {
                "metadata": {
                    "name": name,
                    "labels": metadata.get("labels") or {},
                    "annotations": {
                        **(metadata.get("annotations") or {}),
                        "batch.kubernetes.io/cronjob-scheduled-timestamp": times.format_time(due),
                    },
                    "ownerReferences": [owner_reference(obj)],
                },
                "spec": template.get("spec") or {},
            }
            self._client.create("batch", "Job", obj["metadata"]["namespace"], body)
            self._client.record(obj, "Normal", "SuccessfulCreate", f"Created job {name}")
        self._client.set_status(obj, {**(obj.get("status") or {}), "lastScheduleTime": times.format_time(due)})

    def _forget(self, obj: Object, jobs: list[Object]) -> None:
        for kind, field, default in (
            ("Complete", "successfulJobsHistoryLimit", 3),
            ("Failed", "failedJobsHistoryLimit", 1),
        ):
            ended = [job for job in jobs if readiness.condition(job, kind)]
            ended.sort(key=lambda job: (job["metadata"]["creationTimestamp"], job["metadata"]["name"]))
            limit = int(obj["spec"].get(field, default))
            for job in ended[: max(0, len(ended) - limit)]:
                self._client.delete(job)


def _finished(job: Object) -> bool:
    return readiness.condition(job, "Complete") is not None or readiness.condition(job, "Failed") is not None


def _reference(job: Object) -> Object:
    metadata = job["metadata"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def next_time(schedule: str, after: datetime, zone: str | None = None) -> datetime | None:
    """Return the first time a cron schedule names after a moment; None when it names none."""
    text = _WORDS.get(schedule.strip(), schedule.strip()).lower()
    parts = text.split()
    if len(parts) != 5:
        return None
    try:
        fields = [_numbers(part, *limits) for part, limits in zip(parts, _LIMITS, strict=True)]
        local = ZoneInfo(zone) if zone else after.tzinfo
    except (ValueError, ZoneInfoNotFoundError):
        return None
    minutes, hours, days, months, weekdays = fields
    moment = after.astimezone(local).replace(second=0, microsecond=0) + timedelta(minutes=1)
    either = parts[2] != "*" and parts[4] != "*"
    for _ in range(_LOOK_AHEAD):
        of_month, of_week = moment.day in days, moment.isoweekday() % 7 in weekdays
        fits = (of_month or of_week) if either else (of_month and of_week)
        if moment.month in months and fits:
            found = _within_day(moment, hours, minutes)
            if found is not None:
                return found.astimezone(after.tzinfo)
        moment = (moment + timedelta(days=1)).replace(hour=0, minute=0)
    return None


def _within_day(moment: datetime, hours: set[int], minutes: set[int]) -> datetime | None:
    for hour in range(moment.hour, 24):
        if hour in hours:
            start = moment.minute if hour == moment.hour else 0
            for minute in range(start, 60):
                if minute in minutes:
                    return moment.replace(hour=hour, minute=minute)
    return None


def _numbers(text: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span in ("*", "?"):
            begin, end = low, high
        else:
            begin = int(_NAMES.get(first, first))
            end = int(_NAMES.get(last, last)) if dash else (high if step else begin)
        if not low <= begin <= end <= high:
            raise ValueError(text)
        found.update(range(begin, end + 1, int(step) if step else 1))
    return {0 if number == 7 and high == 7 else number for number in found}
