"""Server-side apply with a diff that is made on the client."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.live.around import listed, plural
from syncline.core.diagnose.repository.pointing import at, words
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-002",
    name="apply-and-diff-differ",
    severity=Severity.WARNING,
    summary="Applications use server-side apply, but the server does not compute the diff.",
    fix='set controller.diff.server.side: "true" in argocd-cmd-params-cm, or the compare option ServerSideDiff=true',
    looks_at=(
        LooksAt.FILES,
        LooksAt.SETTINGS,
    ),
    why="Two engines disagree about defaults and about who owns a field: some changes are never seen, others "
    "never end.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [ServerSideApply=true]
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
    syncOptions: [ServerSideApply=true]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data:
  controller.diff.server.side: "true"
""",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding for all Applications, where the settings of their installation are known."""
    if repo.settings.settings.server_side_diff:
        return
    apps = [
        app for app in repo.apps if repo.governs(app) and _is_applied_by_server(app) and not _is_compared_by_server(app)
    ]
    if apps:
        evidence = [at(app.manifest, "spec.syncPolicy.syncOptions", str(app)) for app in apps]
        shown = listed([str(app) for app in apps])
        message = f"{plural(len(apps), 'app')} with ServerSideApply=true, and server-side diff is off: {shown}"
        yield RULE.finding("server-side diff", message, evidence=evidence, fix=RULE.usual_fix)


def _is_applied_by_server(app: RepoApp) -> bool:
    return "ServerSideApply=true" in words(app.manifest.obj, "spec", "syncPolicy", "syncOptions")


def _is_compared_by_server(app: RepoApp) -> bool:
    return "ServerSideDiff=true" in str(meta.annotations(app.manifest.obj).get(names.COMPARE_OPTIONS) or "")
