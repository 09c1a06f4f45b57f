"""Events between their core form, which is stored, and that of events.k8s.io."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object

_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_BACK: Final = {new: old for old, new in _NAMES.items()}
_SHOWN_EMPTY: Final = frozenset({"reportingComponent", "reportingInstance"})
"""Core events show these even when they are empty."""


def from_core(obj: Object) -> Object:
    """Return a stored event as events.k8s.io shows it."""
    return {
        _NAMES.get(key, key): value for key, value in obj.items() if value not in ("", 0) or key not in _SHOWN_EMPTY
    }


def to_core(obj: Object) -> Object:
    """Return an event of events.k8s.io as it is stored."""
    return {_BACK.get(key, key): value for key, value in obj.items()}
