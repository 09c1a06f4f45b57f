"""Fields of objects that their kind does not have."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node
from syncline.core.diagnose.live.written import item, line, place, rename
from syncline.core.diagnose.messages.refusals import UNKNOWN_FIELD, Refusal, refusals
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.validation import is_unknown, problems
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-009",
    name="undeclared-field",
    severity=Severity.ERROR,
    summary="An object sets a field that its kind does not have.",
    fix="write the intended field, or remove it",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="Server-side apply refuses the whole object; kubectl and client-side apply drop the field silently.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replcas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per field that the server does not know."""
    for one in refusals(app):
        if one.by_sync:
            for path in dict.fromkeys(
                found["path"] or found["quoted"] for found in UNKNOWN_FIELD.finditer(one.message)
            ):
                yield _finding(app, one, path)


def _finding(app: App, one: Refusal, path: str) -> Finding:
    above, _dot, name = path.rpartition(".")
    there = item(app, one.key)
    known = fields_at(there.obj, above) if there is not None else []
    near = nearest(name, known)
    meant = f"; did you mean {near[0]}?" if near else ""
    where = place(app, one.key, path)
    remove = Fix(text=f"decide: remove {path}{f' at {where}' if where else ''}, or write the intended field")
    return RULE.finding(
        one.key.short,
        f"{one.key.short} has no field {path}{meant}",
        evidence=[*line(app, one.key, path), Evidence(kind=EvidenceKind.MESSAGE, text=one.message, time=one.since)],
        fix=rename(app, one.key, path, near[0]) if near else remove,
        since=one.since,
    )


def fields_at(obj: Object, path: str) -> list[str]:
    """Return the fields that an object of this kind may have at a path; none where that is not known."""
    node: Node | None = builtin.for_kind(gvk_of(obj))
    for step in path.replace("]", "").replace("[", ".").split("."):
        if node is None or not step:
            break
        fields = node.fields or {}
        node = fields.get(step) if fields else node.elements
    return sorted(node.fields or ()) if node is not None else []


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per field of an object that its kind does not have."""
    delivery, item = one
    for problem in filter(is_unknown, problems(repo, delivery, item)):
        message = f"{item.key.short} of {delivery}: {problem}"
        fix = Fix(text=f"write {problem.meant}") if problem.meant else RULE.usual_fix
        yield RULE.finding(item.key.short, message, evidence=[at(item, problem.path)], fix=fix)
