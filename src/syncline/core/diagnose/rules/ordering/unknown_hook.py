"""Hooks whose type does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.option_words import manifests
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="ORD-101",
    name="unknown-hook",
    severity=Severity.ERROR,
    summary="The hook type does not exist.",
    fix="use PreSync, Sync, PostSync, SyncFail, PreDelete, PostDelete or Skip",
    looks_at=(LooksAt.RENDERED,),
    why="An object with an unknown hook type is never applied, and there is no message about it. Types are "
    "case-sensitive.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: Presync}
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

_TYPES = ("PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete", "Skip")


@RULE.on_each(Repo, manifests)
def check(repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield a finding about an object none of whose hook types exists."""
    written = (meta.metadata(item.obj).get("annotations") or {}).get(names.HOOK)
    types = [word.strip() for word in str(written or "").split(",") if word.strip()]
    if not types or any(word in _TYPES for word in types):
        return
    path = f'metadata.annotations["{names.HOOK}"]'
    evidence = [Evidence(kind=EvidenceKind.FILE, text=f"hook: {written}", path=path, place=item.origin.place(path))]
    meant = nearest(types[0], _TYPES)
    message = f"{item.key.short} is a hook of type {written}, which does not exist: it is never applied"
    sure = meant and meant[0].lower() == types[0].lower()
    edits = replaced(repo, item, path, types[0], meant[0]) if sure else ()
    fix = Fix(text=f"write {meant[0]}", edits=edits) if meant else RULE.usual_fix
    yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)
