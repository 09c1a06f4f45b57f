"""`syncline admin health` as people run it: what kubectl printed goes in, causes come out."""

import json
import pathlib
from typing import Any

from tests.e2e.program import Machine

WAITING = {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}


def family(number: int) -> list[dict[str, Any]]:
    """Return a Deployment with a ReplicaSet and a pod that cannot pull its image."""
    found: list[dict[str, Any]] = []
    for api, kind, status in (
        ("apps/v1", "Deployment", {"replicas": 1, "updatedReplicas": 1}),
        ("apps/v1", "ReplicaSet", {"replicas": 1}),
        ("v1", "Pod", {"phase": "Pending", "containerStatuses": [{"name": "web", "state": {"waiting": WAITING}}]}),
    ):
        metadata: dict[str, Any] = {"name": f"web-{number}", "namespace": "shop", "uid": f"{kind}-{number}"}
        if found:
            above = found[-1]
            reference = {key: above["metadata"][key] for key in ("name", "uid")}
            metadata["ownerReferences"] = [{"apiVersion": above["apiVersion"], "kind": above["kind"], **reference}]
        found.append({"apiVersion": api, "kind": kind, "metadata": metadata, "spec": {"replicas": 1}, "status": status})
    return found


def test_thousands_of_objects_are_assessed_at_once_with_their_owners_joined(
    machine: Machine, tmp_path: pathlib.Path
) -> None:
    items = [obj for number in range(1_000) for obj in family(number)]
    (tmp_path / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    answer = machine.syncline("admin", "health", tmp_path / "all.json", "-o", "json")
    rows = json.loads(answer.out)
    assert (answer.code, len(rows)) == (1, 3_000)
    assert rows[0] == {
        "key": "apps/Deployment:shop/web-0",
        "status": "Progressing",
        "message": "web-0: container web: ImagePullBackOff: Back-off pulling image",
        "reason": "ImagePullBackOff",
        "evidence": "/Pod:shop/web-0 status.containerStatuses[0].state.waiting",
    }


STORY = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {storageClassName: late}
status: {phase: Pending}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: late}
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault, namespace: shop}
status:
  conditions:
  - {type: Ready, status: "False", reason: InvalidProviderConfig, message: Vault is sealed}
---
apiVersion: batch/v1
kind: Job
metadata: {name: wait, namespace: shop, uid: j1, annotations: {argocd.argoproj.io/hook: Sync}}
status: {active: 1}
---
apiVersion: v1
kind: Pod
metadata:
  name: wait-x
  namespace: shop
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: wait, uid: j1}]
spec: {restartPolicy: Never}
status:
  phase: Pending
  initContainerStatuses: [{name: prepare, state: {waiting: {reason: ErrImagePull, message: manifest unknown}}}]
"""


def test_the_worst_comes_first_and_says_what_is_behind_it(machine: Machine, tmp_path: pathlib.Path) -> None:
    (tmp_path / "all.yaml").write_text(STORY)
    answer = machine.syncline("admin", "health", tmp_path / "all.yaml")
    lines = [" ".join(line.split()) for line in answer.out.splitlines()]
    assert answer.code == 1
    assert lines == [
        "5 objects · 1 Degraded · 2 Progressing · 1 Healthy · 1 without a check",
        "HEALTH OBJECT REASON MESSAGE",
        "Degraded external-secrets.io/SecretStore:shop/vault InvalidProviderConfig Vault is sealed",
        "Progressing batch/Job:shop/wait ErrImagePull wait-x: init container prepare: ErrImagePull: manifest unknown",
        "Progressing /Pod:shop/wait-x ErrImagePull init container prepare: ErrImagePull: manifest unknown",
        "Healthy /PersistentVolumeClaim:shop/data WaitForFirstConsumer awaiting first consumer",
        "- storage.k8s.io/StorageClass:/late",
    ]
