"""Something that is needed comes in a later wave."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CLAIM, CONFIG_MAP, SECRET, SERVICE_ACCOUNT
from syncline.model import names
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="ORD-004",
    name="consumer-before-producer",
    severity=Severity.ERROR,
    summary="An object needs another one of the same app that comes in a later wave.",
    fix="put the needed object into the same wave or an earlier one",
    looks_at=(LooksAt.RENDERED,),
    why="The sync waits for the first object to become Healthy, which waits for the second: neither ever finishes. "
    "Namespaces and CRDs are moved forward automatically and are not a problem.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "-1"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
          envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
          envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {argocd.argoproj.io/sync-wave: "-1"}}
data: {colour: blue}
""",
)
_NEEDED = (
    SECRET,
    CONFIG_MAP,
    SERVICE_ACCOUNT,
    CLAIM,
    GroupKind("external-secrets.io", "SecretStore"),
    GroupKind("external-secrets.io", "ClusterSecretStore"),
    GroupKind("cert-manager.io", "Issuer"),
    GroupKind("cert-manager.io", "ClusterIssuer"),
)
_WAVE = f'metadata.annotations["{names.SYNC_WAVE}"]'


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per object and what it needs."""
    waves = _waves(repo, delivery)
    for item, references in repo.world.references_of(delivery):
        if item.is_hook:
            continue
        for one in references:
            later = waves.get(one.key)
            if one.makes or one.optional or later is None or one.key.group_kind not in _NEEDED:
                continue
            if item.wave < later.wave and _waits(item):
                message = (
                    f"{item.key.short} of {delivery} is in wave {item.wave} and needs {one.key.short}, "
                    f"which comes with wave {later.wave}"
                )
                evidence = [at(item, one.path, one.key.name), at(later, _WAVE, f"wave {later.wave}")]
                fix = Fix(text=f"put {later.key.short} into wave {item.wave} or an earlier one")
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)


def _waves(repo: Repo, delivery: Delivery) -> dict[ObjectKey, Prepared]:
    """Return what makes each object of an app."""
    made = repo.world.made_by_app.get(str(id(delivery)), {})
    return {**made, **{item.key: item for item in delivery.prepared.objects}}


def _waits(item: Prepared) -> bool:
    """Whether an object is not Healthy without what it needs: a sync waits for it."""
    if item.key.kind in ("Deployment", "StatefulSet", "DaemonSet"):
        return bool(dig(item.obj, "spec", "replicas") != 0)
    return item.key.kind in ("Pod", "Job", "ExternalSecret", "Certificate")
