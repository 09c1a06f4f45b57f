"""Objects with data that a sync deletes and creates again."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="OWN-008",
    name="data-recreated",
    severity=Severity.WARNING,
    summary="A StatefulSet, a claim or a volume is applied with Force=true.",
    fix="remove Force=true, and recreate the object by hand if needed",
    looks_at=(LooksAt.RENDERED,),
    why="If the object cannot be changed, Force deletes it and creates it again: a claim may lose its data.",
    bad="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
""",
    good="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
""",
)
_WITH_DATA = ("StatefulSet", "PersistentVolumeClaim", "PersistentVolume")


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about an object with data and that option."""
    delivery, item = one
    options = str(meta.annotations(item.obj).get(names.SYNC_OPTIONS) or "")
    if item.key.kind in _WITH_DATA and "Force=true" in options:
        message = f"{item.key.short} of {delivery} is deleted and created again if it cannot be changed"
        path = f'metadata.annotations["{names.SYNC_OPTIONS}"]'
        yield RULE.finding(item.key.short, message, evidence=[at(item, path, options)], fix=RULE.usual_fix)
