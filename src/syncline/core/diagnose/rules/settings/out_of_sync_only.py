"""Only what is OutOfSync is applied, and the diff does not see all of it."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.pointing import at, entries, words
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-006",
    name="out-of-sync-only",
    severity=Severity.WARNING,
    summary="ApplyOutOfSyncOnly=true is combined with a diff that does not see every change.",
    fix="remove ApplyOutOfSyncOnly=true, or turn on server-side diff",
    looks_at=(
        LooksAt.FILES,
        LooksAt.SETTINGS,
    ),
    why="Objects that the diff considers in sync are not applied: with server-side apply and a client-side diff, or "
    "with ignored fields, a change in Git may never reach the cluster.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [ServerSideApply=true, ApplyOutOfSyncOnly=true]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data:
  controller.diff.server.side: "false"
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [ServerSideApply=false, ApplyOutOfSyncOnly=true]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data:
  controller.diff.server.side: "false"
""",
)


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an Application with the option and a diff that does not see all."""
    options = words(app.manifest.obj, "spec", "syncPolicy", "syncOptions")
    if "ApplyOutOfSyncOnly=true" not in options:
        return
    by_server = repo.settings.settings.server_side_diff or "ServerSideDiff=true" in str(
        meta.annotations(app.manifest.obj).get(names.COMPARE_OPTIONS) or ""
    )
    ignoring = bool(entries(app.manifest.obj, "spec", "ignoreDifferences"))
    blind = "ServerSideApply=true" in options and repo.governs(app) and not by_server
    if blind or ignoring:
        because = "ServerSideApply=true without server-side diff" if blind else "ignoreDifferences"
        path = f"spec.syncPolicy.syncOptions[{options.index('ApplyOutOfSyncOnly=true')}]"
        message = f"{app}: ApplyOutOfSyncOnly=true with {because}: what is judged in sync is never applied"
        yield RULE.finding(str(app), message, evidence=[at(app.manifest, path)], fix=RULE.usual_fix)
