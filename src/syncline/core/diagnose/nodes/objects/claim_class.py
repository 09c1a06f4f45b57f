"""A PersistentVolumeClaim of a class that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.volumes.storage_class_missing import RULE
from syncline.core.references.pods import CLAIM, STORAGE_CLASS
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_PATH = "spec.storageClassName"
_VOLUME = ObjectKey("", "PersistentVolume", "", "").group_kind


@on_node(RULE, CLAIM)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pending claim whose class is not there, and which no volume of that class serves."""
    name = str((node.obj.get("spec") or {}).get("storageClassName") or "")
    pending = (node.obj.get("status") or {}).get("phase") == "Pending"
    volumes = [obj for _key, obj in node.cluster.of_kind(_VOLUME)]
    served = any((one.get("spec") or {}).get("storageClassName") == name for one in volumes)
    if pending and not served and node.cluster.lacks_class(node.obj):
        cause = node.missing(ObjectKey("storage.k8s.io", "StorageClass", "", name))
        yield Fault(rule=RULE, state="Pending", cause=cause, tell=lambda: _finding(node, name))


def _finding(node: Node, name: str) -> Finding:
    known = [key.name for key, _obj in node.cluster.of_kind(STORAGE_CLASS)]
    shown = listed(known) or "none"
    near = nearest(name, known) or (known if len(known) == 1 else [])
    return RULE.finding(
        f"StorageClass/{name}",
        f'class "{name}" does not exist (existing: {shown}); {node.key.short} in {node.key.namespace} is of it',
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=name, subject=node.key, path=_PATH),
            *line(node.fleet, node.thing, _PATH),
        ],
        fix=_fix(node, near[0])
        if near
        else Fix(text=f"decide: deliver the class {name}" + (f", or name one of {listed(known)}" if known else "")),
    )


def _fix(node: Node, right: str) -> Fix:
    """Return the other class, and the deletion of the claim: its class cannot change, and nothing is in it yet."""
    found = rewrite(node.fleet, node.thing, _PATH, right)
    command = f"kubectl delete pvc -n {node.key.namespace} {node.key.name}"
    remark = "; ".join(filter(None, (found.text, "the claim is empty, and its class cannot change")))
    return msgspec.structs.replace(found, command=command, text=remark)
