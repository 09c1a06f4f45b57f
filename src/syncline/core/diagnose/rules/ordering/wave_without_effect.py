"""Sync waves that nothing reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.option_words import manifests
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="ORD-013",
    name="wave-without-effect",
    severity=Severity.WARNING,
    summary="A sync wave is not an integer, or is set on a pod template.",
    fix="set an integer in the annotation of the object itself",
    looks_at=(LooksAt.RENDERED,),
    why="An invalid wave counts as 0, and one on a pod template is not read at all: the object is synced with the "
    "others.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations: {argocd.argoproj.io/sync-wave: first}
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations: {argocd.argoproj.io/sync-wave: "-1"}
""",
)

_WHOLE = re.compile(r"[+-]?\d+")


@RULE.on_each(Repo, manifests)
def check(_repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield a finding about a wave that does nothing."""
    wave = (meta.metadata(item.obj).get("annotations") or {}).get(names.SYNC_WAVE)
    if wave is not None and not _WHOLE.fullmatch(str(wave)):
        yield _finding(item, "metadata", f"the wave {wave!s} is not a whole number, so {item.key.short} is in wave 0")
    template = (item.obj.get("spec") or {}).get("template") if isinstance(item.obj.get("spec"), dict) else None
    inner = template.get("metadata") if isinstance(template, dict) else None
    annotations = inner.get("annotations") if isinstance(inner, dict) else None
    if item.key.group != names.GROUP and isinstance(annotations, dict) and names.SYNC_WAVE in annotations:
        message = f"{item.key.short} has a wave on its pod template, where nothing reads it"
        yield _finding(item, "spec.template.metadata", message)


def _finding(item: DesiredObject, above: str, message: str) -> Finding:
    path = f'{above}.annotations["{names.SYNC_WAVE}"]'
    evidence = [Evidence(kind=EvidenceKind.FILE, text=names.SYNC_WAVE, path=path, place=item.origin.place(path))]
    return RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
