"""Empty fields that the platform fills in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from syncline.apimachinery.keys import GroupKind
from syncline.core.compare.ignore.rules import rules_of
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.repo_edits import taken_out
from syncline.core.diagnose.repository.world import Delivery, Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.errors import Place
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="DIF-011",
    name="platform-fills-field",
    severity=Severity.WARNING,
    summary="A field is set to an empty value, and the platform fills it in.",
    fix="delete the line, or ignore the field",
    looks_at=(LooksAt.RENDERED,),
    why="The app is OutOfSync as soon as the cluster chooses a value: the host of a Route, the volume of a claim, the "
    "address of a Service.",
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
_FILLED: Mapping[GroupKind, tuple[str, ...]] = {
    GroupKind("route.openshift.io", "Route"): ("spec.host", "spec.wildcardPolicy"),
    GroupKind("", "PersistentVolumeClaim"): ("spec.volumeName",),
    GroupKind("", "Service"): ("spec.clusterIP", "spec.healthCheckNodePort"),
}


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per field that is written and empty, however many apps are rendered from the file."""
    found: dict[tuple[Place, str, str], list[Made]] = defaultdict(list)
    for kind, paths in _FILLED.items():
        for delivery, item in repo.world.by_kind.get(kind, ()):
            for path in paths:
                if _is_empty(item, path) and not _is_ignored(repo, delivery, item, path):
                    found[item.origin.place(path), item.key.short, path].append((delivery, item))
    for (_, name, path), made in found.items():
        apps = listed(sorted({str(delivery) for delivery, _ in made}))
        fix = Fix(text=RULE.fix, edits=taken_out(repo, made[0][1], [path]))
        message = f"{name} of {apps} has an empty {path}, which the cluster fills in"
        yield RULE.finding(name, message, evidence=[at(made[0][1], path)], fix=fix)


def _is_empty(item: Prepared, path: str) -> bool:
    *above, last = path.split(".")
    parent = dig(item.obj, *above)
    return isinstance(parent, dict) and last in parent and parent[last] in ("", 0)


def _is_ignored(repo: Repo, delivery: Delivery, item: Prepared, path: str) -> bool:
    """Whether a rule of the app, or of the settings in the repository, leaves the field out."""
    pointer, expression = f"/{path.replace('.', '/')}", f".{path}"
    for rule in rules_of(delivery.typed, repo.settings.settings).of(item.obj):
        left_out = (*rule.fields.json_pointers, *rule.fields.jq_path_expressions)
        if any(text in (pointer, expression, "/spec", ".spec") for text in left_out):
            return True
    return False
