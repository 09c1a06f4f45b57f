"""What a pod needs and has not reached yet: whatever of it is bad shows only once the pod gets that far."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.graph.fault import Node
from syncline.core.references import read
from syncline.core.references.pods import CLAIM, CONFIG_MAP, SECRET, SERVICE_ACCOUNT
from syncline.model.diagnosis import Thing


def needs(node: Node) -> tuple[Thing, ...]:
    """Return what a pod names: absent objects as such, and what makes the Secrets that nobody may read."""
    return tuple(dict.fromkeys(_needs(node)))


def _needs(node: Node) -> Iterator[Thing]:
    for reference in read.references(node.obj):
        if reference.optional or reference.makes:
            continue
        kind = reference.key.group_kind
        if kind not in (SECRET, CONFIG_MAP, SERVICE_ACCOUNT, CLAIM):
            continue
        if node.cluster.is_absent(reference.key):
            yield node.missing(reference.key)
        elif kind == SECRET and node.cluster.get(reference.key) is None:
            # Whether it is there is not known; with its maker broken it is at least not made again.
            yield from (node.at(maker) for maker in node.cluster.makers(reference.key))
