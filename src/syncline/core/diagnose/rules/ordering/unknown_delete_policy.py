"""Hooks whose delete policy does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.option_words import manifests
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="ORD-105",
    name="unknown-delete-policy",
    severity=Severity.WARNING,
    summary="The delete policy of a hook does not exist.",
    fix="use HookSucceeded, HookFailed or BeforeHookCreation",
    looks_at=(LooksAt.RENDERED,),
    why="A policy that is not known is passed over, and the hook is deleted before the next one is created: logs and "
    "finished Jobs stay longer, or go earlier, than was meant.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: HookSucceded
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example/migrate:1"}]
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: HookSucceeded
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example/migrate:1"}]
""",
)
_POLICIES = ("HookSucceeded", "HookFailed", "BeforeHookCreation")


@RULE.on_each(Repo, manifests)
def check(_repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield a finding per policy."""
    written = (meta.metadata(item.obj).get("annotations") or {}).get(names.HOOK_DELETE_POLICY)
    for word in filter(None, (one.strip() for one in str(written or "").split(","))):
        if word not in _POLICIES:
            near = nearest(word, _POLICIES)
            message = f"{item.key.short} has the delete policy {word}, which does not exist: it is passed over"
            evidence = [at(item, f'metadata.annotations["{names.HOOK_DELETE_POLICY}"]', word)]
            fix = Fix(text=f"write {near[0]}") if near else RULE.usual_fix
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)
