"""What the rules share about hooks of the last sync: which failed, when in a sync they run, and what waits for them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.subjects import App
from syncline.core.health.assess import assess
from syncline.model.comparison import Verdict
from syncline.model.health import HealthCode
from syncline.model.operation import OperationPhase

_FAILED = ("Failed", "Error")


class FailedHook(msgspec.Struct, frozen=True):
    """A hook that ended badly."""

    key: ObjectKey
    type: str
    message: str
    since: str = ""

    @property
    def is_first(self) -> bool:
        """Whether it runs before anything of the app is applied."""
        return self.type == "PreSync"


def failed_hooks(app: App) -> Iterator[FailedHook]:
    """Yield the hooks that failed in the last sync, whether or not it is tried again or was superseded."""
    state = app.assessment.app.status.operation_state
    if state is None or state.sync_result is None or state.phase is OperationPhase.SUCCEEDED:
        return
    told = False
    for row in state.sync_result.resources:
        if row.hook_type and row.hook_phase in _FAILED:
            told = True
            key = ObjectKey(row.group, row.kind, row.namespace, row.name)
            yield FailedHook(key, row.hook_type, row.message, state.finished_at or "")
    if not told:
        yield from _left_behind(app, state.finished_at or "")


def _left_behind(app: App, since: str) -> Iterator[FailedHook]:
    """Yield the hooks that failed in an attempt which a newer commit superseded: only their objects tell."""
    live = app.assessment.live
    for item in app.assessment.prepared.hooks:
        health = assess(live[item.key]) if item.key in live else None
        if item.hook_types and health is not None and health.status is HealthCode.DEGRADED:
            yield FailedHook(item.key, item.hook_types[0], health.message, since)


def held_up(app: App) -> list[ObjectKey]:
    """Return the objects that are not applied while a hook before them fails."""
    rows = app.assessment.comparison.rows
    return [row.key for row in rows if row.verdict is Verdict.OUT_OF_SYNC and row.desired and not row.hook]
