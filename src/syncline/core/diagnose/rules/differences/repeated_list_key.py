"""Entries of a list that Kubernetes takes for one, because their keys are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.core.diagnose.repository.option_words import manifests
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.desired import DesiredObject
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="DIF-010",
    name="repeated-list-key",
    severity=Severity.ERROR,
    summary="Two entries of a list that is merged by key have the same key.",
    fix="keep one of the entries",
    looks_at=(LooksAt.RENDERED,),
    why="Environment variables, volumes and mounts are identified by name or path. Server-side apply refuses duplicate "
    "keys; client-side apply keeps one of them, and the app may stay OutOfSync.",
    bad="""\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: example/web:1
      env: [{name: COLOUR, value: blue}, {name: COLOUR, value: red}]
""",
    good="""\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: example/web:1
      env: [{name: COLOUR, value: red}]
""",
)

_TEMPLATES = {
    "Pod": "spec",
    "Deployment": "spec.template.spec",
    "StatefulSet": "spec.template.spec",
    "DaemonSet": "spec.template.spec",
    "ReplicaSet": "spec.template.spec",
    "Job": "spec.template.spec",
    "CronJob": "spec.jobTemplate.spec.template.spec",
}
_GROUPS = ("", "apps", "batch")
_OF_CONTAINER = (("env", "name"), ("volumeMounts", "mountPath"))


@RULE.on_each(Repo, manifests)
def check(_repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield one finding per key that is there twice."""
    path = _TEMPLATES.get(item.key.kind) if item.key.group in _GROUPS else None
    pod: Any = item.obj
    for step in path.split(".") if path else ():
        pod = pod.get(step) if isinstance(pod, dict) else None
    if path is None or not isinstance(pod, dict):
        return
    yield from _repeated(item, pod, f"{path}.volumes", "name")
    for kind in ("initContainers", "containers"):
        yield from _repeated(item, pod, f"{path}.{kind}", "name")
        for index, container in enumerate(_entries(pod, kind)):
            for field, key in _OF_CONTAINER:
                yield from _repeated(item, container, f"{path}.{kind}[{index}].{field}", key)


def _entries(holder: Any, field: str) -> list[Any]:
    found = holder.get(field) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def _repeated(item: DesiredObject, holder: Any, path: str, key: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, entry in enumerate(_entries(holder, path.rpartition(".")[2])):
        name = str(entry.get(key)) if isinstance(entry, dict) and key in entry else ""
        if name and name in seen:
            where = f"{path}[{index}]"
            evidence = [Evidence(kind=EvidenceKind.FILE, text=name, path=where, place=item.origin.place(where))]
            message = f"{item.key.short} has {name} more than once in {path}"
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
        seen.add(name)
