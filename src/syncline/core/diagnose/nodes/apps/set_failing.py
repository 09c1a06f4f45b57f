"""An ApplicationSet whose generators or template fail: what it should make is not made, changed or deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import complaining
from syncline.core.diagnose.graph.applications.complaining import About, Complaint
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION_SET
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.rules.applicationsets.generates_nothing import RULE
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_APPROVAL = re.compile(r"; approve with: (?P<command>syncline appset approve \S+ [0-9a-f]+)$")

_PARAMETER = re.compile(
    r'no entry for key "(?P<wanted>[^"]+)" \(did you mean (?P<near>[^\s?]+)\?\)'
    r", with the parameters of (?P<file>\S+?):\d"
)


@on_node(RULE, APPLICATION_SET)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each error of a set; a repository that does not answer is a cause of its own."""
    for one in complaining.complaints(node):
        if one.about is not About.REPOSITORY:
            yield Fault(rule=RULE, state="ApplicationSet failing", tell=partial(_finding, node, one))


def _finding(node: Node, one: Complaint) -> Finding:
    approval = _APPROVAL.search(one.message)
    said = one.message[: approval.start()] if approval else one.message
    return RULE.finding(
        node.key.short,
        f"{node.key.short} fails, so its Applications are not created or changed: {said}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions"),
            *complaining.named_line(node, one),
            *line(node.fleet, node.thing, "spec.generators", "generators:"),
        ],
        confidence=Confidence.DECLARED,
        fix=Fix(text="if they may go", command=approval["command"]) if approval else _fix(one.message),
        since=one.since,
    )


def _fix(message: str) -> Fix:
    """Return what to do: a parameter that is spelled almost as the template has it is named with its file."""
    odd = _PARAMETER.search(message)
    if odd is None:
        return Fix(text=f"decide: {RULE.fix}")
    return Fix(text=f"decide: call it {odd['wanted']} in {odd['file']}, or ask for {odd['near']} in the template")
