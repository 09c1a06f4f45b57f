"""Hooks of Helm and of Argo CD on one object."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SRC-012",
    name="two-hook-styles",
    severity=Severity.WARNING,
    summary="An object has both Helm's and Argo CD's hook annotations.",
    fix="keep one style: Argo CD's annotations win, and Helm's weight counts only without a wave",
    looks_at=(LooksAt.RENDERED,),
    why="Once Argo CD's annotation is present, Helm's no longer decide the phase; what the chart says is not what "
    "happens.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: pre-install, argocd.argoproj.io/hook: PostSync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "example/migrate:1"}]}
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PostSync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "example/migrate:1"}]}
""",
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about an object with both."""
    delivery, item = one
    annotations = meta.annotations(item.obj)
    helm, argo = annotations.get(names.HELM_HOOK), annotations.get(names.HOOK)
    if helm and argo:
        message = f"{item.key.short} of {delivery} is {helm} for Helm and {argo} for Argo CD; {argo} counts"
        path = f'metadata.annotations["{names.HELM_HOOK}"]'
        yield RULE.finding(item.key.short, message, evidence=[at(item, path, helm)], fix=RULE.usual_fix)
