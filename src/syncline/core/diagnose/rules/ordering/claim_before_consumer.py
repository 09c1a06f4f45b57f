"""A sync waits for a claim that waits for its first pod, which comes in a later wave: neither ever ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.applications.waves import first_consumers
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CLAIM
from syncline.model import names
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="ORD-005",
    name="claim-before-consumer",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="A claim whose class waits for its first pod is in an earlier wave than that pod.",
    fix="put the claim into the wave of its pod",
    looks_at=(LooksAt.LIVE, LooksAt.RENDERED),
    why="With WaitForFirstConsumer, a volume is created only once a pod that uses it is scheduled. A sync that waits "
    "for the claim before it creates the pod waits forever.",
    bad="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  annotations: {argocd.argoproj.io/sync-wave: "0"}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  resources: {requests: {storage: 1Gi}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
""",
    good="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  resources: {requests: {storage: 1Gi}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
""",
)


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each claim that the running sync waits for in vain."""
    what, things = apps.waited_for(node)
    for claim in first_consumers(node, things) if what == "healthy state" else ():
        yield Fault(rule=RULE, state="sync Running", cause=claim, tell=partial(_finding, node, claim))


def _finding(node: Node, claim: Thing) -> Finding:
    state = apps.status(node.obj, "operationState")
    path = f'metadata.annotations["{names.SYNC_WAVE}"]'
    return RULE.finding(
        str(claim),
        f"the sync of {node.key.name} waits for {claim}, which waits for a pod that comes later in the same sync",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=str(state.get("message") or ""), subject=node.key),
            Evidence(
                kind=EvidenceKind.FIELD, text="WaitForFirstConsumer", subject=claim.key, path="spec.storageClassName"
            ),
            *line(node.fleet, claim, path, "sync-wave"),
        ],
        fix=Fix(text=f"put {claim} into the wave of the workload that mounts it (annotation {names.SYNC_WAVE})"),
        since=str(state.get("startedAt") or ""),
    )


@RULE.on_each(Repo, deliveries)
def check_repo(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per claim whose pods all come in a later wave; a warning where its class is not known."""
    claims = {item.key: item for item in delivery.prepared.objects if item.key.group_kind == CLAIM}
    users: dict[ObjectKey, list[Prepared]] = defaultdict(list)
    for item, references in repo.world.references_of(delivery) if claims else ():
        for one in references:
            if one.key in claims and item.key != one.key:
                users[one.key].append(item)
    for item in repo.world.custom.get(delivery.namespace, ()) if claims else ():
        for key in claims:
            if f"pvc://{key.name}/" in f"{item.obj.get('spec')}/" or f"pvc://{key.name}'" in str(item.obj.get("spec")):
                users[key].append(item)
    for key, found in users.items():
        claim = claims[key]
        first = min(found, key=lambda one: one.wave)
        binding = _binding(repo, delivery, claim)
        if claim.wave < first.wave and binding != "Immediate":
            sure = binding == "WaitForFirstConsumer"
            message = (
                f"{key.short} of {delivery} is in wave {claim.wave}, and {first.key.short}, its first consumer, in "
                f"wave {first.wave}"
            )
            message += "" if sure else ": with a class that waits for its first consumer, the sync never finishes"
            path = f'metadata.annotations["{names.SYNC_WAVE}"]'
            evidence = [at(claim, path, f"wave {claim.wave}"), at(first, path, f"wave {first.wave}")]
            fix = Fix(text=f"put {key.short} into wave {first.wave}")
            severity = Severity.ERROR if sure else Severity.WARNING
            yield RULE.finding(key.short, message, evidence=evidence, fix=fix, severity=severity)


def _binding(repo: Repo, delivery: Delivery, claim: Prepared) -> str:
    """Return how volumes of the claim's class are bound; empty where that is not known."""
    name = str(dig(claim.obj, "spec", "storageClassName") or "")
    made = repo.world.objects.get(ObjectKey("storage.k8s.io", "StorageClass", "", name), ())
    if made:
        return str(made[0][1].obj.get("volumeBindingMode") or "Immediate")
    facts = repo.world.facts(delivery.cluster)
    classes = facts.storage_classes if facts is not None and not facts.stale else ()
    return next((one.binding_mode for one in classes if one.name == name or (not name and one.default)), "")
