"""Fields that a settings object does not have."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from syncline.apimachinery.schema import crd
from syncline.apimachinery.schema.node import Node
from syncline.apimachinery.schema.validate import FieldProblem, validate
from syncline.core.diagnose.repository import setting_problems
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.settings.report import ProblemCode
from syncline.model import application, crds, names
from syncline.model.desired import DesiredObject
from syncline.model.finding import Edit, Finding, Fix, Severity

RULE = Rule(
    code="SET-009",
    name="unknown-field",
    severity=Severity.ERROR,
    summary="A field of an Argo CD resource or settings block does not exist and is dropped.",
    fix="write the intended field, or remove it",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="The API server and Argo CD drop unknown fields silently, so the intended value is not set.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy: {automated: {selfheal: true}}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy: {automated: {selfHeal: true}}
""",
)

_DEFINITIONS = {
    "Application": crds.application_crd,
    "AppProject": crds.appproject_crd,
    "ApplicationSet": crds.applicationset_crd,
}


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per such setting."""
    return setting_problems.report(RULE, repo, ProblemCode.UNKNOWN_FIELD)


def _written(repo: Repo) -> Iterator[tuple[str, DesiredObject]]:
    """Yield the Applications, sets and projects of a repository as they are written, each once."""
    seen: set[tuple[str, int, str]] = set()
    for item in (*(app.manifest for app in repo.apps), *(one.manifest for one in repo.sets), *repo.projects):
        place = (item.origin.file, item.origin.line, item.key.name)
        if item.origin.positions.paths and place not in seen:
            seen.add(place)
            yield item.key.short, item


@RULE.on_each(Repo, _written)
def check_objects(repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield one finding per field of an Argo CD resource that its kind does not have."""
    schema = _schema(item.key.kind)
    obj = application.without_nulls({name: value for name, value in item.obj.items() if name != "status"})
    for problem in validate(obj, schema) if schema is not None else ():
        if "unknown field" in problem.message and "{{" not in problem.path:
            message = f"{item.key.short}: {problem}"
            meant = problem.meant
            fix = Fix(text=f"write {meant}", edits=_renamed(repo, item, problem)) if meant else RULE.usual_fix
            yield RULE.finding(item.key.short, message, evidence=[at(item, problem.path)], fix=fix)


def _renamed(repo: Repo, item: DesiredObject, problem: FieldProblem) -> tuple[Edit, ...]:
    """Return the edit of a field that is only in the wrong case."""
    written, right = problem.path.rpartition(".")[2], problem.meant
    sure = written.lower() == right.lower()
    return replaced(repo, item, problem.path, f"{written}:", f"{right}:") if sure else ()


@functools.lru_cache(maxsize=8)
def _schema(kind: str) -> Node | None:
    """Return the schema of a kind; each is made when the first object of its kind is met."""
    definition = _DEFINITIONS.get(kind)
    return crd.schema_for(definition(), names.VERSION) if definition is not None else None
