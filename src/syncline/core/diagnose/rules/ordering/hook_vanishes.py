"""Hook Jobs that are deleted before anybody has seen them end."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-007",
    name="hook-vanishes",
    severity=Severity.WARNING,
    summary="A hook Job has a short ttlSecondsAfterFinished.",
    fix="remove ttlSecondsAfterFinished, and use the annotation argocd.argoproj.io/hook-delete-policy",
    looks_at=(LooksAt.RENDERED,),
    why="Kubernetes deletes the Job before the sync sees it finish, and the sync waits for a hook that is gone.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  activeDeadlineSeconds: 600
  ttlSecondsAfterFinished: 30
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: example/migrate:1
          command: [migrate]
""",
    good="""\
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
""",
)
_SHORTEST = 300


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a hook that goes too soon."""
    delivery, item = one
    ttl = dig(item.obj, "spec", "ttlSecondsAfterFinished")
    if item.is_hook and item.key.kind == "Job" and isinstance(ttl, int) and ttl < _SHORTEST:
        message = (
            f"{item.key.short} of {delivery} is deleted {ttl} s after it finishes, maybe before the sync sees that"
        )
        evidence = [at(item, "spec.ttlSecondsAfterFinished")]
        yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
