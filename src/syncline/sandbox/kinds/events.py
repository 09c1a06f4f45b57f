"""Events: what an old one must hold, and what those of events.k8s.io must."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import KindRules, immutable

_FIXED: Final = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)
_NAMES: Final = {"reportingComponent": "reportingController"}
_TIMES: Final = ("firstTimestamp", "lastTimestamp", "eventTime")


def _complete(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    shown: Object = {"source": {}, "reportingComponent": "", "reportingInstance": "", **dict.fromkeys(_TIMES)}
    return {**shown, **obj}


def _validate_old(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    namespace = (obj.get("involvedObject") or {}).get("namespace") or ""
    if namespace in ("", obj["metadata"].get("namespace", "")):
        return []
    text = "does not match event.namespace"
    return [errors.invalid_value("involvedObject.namespace", f'"{namespace}"', text)]


def _validate_new(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    if live is not None:
        causes = _check_series(obj)
        for field in _FIXED:
            causes += immutable(_NAMES.get(field, field), obj.get(field), live.get(field))
        return causes
    if not obj.get("eventTime"):
        return [errors.required("eventTime")]
    return _check_series(obj) + _check_parts(obj)


def _check_series(obj: Object) -> list[FieldCause]:
    series = obj.get("series")
    if series is None:
        return []
    causes = []
    if (series.get("count") or 0) < 2:
        causes.append(errors.invalid_value("series.count", '""', "should be at least 2"))
    if not series.get("lastObservedTime"):
        causes.append(errors.required("series.lastObservedTime"))
    return causes


def _check_parts(obj: Object) -> list[FieldCause]:
    reporter = str(obj.get("reportingComponent") or "")
    causes = [] if reporter else [errors.required("reportingController")]
    causes += [errors.invalid_value("reportingController", f'"{reporter}"', text) for text in names.qualified(reporter)]
    causes += [errors.required(field) for field in ("reportingInstance", "action", "reason") if not obj.get(field)]
    kind = obj.get("type")
    if kind not in ("Normal", "Warning"):
        causes.append(errors.invalid_value("type", '""', f"has invalid value: {kind}"))
    return causes


OLD = KindRules(complete=_complete, validate=_validate_old)
NEW = KindRules(complete=_complete, validate=_validate_new)
