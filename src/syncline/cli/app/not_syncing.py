"""Why auto-sync leaves an Application alone that differs, as a line of `app get`: by the controller's own rules.

The status does not hold this, so the engine is asked again; where all is well, or a sync runs, nothing is read.
"""

from __future__ import annotations

import asyncio

from syncline.apimachinery.keys import Object
from syncline.cli.applications import policy_of, sync_and_health
from syncline.model.errors import SynclineError
from syncline.ports.kube import ApiError, Cluster
from syncline.ports.transport import TransportError

_PATIENCE = 30.0
_TITLE = "Not Syncing"


async def lines(cluster: Cluster, namespace: str, app: Object) -> list[tuple[str, str]]:
    """Return the line, or none: for an Application that would sync by itself, is out of sync and is at rest."""
    if policy_of(app) == "Manual" or sync_and_health(app)[0] != "OutOfSync" or app.get("operation"):
        return []
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _lines(cluster, namespace, app)
    except (ApiError, TransportError, SynclineError) as error:
        return [(_TITLE, f"why cannot be told from here: {error}")]
    except TimeoutError:
        return [(_TITLE, f"why could not be found out within {_PATIENCE:g} s")]


async def _lines(cluster: Cluster, namespace: str, app: Object) -> list[tuple[str, str]]:
    from syncline.cli.looking import look
    from syncline.core.decide import decide
    from syncline.core.sync import task_results
    from syncline.model.decision import DecisionKind

    assessment = await look(cluster, namespace, app)
    decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
    if decision.kind is not DecisionKind.REST:
        return []
    detail = f" ({decision.detail})" if decision.detail else ""
    return [(_TITLE, f"{decision.reason.explanation}{detail}")]
