"""An empty value in a stronger layer of a chart's values hides what a weaker one says: one cause for all its pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from syncline.core.diagnose.findings.wording import counted
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.graph.workloads.hidden import Hiding, hiding
from syncline.core.diagnose.graph.workloads.needs import needs
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.sources.empty_override import RULE
from syncline.model.errors import Place
from syncline.model.finding import Edit, Evidence, EvidenceKind, Finding, Fix
from syncline.model.layers import HiddenValue


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield the one fault of a pod that no node takes and that would fit with what its values hide."""
    refused = condition(node.obj, "PodScheduled")
    if refused.get("status") != "False" or refused.get("reason") == "SchedulingGated" or pods.is_finished(node.obj):
        return
    found = hiding(node)
    if found is None:
        return
    first = found.values[0]
    yield Fault(
        rule=RULE,
        state="Unschedulable",
        cause=node.outside("values", first.empty),
        about=found.repo_url,
        part=found,
        together=partial(_finding, str(refused.get("lastTransitionTime") or "")),
        alone=node.outside("values", str(first.place)),
        soon=needs(node),
        sole=True,
    )


def _finding(since: str, parts: Sequence[Hiding]) -> Finding:
    values = {one.place: one for part in parts for one in part.values}
    ordered = [values[place] for place in sorted(values, key=lambda place: (place.file, place.line))]
    owners = sorted({str(part.owner) for part in parts})
    hides = sorted({one.hides for part in parts for one in part.values}, key=lambda place: (place.file, place.line))
    first = ordered[0]
    where = str(first.place) if len(ordered) == 1 else f"{len({one.place.file for one in ordered})} values files"
    pods_of = owners[0] if len(owners) == 1 else _workloads(parts)
    hidden = "what it hides" if len(ordered) == 1 else "what they hide"
    return RULE.finding(
        where,
        f"{first.empty} in {where} hides {_named(hides)}, so no node fits the pods of {pods_of}",
        evidence=[
            Evidence(
                kind=EvidenceKind.FIELD,
                text=f"with {hidden}, {counted(parts[0].fitting, 'node')} would fit the pods of {parts[0].owner}",
                subject=parts[0].owner.key,
                path="spec.template.spec.tolerations",
            ),
            *(Evidence(kind=EvidenceKind.FILE, text=one.empty, place=one.place) for one in ordered),
            *(Evidence(kind=EvidenceKind.FILE, text="hidden by it", place=place) for place in hides),
        ],
        fix=_fix(ordered),
        since=since,
    )


def _named(places: Sequence[Place]) -> str:
    return listed([str(place) for place in places], most=1)


def _workloads(parts: Sequence[Hiding]) -> str:
    keys = {part.owner.key for part in parts if part.owner.key is not None}
    kinds = {key.kind for key in keys}
    return counted(len(keys), kinds.pop() if len(kinds) == 1 else "workload")


def _fix(values: Sequence[HiddenValue]) -> Fix:
    """Return the lines to delete, where each is a line of a file; values of the Application itself are named."""
    edits = tuple(Edit(place=one.place, before=one.empty) for one in values if one.place.line)
    if len(edits) == len(values):
        return Fix(edits=edits)
    rest = listed([str(one.place) for one in values if not one.place.line])
    return Fix(text=f"take {values[0].empty} out of {rest}", edits=edits)
