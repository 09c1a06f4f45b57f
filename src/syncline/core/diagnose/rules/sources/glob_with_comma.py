"""Several globs that are read as one."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-102",
    name="glob-with-comma",
    severity=Severity.WARNING,
    summary="A list of globs without braces in directory.include or directory.exclude is one glob.",
    fix="put the globs into braces",
    looks_at=(LooksAt.FILES,),
    why="The glob `a.yaml,b.yaml` matches only a file with exactly that name: nothing is included or excluded.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://git.example.com/shop.git
    path: web
    directory: {exclude: "a.yaml,b.yaml"}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://git.example.com/shop.git
    path: web
    directory: {exclude: "{a.yaml,b.yaml}"}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per glob with a comma outside of braces."""
    for path, source in sources_with_paths(app.manifest.obj):
        directory = source.get("directory")
        for name in ("include", "exclude"):
            glob = str(directory.get(name) or "") if isinstance(directory, dict) else ""
            if "," in glob and "{" not in glob:
                place = app.manifest.origin.place(f"{path}.directory.{name}")
                evidence = [Evidence(kind=EvidenceKind.FILE, text=f"{name}: {glob}", place=place)]
                message = f"{app}: directory.{name} {glob} is one glob, which matches no list of files"
                edits = replaced(repo, app.manifest, f"{path}.directory.{name}", glob, f"{{{glob}}}")
                fix = Fix(text=f"write {{{glob}}}", edits=edits)
                yield RULE.finding(str(app), message, evidence=evidence, fix=fix)
