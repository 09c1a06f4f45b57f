"""Workloads that have no pods because Git says so, behind a Service that is there."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.pods import template
from syncline.core.diagnose.live.written import line, place
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.core.references import read
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="WKL-104",
    name="scaled-to-zero",
    severity=Severity.INFO,
    summary="A workload behind a Service has replicas: 0, so nothing answers.",
    fix="set the number of replicas that should run, unless this is intended",
    looks_at=(LooksAt.RENDERED,),
    why="A workload with no pods is Healthy: the app is green, but every request to its Service fails. Replicas set by "
    "an autoscaler are not reported.",
    bad="""\
kind: Deployment
spec:
  replicas: 0
""",
    good="""\
kind: Deployment
spec:
  replicas: 2
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload without pods that a Service of the app leads to."""
    objects = app.assessment.prepared.objects
    scaled = {one.key for other in objects if other.key.kind != "Service" for one in read.references(other.obj)}
    for one in objects:
        spec = one.obj.get("spec") or {}
        if spec.get("replicas") != 0 or not template(one.obj)[1] or one.key in scaled:
            continue
        labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
        for service in objects:
            selector = (service.obj.get("spec") or {}).get("selector")
            if service.key.kind != "Service" or service.key.namespace != one.key.namespace or not selector:
                continue
            if all(labels.get(name) == value for name, value in selector.items()):
                where = place(app, one.key, "spec.replicas")
                yield RULE.finding(
                    one.key.short,
                    f"{one.key.short} has replicas: 0, so {service.key.short} has no pods",
                    evidence=line(app, one.key, "spec.replicas"),
                    fix=Fix(text=f"decide how many pods should run, and set it at {where}, unless none should"),
                )
                break
