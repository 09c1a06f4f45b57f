"""Objects that name another one which does not exist: a ServiceAccount, a Service, a scale target, a class."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import pods
from syncline.core.diagnose.live.written import line, place, rewrite
from syncline.core.diagnose.messages.refusals import refusals
from syncline.core.diagnose.repository.dangling import Dangling, dangling
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.references import read
from syncline.core.references.pods import CLAIM, SERVICE_ACCOUNT
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.reference import Reference

RULE = Rule(
    code="WKL-105",
    name="named-object-missing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING, Severity.INFO}),
    summary="An object refers to another one that does not exist: a ServiceAccount, Service, claim, scale target or "
    "class.",
    fix="name an object that exists, or create the missing one",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Without its ServiceAccount, claim or class, no pod is created or started. An Ingress without its Service or a "
    "binding without its role is still Healthy but does nothing; that finding is a warning.",
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
          image: example/web:1
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: webb}
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
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
""",
)
_SERVICE = GroupKind("", "Service")
_SCALED = tuple(GroupKind("apps", kind) for kind in ("Deployment", "StatefulSet", "ReplicaSet"))
_FATAL = (
    SERVICE_ACCOUNT,
    CLAIM,
    GroupKind("scheduling.k8s.io", "PriorityClass"),
    GroupKind("node.k8s.io", "RuntimeClass"),
    *_SCALED,
)
_STORES = tuple(GroupKind("external-secrets.io", kind) for kind in ("SecretStore", "ClusterSecretStore"))
_LOOKED_AT = (
    *_FATAL,
    *_STORES,
    _SERVICE,
    GroupKind("networking.k8s.io", "IngressClass"),
    GroupKind("rbac.authorization.k8s.io", "Role"),
    GroupKind("rbac.authorization.k8s.io", "ClusterRole"),
)
_ISSUERS = tuple(GroupKind("cert-manager.io", kind) for kind in ("Issuer", "ClusterIssuer"))
_IN_REPOS = (SERVICE_ACCOUNT, CLAIM, *_SCALED, _SERVICE, GroupKind("rbac.authorization.k8s.io", "Role"), *_ISSUERS)
_MADE_AUTOMATICALLY = (("ServiceAccount", "default"), ("PriorityClass", "system-node-critical"))


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object of the app and thing that it names in vain."""
    told: set[tuple[ObjectKey, ObjectKey]] = set()
    for one in app.assessment.prepared.objects:
        if one.key not in app.assessment.live:
            continue  # it is not applied yet, and what it names may come along with it
        for reference in read.references(one.obj):
            if (one.key, reference.key) not in told and _is_missing(app, one, reference):
                told.add((one.key, reference.key))
                yield _finding(app, one, reference)


def _is_missing(app: App, one: Prepared, reference: Reference) -> bool:
    key = reference.key
    sure = reference.confidence is Confidence.DECLARED
    if reference.makes or reference.optional or not sure or key.group_kind not in _LOOKED_AT:
        return False
    if key.group_kind not in app.assessment.kinds or str(key.group_kind) in app.assessment.snapshot.unreadable:
        return False
    if (key.kind, key.name) in _MADE_AUTOMATICALLY or (one.key.kind, key.kind) == ("StatefulSet", "Service"):
        return False
    if one.key.kind.endswith("Binding") and key.kind == "ServiceAccount":
        return False  # a right for somebody who is not there yet does no harm
    if key.group_kind in (SERVICE_ACCOUNT, CLAIM) and _runs(app, one.key):
        return False
    return around.get(app, key) is None and all(other.key != key for other in app.assessment.prepared.objects)


def _runs(app: App, root: ObjectKey) -> bool:
    """Whether a workload has pods that run: then what they name was there."""
    return any(pod.root == root and (pod.pod.get("status") or {}).get("phase") == "Running" for pod in pods(app))


def _finding(app: App, one: Prepared, reference: Reference) -> Finding:
    key = reference.key
    near = nearest(key.name, _names(app, key))
    where = f" in namespace {key.namespace}" if key.namespace else ""
    known = _names(app, key)
    there = f" (existing: {around.listed(known)})" if known and not near else ""
    said = [Evidence(kind=EvidenceKind.MESSAGE, text=text) for text in _said(app, one.key, key)]
    return RULE.finding(
        one.key.short,
        f"{one.key.short} names {key.kind} {key.name}{where}, which does not exist{there}",
        evidence=[*line(app, one.key, _name_path(one, reference)), *said],
        severity=Severity.ERROR if key.group_kind in (*_FATAL, *_STORES) else Severity.WARNING,
        fix=_fix(app, one, reference, near),
    )


def _name_path(one: Prepared, reference: Reference) -> str:
    """Return the field that has the name: references of several fields are known by the one above."""
    below = f"{reference.path}.name"
    return below if below in one.origin.positions.paths else reference.path


def _fix(app: App, one: Prepared, reference: Reference, near: list[str]) -> Fix:
    key = reference.key
    if near:
        return rewrite(app, one.key, _name_path(one, reference), near[0])
    if key.group_kind == SERVICE_ACCOUNT:
        return Fix(
            text="or add it to Git, where it stays",
            command=f"kubectl create serviceaccount {key.name} -n {key.namespace}",
        )
    where = place(app, one.key, _name_path(one, reference))
    at = f" at {where}" if where else ""
    return Fix(text=f"decide: add {key.kind} {key.name} to Git, or name one that exists{at}")


def _names(app: App, key: ObjectKey) -> list[str]:
    found = {other.name for other, _obj in around.of_kind(app, key.group_kind, key.namespace)}
    found |= {
        other.key.name
        for other in app.assessment.prepared.objects
        if (other.key.group_kind, other.key.namespace) == (key.group_kind, key.namespace)
    }
    return sorted(found)


def _said(app: App, root: ObjectKey, key: ObjectKey) -> Iterator[str]:
    for one in refusals(app):
        if one.key == root and key.name in one.message:
            yield one.message
            return


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per misspelled name, and one remark for all that only a cluster can tell of."""
    unknown: list[Dangling] = []
    for one in dangling(repo, _IN_REPOS):
        if one.elsewhere:
            yield _in_another(one)
            continue
        if not one.near:
            unknown.append(one)
            continue
        severity = Severity.ERROR if one.key.group_kind in _FATAL else Severity.WARNING
        message = f"{one.item.key.short} of {one.delivery} names {one.key.short}; did you mean {one.near}?"
        evidence = [at(one.item, one.reference.path, one.key.name)]
        fix = Fix(text=f"write {one.near}")
        yield RULE.finding(one.item.key.short, message, evidence=evidence, fix=fix, severity=severity)
    if unknown:
        shown = listed(sorted({one.key.short for one in unknown}))
        message = f"cannot tell whether {shown} will exist: not created in this repository"
        evidence = [at(one.item, one.reference.path, f"{one.key.short} for {one.item.key.short}") for one in unknown]
        yield RULE.finding("named objects", message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.INFO)


def _in_another(one: Dangling) -> Finding:
    """Return what is said of a name that is only in another namespace."""
    asked = f"{one.item.key.short} of {one.delivery} names {one.key.short} in namespace {one.key.namespace}"
    path = f"{one.reference.path.rpartition('.')[0]}.namespace"
    names_it = path in one.item.origin.positions.paths
    written = path if names_it else one.reference.path
    create = f"create it in {one.key.namespace} too"
    return RULE.finding(
        one.item.key.short,
        f"{asked}; this repository creates it only in {one.elsewhere}",
        evidence=[at(one.item, written, one.key.name)],
        fix=Fix(text=f"write namespace: {one.elsewhere}, or {create}" if names_it else create),
        severity=Severity.WARNING,
    )
