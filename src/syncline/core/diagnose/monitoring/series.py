"""Where a series of a Prometheus changed most, and by how much.

Read by `syncline.core.diagnose.monitoring.beside`. A counter is read by its increases. Small changes and lone samples
tell nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object

_COUNTERS = ("_total", "_count", "_sum", "_bucket")
_ENOUGH = 0.5
"""A change counts from half of the largest value on."""
_FEWEST = 3
_LATEST = 1e11
"""Seconds; what is later is not a time."""
_SHOWN = ("namespace", "pod", "container", "node", "deployment", "service", "job", "instance", "code")


class Jump(msgspec.Struct, frozen=True):
    """The largest change of a series: from what to what, and when."""

    name: str
    labels: dict[str, str]
    before: float
    after: float
    at: datetime

    def __str__(self) -> str:
        shown = ", ".join(f'{label}="{self.labels[label]}"' for label in _SHOWN if label in self.labels)
        per = " a step" if self.name.endswith(_COUNTERS) else ""
        change = f"{self._number(self.before)} → {self._number(self.after)}{per}"
        return f"{self.name}{{{shown}}} {change} at {self.at:%H:%M:%S}"

    def _number(self, value: float) -> str:
        if "bytes" in self.name and value >= 1 << 20:
            return f"{value / (1 << 20):,.0f}Mi"
        return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def jump(obj: Object) -> Jump | None:
    """Return the largest change of a range result; None where it has none worth telling."""
    metric = obj.get("metric")
    labels = {str(name): str(value) for name, value in metric.items()} if isinstance(metric, Mapping) else {}
    name = labels.pop("__name__", "") or "series"
    samples = _samples(obj.get("values"))
    if name.endswith(_COUNTERS):
        samples = [(time, max(value - before, 0.0)) for (_t, before), (time, value) in itertools.pairwise(samples)]
    if len(samples) < _FEWEST:
        return None
    (_time, before), (time, after) = max(itertools.pairwise(samples), key=lambda step: abs(step[1][1] - step[0][1]))
    largest = max(abs(value) for _t, value in samples)
    if not largest or abs(after - before) < _ENOUGH * largest:
        return None
    return Jump(name, labels, before, after, datetime.fromtimestamp(time, UTC))


def _samples(values: Any) -> list[tuple[float, float]]:
    found = []
    for one in values if isinstance(values, list) else ():
        if not isinstance(one, Sequence) or isinstance(one, str) or len(one) != 2:
            continue
        try:
            time, value = float(one[0]), float(one[1])
        except (TypeError, ValueError):
            continue
        if math.isfinite(value) and 0 <= time < _LATEST:
            found.append((time, value))
    return found
