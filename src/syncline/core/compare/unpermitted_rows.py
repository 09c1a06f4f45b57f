"""What rows say of objects that the project does not permit: that, why, and nothing else.

Called by `syncline.core.assess` after all other rules. Such a row is the same whether the object exists or not, since
whoever names it in Git may not learn that. `syncline.controller.deliver.survey` has not attached the live object; rows
of objects that name the app, and that Git does not, are added here, so that nobody wonders where they went.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy import projects
from syncline.model.application import Application, Destination
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.project import AppProject
from syncline.model.reason import Reason
from syncline.model.snapshot import Snapshot


def with_unpermitted(
    comparison: Comparison, snapshot: Snapshot, app: Application, project: AppProject | None
) -> Comparison:
    """Return the comparison with what the project denies; what the rows add up to stays."""
    there = snapshot.destination or app.spec.destination
    denied = frozenset(snapshot.unpermitted)
    if project is not None:
        denied |= projects.denied_keys((row.key for row in comparison.rows), there, project)
    if not denied:
        return comparison
    known = {row.key for row in comparison.rows}
    rows = [
        _row(row, _why(row.key, there, project)) if row.key in denied else row
        for row in (*comparison.rows, *_unnamed(denied - known))
    ]
    return msgspec.structs.replace(comparison, rows=tuple(sorted(rows, key=lambda row: row.key)))


def _unnamed(keys: Iterable[ObjectKey]) -> list[ComparedObject]:
    """Return rows of objects that Git does not name; as desired ones, because nothing of them is to be pruned."""
    return [ComparedObject(key=key, version="", verdict=Verdict.UNKNOWN, reasons=()) for key in keys]


def _row(row: ComparedObject, why: str) -> ComparedObject:
    is_apart = row.hook or row.verdict is Verdict.NONE
    return ComparedObject(
        key=row.key,
        version=row.version,
        verdict=row.verdict if is_apart else Verdict.UNKNOWN,
        reasons=(Reason.HOOK, Reason.NOT_PERMITTED) if is_apart else (Reason.NOT_PERMITTED,),
        live=False,
        hook=row.hook,
        wave=row.wave if row.desired else 0,
        message=why,
        place=row.place,
    )


def _why(key: ObjectKey, there: Destination, project: AppProject | None) -> str:
    denial = projects.object_denial(key, there, project) if project is not None else None
    return str(denial) if denial is not None else "the project of the Application does not permit it"
