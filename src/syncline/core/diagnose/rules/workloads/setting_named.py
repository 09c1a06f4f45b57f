"""A program fails every request and names a setting; a ConfigMap that it or whom it asks reads has that setting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.workloads import calls, pods
from syncline.core.diagnose.graph.workloads.log_lines import plain
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.core.references.pods import CONFIG_MAP
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-215",
    name="setting-named",
    severity=Severity.WARNING,
    summary="A running program fails requests and names a setting that a ConfigMap has.",
    fix="check the value of that setting",
    looks_at=(LooksAt.LIVE,),
    why="A feature flag or a limit can make a program fail on purpose. Its log names the setting, and the ConfigMap is "
    "one that its pods read, or those of a service that they call, as a server of flags is.",
)
# Words that only people who write programs put together: paymentFailure, max_retries, MAX_RETRIES.
_IDENTIFIER = re.compile(r"\b(?:[a-z]+(?:[A-Z][a-z0-9]+)+|[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z0-9]+(?:_[A-Z0-9]+)+)\b")
_SHORTEST = 8


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod whose complaints name something that a ConfigMap sets."""
    for one in calls.complaints(node):
        words = {word for text in one.lines for word in _IDENTIFIER.findall(text) if len(word) >= _SHORTEST}
        for key in _read(node) if words else ():
            for part, text in ((node.cluster.get(key) or {}).get("data") or {}).items():
                for word in sorted(words):
                    if word == part or re.search(rf"(?<!\w){re.escape(word)}[\"']?\s*[:=]", str(text)):
                        said = plain(next(each for each in reversed(one.lines) if word in each)).strip()
                        yield Fault(
                            rule=RULE,
                            state="failing requests",
                            cause=node.at(key),
                            about=word,
                            tell=partial(_finding, node, key, part, word, said),
                            weak=True,
                        )


def _read(node: Node) -> list[ObjectKey]:
    """Return the ConfigMaps that a pod reads, and those of the pods that it is told to call."""
    called = (pod for key in calls.told_to_call(node) for pod in calls.behind(node.cluster, key))
    found: dict[ObjectKey, None] = {}
    for pod in (node.key, *called):
        for reference in read.references(node.cluster.get(pod) or {}) if pod.group_kind == pods.POD else ():
            if reference.key.group_kind == CONFIG_MAP and node.cluster.get(reference.key) is not None:
                found[reference.key] = None
    return list(found)


def _finding(node: Node, key: ObjectKey, part: str, word: str, said: str) -> Finding:
    owner = pods.workload(node)
    where = f"{key.short} in {key.namespace}" if word == part else f"{part} of {key.short} in {key.namespace}"
    return RULE.finding(
        key.short,
        f"{owner} fails requests and names the setting {word}, which {where} has: {said}",
        evidence=[
            Evidence(kind=EvidenceKind.LOG, text=said, subject=node.key),
            *line(node.fleet, node.at(key), f"data.{part}", word),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: whether {word} in {where} is as it should be"),
    )
