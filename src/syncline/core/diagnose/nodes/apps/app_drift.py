"""An Application is out of sync with a revision that was synced: something changes its objects afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.paths import FieldPath
from syncline.core.compare.attribution import writer_of
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.live.live_change import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_OURS = ("argocd-controller", "argocd-application-controller", "kube-controller-manager", "syncline")
_LOOPS, _SHOWN = 3, 6


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an app that differs from the very revision that was synced last."""
    sync, state = apps.status(node.obj, "sync"), apps.status(node.obj, "operationState")
    result = state.get("syncResult") or {}
    same = bool(sync.get("revision")) and sync.get("revision") == result.get("revision")
    if sync.get("status") != "OutOfSync" or state.get("phase") != "Succeeded" or not same:
        return
    differing = [
        thing
        for thing, row in node.fleet.managed(node.obj)
        if row.get("status") == "OutOfSync" and not row.get("requiresPruning") and node.fleet.find(thing) is not None
    ]
    if differing:
        cause = differing[0] if len(differing) == 1 else None
        yield Fault(rule=RULE, state="OutOfSync", cause=cause, tell=lambda: _finding(node, differing), weak=True)


def _finding(node: Node, differing: list[Thing]) -> Finding:
    state = apps.status(node.obj, "operationState")
    healed = int(((state.get("operation") or {}).get("sync") or {}).get("autoHealAttemptsCount") or 0)
    names = listed([str(thing) for thing in differing])
    fields = [(thing, path, writer) for thing in differing for path, writer in overwritten(node, thing)]
    writers = sorted({writer for thing in differing for writer in _writers(node, thing)})
    who = f" by {listed(writers)}" if writers else ""
    which = listed(list(dict.fromkeys(path for _thing, path, _writer in fields)))
    verb = "differs" if len(differing) == 1 else "differ"
    loop = f"; self-heal has tried {healed} times" if healed >= _LOOPS else ""
    return RULE.finding(
        names,
        f"{names} of {node.key.name} {verb} from the last synced revision{f' ({which})' if which else ''}: "
        f"changed on admission or later{who}{loop}",
        evidence=[
            *(Evidence(kind=EvidenceKind.MANAGER, text=writer, subject=differing[0].key) for writer in writers),
            *(
                found
                for thing, path, writer in fields[:_SHOWN]
                for found in line(node.fleet, thing, path, f"{path}, written by {writer}")
            ),
            *(found for thing in differing[:3] if not fields for found in line(node.fleet, thing)),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide which side is right; the fields: syncline app diff {node.key.name}"),
        options=[Fix(text="ignore the field, if its writer should own it (spec.ignoreDifferences)")],
    )


def overwritten(node: Node, thing: Thing) -> Iterator[tuple[str, str]]:
    """Yield the fields of Git that differ live and that somebody else wrote, each with its writer."""
    desired, live = node.fleet.desired(thing), node.fleet.find(thing)
    if desired is None or live is None:
        return
    for path, value in _leaves(desired[1].obj, ()):
        if FieldPath(path).resolve(live) == value:
            continue
        writer = writer_of(live, path).manager
        if writer and not writer.startswith(_OURS):
            yield str(FieldPath(path)), writer


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield single values in maps; lists are one value, whose parts have writers of their own."""
    if isinstance(value, dict) and value:
        for name, child in value.items():
            yield from _leaves(child, (*path, str(name)))
    else:
        yield path, value


def _writers(node: Node, thing: Thing) -> Iterator[str]:
    """Yield who else wrote to the object, where that was read."""
    for entry in meta.managed_fields(node.fleet.find(thing)):
        name = str(entry.get("manager") or "")
        if name and not name.startswith(_OURS) and entry.get("subresource") != "status":
            fields = listed(sorted(set(_owned_names(entry.get("fieldsV1")))))
            where = f" ({fields})" if fields else ""
            yield f"{name} at {entry.get('time')}{where}" if entry.get("time") else f"{name}{where}"


def _owned_names(fields: object) -> Iterator[str]:
    """Yield the last names of the fields that a writer owns: `caBundle`."""
    for name, below in fields.items() if isinstance(fields, dict) else ():
        if isinstance(below, dict) and any(one != "." for one in below):
            yield from _owned_names(below)
        elif name.startswith("f:"):
            yield name.removeprefix("f:")
