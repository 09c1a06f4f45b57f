"""Fields that have to be there and are empty after templating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.nearest import nearest
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import at, dig, line_of
from syncline.core.diagnose.repository.refused import is_part
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

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
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per field."""
    delivery, item = one
    if is_part(delivery, item):
        return
    _, spec = template(item.obj) if item.key.group in _WORKLOADS else ("", {})
    path_of = template(item.obj)[0]
    every = list(containers(spec))
    added = [entry for _, entry in every if not entry.get("image") and _is_patched(repo, item, entry)]
    for entry in added:
        yield _added(repo, one, entry, [str(other.get("name")) for _, other in every if other.get("image")])
    unset = [place for place, entry in every if not entry.get("image") and entry not in added]
    missing = [f"{path_of}.{place}.image" for place in unset]
    for path in _REQUIRED.get((item.key.group, item.key.kind), ()):
        *above, last = path.split(".")
        parent = dig(item.obj, *above)
        if isinstance(parent, dict) and not parent.get(last):
            missing.append(path)
    for path in missing:
        message = f"{item.key.short} of {delivery}: {path} is empty"
        yield RULE.finding(item.key.short, message, evidence=[at(item, path)], fix=RULE.usual_fix)


def _is_patched(repo: Repo, item: Prepared, entry: Mapping[str, Any]) -> bool:
    """Whether a container is not in the file of its workload: then a patch has added it."""
    content = repo.files.get(item.origin.file, b"").decode(errors="replace")
    listed = any(item.origin.file in files for files in repo.kustomizations.values())
    return listed and bool(content) and f"name: {entry.get('name')}" not in content.replace('"', "")


def _added(repo: Repo, one: Made, entry: Mapping[str, Any], others: list[str]) -> Finding:
    """Return what is said of a container that a patch adds, which was to change another."""
    delivery, item = one
    name = str(entry.get("name"))
    near = nearest(name, others)
    hint = f"; did you mean {near[0]}?" if near else ""
    patches = {file: repo.files[file] for files in repo.kustomizations.values() for file in files if file in repo.files}
    evidence = line_of(patches, f"name: {name}", subject=name) or [at(item)]
    message = f"{item.key.short} of {delivery}: a patch adds container {name}, which has no image{hint}"
    fix = Fix(text=f"write name: {near[0]} in the patch") if near else RULE.usual_fix
    return RULE.finding(item.key.short, message, evidence=evidence, fix=fix)
