"""Workloads whose pods their namespace refuses by the level of pod security that it enforces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import pod_security
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.live.pods import template
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import WORKLOADS, Delivery, Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Evidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-111",
    name="pod-security-refused",
    severity=Severity.ERROR,
    summary="The pods of a workload do what the pod security level of their namespace forbids.",
    fix="correct the securityContext, or enforce a level that permits it",
    looks_at=(LooksAt.RENDERED,),
    why="The workload is applied, so the app is Synced; its controller is refused every pod, and says so only in a "
    "condition and in Events. Only namespaces that the same root delivers are looked at, and where something in the "
    "repository fills in security contexts (OpenShift, Kyverno, Gatekeeper), only what the baseline level forbids.",
    bad="""\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {pod-security.kubernetes.io/enforce: baseline}
---
apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: shop}
spec:
  hostNetwork: true
  containers: [{name: agent, image: "example/agent:1"}]
""",
    good="""\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {pod-security.kubernetes.io/enforce: baseline}
---
apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: shop}
spec:
  containers: [{name: agent, image: "example/agent:1"}]
""",
)
_ENFORCE = f"{pod_security.PREFIX}enforce"
_NAMED = f'metadata.labels["{_ENFORCE}"]'
_MANAGED = f'spec.syncPolicy.managedNamespaceMetadata.labels["{_ENFORCE}"]'


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a workload none of whose pods would be taken."""
    delivery, item = one
    if item.key.group_kind not in WORKLOADS:
        return
    levels = dict(_levels(repo, delivery, item.key.namespace))
    mildest = min(levels, key=pod_security.LEVELS.index, default="")
    base, spec = template(item.obj)
    told = pod_security.violations(spec, _counting(repo, mildest))
    if not told:
        return
    enough = next(one for one in reversed(pod_security.LEVELS) if not pod_security.violations(spec, one))
    forbidden = ", ".join(short for short, _ in told)
    message = (
        f"{item.key.short} of {delivery}: namespace {item.key.namespace} enforces {mildest}, which forbids {forbidden}"
    )
    ways = "; ".join(full or short for short, full in told)
    fix = Fix(text=f"{ways}; or let the namespace enforce {enough}")
    yield RULE.finding(item.key.short, message, evidence=[at(item, base), levels[mildest]], fix=fix)


def _levels(repo: Repo, delivery: Delivery, namespace: str) -> Iterator[tuple[str, Evidence]]:
    """Yield every level that a namespace is given beside an app, with the line; `privileged` where it has none."""
    roots = set(delivery.app.roots)
    for other, item in repo.world.objects.get(ObjectKey("", "Namespace", "", namespace), ()):
        if other.cluster == delivery.cluster and (not roots or roots & set(other.app.roots)):
            yield _level(dig(item.obj, "metadata", "labels")), at(item, _NAMED, _ENFORCE)
    managed = dig(delivery.app.manifest.obj, "spec", "syncPolicy", "managedNamespaceMetadata", "labels")
    if managed and delivery.namespace == namespace:
        yield _level(managed), at(delivery.app.manifest, _MANAGED, _ENFORCE)


def _level(labels: Mapping[str, Any] | None) -> str:
    found = str((labels or {}).get(_ENFORCE) or "")
    return found if found in pod_security.LEVELS else pod_security.LEVELS[0]


def _counting(repo: Repo, level: str) -> str:
    """Return the level that counts: what the restricted one wants besides may be filled in."""
    return "baseline" if level == "restricted" and _filled_in(repo) else level


def _filled_in(repo: Repo) -> bool:
    """Whether something on the cluster may write the security contexts of pods."""
    return any(map(_fills_in, repo.world.kinds))


def _fills_in(kind: GroupKind) -> bool:
    return kind.group.endswith("openshift.io") or kind.group in ("kyverno.io", "mutations.gatekeeper.sh")
