"""Replicas that Git and an autoscaler both write."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.written import line, remove
from syncline.core.diagnose.repository.rendered import ignore_rules, repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.core.references import read
from syncline.model.desired import DesiredObject
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="DIF-003",
    name="replicas-with-autoscaler",
    severity=Severity.WARNING,
    summary="A workload sets replicas, and a HorizontalPodAutoscaler scales it.",
    fix="remove replicas from the workload",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Each sync sets the number from Git, and the autoscaler changes it back: the app is OutOfSync whenever the two "
    "differ, and a sync under load removes pods.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example/web:1"}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example/web:1"}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
""",
)

_POINTER = "/spec/replicas"
_SCALER = GroupKind("autoscaling", "HorizontalPodAutoscaler")


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per workload with both, unless the difference is ignored."""
    items = app.desired.objects if app.desired is not None else ()
    ignored = {kind for _path, kind, pointer in ignore_rules(app.manifest.obj) if pointer == _POINTER}
    scaled = {_target(item) for item in items if item.key.kind == "HorizontalPodAutoscaler"}
    for item in items:
        key, spec = item.key, item.obj.get("spec")
        if (key.kind, key.namespace, key.name) not in scaled or key.kind in ignored or "*" in ignored:
            continue
        if isinstance(spec, dict) and spec.get("replicas") is not None:
            path = "spec.replicas"
            place = item.origin.place(path)
            evidence = [Evidence(kind=EvidenceKind.FILE, text=f"replicas: {spec['replicas']}", path=path, place=place)]
            message = f"{key.short} of {app} sets replicas, which a HorizontalPodAutoscaler writes too"
            yield RULE.finding(key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _target(item: DesiredObject) -> tuple[str, str, str]:
    spec = item.obj.get("spec")
    target = spec.get("scaleTargetRef") if isinstance(spec, dict) else None
    named = target if isinstance(target, dict) else {}
    return str(named.get("kind") or ""), item.key.namespace, str(named.get("name") or "")


@RULE.on(App)
def check_app(app: App) -> Iterator[Finding]:
    """Yield one finding per workload of the app whose replicas an autoscaler sets to something else."""
    scalers = {one.key: one.obj for one in app.assessment.prepared.objects if one.key.group_kind == _SCALER}
    scalers |= dict(around.of_kind(app, _SCALER))
    for one in app.assessment.prepared.objects:
        written = (one.obj.get("spec") or {}).get("replicas")
        ignored = any("replicas" in pointer for rule in _rules(app) for pointer in rule)
        if not isinstance(written, int) or ignored:
            continue
        for key, scaler in sorted(scalers.items()):
            if any(reference.key == one.key for reference in read.references(scaler)):
                yield from _of_scaler(app, one, written, key.short, scaler)


def _rules(app: App) -> Iterator[tuple[str, ...]]:
    for rule in app.assessment.app.spec.ignore_differences:
        yield (*rule.json_pointers, *rule.jq_path_expressions)


def _of_scaler(app: App, one: Prepared, written: int, name: str, scaler: Object) -> Iterator[Finding]:
    spec = scaler.get("spec") or {}
    least, most = int(spec.get("minReplicas") or 1), int(spec.get("maxReplicas") or written)
    wanted = (scaler.get("status") or {}).get("desiredReplicas") or min(max(written, least), most)
    if wanted == written:
        return
    yield RULE.finding(
        one.key.short,
        f"{one.key.short}: Git says replicas {written}, and {name} wants {wanted} ({least} to {most}): both write it",
        evidence=line(app, one.key, "spec.replicas"),
        fix=remove(app, one.key, "spec.replicas", remark=f"leave the number to {name}"),
    )
