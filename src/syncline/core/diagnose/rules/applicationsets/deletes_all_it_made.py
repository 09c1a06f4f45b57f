"""ApplicationSets whose deletion takes everything along."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APS-004",
    name="deletes-all-it-made",
    severity=Severity.WARNING,
    summary="Deleting the ApplicationSet deletes its Applications and their objects.",
    fix="set spec.syncPolicy.preserveResourcesOnDeletion: true, or applicationsSync: create-update",
    looks_at=(LooksAt.FILES,),
    why="If a generator finds nothing for a moment, or the set is deleted by mistake, everything it runs is deleted.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: web}
      destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: web}
      destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy: {preserveResourcesOnDeletion: true}
""",
    preview=True,
)
_KEEPING = ("create-only", "create-update")


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per set with Applications."""
    for one in repo.sets:
        policy = dig(one.manifest.obj, "spec", "syncPolicy") or {}
        kept = policy.get("preserveResourcesOnDeletion") or policy.get("applicationsSync") in _KEEPING
        if one.apps and not kept:
            message = f"{one} would delete {plural(len(one.apps), 'Application')} with all they deliver"
            yield RULE.finding(str(one), message, evidence=[at(one.manifest, "spec", str(one))], fix=RULE.usual_fix)
