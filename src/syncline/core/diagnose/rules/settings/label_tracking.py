"""Objects are tracked by a label that others write too."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import line_of
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity
from syncline.model.settings.settings import TrackingMethod

RULE = Rule(
    code="SET-010",
    name="label-tracking",
    severity=Severity.WARNING,
    summary="Objects are tracked by the label app.kubernetes.io/instance, which charts and operators use too.",
    fix="set application.resourceTrackingMethod: annotation in argocd-cm",
    looks_at=(LooksAt.SETTINGS,),
    why="An operator that copies labels creates objects that seem to belong to the app and are pruned; names over 63 "
    "characters are refused.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  application.resourceTrackingMethod: label
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  application.resourceTrackingMethod: annotation
""",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding where the settings of one installation say so."""
    settings = repo.settings.settings
    evidence = line_of(repo.files, "resourceTrackingMethod")
    by_label = settings.tracking is TrackingMethod.LABEL and settings.instance_label == names.INSTANCE_LABEL
    if repo.one_installation and by_label and evidence:
        message = f"objects are tracked by the label {names.INSTANCE_LABEL}, which charts and operators write too"
        yield RULE.finding("tracking", message, evidence=evidence, fix=RULE.usual_fix)
