"""A PersistentVolumeClaim without a volume: no volume fits it, or its provisioner fails."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.apimachinery.selectors import LabelSelector
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.written import line as line_of
from syncline.core.diagnose.live.written import place
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.volumes.storage_class_missing import class_written
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.core.references.pods import CLAIM, STORAGE_CLASS
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-202",
    name="claim-unbound",
    severity=Severity.ERROR,
    summary="A volume claim gets no volume: its provisioner fails, or no volume has the mode, size or labels it needs.",
    fix="correct the claim, or provide a volume that fits",
    looks_at=(LooksAt.LIVE, LooksAt.EVENTS),
    why="Pods that mount the claim wait for it. If the claim's class waits for its first pod, the claim is not the "
    "problem: check the pod; its pending claim is an effect.",
)
_VOLUME = GroupKind("", "PersistentVolume")
_FAILED = "ProvisioningFailed"
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


@on_node(RULE, CLAIM)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a claim that is not bound and should be."""
    phase = (node.obj.get("status") or {}).get("phase")
    if node.thing.absent:
        apps_of = node.fleet.undelivered_by(node.thing)
        yield Fault(rule=RULE, state="absent", because=apps_of, tell=lambda: _absent(node))
        return
    if phase == "Lost":
        yield Fault(rule=RULE, state="Lost", tell=partial(_finding, node, "its volume is gone", ""))
    if phase != "Pending" or meta.deletion_timestamp(node.obj):
        return
    if node.cluster.lacks_class(node.obj) and not _static(node):
        return  # Another rule's to tell.
    failure = node.cluster.storage.failure(node.obj)
    if failure is not None:
        said = events.message(failure)
        drivers = tuple(_drivers(node))
        yield Fault(rule=RULE, state="ProvisioningFailed", because=drivers, tell=partial(_finding, node, said, said))
    elif node.cluster.storage.waits_for_consumer(node.obj):
        consumers = tuple(_consumers(node))
        if consumers:
            yield Fault(rule=RULE, state="WaitForFirstConsumer", because=consumers)
        elif node.fleet.apps and not apps.is_young(node, meta.creation_timestamp(node.obj)):
            # Argo CD has it as Progressing for ever; without Applications nobody minds.
            words = "its class waits for a first pod, and no pod mounts it"
            yield Fault(rule=RULE, state="WaitForFirstConsumer", tell=partial(_finding, node, words, ""))
    elif problem := _unfit(node):
        yield Fault(rule=RULE, state="Pending", tell=partial(_finding, node, problem, ""))
    elif not apps.is_young(node, meta.creation_timestamp(node.obj)):
        words = "its provisioner has not answered"
        yield Fault(rule=RULE, state="Pending", because=tuple(_drivers(node)), tell=partial(_finding, node, words, ""))


@RULE.on(App)
def check_app(app: App) -> Iterator[Finding]:
    """Yield a finding about a claim whose provisioner says why it fails; a missing class is another rule's."""
    classes = [key.name for key, _obj in around.of_kind(app, STORAGE_CLASS)]
    for key, claim in around.of_kind(app, CLAIM):
        spec = claim.get("spec") or {}
        name = str(spec.get("storageClassName") or "")
        pending = (claim.get("status") or {}).get("phase") == "Pending" and not spec.get("volumeName")
        said = _failure(app, key) if pending and name in classes else ""
        if said:
            owner, path = class_written(app, key)
            where = place(app, owner, path)
            at = f" at {where}" if where else ""
            yield RULE.finding(
                key.short,
                f"{key.short} gets no volume of StorageClass {name}: {said}",
                evidence=[*line_of(app, owner, path), Evidence(kind=EvidenceKind.EVENT, text=said, subject=key)],
                fix=Fix(text=f"decide by this message: fix the storage behind {name}, or name another class{at}"),
                since=meta.creation_timestamp(claim),
            )


def _failure(app: App, key: ObjectKey) -> str:
    """Return the last words of the provisioner about a claim."""
    found = [
        one
        for one in app.assessment.snapshot.events
        if one.get("reason") == _FAILED and _about(one) == (key.kind, key.namespace, key.name)
    ]
    return events.message(max(found, key=events.time)) if found else ""


def _about(event: Object) -> tuple[str, ...]:
    about = event.get("involvedObject") or {}
    return tuple(str(about.get(name) or "") for name in ("kind", "namespace", "name"))


def _consumers(node: Node) -> Iterator[Thing]:
    yield from (node.at(key) for key in node.cluster.pods_naming(node.key))


def _drivers(node: Node) -> Iterator[Thing]:
    """Yield the workloads that run the provisioner of the class, as far as their names tell."""
    name = (node.obj.get("spec") or {}).get("storageClassName")
    found = node.cluster.get(ObjectKey("storage.k8s.io", "StorageClass", "", str(name)))
    provisioner = str((found or {}).get("provisioner") or "")
    if not provisioner or provisioner == "kubernetes.io/no-provisioner":
        return
    for kind in (GroupKind("apps", "Deployment"), GroupKind("apps", "StatefulSet")):
        for key, obj in node.cluster.of_kind(kind):
            if any(provisioner in word for word in _words(obj)):
                yield node.at(key)


def _words(obj: Object) -> Iterator[str]:
    spec = ((obj.get("spec") or {}).get("template") or {}).get("spec") or {}
    for container in spec.get("containers") or ():
        yield from (str(word) for word in (*(container.get("args") or ()), *(container.get("command") or ())))
        yield from (str(one.get("value") or "") for one in container.get("env") or ())


def _static(node: Node) -> bool:
    name = (node.obj.get("spec") or {}).get("storageClassName")
    volumes = [obj for _key, obj in node.cluster.of_kind(_VOLUME)]
    return any((one.get("spec") or {}).get("storageClassName") == name for one in volumes)


def _unfit(node: Node) -> str:
    """Return why no volume that exists can be bound; empty where the claim's class would make one."""
    spec = node.obj.get("spec") or {}
    name = spec.get("storageClassName")
    found = node.cluster.get(ObjectKey("storage.k8s.io", "StorageClass", "", str(name))) if name else None
    dynamic = found is not None and found.get("provisioner") != "kubernetes.io/no-provisioner"
    if name is None:
        classes = [obj for _key, obj in node.cluster.of_kind(STORAGE_CLASS)]
        if any(meta.annotations(one).get(_DEFAULT) == "true" for one in classes):
            return ""
        if node.cluster.was_read(STORAGE_CLASS):
            return "it names no class, and no class is the default"
        return ""
    if dynamic and not spec.get("selector") and not spec.get("volumeName"):
        return ""
    if not node.cluster.was_read(_VOLUME):
        return ""
    volumes = [(key, obj) for key, obj in node.cluster.of_kind(_VOLUME)]
    wanted = str(spec.get("volumeName") or "")
    mismatches = [_mismatch(spec, key, obj, node.key) for key, obj in volumes if not wanted or key.name == wanted]
    if wanted and not mismatches:
        return f"volume {wanted} does not exist"
    if not volumes:
        return "there is no volume at all"
    return "" if "" in mismatches else "no volume fits: " + "; ".join(mismatches[:3])


def _mismatch(spec: Object, key: ObjectKey, volume: Object, claim: ObjectKey) -> str:
    """Return why a claim cannot be bound to a volume; empty where it can."""
    has = volume.get("spec") or {}
    holder = has.get("claimRef") or {}
    modes = [str(one) for one in spec.get("accessModes") or ()]
    lacking = [one for one in modes if one not in (has.get("accessModes") or ())]
    asked = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    size = (has.get("capacity") or {}).get("storage")
    if holder and (holder.get("namespace"), holder.get("name")) != (claim.namespace, claim.name):
        return f"{key.name} is taken by {holder.get('namespace')}/{holder.get('name')}"
    if (has.get("storageClassName") or "") != (spec.get("storageClassName") or ""):
        return f"{key.name} is of class {has.get('storageClassName') or 'none'}"
    if lacking:
        return f"{key.name} has not the mode {lacking[0]}"
    if asked and size and quantity.parse(size).milli_value < quantity.parse(asked).milli_value:
        return f"{key.name} has {size} of the {asked} requested"
    if spec.get("selector") and not LabelSelector.from_object(spec["selector"]).matches(meta.labels(volume)):
        return f"{key.name} lacks the labels of its selector"
    return ""


def _absent(node: Node) -> Finding:
    users = [key_of(node.cluster.top(node.cluster.objects[key])) for key in node.cluster.pods_naming(node.key)]
    name = users[0].short if users else "a pod"
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} does not exist; {name} mounts it",
        evidence=[Evidence(kind=EvidenceKind.FIELD, text=f"names {node.key.short}", subject=key) for key in users[:3]],
        fix=Fix(text=f"decide: deliver {node.key.short}, or name a claim that exists"),
    )


def _finding(node: Node, problem: str, said: str) -> Finding:
    name = (node.obj.get("spec") or {}).get("storageClassName")
    event = [Evidence(kind=EvidenceKind.EVENT, text=said, subject=node.key)] if said else []
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} gets no volume: {problem}",
        evidence=[
            *event,
            Evidence(kind=EvidenceKind.FIELD, text=f"class {name}", subject=node.key, path="spec.storageClassName"),
            *line(node.fleet, node.thing, "spec"),
        ],
        fix=Fix(text="decide: correct what the claim requests, or provide a volume that has it"),
        since=meta.creation_timestamp(node.obj),
    )
