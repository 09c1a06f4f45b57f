"""Jobs that delete themselves, and that a sync makes again."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-103",
    name="job-expires",
    severity=Severity.WARNING,
    summary="A Job that is not a hook has ttlSecondsAfterFinished.",
    fix="make it a hook with a delete policy, or remove ttlSecondsAfterFinished",
    looks_at=(LooksAt.RENDERED,),
    why="Kubernetes deletes the Job after it has finished; the app is OutOfSync then, and with selfHeal the Job runs "
    "again and again.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 60
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
    argocd.argoproj.io/hook: Sync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example/migrate:1"}]
""",
)
_JOB = GroupKind("batch", "Job")


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about such a Job; what an ignored or hidden object does shows nowhere."""
    delivery, item = one
    seconds = dig(item.obj, "spec", "ttlSecondsAfterFinished")
    if item.key.group_kind != _JOB or item.hook_types or seconds is None:
        return
    message = f"{item.key.short} of {delivery} is deleted {seconds} s after it has finished, and is then missing"
    evidence = [at(item, "spec.ttlSecondsAfterFinished", f"ttlSecondsAfterFinished: {seconds}")]
    yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
