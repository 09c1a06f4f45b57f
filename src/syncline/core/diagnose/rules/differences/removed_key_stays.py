"""Keys that are taken out of Git and stay on the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, dig, words
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Change
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-012",
    name="removed-key-stays",
    severity=Severity.WARNING,
    summary="A key is removed from a Secret's stringData, but stays in the cluster.",
    fix="use data instead of stringData in the Secret, or delete the key by hand",
    looks_at=(
        LooksAt.RENDERED,
        LooksAt.HISTORY,
    ),
    why="The API server copies stringData into data. With client-side apply nothing records that the key came from "
    "there, so it stays.",
)


@RULE.on(Change)
def check(change: Change) -> Iterator[Finding]:
    """Yield one finding per Secret that loses keys of its stringData and is applied on the client."""
    for key, made in sorted(change.base.world.raw_secrets.items()):
        after = change.head.world.raw_secrets.get(key)
        before = dig(made[1].obj, "stringData")
        if after is None or not isinstance(before, dict):
            continue
        gone = sorted(set(before) - set(dig(after[1].obj, "stringData") or ()) - set(dig(after[1].obj, "data") or ()))
        options = words(after[0].app.manifest.obj, "spec", "syncPolicy", "syncOptions")
        if gone and "ServerSideApply=true" not in options:
            message = f"{key.short} of {after[0]} loses {listed(gone)}, which stay on the cluster"
            yield RULE.finding(key.short, message, evidence=[at(after[1], "stringData")], fix=RULE.usual_fix)
