"""An object of the app is in the cluster and no longer in Git."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.live.drift import out_of_sync, report
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-103",
    name="object-extra",
    severity=Severity.WARNING,
    summary="An object of the app is in the cluster but no longer in Git.",
    fix="sync with pruning to delete it, or restore it in Git to keep it",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="It keeps running, and the app stays OutOfSync until it is pruned.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that is no longer in Git."""
    for row in out_of_sync(app):
        if row.live and not row.desired:
            live = app.assessment.live.get(row.key) or {}
            if held := meta.finalizers(live) if meta.deletion_timestamp(live) else []:
                yield _going(row.key, held, meta.deletion_timestamp(live))
            else:
                yield report(RULE, app, row, f"{row.key.short} is in the cluster but no longer in Git")


def _going(key: ObjectKey, held: Sequence[str], since: str) -> Finding:
    """Return what is said of an object that was deleted a moment ago: no sync deletes it any faster."""
    owners = ", ".join(dict.fromkeys(one.partition("/")[0] for one in held))
    return RULE.finding(
        key.short,
        f"{key.short} is no longer in Git and has been terminating since {since}; the finalizer "
        f"{', '.join(held)} blocks it",
        evidence=[Evidence(kind=EvidenceKind.FIELD, text=", ".join(held), subject=key, path="metadata.finalizers")],
        fix=Fix(
            text=f"wait for the controller of {owners}, which removes it after cleaning up, or see whether it runs"
        ),
        since=since,
    )
