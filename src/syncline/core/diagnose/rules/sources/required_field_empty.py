"""Fields that have to be there and are empty after templating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.refused import is_part
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SRC-006",
    name="required-field-empty",
    severity=Severity.ERROR,
    summary="A field that its kind requires is missing or empty after templating.",
    fix="set the value, and use `required` in the template so that the render fails with a clear message",
    looks_at=(LooksAt.RENDERED,),
    why="The API server or the operator refuses the object. Usually a value has a different name than the one the "
    "template reads.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image:
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
""",
)
_WORKLOADS = ("", "apps", "batch")
_REQUIRED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("build.openshift.io", "BuildConfig"): ("spec.source.git.uri",),
    ("external-secrets.io", "ExternalSecret"): ("spec.secretStoreRef.name",),
    ("cert-manager.io", "Certificate"): ("spec.secretName", "spec.issuerRef.name"),
    ("operators.coreos.com", "Subscription"): ("spec.name", "spec.source", "spec.sourceNamespace"),
    ("serving.kserve.io", "InferenceService"): ("spec.predictor",),
    ("", "PersistentVolumeClaim"): ("spec.resources.requests.storage",),
}
"""Fields of kinds whose schema is not at hand, where a template most often leaves nothing."""


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per field."""
    delivery, item = one
    if is_part(delivery, item):
        return
    _, spec = template(item.obj) if item.key.group in _WORKLOADS else ("", {})
    path_of = template(item.obj)[0]
    missing = [f"{path_of}.{place}.image" for place, entry in containers(spec) if not entry.get("image")]
    for path in _REQUIRED.get((item.key.group, item.key.kind), ()):
        *above, last = path.split(".")
        parent = dig(item.obj, *above)
        if isinstance(parent, dict) and not parent.get(last):
            missing.append(path)
    for path in missing:
        message = f"{item.key.short} of {delivery}: {path} is empty"
        yield RULE.finding(item.key.short, message, evidence=[at(item, path)], fix=RULE.usual_fix)
