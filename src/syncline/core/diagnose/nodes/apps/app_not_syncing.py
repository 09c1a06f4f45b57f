"""An Application that is out of sync and that nothing syncs: by policy, or because of a window."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.live.not_syncing import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an app that differs from Git while no sync runs or failed: one cause for each reason."""
    if apps.status(node.obj, "sync").get("status") != "OutOfSync" or apps.is_failing(node.obj):
        return
    state = apps.status(node.obj, "operationState")
    said = str(state.get("message") or "")
    policy = apps.spec(node.obj).get("syncPolicy") or {}
    automated = policy.get("automated") if isinstance(policy, dict) else None
    by_hand = not isinstance(automated, dict) or automated.get("enabled") is False
    if node.cluster.now is None and "sync window" in said.lower():
        project = str(apps.spec(node.obj).get("project") or "default")
        cause = Thing(cluster=node.fleet.home.name, outside="sync window", name=project)
        yield Fault(rule=RULE, state="OutOfSync", cause=cause, tell=partial(_window, node, project, said))
    elif by_hand and state.get("phase") != "Running":
        cause = Thing(cluster=node.fleet.home.name, outside="sync policy", name="by hand")
        yield Fault(rule=RULE, state="OutOfSync", cause=cause, tell=partial(_by_hand, node), weak=True)


def _window(node: Node, project: str, said: str) -> Finding:
    return RULE.finding(
        project,
        f"a sync window of project {project} holds back {node.key.name}: {said}",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=said, subject=node.key)],
        fix=Fix(text=f"nothing, if it can wait: syncline proj windows list {project} shows when it opens"),
        options=[Fix(text="permit manual syncs in the window (manualSync)")],
    )


def _by_hand(node: Node) -> Finding:
    return RULE.finding(
        node.key.name,
        f"{node.key.name} differs from Git, and automated sync is off",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text="not set", subject=node.key, path="spec.syncPolicy.automated")
        ],
        fix=Fix(text="if what Git has should run", command=f"syncline app sync {node.key.name}"),
    )
