"""The sync windows of an Application as lines of `app get`, in Argo CD's words."""

from __future__ import annotations

from syncline.model.project import SyncWindow
from syncline.verbs.applications import StoredApplication
from syncline.verbs.home import Home
from syncline.verbs.sync_windows import SyncWindows


async def lines(home: Home, stored: StoredApplication) -> list[tuple[str, str]]:
    """Return the lines about windows; none where the project may not be read."""
    found = await home.windows(stored)
    return [] if found is None else words(found)


def words(found: SyncWindows) -> list[tuple[str, str]]:
    """Return `SyncWindow` and the windows that concern the Application: all, the active ones, and what is next."""
    verdict = "Sync Denied"
    if found.automatic.allowed or found.manual.allowed:
        verdict = "Sync Allowed" if found.automatic.allowed else "Manual Allowed"
    told = [("SyncWindow", f"{verdict}: {found.held}" if found.held else verdict)]
    if found.assigned:
        told.append(("Assigned Windows", ", ".join(map(_shown, found.assigned))))
    active = [f"{_shown(state.rule)} until {state.turns}" for state in found.states if state.open]
    if active:
        told.append(("Active Windows", ", ".join(active)))
    coming = sorted((state.turns, _shown(state.rule)) for state in found.states if not state.open)
    if coming:
        told.append(("Next Window", f"{coming[0][1]} at {coming[0][0]}"))
    return told


def _shown(rule: SyncWindow) -> str:
    return f"{rule.kind}:{rule.schedule}:{rule.duration}"
