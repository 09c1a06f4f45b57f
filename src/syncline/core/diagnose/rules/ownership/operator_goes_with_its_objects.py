"""An operator that is removed together with what only it can delete."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Change
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="OWN-009",
    name="operator-goes-with-its-objects",
    severity=Severity.WARNING,
    summary="A change removes an operator together with the objects of its kinds.",
    fix="remove the objects first, and the operator and its CRDs in a later change",
    looks_at=(
        LooksAt.RENDERED,
        LooksAt.HISTORY,
    ),
    why="Objects with finalizers wait for their operator, which is gone: they and their namespace are never deleted.",
)


@RULE.on(Change)
def check(change: Change) -> Iterator[Finding]:
    """Yield one finding per kind whose definition goes in the same change as its last objects."""
    base, head = change.base.world, change.head.world
    for kind, made in sorted(base.defined.items()):
        objects = base.by_kind.get(kind, ())
        if objects and kind not in head.defined and not head.by_kind.get(kind):
            delivery, definition = made[0]
            message = (
                f"{definition.key.short} of {delivery} goes together with {plural(len(objects), kind.kind)}: "
                "the operator that should delete them may be gone first"
            )
            evidence = [at(definition), *(at(item) for _, item in objects[:3])]
            yield RULE.finding(definition.key.short, message, evidence=evidence, fix=RULE.usual_fix)
