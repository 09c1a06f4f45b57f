"""A namespaced object that names no namespace, in an Application that names none either."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-007",
    name="namespace-missing",
    severity=Severity.ERROR,
    summary="A namespaced object has no namespace, and the Application has no destination namespace.",
    fix="set metadata.namespace on the object, or spec.destination.namespace on the Application",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The object cannot be applied. Argo CD blocks the whole app for one such object; Syncline leaves out that "
    "object and syncs the others.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.NAMESPACE)


@RULE.on_each(Repo, repo_apps)
def check_repo(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding for all objects of an app that are known to need a namespace and have none."""
    if app.desired is None or dig(app.manifest.obj, "spec", "destination", "namespace"):
        return
    scopes = repo.world.scopes
    lacking = [
        item
        for item in app.desired.objects
        if item.key.name and not item.key.namespace and scopes.get(item.key.group_kind) is True
    ]
    if lacking:
        shown = listed([item.key.short for item in lacking])
        message = f"{app}: {shown} without a namespace, and the destination names none: the whole app is blocked"
        evidence = [at(item, "metadata", item.key.short) for item in lacking]
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
