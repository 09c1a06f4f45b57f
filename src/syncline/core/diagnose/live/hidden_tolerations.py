"""Tolerations that an empty value of a stronger layer hides, where they would let a node take the pods.

Asked by the rule on pods that no node takes; `syncline.core.diagnose.graph.workloads.hidden` is the same over a fleet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.live import placement
from syncline.core.diagnose.subjects import App
from syncline.core.provenance.chart_values import TOLERATIONS
from syncline.model.finding import Edit, Evidence, EvidenceKind, Fix
from syncline.model.layers import HiddenValue


def helping(app: App, spec: Mapping[str, Any], nodes: list[Object]) -> HiddenValue | None:
    """Return the value that keeps pods from every node by what it hides; None where none does, or several could."""
    found = [one for one in app.assessment.snapshot.layers.hidden if _helps(one, spec, nodes)]
    return found[0] if len(found) == 1 else None


def _helps(one: HiddenValue, spec: Mapping[str, Any], nodes: list[Object]) -> bool:
    hidden = [entry for entry in one.hidden if isinstance(entry, dict)]
    with_hidden = {**spec, TOLERATIONS: [*(spec.get(TOLERATIONS) or ()), *hidden]}
    return any(not placement.hindrances(with_hidden, node) for node in nodes)


def evidence(one: HiddenValue) -> Evidence:
    """Return the line that hides, and what it hides."""
    return Evidence(kind=EvidenceKind.FILE, text=f"{one.empty}, hides {one.hides}", place=one.place)


def fix(one: HiddenValue) -> Fix:
    """Return the fix: take the empty value out, and the one below it counts again."""
    remark = f"the tolerations at {one.hides} then count"
    if one.place.line:
        return Fix(text=remark, edits=(Edit(place=one.place, before=one.empty),))
    return Fix(text=f"take {one.empty} out of {one.place}: {remark}")
