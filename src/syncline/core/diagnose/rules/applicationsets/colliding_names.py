"""Applications of one name that one root leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="APS-002",
    name="colliding-names",
    severity=Severity.ERROR,
    summary="Two Applications of one installation have the same name.",
    fix="rename one of them, or use the template's parameters in the name",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="Only one of them can exist: two ApplicationSets, or an ApplicationSet and a file, keep overwriting each "
    "other's Application. An ApplicationSet that generates the same name twice does nothing at all.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: shop}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: shop}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
""",
)


def _same(repo: Repo) -> Iterator[tuple[str, Sequence[RepoApp]]]:
    """Yield the Applications of each name that share a root."""
    found: dict[tuple[str, str], list[RepoApp]] = {}
    for app in repo.apps:
        for root in app.roots or ("",):
            found.setdefault((root, str(app)), []).append(app)
    for (_root, name), apps in sorted(found.items(), key=lambda one: one[0]):
        yield name, apps


@RULE.on_each(Repo, _same)
def check(_repo: Repo, apps: Sequence[RepoApp]) -> Iterator[Finding]:
    """Yield a finding about a name that more than one has."""
    if len(apps) < 2:
        return
    places = [app.manifest.origin.place() for app in apps]
    evidence = [Evidence(kind=EvidenceKind.FILE, text=str(app), place=app.manifest.origin.place()) for app in apps]
    message = f"there are {len(apps)} Applications {apps[0]}: {', '.join(map(str, dict.fromkeys(places)))}"
    yield RULE.finding(str(apps[0]), message, evidence=evidence, fix=RULE.usual_fix)
