"""An object in an early wave that cannot become Healthy: the waves after it never come."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.cluster_facts import ClusterFacts
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="ORD-012",
    name="wave-never-healthy",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.INFO}),
    summary="An object is in a wave before the last and cannot become Healthy here.",
    fix="move it to the last wave, or let it become Healthy",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="A wave waits until everything in it is Healthy, without a limit. Suspended is not Healthy: a paused "
    "Deployment or a suspended Job blocks all later waves. So does a Service or an Ingress on a cluster that assigns "
    "no addresses, which Syncline knows from facts about the cluster. The last wave does not wait.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec:
  paused: true
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: after, annotations: {argocd.argoproj.io/sync-wave: "1"}}
data: {colour: blue}
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  paused: true
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: after, annotations: {argocd.argoproj.io/sync-wave: "0"}}
data: {colour: blue}
""",
)
_HELD = {
    ("apps", "Deployment"): ("spec.paused", "is paused"),
    ("batch", "Job"): ("spec.suspend", "is suspended"),
    ("argoproj.io", "Rollout"): ("spec.paused", "is paused"),
}


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per object that holds up later waves of its app."""
    objects = delivery.prepared.objects
    after = [hook.wave for hook in delivery.prepared.hooks if "PostSync" in hook.hook_types]
    facts = repo.world.facts(delivery.cluster)
    waves = sorted({item.wave for item in objects})
    for item in objects:
        later = [wave for wave in waves if wave > item.wave]
        path, why = _why(item, facts)
        if path and (later or after):
            then = f"wave {later[0]}" if later else "the hooks after the sync"
            message = f"{item.key.short} of {delivery} {why}, which is never Healthy: {then} never comes"
            fix = Fix(text=f"move {item.key.short} to wave {waves[-1]}, or let it become Healthy") if later else None
            sure = facts is None or not facts.stale or path in {one for one, _ in _HELD.values()}
            yield RULE.finding(
                item.key.short,
                message,
                evidence=[at(item, path), at(item, f'metadata.annotations["{names.SYNC_WAVE}"]', f"wave {item.wave}")],
                fix=fix or RULE.usual_fix,
                severity=Severity.WARNING if sure else Severity.INFO,
            )


def _why(item: Prepared, facts: ClusterFacts | None) -> tuple[str, str]:
    """Return the field that keeps an object from becoming Healthy, and why; nothing where none does."""
    kind = item.key.group, item.key.kind
    if kind in _HELD:
        path, words = _HELD[kind]
        return (path, words) if dig(item.obj, *path.split(".")) is True else ("", "")
    balancers = facts.load_balancers if facts is not None else None
    if facts is None or balancers is None:
        return "", ""
    if kind == ("", "Service") and dig(item.obj, "spec", "type") == "LoadBalancer" and not balancers.enabled:
        return "spec.type", f"waits for an address, which {facts.name} does not assign"
    if kind == ("networking.k8s.io", "Ingress") and balancers.ingress_classes:
        name = str(dig(item.obj, "spec", "ingressClassName") or "")
        if name and name not in balancers.ingress_classes:
            return "spec.ingressClassName", f"is of the class {name}, which {facts.name} does not have"
    return "", ""
