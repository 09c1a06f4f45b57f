"""Empty fields that the platform fills in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncline.core.diagnose.pointing import at, dig
from syncline.core.diagnose.rendered import delivered, ignore_rules
from syncline.core.diagnose.repo_edits import taken_out
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.diagnose.world import Made
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="DIF-011",
    name="platform-fills-field",
    severity=Severity.WARNING,
    summary="A field is written empty, and the platform fills it in.",
    fix="delete the line, or ignore the field",
    looks_at=(LooksAt.RENDERED,),
    why="The app is OutOfSync as soon as the cluster has chosen: the host of a Route, the volume of a claim, "
    "the address of a Service.",
    bad="""\
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: web}
spec:
  host: ""
  to: {kind: Service, name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: ExternalName, externalName: web.example.com}
""",
    good="""\
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: web}
spec:
  to: {kind: Service, name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: ExternalName, externalName: web.example.com}
""",
)
_FILLED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("route.openshift.io", "Route"): ("spec.host", "spec.wildcardPolicy"),
    ("", "PersistentVolumeClaim"): ("spec.volumeName",),
    ("", "Service"): ("spec.clusterIP", "spec.healthCheckNodePort"),
}


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per field that is written and empty."""
    delivery, item = one
    ignored = {pointer for _, kind, pointer in ignore_rules(delivery.app.manifest.obj) if kind == item.key.kind}
    for path in _FILLED.get((item.key.group, item.key.kind), ()):
        *above, last = path.split(".")
        parent = dig(item.obj, *above)
        written = isinstance(parent, dict) and last in parent and parent[last] in ("", 0)
        if written and f"/{path.replace('.', '/')}" not in ignored:
            message = f"{item.key.short} of {delivery} has an empty {path}, which the cluster fills in"
            fix = Fix(text=RULE.fix, edits=taken_out(repo, item, [path]))
            yield RULE.finding(item.key.short, message, evidence=[at(item, path)], fix=fix)
