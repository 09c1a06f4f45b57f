"""Annotations of Argo CD that are misspelt, or stand where labels do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.option_words import manifests
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.repository.slips import slip
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SET-101",
    name="unknown-annotation",
    severity=Severity.ERROR,
    summary="An annotation of Argo CD is misspelt, or is a label.",
    fix="use the annotation's own name, below metadata.annotations",
    looks_at=(LooksAt.RENDERED,),
    why="Nothing reads it and nothing says so: a hook runs as an ordinary object, a wave is 0, an option is off.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hooks: PreSync}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example/migrate:1"}]
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example/migrate:1"}]
""",
)
_PREFIX = "argocd.argoproj.io/"
_ON_OBJECTS = (
    names.SYNC_WAVE,
    names.SYNC_OPTIONS,
    names.COMPARE_OPTIONS,
    names.HOOK,
    names.HOOK_DELETE_POLICY,
    names.IGNORE_HEALTHCHECK,
    names.IGNORE_RESOURCE_UPDATES,
)
_READ = (
    *_ON_OBJECTS,
    names.IGNORE_RESTART_POLICY,
    names.REFRESH,
    names.HYDRATE,
    names.SKIP_RECONCILE,
    names.MANIFEST_GENERATE_PATHS,
    names.DELETION_APPROVED,
    names.TRACKING_ID,
    names.INSTALLATION_ID,
    names.APPSET_REFRESH,
)


@RULE.on_each(Repo, manifests)
def check(repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield a finding per annotation that is nearly one of Argo CD's, and per label that should be an annotation."""
    for name in _own(meta.metadata(item.obj).get("annotations")):
        meant = _meant(name)
        if meant:
            message = f"{item.key.short} has the annotation {name}, which nothing reads; did you mean {meant}?"
            path = f'metadata.annotations["{name}"]'
            edits = replaced(repo, item, path, name, meant)
            fix = Fix(text=f"write {meant}", edits=edits)
            yield RULE.finding(item.key.short, message, evidence=[at(item, path, name)], fix=fix)
    for name in _own(meta.metadata(item.obj).get("labels")):
        if name in _ON_OBJECTS:
            message = f"{item.key.short} has {name} as a label, where nothing reads it: it is an annotation"
            evidence = [at(item, f'metadata.labels["{name}"]', name)]
            fix = Fix(text="move it to metadata.annotations")
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)


def _own(named: Any) -> list[str]:
    return [str(name) for name in named if str(name).startswith(_PREFIX)] if isinstance(named, Mapping) else []


def _meant(name: str) -> str:
    """Return the annotation that a name is a slip of; other tools have names of their own under this prefix."""
    if name in _READ:
        return ""
    own = name.removeprefix(_PREFIX)
    for near in nearest(own, [one.removeprefix(_PREFIX) for one in _READ]):
        same = own.replace("-", "").replace("_", "").lower() == near.replace("-", "")
        if same or slip(own, near):
            return f"{_PREFIX}{near}"
    return ""
