"""A registry refuses a pod's image: because its pull Secret is missing, or because what it holds is not accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import images, pods
from syncline.core.diagnose.graph.workloads.images import Why
from syncline.core.diagnose.graph.workloads.pods import Failing
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import IMAGE_REASONS
from syncline.core.diagnose.rules.workloads.pull_secret_missing import RULE
from syncline.core.health import events
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Finding, Fix

_UNREAD = re.compile(r"Unable to retrieve some image pull secrets \((?P<names>[^)]*)\)")


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each image that a registry refuses to give."""
    for one in pods.failing(node):
        if one.trouble.reason not in IMAGE_REASONS:
            continue
        said = pods.said(node, one, "Failed", "ErrImagePull")
        if images.why(f"{one.trouble.reason}: {said}") is not Why.DENIED:
            continue
        missing = tuple(node.missing(key) for key in _absent(node))
        yield Fault(
            rule=RULE,
            state="ImagePullBackOff",
            because=missing or _makers(node),
            cause=node.outside("registry", _scope(one.image)),
            about=" ".join(_names(node)),
            tell=partial(_finding, node, one, said),
        )


def _scope(image: str) -> str:
    """Return the part of a registry that a login is for: its host, and the first step below it."""
    name, _tag = images.repository(image)
    host = images.host(image)
    rest = name.removeprefix(f"{host}/")
    return f"{host}/{rest.partition('/')[0]}" if "/" in rest else f"{host}/{rest}"


def _names(node: Node) -> list[str]:
    spec = node.obj.get("spec") or {}
    found = [str(one.get("name")) for one in spec.get("imagePullSecrets") or () if one.get("name")]
    account = node.cluster.get(
        ObjectKey("", "ServiceAccount", node.key.namespace, str(spec.get("serviceAccountName") or "default"))
    )
    found += [str(one.get("name")) for one in (account or {}).get("imagePullSecrets") or () if one.get("name")]
    return list(dict.fromkeys(found))


def _absent(node: Node) -> Iterator[ObjectKey]:
    told = set()
    for event in node.cluster.events(node.key):
        if found := _UNREAD.search(events.message(event)):
            told |= {name.strip() for name in found["names"].split(",")}
    for name in _names(node):
        key = ObjectKey("", "Secret", node.key.namespace, name)
        if name in told or node.cluster.is_absent(key):
            yield key


def _makers(node: Node) -> tuple[Thing, ...]:
    """Return what should make the pull Secrets: with that broken they are missing or old."""
    keys = [ObjectKey("", "Secret", node.key.namespace, name) for name in _names(node)]
    return tuple(node.at(maker) for key in keys for maker in node.cluster.makers(key))


def _finding(node: Node, one: Failing, said: str) -> Finding:
    names = _names(node)
    owner = pods.workload(node)
    using = f"with {listed(names)}" if names else "without any pull Secret"
    either = " or the image does not exist" if "does not exist" in said else ""
    return RULE.finding(
        one.image,
        f"{images.host(one.image)} refuses {one.image}, asked {using}: no access{either}",
        evidence=[pods.seen(node, one.trouble, said), *pods.container_line(node, owner, one.trouble.container)],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: renew the login in {listed(names)}"
            if names
            else f"decide: give {owner} a pull Secret for {images.host(one.image)} (spec.imagePullSecrets)"
        ),
    )
