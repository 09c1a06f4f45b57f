"""Parts of lists that are ignored and not sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.schema import resources
from syncline.core.diagnose.repository.pointing import at, entries, words
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-008",
    name="list-ignored-and-respected",
    severity=Severity.WARNING,
    summary="RespectIgnoreDifferences=true is combined with an ignore rule for part of a list of a custom kind.",
    fix="ignore a whole field, or select the elements by one of their fields",
    looks_at=(LooksAt.FILES,),
    why="Lists of custom kinds are sent as a whole: if part of one is left out, the other elements are not applied "
    "either, or the part is lost.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [RespectIgnoreDifferences=true]
  ignoreDifferences:
    - group: example.com
      kind: Widget
      jqPathExpressions: [".spec.parts[].size"]
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
    syncOptions: [RespectIgnoreDifferences=true]
  ignoreDifferences:
    - group: example.com
      kind: Widget
      jqPathExpressions: [.spec.size]
""",
)
_IN_LIST = re.compile(r"\[\]|\[\d+\]|/\d+(?:/|$)|select\(")


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per expression into a list."""
    if "RespectIgnoreDifferences=true" not in words(app.manifest.obj, "spec", "syncPolicy", "syncOptions"):
        return
    for index, rule in enumerate(entries(app.manifest.obj, "spec", "ignoreDifferences")):
        kind = GroupKind(str(rule.get("group") or ""), str(rule.get("kind") or ""))
        if resources.for_group_kind(kind) is not None or "*" in (kind.group, kind.kind):
            continue
        for field in ("jsonPointers", "jqPathExpressions"):
            for place, text in enumerate(words(rule, field)):
                if _IN_LIST.search(text):
                    path = f"spec.ignoreDifferences[{index}].{field}[{place}]"
                    message = f"{app}: {text} leaves out part of a list of {kind.kind}, which is sent as a whole"
                    yield RULE.finding(str(app), message, evidence=[at(app.manifest, path, text)], fix=RULE.usual_fix)
