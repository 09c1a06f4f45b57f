"""A pod waits for a volume that is attached elsewhere, or that its node cannot mount."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.graph.workloads.needs import needs
from syncline.core.diagnose.rules.volumes.volume_not_mounted import RULE
from syncline.core.health import events
from syncline.core.health.pods import container_troubles
from syncline.core.references import read
from syncline.core.references.pods import CLAIM
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_OTHERS = re.compile(r'(?:secret|configmap) "[^"]+" not found|references non-existent', re.IGNORECASE)
_ATTACHMENT = GroupKind("storage.k8s.io", "VolumeAttachment")


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that has a node, and waits for a volume there."""
    waits = any(one.reason in pods.STARTING for one in container_troubles(node.obj.get("status") or {}))
    if not waits or pods.is_finished(node.obj):
        return
    here = str((node.obj.get("spec") or {}).get("nodeName") or "")
    for claim in _claims(node):
        where = _elsewhere(node, claim, here)
        if where:
            said = f"attached to {where}, needed on {here}"
            lost = node.at(ObjectKey("", "Node", "", where))
            tell = partial(_finding, node, claim, said)
            yield Fault(rule=RULE, state="ContainerCreating", because=(lost,), cause=node.at(claim), tell=tell)
            return
    failed = (events.message(one) for one in node.cluster.events(node.key, "FailedAttachVolume", "FailedMount"))
    said = next((text for text in failed if not _OTHERS.search(text)), "")
    if said:
        claim = next(_claims(node), node.key)
        tell = partial(_finding, node, claim, said)
        yield Fault(rule=RULE, state="ContainerCreating", because=needs(node), cause=node.at(claim), tell=tell)


def _claims(node: Node) -> Iterator[ObjectKey]:
    yield from (one.key for one in read.references(node.obj) if one.key.group_kind == CLAIM)


def _elsewhere(node: Node, claim: ObjectKey, here: str) -> str:
    """Return the other node that a volume of one node at a time is attached to."""
    obj = node.cluster.get(claim) or {}
    spec = obj.get("spec") or {}
    volume, modes = str(spec.get("volumeName") or ""), spec.get("accessModes") or ()
    if not volume or "ReadWriteMany" in modes or "ReadOnlyMany" in modes:
        return ""
    there = node.cluster.remembered(_attached).get(volume, "")
    return there if there and there != here else ""


def _attached(cluster: ClusterIndex) -> dict[str, str]:
    found = {}
    for _key, one in cluster.of_kind(_ATTACHMENT):
        spec = one.get("spec") or {}
        if (one.get("status") or {}).get("attached"):
            found[str((spec.get("source") or {}).get("persistentVolumeName"))] = str(spec.get("nodeName"))
    return found


def _finding(node: Node, claim: ObjectKey, said: str) -> Finding:
    owner = pods.workload(node)
    return RULE.finding(
        str(owner),
        f"{owner} waits for its volume {claim.name}: {said}",
        evidence=[Evidence(kind=EvidenceKind.EVENT, text=said, subject=node.key)],
        confidence=Confidence.TEXT,
        fix=Fix(
            text="decide: delete the pod or lost node that still has the volume; or roll out with strategy Recreate"
        )
        if "ttach" in said
        else Fix(text="decide by the message: the driver of the volume on that node says why"),
        since=meta.creation_timestamp(node.obj),
    )
