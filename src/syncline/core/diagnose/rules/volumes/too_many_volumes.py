"""More volumes than the nodes of a cluster can attach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import placement
from syncline.core.diagnose.live.around import listed, plural
from syncline.core.diagnose.live.fact_nodes import as_objects
from syncline.core.diagnose.live.pods import template
from syncline.core.diagnose.repository.pointing import at, dig, entries, words
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CLAIM
from syncline.model.cluster_facts import ClusterFacts
from syncline.model.finding import Evidence, Finding, Severity

RULE = Rule(
    code="WKL-005",
    name="too-many-volumes",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.INFO}),
    summary="Pods need more volumes than the nodes that may run them can attach.",
    fix="add nodes, spread the pods over more of them, or use fewer volumes",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="A node can attach only a limited number of disks (CSINode has the number, and facts about the cluster keep "
    "it). The pods beyond that stay Pending with `exceed max volume count`. Only volumes that attach to one node at a "
    "time count: ReadWriteMany is mounted, not attached.",
)
_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")
_Users = dict[frozenset[str], list[tuple[Prepared, int]]]
"""What needs volumes and how many, by the nodes that may run it."""


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per set of nodes that cannot attach what must run on them."""
    by_cluster: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in repo.world.deliveries:
        by_cluster[delivery.cluster].append(delivery)
    for cluster, deliveries in by_cluster.items():
        facts = repo.world.facts(cluster)
        if facts is not None and facts.nodes and all(node.volume_limit for node in facts.nodes):
            yield from _of_cluster(repo, facts, deliveries)


def _of_cluster(repo: Repo, facts: ClusterFacts, deliveries: list[Delivery]) -> Iterator[Finding]:
    users = _users(repo, facts, deliveries)
    limits = {node.name: node.volume_limit for node in facts.nodes}
    told: set[ObjectKey] = set()
    for names in sorted(users, key=lambda one: (len(one), sorted(one))):
        inside = [use for other, found in users.items() if other <= names for use in found]
        wanted, room = sum(count for _, count in inside), sum(limits[name] for name in names)
        if wanted <= room or any(item.key in told for item, _ in inside):
            continue
        told |= {item.key for item, _ in inside}
        where = listed(sorted(names)) if len(names) < len(limits) else f"the nodes of {facts.name}"
        shown = listed([item.key.short for item, _ in inside])
        message = f"{shown} need {plural(wanted, 'volume')} attached at once, and {where} can attach {room}"
        yield RULE.finding(
            inside[0][0].key.short,
            message,
            evidence=[_line(item, count) for item, count in inside],
            fix=RULE.usual_fix,
            severity=Severity.INFO if facts.stale else Severity.WARNING,
        )


def _line(item: Prepared, count: int) -> Evidence:
    return at(item, "spec.replicas", f"{item.key.short}: {plural(count, 'volume')}")


def _users(repo: Repo, facts: ClusterFacts, deliveries: list[Delivery]) -> _Users:
    found: _Users = defaultdict(list)
    known = as_objects(facts)
    for delivery in deliveries:
        for item in delivery.prepared.objects:
            _, spec = template(item.obj) if item.key.group in ("", "apps") else ("", {})
            count = _volumes(repo, item, spec)
            taking = frozenset(str(node["metadata"]["name"]) for node in known if not placement.hindrances(spec, node))
            if count and taking:
                found[taking].append((item, count))
    return found


def _volumes(repo: Repo, item: Prepared, spec: dict[str, Any]) -> int:
    """Return how many volumes the pods of a workload need, those that several pods share once."""
    replicas = dig(item.obj, "spec", "replicas")
    pods = replicas if isinstance(replicas, int) else 1
    own = [one for one in entries(item.obj, "spec", "volumeClaimTemplates") if _is_attached(one)]
    named = {str(dig(one, "persistentVolumeClaim", "claimName") or "") for one in entries(spec, "volumes")}
    claims = [repo.world.objects.get(ObjectKey(CLAIM.group, CLAIM.kind, item.key.namespace, name)) for name in named]
    shared = sum(_is_attached(made[0][1].obj) for made in claims if made)
    return len(own) * pods + (shared if pods else 0)


def _is_attached(claim: Any) -> bool:
    return bool(set(words(claim, "spec", "accessModes")) & set(_ONE_NODE))
