"""Hooks that run before what they need is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CLAIM, CONFIG_MAP, SECRET, SERVICE_ACCOUNT
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-006",
    name="hook-before-its-needs",
    severity=Severity.ERROR,
    summary="A PreSync hook needs an object that the app delivers only afterwards.",
    fix="make that object a PreSync hook in an earlier wave, or turn the hook into a Sync hook",
    looks_at=(LooksAt.RENDERED,),
    why="On the first sync the hook's pod never starts, so the phase that delivers the object never begins.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: example/migrate:1
          command: [migrate]
          envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: Sync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: example/migrate:1
          command: [migrate]
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
    """Yield one finding per hook and what it needs."""
    later = {item.key: item for item in delivery.prepared.objects}
    made = repo.world.made_by_app.get(str(id(delivery)), {})
    hooks = {item.key for item in delivery.prepared.hooks}
    for item, references in repo.world.references_of(delivery):
        if item.hook_types != ("PreSync",):
            continue
        for one in references:
            found = later.get(one.key) or _maker(made.get(one.key), later)
            others = [maker for maker, _ in repo.world.makers(one.key) if maker is not delivery]
            if found is None or one.makes or one.optional or one.key in hooks or others:
                continue
            if one.key.group_kind in (SECRET, CONFIG_MAP, SERVICE_ACCOUNT, CLAIM):
                message = (
                    f"{item.key.short} of {delivery} runs before the sync and needs {one.key.short}, which the sync "
                    "creates"
                )
                evidence = [at(item, one.path, one.key.name), at(found)]
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _maker(found: Prepared | None, later: Mapping[ObjectKey, Prepared]) -> Prepared | None:
    """Return who makes what a hook needs, where that comes with the sync."""
    return found if found is not None and found.key in later else None
