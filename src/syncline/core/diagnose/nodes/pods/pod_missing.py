"""A pod does not start because it names a Secret, a ConfigMap or a key of one that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.live.pods import CONFIG_REASON
from syncline.core.diagnose.rules.secrets.reference_missing import RULE
from syncline.core.health import events
from syncline.core.health.pods import ContainerTrouble, container_troubles
from syncline.core.references import read
from syncline.core.references.pods import CONFIG_MAP, SECRET
from syncline.model.diagnosis import Thing

_ABSENT = re.compile(r'(?P<kind>secret|configmap) "(?P<name>[^"]+)" not found', re.IGNORECASE)
_NO_KEY = re.compile(
    r"couldn't find key (?P<key>\S+) in (?P<kind>Secret|ConfigMap) (?P<namespace>[^/\s]+)/(?P<name>[\w.-]+)"
)
_NO_ITEM = re.compile(r'references non-existent (?:config|secret) key: (?P<key>[^\s"]+)')
_KINDS = {"secret": SECRET, "configmap": CONFIG_MAP}


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each thing that is missing: told by the kubelet, or by the state of the cluster alone."""
    if pods.is_finished(node.obj):
        return
    troubles = list(container_troubles(node.obj.get("status") or {}))
    state = next((one.reason for one in troubles if one.reason == CONFIG_REASON), "ContainerCreating")
    told = {thing: None for text in _sentences(node, troubles) for thing in _read(node, text)}
    waits = any(one.reason in (CONFIG_REASON, "ContainerCreating", "PodInitializing") for one in troubles)
    if not told and waits:
        told = dict.fromkeys(_absent(node))
    for thing in told:
        yield Fault(rule=RULE, state=state, because=(thing,))


def _sentences(node: Node, troubles: list[ContainerTrouble]) -> Iterator[str]:
    for trouble in container_troubles(node.obj.get("status") or {}):
        if trouble.reason == CONFIG_REASON:
            yield trouble.message
    if any(one.reason in ("ContainerCreating", "PodInitializing", CONFIG_REASON) for one in troubles):
        yield from (events.message(event) for event in node.cluster.events(node.key, "FailedMount", "Failed"))


def _read(node: Node, text: str) -> Iterator[Thing]:
    for found in _NO_KEY.finditer(text):
        kind = _KINDS[found["kind"].lower()]
        key = ObjectKey(kind.group, kind.kind, found["namespace"], found["name"])
        yield node.missing(key, found["key"])
    for found in _ABSENT.finditer(text):
        kind = _KINDS[found["kind"].lower()]
        yield node.missing(ObjectKey(kind.group, kind.kind, node.key.namespace, found["name"]))
    for found in _NO_ITEM.finditer(text):
        yield from (node.missing(key, found["key"]) for key in _with_item(node, found["key"]))


def _with_item(node: Node, item: str) -> Iterator[ObjectKey]:
    """Yield the objects of which a volume wants a key."""
    for volume in (node.obj.get("spec") or {}).get("volumes") or ():
        for field, kind, name in (("configMap", CONFIG_MAP, "name"), ("secret", SECRET, "secretName")):
            entry = volume.get(field) or {}
            if any(one.get("key") == item for one in entry.get("items") or ()):
                yield ObjectKey(kind.group, kind.kind, node.key.namespace, str(entry.get(name)))


def _absent(node: Node) -> Iterator[Thing]:
    """Yield what a pod names that is known not to be there, or lacks the key that it wants."""
    for reference in read.references(node.obj):
        kind = reference.key.group_kind
        if reference.optional or reference.makes or kind not in (CONFIG_MAP, SECRET):
            continue
        if ".imagePullSecrets" in reference.path:
            continue
        obj = node.cluster.get(reference.key)
        if obj is None:
            if node.cluster.is_absent(reference.key):
                yield node.missing(reference.key)
        elif reference.part and not _has(obj, reference.part):
            yield node.missing(reference.key, reference.part)


def _has(obj: dict[str, object], part: str) -> bool:
    fields = [obj.get(name) for name in ("data", "binaryData", "stringData")]
    known = [field for field in fields if isinstance(field, dict)]
    return not known or any(part in field for field in known)
