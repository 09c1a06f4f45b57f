"""Which extra objects a sync deletes, which it keeps, and for which somebody is asked first; each with the reason.

Called by `syncline.core.sync.plan`. Under Syncline's own rules kinds that hold data or objects of others are deleted
only after somebody approved, and so is everything when more would go than the budget permits; asked for last, so that
the rest of the sync is done by then. `Prune=true` on an object or its app says that nobody need be asked. Argo CD's
rules know only what the options say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.sync import options
from syncline.core.sync.manner import HOLDS_OTHERS
from syncline.model.comparison import ComparedObject
from syncline.model.plan import Phase, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.settings.parts import Safety
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import NO_OPTIONS, Consent, SyncOptions

_FEW = 5
"""So many deletions are never a large part of an app."""


class Pruning(msgspec.Struct, frozen=True, kw_only=True):
    """What decides about deletions, apart from the objects."""

    asked_for: bool = False
    app_options: SyncOptions = NO_OPTIONS
    approved: bool = False
    """Whether somebody approved the deletions of this operation."""
    unsafe: str = ""
    """Why nothing may be deleted at all: something is not known in full."""
    desired_elsewhere: frozenset[ObjectKey] = frozenset()
    """Objects that other apps desire: they change hands."""
    unseen: tuple[str, ...] = ()
    """Apps that have not been looked at since this revision: they may desire what is to be deleted here."""
    safety: Safety = Safety()
    compat: Compat = Compat.SYNCLINE


def prune_tasks(
    rows: Sequence[ComparedObject],
    live: Mapping[ObjectKey, Object],
    covered: Callable[[ObjectKey], bool],
    pruning: Pruning,
) -> list[Task]:
    """Return a task for each extra object that the sync covers."""
    extra = [row for row in rows if row.requires_pruning and not row.hook]
    tasks = [_task(row, live.get(row.key), pruning) for row in extra if covered(row.key)]
    doomed = sum(1 for task in tasks if task.prune_allowed)
    present = sum(1 for row in rows if row.live and not row.hook)
    excess = _excess(doomed, present, pruning)
    return [_asking(task, excess) for task in tasks] if excess else tasks


def asked_last(task: Task) -> bool:
    """Whether a deletion waits for an answer that Syncline itself wants, so that it comes after everything else."""
    return task.reason is Reason.WAITING_FOR_CONFIRMATION and bool(task.detail)


def _task(row: ComparedObject, live: Object | None, pruning: Pruning) -> Task:
    reason, detail = _why_not(row.key, live, pruning)
    return Task(
        key=row.key,
        version=row.version,
        phase=Phase.SYNC,
        wave=row.wave,
        action=TaskAction.PRUNE,
        reason=reason or Reason.IN_ORDER,
        detail=detail,
        prune_allowed=pruning.asked_for and reason in (None, *_WAITING),
        propagation=pruning.app_options.propagation,
    )


_WAITING = (Reason.WAITING_FOR_CONFIRMATION, Reason.WAITING_FOR_OTHERS)


def _why_not(key: ObjectKey, live: Object | None, pruning: Pruning) -> tuple[Reason | None, str]:
    """Return why an object is not deleted (yet), and the words for it.

    Argo CD asks for approval before it looks whether pruning was asked for.
    """
    argocd = pruning.compat is Compat.ARGOCD
    consent = options.prune_consent(pruning.app_options, live)
    if consent is Consent.REFUSED:
        return Reason.PRUNE_FORBIDDEN, ""
    if key in pruning.desired_elsewhere and not argocd:
        return Reason.DESIRED_ELSEWHERE, ""
    needs_approval = consent is Consent.ASK and not pruning.approved
    if needs_approval and (pruning.asked_for or argocd):
        return Reason.WAITING_FOR_CONFIRMATION, ""
    if not pruning.asked_for:
        return Reason.PRUNE_NOT_REQUESTED, ""
    if pruning.unsafe:
        return Reason.PRUNE_UNSAFE, pruning.unsafe
    return (None, "") if argocd else _own_reasons(key, live, pruning)


def _own_reasons(key: ObjectKey, live: Object | None, pruning: Pruning) -> tuple[Reason | None, str]:
    released = options.prune_released(pruning.app_options, live)
    if key.group_kind in HOLDS_OTHERS and not pruning.approved and not released:
        return Reason.WAITING_FOR_CONFIRMATION, f"deleting a {key.kind} may delete data or other objects with it"
    if pruning.unseen:
        # No names: they change while apps are looked at, and this is written into the Application.
        return Reason.WAITING_FOR_OTHERS, "another app may desire it"
    return None, ""


def _excess(doomed: int, present: int, pruning: Pruning) -> str:
    """Return what is too much about so many deletions; empty while the budget holds or somebody approved."""
    if pruning.compat is Compat.ARGOCD or pruning.approved or pruning.app_options.released:
        return ""
    most, percent = pruning.safety.prune_objects, pruning.safety.prune_percent
    if most and doomed > most:
        return f"{doomed} objects would be deleted, more than the {most} allowed without confirmation"
    if doomed > _FEW and doomed * 100 > percent * present:
        return f"{doomed} of {present} objects would be deleted, more than the {percent} % allowed without confirmation"
    return ""


def _asking(task: Task, excess: str) -> Task:
    if task.reason is not Reason.IN_ORDER:
        return task
    return msgspec.structs.replace(task, reason=Reason.WAITING_FOR_CONFIRMATION, detail=excess)
