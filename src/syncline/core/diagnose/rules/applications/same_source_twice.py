"""Two Applications that deliver the same folder to the same place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="APP-103",
    name="same-source-twice",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.INFO}),
    summary="Two Applications have the same source and the same destination.",
    fix="delete one of them",
    looks_at=(LooksAt.FILES,),
    why="Both deliver the same objects: each treats the other's objects as its own, and deleting one deletes what the "
    "other still needs.",
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
metadata: {name: web-copy, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
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
metadata: {name: web-copy, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: other}
""",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per source and destination that several Applications share."""
    found: dict[str, list[RepoApp]] = defaultdict(list)
    for app in _alike(repo.apps):
        spec = dig(app.manifest.obj, "spec") or {}
        sources = [_bare(one) for _, one in sources_with_paths(app.manifest.obj)]
        if any("{{" in str(one) for one in (sources, spec.get("destination"))):
            continue
        found[str((sources, sorted((spec.get("destination") or {}).items())))].append(app)
    for apps in found.values():
        names_found = sorted({app.manifest.key.name for app in apps})
        shared = {key for app in apps[:1] for key in _keys(app)}
        if len(names_found) > 1 and len(apps) == len(names_found) and (shared or not repo.world.complete):
            message = f"{listed(names_found)} deliver the same folder to the same place"
            evidence = [at(app.manifest, "metadata.name", str(app)) for app in apps]
            folders = {app.manifest.origin.file.partition("/")[0] for app in apps}
            severity = Severity.WARNING if len(folders) == 1 else Severity.INFO  # else they may be alternatives
            yield RULE.finding(names_found[0], message, evidence=evidence, fix=RULE.usual_fix, severity=severity)


def _alike(apps: Iterable[RepoApp]) -> Iterator[RepoApp]:
    """Yield the apps that share paths and namespace with another one: only of those the rest is compared."""
    found: dict[tuple[str, ...], list[RepoApp]] = defaultdict(list)
    for app in apps:
        paths = [str(source.get("path")) for _, source in sources_with_paths(app.manifest.obj)]
        found[*paths, str(dig(app.manifest.obj, "spec", "destination", "namespace"))].append(app)
    for same in found.values():
        if len(same) > 1:
            yield from same


def _bare(source: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a source without its revision, its address in one spelling."""
    kept = {name: value for name, value in source.items() if name != "targetRevision"}
    kept["repoURL"] = repository_urls.spelling(str(source.get("repoURL") or ""))
    return sorted((name, str(value)) for name, value in kept.items())


def _keys(app: RepoApp) -> list[ObjectKey]:
    return [item.key for item in app.desired.objects] if app.desired is not None else []
