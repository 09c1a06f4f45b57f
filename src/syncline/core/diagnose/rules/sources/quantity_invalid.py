"""An amount that cannot be read as a quantity: the API server refuses the object without naming the field."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import FieldPath
from syncline.apimachinery.quantity_forms import meant
from syncline.apimachinery.schema.quantities import unreadable
from syncline.core.diagnose.live.written import item, line, place, rewrite
from syncline.core.diagnose.messages.refusals import BAD_QUANTITY, Refusal, refusals
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-013",
    name="quantity-invalid",
    severity=Severity.ERROR,
    summary="An amount of cpu, memory or storage is not a quantity of Kubernetes, so its object is refused.",
    fix="write a number with a suffix of Kubernetes: 500m or 2 for cpu, 512Mi or 10Gi for memory and storage",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="The API server answers with a regular expression and names no field. The finding names the field, its line "
    "and the form that must be meant. Units of other systems (cores, GB, MiB) and spaces are not known.",
    bad="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10 GB
""",
    good="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10G
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per amount that was refused; where none is found, one that quotes the server."""
    for one in refusals(app):
        if one.by_sync and BAD_QUANTITY.search(one.message):
            there = item(app, one.key)
            found = list(unreadable(there.obj)) if there is not None else []
            for path, text in found:
                yield _finding(app, one, path, text)
            if not found:
                yield _unfound(app, one)


def _finding(app: App, one: Refusal, path: str, text: str) -> Finding:
    form = right_form(path, text)
    where = place(app, one.key, path)
    fix = rewrite(app, one.key, path, form) if form else decision(path, f" at {where}" if where else "")
    return RULE.finding(
        one.key.short,
        f"{one.key.short}: {words(path, text, form)}",
        evidence=[*line(app, one.key, path), Evidence(kind=EvidenceKind.MESSAGE, text=one.message, time=one.since)],
        fix=fix,
        since=one.since,
    )


def _unfound(app: App, one: Refusal) -> Finding:
    return RULE.finding(
        one.key.short,
        f"{one.key.short} has an amount that is not a quantity: {one.message}",
        evidence=line(app, one.key, "", one.key.short),
        fix=RULE.usual_fix,
        since=one.since,
    )


def right_form(path: str, text: str) -> str:
    """Return the quantity that must be meant in a field; empty where that is not told."""
    return meant(text, str(FieldPath.parse(path).steps[-1]))


def words(path: str, text: str, form: str) -> str:
    """Return what is wrong with an amount."""
    must = f"; {form} must be meant" if form else ""
    return f'{path} is "{text}", which is not a quantity{must}'


def decision(path: str, where: str = "") -> Fix:
    """Return the fix of an amount that cannot be guessed, with forms that are right for the field."""
    such = "500m or 2" if path.rpartition(".")[2].strip('"]') == "cpu" else "512Mi or 10Gi"
    return Fix(text=f"decide: write the amount{where} as a quantity, such as {such}")


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per amount of an object that cannot be read."""
    delivery, item_ = one
    for path, text in unreadable(_without_status(item_.obj)):
        form = right_form(path, text)
        message = f"{item_.key.short} of {delivery}: {words(path, text, form)}"
        fix = Fix(text=f"write {form}", edits=replaced(repo, item_, path, text, form)) if form else decision(path)
        yield RULE.finding(item_.key.short, message, evidence=[at(item_, path, text)], fix=fix)


def _without_status(obj: Object) -> Object:
    return {name: value for name, value in obj.items() if name != "status"}
