"""CronJobs, Ingresses, Roles and DaemonSets: small rules of their own."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds.rules import Rules
from syncline.sandbox.kinds.workloads import WORKLOAD

_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"


def _validate_cron_job(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    schedule = str((obj.get("spec") or {}).get("schedule") or "")
    if not schedule:
        return [errors.required("spec.schedule")]
    parts = schedule.split()
    if len(parts) == 5 or schedule.startswith("@"):
        return []
    text = f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]"
    return [errors.invalid_value("spec.schedule", f'"{schedule}"', text)]


def _validate_ingress(_backend: Backend, obj: Object, _live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    if spec.get("rules") or spec.get("defaultBackend"):
        return []
    return [errors.invalid_value("spec", "null", "either `defaultBackend` or `rules` must be specified")]


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
ROLE = Rules(validate=_validate_role)
DAEMON_SET = Rules(prepare=_prepare_daemon_set, validate=WORKLOAD.validate)
