"""Workloads that wait for a hook which waits for them."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.pods import template
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CONFIG_MAP, SECRET
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-010",
    name="readiness-needs-post-hook",
    severity=Severity.WARNING,
    summary="A workload needs an object that only a PostSync hook creates.",
    fix="make it a Sync hook, or an ordinary object",
    looks_at=(LooksAt.RENDERED,),
    why="PostSync starts once everything is Healthy, but the workload is not Healthy until it has what the hook "
    "creates.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
          envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {helm.sh/hook: post-install}}
data: {colour: blue}
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
          envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
""",
)


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per workload and hook."""
    after = {item.key: item for item in delivery.prepared.hooks if item.hook_types == ("PostSync",)}
    for item, references in repo.world.references_of(delivery) if after else ():
        if item.is_hook or not template(item.obj)[1]:
            continue
        for one in references:
            hook = after.get(one.key)
            if hook is not None and not one.optional and not one.makes and one.key.group_kind in (SECRET, CONFIG_MAP):
                message = (
                    f"{item.key.short} of {delivery} needs {one.key.short}, which comes after everything is Healthy"
                )
                evidence = [at(item, one.path, one.key.name), at(hook)]
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
