"""A custom object that is delivered before the app with its definition."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="ORD-002",
    name="definition-in-later-app",
    severity=Severity.ERROR,
    summary="An app has objects of a kind whose CRD another app delivers in a later wave.",
    fix="give the app with the CRD an earlier wave",
    looks_at=(LooksAt.RENDERED,),
    why="The app's whole sync keeps failing in its dry run, and in an app of apps the wave with the CRD is never "
    "reached.",
)


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per kind of an app whose definition comes later, where one parent delivers both apps."""
    world = repo.world
    needed = {item.key.group_kind: item for item in delivery.items if item.key.group_kind in world.defined}
    for kind, item in sorted(needed.items(), key=lambda one: one[0]):
        makers = world.defined[kind]
        if any(maker is delivery for maker, _ in makers):
            continue
        orders = [_order(repo, delivery, maker) for maker, _ in makers]
        if orders and all(order is not None and order[0] < order[1] for order in orders):
            maker, definition = makers[0]
            mine, theirs = orders[0] or (0, 0)
            message = f"{delivery} (wave {mine}) has {item.key.short}, whose CRD comes with {maker} in wave {theirs}"
            evidence = [at(item), at(definition, "", f"defined by {maker}")]
            fix = Fix(text=f"give {maker} a wave before {mine}, or {delivery} one after {theirs}")
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)


def _order(repo: Repo, one: Delivery, other: Delivery) -> tuple[int, int] | None:
    """Return the waves of two apps in the parent that delivers both; None where none does."""
    for parent, mine in repo.world.parents.get(str(one), ()):
        for second, theirs in repo.world.parents.get(str(other), ()):
            if parent is second:
                return mine.wave, theirs.wave
    return None
