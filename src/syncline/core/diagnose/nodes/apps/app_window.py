"""A sync window of its project holds an Application back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.rules.live.sync_window import RULE
from syncline.core.policy import windows
from syncline.model import application, names, project
from syncline.model.diagnosis import Thing
from syncline.model.errors import InvalidSpec
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_PROJECT = GroupKind(names.GROUP, "AppProject")


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an app that is out of sync while a window forbids to sync it: one cause for each project."""
    status = apps.status(node.obj, "sync").get("status")
    if status != "OutOfSync" or apps.is_failing(node.obj) or node.cluster.now is None:
        return
    held, opens, key = _held(node)
    if held:
        cause = Thing(cluster=node.fleet.home.name, key=key)
        yield Fault(rule=RULE, state="OutOfSync", cause=cause, tell=partial(_finding, node, cause, held, opens))


def _held(node: Node) -> tuple[str, str, ObjectKey]:
    """Return what holds the app back, and until when; nothing where it may sync."""
    name = str(apps.spec(node.obj).get("project") or "default")
    key = ObjectKey(names.GROUP, "AppProject", node.key.namespace, name)
    found = node.cluster.get(key)
    if found is None:
        same = [(one, obj) for one, obj in node.cluster.of_kind(_PROJECT) if one.name == name]
        key, found = same[0] if same else (key, None)
    if found is None:
        return "", "", key
    try:
        bare = {name: value for name, value in node.obj.items() if name != "status"}
        rules, app = project.parse(found).spec.sync_windows, application.parse(bare)
    except InvalidSpec:
        return "", "", key
    where, as_of = app.spec.destination, node.cluster.as_of
    standing = windows.standing(node.key.name, where, rules, as_of=as_of, manual=False)
    opens = windows.opens(node.key.name, where, rules, as_of=as_of, manual=False) if not standing.allowed else ""
    return windows.held(standing, name, opens), opens, key


def _finding(node: Node, cause: Thing, held: str, opens: str) -> Finding:
    name = cause.key.name if cause.key is not None else ""
    wait = f"nothing to do, if it may wait until {opens}: it is then synced automatically"
    return RULE.finding(
        name,
        f"{node.key.name} is not synced: {held}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=held, subject=cause.key, path="spec.syncWindows"),
            *line(node.fleet, cause, "spec.syncWindows"),
        ],
        fix=Fix(text=wait if opens else f"decide: change spec.syncWindows of project {name}"),
        options=[Fix(text=f"or change spec.syncWindows of project {name}")] if opens else [],
    )
