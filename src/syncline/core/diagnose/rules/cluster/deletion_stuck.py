"""Objects that are being deleted and do not go: whose finalizer holds them, since when, and what removes it."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.live import around
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-010",
    name="deletion-stuck",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.ERROR}),
    summary="An object is being deleted, and a finalizer blocks it.",
    fix="let the finalizer's controller do its work, or remove the finalizer if that controller is gone",
    looks_at=(LooksAt.LIVE,),
    why="A finalizer is a controller's promise to clean up first. If that controller is gone, or cannot reach what it "
    "cleans up, the object stays forever, and so does its namespace. Removing the finalizer skips the cleanup.",
)
_NAMESPACE = GroupKind("", "Namespace")
GRACE = 60.0
"""As many seconds whoever holds an object may take to let it go before that is worth a word."""
KNOWN = {
    "kubernetes.io/pvc-protection": "pods still use the claim: delete those first",
    "kubernetes.io/pv-protection": "a claim is still bound to it",
    "foregroundDeletion": "what it owns is deleted first",
    "orphan": "what it owns is released first",
    "resources-finalizer.argocd.argoproj.io": "the objects of the Application are deleted first",
    "service.kubernetes.io/load-balancer-cleanup": "the cloud's load balancer is deleted first",
    "customresourcecleanup.apiextensions.k8s.io": "the objects of the kind are deleted first",
    "batch.kubernetes.io/job-tracking": "the Job controller counts the pod first",
    "argocd.argoproj.io/hook-finalizer": "the sync that runs the hook releases it",
}


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that a finalizer has held for a minute, and one per namespace that does not go."""
    held: dict[ObjectKey, Object] = {}
    for key, obj in sorted(app.assessment.live.items()):
        if meta.finalizers(obj) and _since(app, obj) >= GRACE and not _owned(app, obj):
            held[key] = obj
            yield _held(key, obj)
    for key, obj in around.of_kind(app, _NAMESPACE):
        ours = key.name in {row.key.namespace for row in app.assessment.comparison.rows}
        if meta.deletion_timestamp(obj) and _since(app, obj) >= GRACE and ours and key not in held:
            yield _namespace(key, obj, held)


def _owned(app: App, obj: Object) -> bool:
    """Whether an owner of the object is being deleted too, and is told in its place."""
    uids = {one.get("uid") for one in meta.owner_references(obj)}
    return any(meta.uid(one) in uids and meta.deletion_timestamp(one) for one in app.assessment.live.values())


def _since(app: App, obj: Object) -> float:
    """Return for how many seconds an object has been going; 0 where it is not."""
    stamp = meta.deletion_timestamp(obj)
    return (times.parse(app.assessment.snapshot.as_of) - times.parse(stamp)).total_seconds() if stamp else 0.0


def _held(key: ObjectKey, obj: Object) -> Finding:
    finalizers, since = meta.finalizers(obj), meta.deletion_timestamp(obj)
    first = finalizers[0]
    known = KNOWN.get(first)
    fix = Fix(text=known) if known else removal(key)
    return RULE.finding(
        key.short,
        f"{key.short} has been terminating since {since}: the finalizer {', '.join(finalizers)} blocks it"
        f"{_whose(first)}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=", ".join(finalizers), subject=key, path="metadata.finalizers")
        ],
        fix=fix,
        options=[removal(key)] if known else (),
        since=since,
    )


def _whose(finalizer: str) -> str:
    group, slash, _name = finalizer.partition("/")
    if finalizer in KNOWN or not slash:
        return ""
    return f"; it belongs to the controller of {group}"


def removal(key: ObjectKey) -> Fix:
    """Return the command that lets an object go, whatever its finalizers stand for."""
    resource = key.kind.lower() + (f".{key.group}" if key.group else "")
    where = f" -n {key.namespace}" if key.namespace else ""
    patch = '{"metadata":{"finalizers":null}}'
    return Fix(
        text="only if its controller is gone for good: this skips its cleanup",
        command=f"kubectl patch {resource} {key.name}{where} --type merge -p '{patch}'",
    )


def _namespace(key: ObjectKey, obj: Object, held: dict[ObjectKey, Object]) -> Finding:
    inside = [one for one in held if one.namespace == key.name]
    conditions = (obj.get("status") or {}).get("conditions") or ()
    said = [str(one.get("message")) for one in conditions if one.get("status") == "True"]
    holding = f"; {around.listed([one.short for one in inside])} holds it" if inside else ""
    fix = None if inside else Fix(text="delete what the message names, or let its controllers finish")
    return RULE.finding(
        key.short,
        f"Namespace {key.name} has been terminating since {meta.deletion_timestamp(obj)}{holding}: nothing can "
        "be created in it",
        evidence=[Evidence(kind=EvidenceKind.CONDITION, text=text, subject=key) for text in said[:2]],
        fix=fix,
        since=meta.deletion_timestamp(obj),
        severity=Severity.ERROR,
        effect_of=inside[0].short if inside else "",
    )
