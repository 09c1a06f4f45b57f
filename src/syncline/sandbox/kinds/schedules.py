"""CronJobs and DaemonSets: schedules that can be read, and the count of template changes."""

from __future__ import annotations

import zoneinfo
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, cron, outdated, statuses, workloads
from syncline.sandbox.kinds.rules import KindRules, go_value
from syncline.sandbox.kinds.workloads import WORKLOAD

_CONCURRENCY: Final = ("Allow", "Forbid", "Replace")
_LONGEST_NAME: Final = 52
"""Jobs get eleven characters more than their CronJob has, and must fit into a label."""
TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"


def _validate_cron_job(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    return _check_cron_job(obj) + (_check_name(str(obj["metadata"].get("name") or "")) if live is None else [])


def _check_name(name: str) -> list[FieldCause]:
    text = f"must be no more than {_LONGEST_NAME} characters"
    return checks.refused("metadata.name", name, [text]) if len(name) > _LONGEST_NAME else []


def _check_cron_job(obj: Object) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    schedule = str(spec.get("schedule") or "")
    causes = _check_schedule(schedule) if schedule else [errors.required("spec.schedule")]
    causes += checks.at_least_zero(
        spec, "spec", "startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"
    )
    policy = spec.get("concurrencyPolicy") or "Allow"
    causes += checks.one_of("spec.concurrencyPolicy", policy, _CONCURRENCY)
    if spec.get("timeZone") is not None:
        causes += _check_zone(str(spec["timeZone"]))
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    return causes + workloads.check_job(job, "spec.jobTemplate.spec")


def _check_zone(zone: str) -> list[FieldCause]:
    text = ""
    if not zone:
        text = "timeZone must be nil or non-empty string"
    elif zone.lower() == "local":
        text = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
    elif zone not in zoneinfo.available_timezones():
        text = f"unknown time zone {zone}"
    return checks.refused("spec.timeZone", zone, [text]) if text else []


def _check_schedule(schedule: str) -> list[FieldCause]:
    text = cron.complaint(schedule)
    if "TZ=" in schedule:
        text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
    return checks.refused("spec.schedule", schedule, [text]) if text else []


def _prepare_daemon_set(_backend: Backend, obj: Object, live: Object | None) -> Object:
    """Count template changes in the annotation that old clients still read."""
    number = 1
    if live is not None:
        before = (live["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "1")
        changed = (obj.get("spec") or {}).get("template") != (live.get("spec") or {}).get("template")
        number = int(before) + (1 if changed else 0) if before.isdigit() else 1
    annotations = {**(obj["metadata"].get("annotations") or {}), TEMPLATE_GENERATION: str(number)}
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


CRON_JOB = KindRules(validate=_validate_cron_job, warn=outdated.of_cron_job)


def _validate_daemon_set(backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    causes = WORKLOAD.validate(backend, obj, live)
    strategy = (obj.get("spec") or {}).get("updateStrategy") or {}
    kind = strategy.get("type") or "RollingUpdate"
    if kind not in ("RollingUpdate", "OnDelete"):
        shown = go_value({"Type": kind, "RollingUpdate": None})
        text = f'Unsupported value: {shown}: supported values: "RollingUpdate", "OnDelete"'
        causes.append(FieldCause("spec.updateStrategy", "FieldValueNotSupported", text))
    rolling = strategy.get("rollingUpdate") or {}
    if rolling.get("maxSurge") not in (None, 0, "0%") and rolling.get("maxUnavailable") not in (None, 0, "0%"):
        where, text = "spec.updateStrategy.rollingUpdate.maxSurge", "may not be set when maxUnavailable is non-zero"
        causes.append(errors.invalid_value(where, go_value(rolling["maxSurge"]), text))
    return sorted(causes, key=lambda cause: cause.field != "spec.selector" or "immutable" not in cause.message)


DAEMON_SET = KindRules(
    warn=outdated.of_template,
    prepare=_prepare_daemon_set,
    validate=_validate_daemon_set,
    validate_status=statuses.check_daemon_set,
)
