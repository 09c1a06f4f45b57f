"""Objects that go from one app to another in one change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import (
    Rendered,
    rendered,
)
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Change
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="OWN-003",
    name="moved-object",
    severity=Severity.ERROR,
    summary="A change moves an object from one app to another.",
    fix="set Prune=false on the object in the old app, and sync the new app first",
    looks_at=(
        LooksAt.RENDERED,
        LooksAt.HISTORY,
    ),
    why="The old app prunes it, and the new one creates it again: in between it is gone, with its pods or its data.",
)


@RULE.on(Change)
def check(change: Change) -> Iterator[Finding]:
    """Yield one finding for all objects that go from one app to another."""
    base, head = rendered(change.base), rendered(change.head)
    moved: dict[tuple[str, str], list[Rendered]] = defaultdict(list)
    for address, before in base.items():
        after = head.get(address, [])
        left = {one.app for one in before} - {one.app for one in after}
        entered = [one for one in after if one.app not in {other.app for other in before}]
        if len(before) == 1 and left and entered:
            moved[before[0].app, entered[0].app].append(entered[0])
    still = {str(app) for app in change.head.apps}
    for (source, target), items in sorted(moved.items()):
        if source in still and not all(_is_kept(one.item.obj) for one in items):
            shown = listed([one.item.key.short for one in items])
            message = f"{shown} go from {source} to {target}: {source} may delete them before {target} has them"
            evidence = [at(one.item, "", f"now of {target}") for one in items]
            yield RULE.finding(source, message, evidence=evidence, fix=RULE.usual_fix)


def _is_kept(obj: Object) -> bool:
    return "Prune=false" in str(meta.annotations(obj).get(names.SYNC_OPTIONS) or "")
