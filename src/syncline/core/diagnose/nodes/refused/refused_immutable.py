"""A field that cannot be changed on a live object differs in Git."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery.diff import diff
from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.diagnose.findings.redaction import HIDDEN
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.messages.refusals import IMMUTABLE
from syncline.core.diagnose.rules.ownership.immutable_change import RULE, recreate, refused_paths
from syncline.core.provenance.blame import nested
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_LABELS = "spec.template.metadata.labels"


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused because a field of it is immutable."""
    for one in refusing.said(node):
        if IMMUTABLE.search(one.message):
            yield Fault(rule=RULE, state="sync Failed", cause=one.thing, tell=partial(_finding, node, one))


def _finding(node: Node, one: Said) -> Finding:
    where = f" in {one.key.namespace}" if one.key.namespace else ""
    return RULE.finding(
        one.key.short,
        f"{one.key.short}{where} cannot be changed the way {node.key.name} defines it: {one.message}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *_lines(node, one),
        ],
        fix=_back(node, one),
        options=[recreate(node.key.name, one.key)],
        since=one.since,
    )


def _back(node: Node, one: Said) -> Fix:
    """Return the fix that writes what the live object has: an edit for each value that differs below the fields."""
    live, desired = node.fleet.find(one.thing) or {}, node.fleet.desired(one.thing)
    paths = refused_paths(one.message)
    # The labels of pods go with their selector.
    also = [_LABELS] if "spec.selector" in paths else []
    if desired is not None and live and paths and one.key.kind != "Secret":
        changes = [
            (str(change.path), change.after)
            for path in (*paths, *also)
            for change in diff(_part(desired[1].obj, path), _part(live, path))
        ]
        fixes = [rewrite(node.fleet, one.thing, path, after) for path, after in changes if _is_whole(after)]
        if fixes and all(fix.edits for fix in fixes) and len(fixes) == len(changes):
            return Fix(text="keep what runs", edits=tuple(edit for fix in fixes for edit in fix.edits))
    what = listed(paths) if paths else "that field"
    return Fix(text=f"decide: revert the change to {what} in Git")


def _is_whole(value: Any) -> bool:
    """Whether a live value is one that can be written: of one line, and neither hidden nor left out in a snapshot."""
    text = str(value) if isinstance(value, str | int) else ""
    return bool(text) and "\n" not in text and HIDDEN not in text and "characters left out" not in text


def _part(obj: Object, path: str) -> Object:
    """Return an object with one field of it alone."""
    steps = [step for step in FieldPath.parse(path).steps if isinstance(step, str)]
    value = FieldPath.parse(path).resolve(obj)
    return nested(tuple(steps), value) if value is not MISSING and steps else {}


def _lines(node: Node, one: Said) -> Iterator[Evidence]:
    """Yield the lines of the fields that the server names; of the object where it names none."""
    for path in refused_paths(one.message) or [""]:
        yield from line(node.fleet, one.thing, path, path)
