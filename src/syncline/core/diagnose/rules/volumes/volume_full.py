"""A program ends because there is no space left where it writes, mostly on its volume."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import crashes, pods
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-216",
    name="volume-full",
    severity=Severity.ERROR,
    summary="A program ends because a volume, or the disk of its node, is full.",
    fix="enlarge the claim, or delete what is no longer needed",
    looks_at=(LooksAt.LIVE,),
    why="The log says that no space is left. If it names a path below a mounted claim, or the container has one claim "
    "only, that is the one.",
)
_CLASS = GroupKind("storage.k8s.io", "StorageClass")


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose log says that no space is left, at the claim where it writes."""
    for crash in crashes.crashes(node):
        if crashes.about(crash) is About.FULL:
            key = _claim(node, crash)
            yield Fault(
                rule=RULE,
                state=crash.state,
                cause=node.at(key) if key is not None else crash.owner,
                about="" if key is not None else crash.name,
                tell=partial(_finding, node, crash, key),
            )


def _claim(node: Node, crash: Crash) -> ObjectKey | None:
    """Return the claim that a container writes to; None where it has none, or several and no line names one."""
    volumes = {one.get("name"): one for one in (node.obj.get("spec") or {}).get("volumes") or ()}
    mounted: dict[str, str] = {}
    for mount in crash.container.spec.get("volumeMounts") or ():
        claim = ((volumes.get(mount.get("name")) or {}).get("persistentVolumeClaim") or {}).get("claimName")
        if claim and not mount.get("readOnly"):
            mounted[str(mount.get("mountPath")).rstrip("/")] = str(claim)
    said = " ".join(node.cluster.log(node.key, crash.name))
    named = [claim for path, claim in mounted.items() if f"{path}/" in said or f"{path} " in said]
    found = set(named) or set(mounted.values())
    return ObjectKey("", "PersistentVolumeClaim", node.key.namespace, found.pop()) if len(found) == 1 else None


def _finding(node: Node, crash: Crash, key: ObjectKey | None) -> Finding:
    line = crash.told.line.strip() if crash.told is not None else ""
    size = _size(node.cluster.get(key) or {}) if key is not None else ""
    what = f"{key.short} in {key.namespace}{f' ({size})' if size else ''}" if key is not None else "where it writes"
    full = f"{what} is full" if key is not None else f"there is no space left {what}"
    return RULE.finding(
        str(crash.owner),
        f"{full}: {crash.owner}: container {crash.name} ends: {line}",
        evidence=crashes.evidence(node, crash),
        confidence=Confidence.TEXT,
        fix=_fix(node, key),
        since=str(crash.container.ended.get("finishedAt") or ""),
    )


def _size(claim: Object) -> str:
    return str(((claim.get("status") or {}).get("capacity") or {}).get("storage") or "")


def _fix(node: Node, key: ObjectKey | None) -> Fix:
    if key is None:
        return Fix(text="decide: give it a volume, or free space on the disk of its node")
    name = str(((node.cluster.get(key) or {}).get("spec") or {}).get("storageClassName") or "")
    there = node.cluster.get(ObjectKey(_CLASS.group, _CLASS.kind, "", name))
    if there is not None and there.get("allowVolumeExpansion") is not True:
        return Fix(text=f"decide: delete what is no longer needed; class {name} does not let {key.short} grow")
    return Fix(text=f"decide: raise spec.resources.requests.storage of {key.short}, or delete what is no longer needed")
