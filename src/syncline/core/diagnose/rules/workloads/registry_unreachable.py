"""Images cannot be pulled because their registry does not answer: one cause, however many images."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import images, pods
from syncline.core.diagnose.graph.workloads.images import Why
from syncline.core.diagnose.graph.workloads.pods import Failing
from syncline.core.diagnose.live.pods import IMAGE_REASONS
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-201",
    name="registry-unreachable",
    severity=Severity.ERROR,
    summary="A registry does not answer the nodes: its name does not resolve, it is down, or it limits pulls.",
    fix="make the registry reachable from the nodes, or use a mirror",
    looks_at=(LooksAt.LIVE, LooksAt.EVENTS),
    why="No image of the registry can be pulled on that node: running pods continue, but pods that move do not come "
    "back. A host name that no other image uses is often misspelled.",
)

_REASON = re.compile(
    r"(?:dial tcp|lookup |net/http|i/o timeout|toomanyrequests|remote error|x509|tls:|context deadline)"
)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each image whose registry does not answer."""
    for one in pods.failing(node):
        if one.trouble.reason not in IMAGE_REASONS:
            continue
        said = pods.said(node, one, "Failed", "ErrImagePull")
        if images.why(said) is Why.UNREACHABLE:
            yield Fault(
                rule=RULE,
                state="ImagePullBackOff",
                cause=node.outside("registry", images.host(one.image)),
                tell=partial(_finding, node, one, said),
            )


def _finding(node: Node, one: Failing, said: str) -> Finding:
    host = images.host(one.image)
    others = {images.host(name) for name in node.cluster.remembered(images.running)}
    near = nearest(host, sorted(others - {host, "docker.io"})) if host not in others and "no such host" in said else []
    owner = pods.workload(node)
    return RULE.finding(
        host,
        f"registry {host} does not answer: {_decisive(said)}",
        evidence=[pods.seen(node, one.trouble, said), *pods.container_line(node, owner, one.trouble.container)],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: {near[0]} serves other images here; name it if that is meant"
            if near
            else "decide: repair the connection from the nodes to the registry, or pull from a mirror (it was not "
            "checked)"
        ),
    )


def _decisive(said: str) -> str:
    """Return the end of what a container runtime says, where the reason stands; all of it where none is known."""
    found = _REASON.search(said)
    return said[found.start() :] if found else said
