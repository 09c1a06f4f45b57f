"""The same object twice among the manifests of one app: only the last one counts."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.repository.world import CHILD_KINDS
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.condition import ConditionType
from syncline.model.desired import DesiredObject
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-008",
    name="repeated-object",
    severity=Severity.ERROR,
    summary="An app has the same object twice; only the last one is applied.",
    fix="remove all but one",
    looks_at=(LooksAt.RENDERED,),
    why="The app is green, but the content of the other file is silently lost; the order of files decides.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {size: small}
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue, size: small}
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that is there more than once, with all its places."""
    warned = {
        condition.message
        for condition in app.assessment.comparison.conditions
        if condition.type == ConditionType.REPEATED_RESOURCE_WARNING
    }
    for key, items in _by_key(app).items():
        spelled = f"{key.group}/{key.kind}/{key.namespace}/{key.name} "
        if len(items) < 2 or not any(spelled in f"{message} " for message in warned):
            continue
        places = [str(item.origin.place()) for item in items if item.origin.file]
        yield RULE.finding(
            key.short,
            f"{key.short} is defined {len(items)} times, and only the last one counts: {', '.join(places[-1:])}",
            evidence=[
                Evidence(kind=EvidenceKind.FILE, text=key.short, subject=key, place=item.origin.place())
                for item in items
                if item.origin.file
            ],
            fix=Fix(text=f"decide: keep one of {' and '.join(dict.fromkeys(places)) or 'them'}, and remove the others"),
        )


def _by_key(app: App) -> dict[ObjectKey, list[DesiredObject]]:
    """Return the rendered objects by identity, in the namespace that they would get."""
    kept = {one.key for one in (*app.assessment.prepared.objects, *app.assessment.prepared.hooks)}
    found: dict[ObjectKey, list[DesiredObject]] = {}
    desired = app.assessment.snapshot.desired
    for one in desired.objects if desired is not None else ():
        key = one.key
        if key not in kept:
            key = ObjectKey(key.group, key.kind, app.assessment.app.spec.destination.namespace, key.name)
        found.setdefault(key, []).append(one)
    return found


@RULE.on_each(Repo, repo_apps)
def check_repo(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per object that is there more than once."""
    destination = (app.manifest.obj.get("spec") or {}).get("destination") or {}
    found: dict[ObjectKey, list[DesiredObject]] = {}
    for item in app.desired.objects if app.desired is not None else ():
        key = item.key
        if key.name and key.group_kind not in CHILD_KINDS:  # two Applications of one name are for another rule
            namespace = key.namespace or str(destination.get("namespace") or "")
            found.setdefault(ObjectKey(key.group, key.kind, namespace, key.name), []).append(item)
    for key, items in found.items():
        if len(items) > 1:
            places = ", ".join(str(item.origin.place()) for item in items)
            evidence = [
                Evidence(kind=EvidenceKind.FILE, text=key.short, subject=key, place=item.origin.place())
                for item in items
            ]
            message = f"{key.short} appears {len(items)} times in {app}: {places}; only the last one is delivered"
            yield RULE.finding(key.short, message, evidence=evidence, fix=RULE.usual_fix)
