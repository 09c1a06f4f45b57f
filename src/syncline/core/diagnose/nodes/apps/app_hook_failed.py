"""A hook of a sync failed: nothing after it is applied."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.applications.apps import Refused
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.live.hook_failed import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each hook that failed, because of the Job or pod that it is."""
    for one in apps.refused(node.obj):
        if one.hook:
            hook = Thing(cluster=node.fleet.destination(node.obj).name, key=one.key)
            yield Fault(
                rule=RULE,
                state="sync Failed",
                because=(hook,),
                cause=hook,
                tell=partial(_finding, node, one),
            )


def _finding(node: Node, one: Refused) -> Finding:
    return RULE.finding(
        one.key.short,
        f"{one.hook} hook {one.key.short} of {node.key.name} failed: {one.message}",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key)],
        fix=Fix(
            text="decide by its log, which is gone if the hook was deleted; then sync again",
            command=f"syncline app sync {node.key.name}",
        ),
    )
