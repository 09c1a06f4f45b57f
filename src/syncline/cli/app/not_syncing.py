"""Why auto-sync leaves an Application alone that differs, as a line of `app get`."""

from __future__ import annotations

import asyncio

from syncline.model.errors import SynclineError
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError
from syncline.verbs.applications import StoredApplication
from syncline.verbs.home import Home

_PATIENCE = 30.0
_TITLE = "Not Syncing"


async def lines(home: Home, stored: StoredApplication) -> list[tuple[str, str]]:
    """Return the line for an automated Application that is out of sync and idle; else none."""
    from syncline.verbs.not_syncing import not_syncing

    try:
        async with asyncio.timeout(_PATIENCE):
            decision = await not_syncing(stored, home.look)
    except (ApiError, TransportError, SynclineError) as error:
        return [(_TITLE, f"the reason cannot be determined from here: {error}")]
    except TimeoutError:
        return [(_TITLE, f"the reason could not be determined within {_PATIENCE:g} s")]
    if decision is None:
        return []
    detail = f" ({decision.detail})" if decision.detail else ""
    return [(_TITLE, f"{decision.reason.explanation}{detail}")]
