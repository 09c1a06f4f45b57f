"""Objects of a version that Kubernetes has removed: their manifests are old, and no definition is missing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupVersionKind
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said, removed_version
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.rules.sources.version_not_served import RULE
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused because its version is gone."""
    for one in refusing.said(node):
        if removed_version(node.fleet, one) is not None:
            yield Fault(rule=RULE, state="sync Failed", cause=one.thing, tell=partial(_finding, node, one))


def _finding(node: Node, one: Said) -> Finding:
    found = removed_version(node.fleet, one)
    assert found is not None  # noqa: S101 - only what was found is told
    gvk, gone = found
    instead = f"{gone.replacement} replaces it" if gone.replacement else "nothing replaces it"
    return RULE.finding(
        one.key.short,
        f"{one.key.short} of {node.key.name} is of {_version(gvk)}: Kubernetes {gone.since} removed it, and {instead}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key),
            *line(node.fleet, one.thing, "apiVersion"),
        ],
        fix=_fix(node, one, _version(gvk), gone.replacement),
        since=one.since,
    )


def _fix(node: Node, one: Said, written: str, replacement: str) -> Fix:
    if not replacement:
        return Fix(text=f"decide: remove {one.key.short}, or replace what it did")
    remark = f"check its fields too: they differ between {written} and {replacement}"
    return rewrite(node.fleet, one.thing, "apiVersion", replacement, remark)


def _version(gvk: GroupVersionKind) -> str:
    return f"{gvk.group}/{gvk.version}" if gvk.group else gvk.version
