"""Services and Ingresses that nobody gives an address, long after they were made."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.written import line, place
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="WKL-108",
    name="no-address",
    severity=Severity.WARNING,
    summary="A Service of type LoadBalancer or an Ingress has no address five minutes after it was created.",
    fix="install something that assigns addresses, or do without one",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Addresses come from the cloud, from a program such as MetalLB, or from the ingress controller, which "
    "publishes them only if configured to. Without one the app stays Progressing, and later waves never start.",
    bad="""\
kind: Service
spec: {type: LoadBalancer}  # on a cluster where nothing hands out addresses
""",
    good="""\
kind: Service
spec: {type: ClusterIP}
""",
)
_SERVICE, _INGRESS = GroupKind("", "Service"), GroupKind("networking.k8s.io", "Ingress")
_GRACE = 300.0


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object of the app that has waited for its address for long."""
    for row in app.assessment.comparison.rows:
        obj = app.assessment.live.get(row.key)
        if obj is not None and _wants_one(row.key, obj) and not _has_one(obj) and _age(app, obj) >= _GRACE:
            yield _finding(app, row.key, obj)


def _wants_one(key: ObjectKey, obj: Object) -> bool:
    of_cloud = key.group_kind == _SERVICE and (obj.get("spec") or {}).get("type") == "LoadBalancer"
    return key.group_kind == _INGRESS or of_cloud


def _has_one(obj: Object) -> bool:
    return bool(((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress"))


def _age(app: App, obj: Object) -> float:
    made = meta.creation_timestamp(obj)
    return (times.parse(app.assessment.snapshot.as_of) - times.parse(made)).total_seconds() if made else 0.0


def _finding(app: App, key: ObjectKey, obj: Object) -> Finding:
    if key.group_kind == _INGRESS:
        named = (obj.get("spec") or {}).get("ingressClassName")
        words = f"the controller of IngressClass {named}" if named else "an ingress controller (it names no class)"
        path, text = "spec.ingressClassName", "" if named else "no ingressClassName"
        todo = (
            "let the ingress controller publish its address (its Service has one, or --publish-status-address), or "
            "add your own health check for such an Ingress to argocd-cm"
        )
    else:
        words, path, text = "the cloud, or what hands out addresses", "spec.type", ""
        where = place(app, key, path)
        todo = f"install something that assigns addresses, or use type: ClusterIP{f' at {where}' if where else ''}"
    since = around.plural(int(_age(app, obj) // 60), "minute")
    return RULE.finding(
        key.short,
        f"{key.short} has had no address for {since}: it comes from {words}",
        evidence=line(app, key, path, text),
        fix=Fix(text=f"decide: {todo}"),
    )
