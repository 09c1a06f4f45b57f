"""Alerts that fire, as the APIs of Alertmanager and Prometheus print them.

Read by `syncline.core.diagnose.monitoring.beside`. What is silenced, over or only pending is left out, and so are those
that fire all the time to show that alerting works.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.graph.view.cluster import moment

_ALWAYS = frozenset({"Watchdog", "DeadMansSwitch", "InfoInhibitor"})
_TEXTS = ("summary", "description", "message")
_LONGEST = 200


class Alert(msgspec.Struct, frozen=True):
    """One alert: its name, what it is about, since when, and its words."""

    name: str
    labels: dict[str, str]
    since: str
    words: str

    def __str__(self) -> str:
        severity = self.labels.get("severity", "")
        told = f": {self.words}" if self.words else ""
        return f"alert {self.name}{f' ({severity})' if severity else ''}{told}"


def firing(found: Iterable[Object], now: datetime | None) -> Iterator[Alert]:
    """Yield the alerts that fire, each once, those that began first first."""
    alerts = [one for obj in found if _fires(obj, now) and (one := _read(obj)) is not None]
    told: set[str] = set()
    for one in sorted(alerts, key=lambda alert: (alert.since, alert.name)):
        same = str(sorted(one.labels.items()))
        if same not in told:
            told.add(same)
            yield one


def _read(obj: Object) -> Alert | None:
    labels = {str(name): str(value) for name, value in _map(obj.get("labels")).items()}
    name = labels.get("alertname", "")
    if not name or name in _ALWAYS or labels.get("severity") == "none":
        return None
    annotations = _map(obj.get("annotations"))
    words = next((str(annotations[part]) for part in _TEXTS if annotations.get(part)), "")
    return Alert(
        name, labels, str(obj.get("startsAt") or obj.get("activeAt") or ""), " ".join(words.split())[:_LONGEST]
    )


def _fires(obj: Object, now: datetime | None) -> bool:
    status: Any = obj.get("status")
    state = status.get("state") if isinstance(status, dict) else obj.get("state", "active")
    if str(state) not in ("active", "firing", "None"):
        return False
    end = moment(str(obj.get("endsAt") or ""))
    return end is None or now is None or end > now


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
