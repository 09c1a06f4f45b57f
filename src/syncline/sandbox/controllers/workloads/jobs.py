"""Runs Jobs: pods until enough of them succeeded or too many failed, and the end of both."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.workloads import job_failures, podset, readiness
from syncline.sandbox.errors import StatusError
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET = Bucket("batch", "jobs")
_FIRST_RETRY = 10.0
_LONGEST_RETRY = 600.0
_INDEX = "batch.kubernetes.io/job-completion-index"


class Jobs:
    """Plays the Job controller."""

    name = "jobs"
    buckets = (BUCKET, podset.PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="job-controller")
        self._failed_at: dict[str, tuple[int, float]] = {}

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed jobs and at the jobs of changed pods."""
        if event.row.place.bucket == BUCKET:
            if event.type == "DELETED":
                self._failed_at.pop(event.row.uid, None)
            else:
                yield event.row.place
            return
        yield from podset.owner_places(event, BUCKET, "Job")

    def reconcile(self, place: RowKey) -> float | None:
        """Bring one job further."""
        obj = self._client.get(place)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return None
        if _ended(obj):
            return self._expire(obj)
        pods = podset.pods_of(self._client, obj)
        active = [pod for pod in pods if readiness.is_active(pod)]
        succeeded = sum(1 for pod in pods if readiness.phase(pod) == "Succeeded")
        lost = [pod for pod in pods if readiness.phase(pod) == "Failed"]
        judged = [job_failures.judge(obj["spec"], pod) for pod in lost]
        failed = sum(1 for one in judged if one.action != "Ignore")
        status = self._counts(obj, active, succeeded, failed)
        if obj["spec"].get("completionMode") == "Indexed":
            status["completedIndexes"] = job_failures.spans(
                _index(pod) for pod in pods if readiness.phase(pod) == "Succeeded"
            )
        fatal = next((one for one in judged if one.action == "FailJob"), None)
        verdict = self._verdict(obj, active, succeeded, failed)
        if fatal is not None:
            verdict = ("Failed", "PodFailurePolicy", fatal.message)
        if verdict is not None:
            return self._finish(obj, status, active, verdict)
        wait = self._work(obj, active, succeeded, failed)
        obj = self._client.get(place) or obj
        pods = list(self._client.owned(obj, "pods"))
        status = self._counts(obj, [pod for pod in pods if readiness.is_active(pod)], succeeded, failed)
        status = self._note_suspension(obj, status)
        if obj["spec"].get("completionMode") == "Indexed":
            done = [pod for pod in pods if readiness.phase(pod) == "Succeeded"]
            status["completedIndexes"] = job_failures.spans(_index(pod) for pod in done)
        self._client.set_status(obj, status)
        waits = [one for one in (wait, self._deadline(obj)) if one is not None]
        return min(waits, default=None)

    def _counts(self, obj: Object, active: list[Object], succeeded: int, failed: int) -> Object:
        before = obj.get("status") or {}
        counts = readiness.without_zeros(
            {
                "conditions": before.get("conditions") or [],
                "active": len(active),
                "ready": sum(1 for pod in active if readiness.is_ready(pod)),
                "succeeded": succeeded,
                "failed": failed,
                "terminating": 0,
                "uncountedTerminatedPods": {},
            },
            "ready",
            "terminating",
            "uncountedTerminatedPods",
        )
        if not (obj["spec"].get("suspend")):
            counts["startTime"] = before.get("startTime") or self._backend.timestamp()
        return counts

    def _note_suspension(self, obj: Object, status: Object) -> Object:
        """Say that a job is suspended, or no longer."""
        suspended = bool(obj["spec"].get("suspend"))
        known = readiness.condition(obj, "Suspended")
        if suspended == ((known or {}).get("status") == "True"):
            return status
        word, reason, message = (
            ("True", "JobSuspended", "Job suspended") if suspended else ("False", "JobResumed", "Job resumed")
        )
        now = self._backend.timestamp()
        new = {
            "type": "Suspended",
            "status": word,
            "lastProbeTime": now,
            "lastTransitionTime": now,
            "reason": reason,
            "message": message,
        }
        self._client.record(obj, "Normal", "Suspended" if suspended else "Resumed", message)
        return {**status, "conditions": readiness.with_condition(list(status.get("conditions") or ()), new)}

    def _verdict(self, obj: Object, active: list[Object], succeeded: int, failed: int) -> tuple[str, str, str] | None:
        """Return how the job ends (condition, reason, message), None while it goes on."""
        spec = obj["spec"]
        deadline = self._deadline(obj)
        restarts = sum(
            one.get("restartCount", 0)
            for pod in active
            for one in (pod.get("status") or {}).get("containerStatuses") or ()
        )
        if failed + restarts > int(spec.get("backoffLimit", 6)):
            return "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        if deadline is not None and deadline <= 0:
            return "Failed", "DeadlineExceeded", "Job was active longer than specified deadline"
        completions = spec.get("completions")
        done = succeeded >= int(completions) if completions is not None else bool(succeeded) and not active
        if done:
            return "Complete", "CompletionsReached", "Reached expected number of succeeded pods"
        return None

    def _finish(self, obj: Object, status: Object, active: list[Object], verdict: tuple[str, str, str]) -> float | None:
        kind, reason, message = verdict
        for pod in active:
            podset.delete_pod(self._client, obj, pod)
        now = self._backend.timestamp()
        first = "SuccessCriteriaMet" if kind == "Complete" else "FailureTarget"
        for one in (first, kind):
            new = {
                "type": one,
                "status": "True",
                "lastProbeTime": now,
                "lastTransitionTime": now,
                "reason": reason,
                "message": message,
            }
            status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), new)
        status.pop("active", None)
        status["ready"] = 0
        if kind == "Complete":
            status["completionTime"] = now
            self._client.record(obj, "Normal", "Completed", "Job completed")
        else:
            self._client.record(obj, "Warning", reason, message)
        return self._expire(self._client.set_status(obj, status))

    def _work(self, obj: Object, active: list[Object], succeeded: int, failed: int) -> float | None:
        """Create what is missing, after a growing pause when pods failed; delete what is too much."""
        spec = obj["spec"]
        if spec.get("suspend"):
            for pod in active:
                podset.delete_pod(self._client, obj, pod)
            return None
        parallel = int(spec.get("parallelism", 1))
        completions = spec.get("completions")
        if completions is None:
            wanted = len(active) if succeeded else parallel
        else:
            wanted = min(parallel, int(completions) - succeeded)
        for pod in active[max(wanted, 0) :]:
            podset.delete_pod(self._client, obj, pod)
        missing = wanted - len(active)
        wait = self._pause(obj, failed)
        if missing <= 0 or wait > 0:
            return wait if missing > 0 else None
        try:
            for index in self._indexes(obj, missing):
                template = spec.get("template") or {}
                if index is None:
                    podset.create_pod(self._client, obj, template)
                    continue
                start = f"{obj['metadata']['name']}-{index}"
                podset.create_pod(self._client, obj, _indexed(template, index, start), start=start)
        except StatusError:
            return _FIRST_RETRY
        return None

    def _indexes(self, obj: Object, missing: int) -> list[int | None]:
        """Return which indexes the next pods get; none at all where pods are not numbered."""
        if obj["spec"].get("completionMode") != "Indexed":
            return [None] * missing
        pods = self._client.owned(obj, "pods")
        taken = {_index(pod) for pod in pods if readiness.is_active(pod) or readiness.phase(pod) == "Succeeded"}
        free = [number for number in range(int(obj["spec"].get("completions") or 1)) if number not in taken]
        return list(free[:missing])

    def _pause(self, obj: Object, failed: int) -> float:
        if not failed:
            return 0.0
        uid, now = obj["metadata"]["uid"], self._backend.clock.monotonic()
        known = self._failed_at.get(uid)
        if known is None or known[0] != failed:
            known = self._failed_at[uid] = (failed, now)
        wait: float = min(_FIRST_RETRY * 2.0 ** (failed - 1), _LONGEST_RETRY)
        return known[1] + wait - now

    def _deadline(self, obj: Object) -> float | None:
        seconds, start = obj["spec"].get("activeDeadlineSeconds"), (obj.get("status") or {}).get("startTime")
        if seconds is None or not start:
            return None
        return float(seconds) - (self._backend.clock.now() - times.parse(start)).total_seconds()

    def _expire(self, obj: Object) -> float | None:
        """Delete a finished job when its time to live is over."""
        seconds = obj["spec"].get("ttlSecondsAfterFinished")
        ended = _ended(obj)
        if seconds is None or not ended:
            return None
        left = float(seconds) - (self._backend.clock.now() - times.parse(ended["lastTransitionTime"])).total_seconds()
        if left > 0:
            return left
        self._client.delete(obj)
        return None


def _index(pod: Object) -> int:
    return int((pod["metadata"].get("annotations") or {}).get(_INDEX, -1))


def _indexed(template: Object, index: int, hostname: str) -> Object:
    """Return a template whose pod knows its index, by labels, by host name and in the environment."""
    metadata = meta.metadata(template)
    marks = {_INDEX: str(index)}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    variable = {
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{_INDEX}']"}},
    }
    spec = {"hostname": hostname, **(template.get("spec") or {})}
    for field in ("containers", "initContainers"):
        if spec.get(field):
            spec[field] = [_with_variable(one, variable) for one in spec[field]]
    marked = {**metadata, "labels": labels | marks, "annotations": annotations | marks}
    return {**template, "metadata": marked, "spec": spec}


def _with_variable(container: Object, variable: Object) -> Object:
    known = container.get("env") or []
    if any(one.get("name") == variable["name"] for one in known):
        return container
    return {**container, "env": [*known, variable]}


def _ended(obj: Object) -> Object | None:
    for kind in ("Complete", "Failed"):
        found = readiness.condition(obj, kind)
        if found is not None and found.get("status") == "True":
            return found
    return None
