"""Why auto-sync leaves an Application alone that differs, by the controller's own rules.

The status does not hold this, so the engine is asked again; where all is well, or a sync runs, nothing is read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from syncline.core.assess import Assessment
from syncline.core.decide import decide
from syncline.core.sync import task_results
from syncline.model.decision import Decision, DecisionKind
from syncline.verbs.applications import StoredApplication
from syncline.verbs.sync import is_automated

Look = Callable[[StoredApplication], Awaitable[Assessment]]
"""Looks at an Application; `syncline.verbs.home.Home.look` is one."""


async def not_syncing(stored: StoredApplication, look: Look) -> Decision | None:
    """Return why an automated Application is out of sync and idle; None where it is not."""
    status = stored.app.status.sync
    if not is_automated(stored.app) or status is None or status.status != "OutOfSync" or stored.obj.get("operation"):
        return None
    assessment = await look(stored)
    decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
    return decision if decision.kind is DecisionKind.REST else None
