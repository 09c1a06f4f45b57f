"""Ignore rules on fields that cannot change anyway."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.rendered import ignore_rules, repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="DIF-009",
    name="immutable-field-ignored",
    severity=Severity.ERROR,
    summary="An ignore rule hides a field that is immutable once the object exists.",
    fix="remove the rule, and recreate the object: delete it without its pods, then sync",
    looks_at=(LooksAt.FILES,),
    why="The rule hides the difference, but the sync still fails: it sends Git's value, and the server refuses to "
    "change the field.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers: [/spec/selector]
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers: [/spec/replicas]
""",
)

# Not volumeClaimTemplates: the server fills in parts of them, which are ignored for good reason.
_IMMUTABLE = {
    "Deployment": ("/spec/selector",),
    "DaemonSet": ("/spec/selector",),
    "StatefulSet": ("/spec/selector", "/spec/serviceName", "/spec/podManagementPolicy"),
}


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per pointer to such a field, or into it; with RespectIgnoreDifferences nothing is sent."""
    policy = (app.manifest.obj.get("spec") or {}).get("syncPolicy")
    options = policy.get("syncOptions") if isinstance(policy, dict) else None
    if isinstance(options, list) and "RespectIgnoreDifferences=true" in options:
        return
    for path, kind, pointer in ignore_rules(app.manifest.obj):
        if any(pointer == one or pointer.startswith(f"{one}/") for one in _IMMUTABLE.get(kind, ())):
            evidence = [
                Evidence(kind=EvidenceKind.FILE, text=pointer, path=path, place=app.manifest.origin.place(path))
            ]
            message = f"{app} ignores {pointer} of every {kind}, which cannot change: a sync that differs there fails"
            yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
