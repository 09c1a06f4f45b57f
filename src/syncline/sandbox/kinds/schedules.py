"""CronJobs, Ingresses, NetworkPolicies, Leases, Events, Roles and DaemonSets: small rules of their own."""

from __future__ import annotations

import zoneinfo
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds.rules import Rules
from syncline.sandbox.kinds.workloads import WORKLOAD

_CONCURRENCY: Final = ("Allow", "Forbid", "Replace")
_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"


def _validate_cron_job(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    schedule = str((obj.get("spec") or {}).get("schedule") or "")
    if not schedule:
        return [errors.required("spec.schedule")]
    spec = obj.get("spec") or {}
    policy = spec.get("concurrencyPolicy") or "Allow"
    if policy not in _CONCURRENCY:
        return [errors.not_supported("spec.concurrencyPolicy", policy, _CONCURRENCY)]
    zone = spec.get("timeZone")
    if zone and zone not in zoneinfo.available_timezones():
        return [errors.invalid_value("spec.timeZone", f'"{zone}"', f"unknown time zone {zone}")]
    parts = schedule.split()
    if len(parts) == 5 or schedule.startswith("@"):
        return []
    text = f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]"
    return [errors.invalid_value("spec.schedule", f'"{schedule}"', text)]


def _validate_ingress(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    if spec.get("rules") or spec.get("defaultBackend"):
        return [
            errors.required(f"spec.rules[{number}].http.paths[{index}].pathType", "pathType must be specified")
            for number, rule in enumerate(spec.get("rules") or ())
            for index, path in enumerate((rule.get("http") or {}).get("paths") or ())
            if not path.get("pathType")
        ]
    return [errors.invalid_value("spec", "null", "either `defaultBackend` or `rules` must be specified")]


def _validate_policy(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    return [
        errors.not_supported(f"spec.policyTypes[{index}]", kind, ("Ingress", "Egress"))
        for index, kind in enumerate((obj.get("spec") or {}).get("policyTypes") or ())
        if kind not in ("Ingress", "Egress")
    ]


def _validate_lease(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    seconds = (obj.get("spec") or {}).get("leaseDurationSeconds")
    if seconds is None or seconds > 0:
        return []
    return [errors.invalid_value("spec.leaseDurationSeconds", str(seconds), "must be greater than 0")]


def _complete_event(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    return {"source": {}, "reportingComponent": "", "reportingInstance": "", **obj}


def _validate_event(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    namespace = (obj.get("involvedObject") or {}).get("namespace") or ""
    if namespace in ("", obj["metadata"].get("namespace", "")):
        return []
    text = "does not match event.namespace"
    return [errors.invalid_value("involvedObject.namespace", f'"{namespace}"', text)]


def _validate_role(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    return [
        errors.required(f"rules[{index}].verbs")
        for index, rule in enumerate(obj.get("rules") or ())
        if not rule.get("verbs")
    ]


def _prepare_daemon_set(_backend: Backend, obj: Object, live: Object | None) -> Object:
    """Count template changes in the annotation that old clients still read."""
    number = 1
    if live is not None:
        before = (live["metadata"].get("annotations") or {}).get(_TEMPLATE_GENERATION, "1")
        changed = (obj.get("spec") or {}).get("template") != (live.get("spec") or {}).get("template")
        number = int(before) + (1 if changed else 0) if before.isdigit() else 1
    annotations = {**(obj["metadata"].get("annotations") or {}), _TEMPLATE_GENERATION: str(number)}
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


CRON_JOB = Rules(validate=_validate_cron_job)
INGRESS = Rules(validate=_validate_ingress)
NETWORK_POLICY = Rules(validate=_validate_policy)
LEASE = Rules(validate=_validate_lease)
EVENT = Rules(complete=_complete_event, validate=_validate_event)
ROLE = Rules(validate=_validate_role)
DAEMON_SET = Rules(prepare=_prepare_daemon_set, validate=WORKLOAD.validate)
