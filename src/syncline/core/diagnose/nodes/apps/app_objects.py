"""An Application is not healthy because of what it manages: workloads, claims, secrets, child apps."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.applications.waves import first_consumers
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.symptoms import BLOCKS_DRAIN, FALSE_GREEN, state_of
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.live.disruption import BUDGET
from syncline.core.diagnose.nodes.objects.service_endpoints import by_label
from syncline.core.diagnose.rules.live.not_healthy import RULE
from syncline.model.diagnosis import Thing

_SERVING = ("Service", "Ingress", "HTTPRoute")


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault that follows from every bad object; an app that is in order has none, whatever its objects say."""
    state = state_of(node.obj)
    healthy = apps.status(node.obj, "health").get("status") == "Healthy"
    if state and not (healthy and apps.phase(node.obj) == "Succeeded"):
        early = first_consumers(node, apps.waited_for(node)[1])
        rows = node.fleet.managed(node.obj)
        over = apps.phase(node.obj) not in ("Failed", "Error")
        things = tuple(thing for thing, row in rows if not (row.get("hook") and over) and thing not in early)
        if things:
            yield Fault(rule=RULE, state=state, because=things)
    elif not state:
        serving = tuple(thing for thing, _row in node.fleet.managed(node.obj) if _serves(node, thing))
        if serving:
            yield Fault(rule=RULE, state=FALSE_GREEN, because=serving)
        budgets = tuple(thing for thing, _row in node.fleet.managed(node.obj) if _is_budget(thing))
        if budgets:
            yield Fault(rule=RULE, state=BLOCKS_DRAIN, because=budgets)


def _is_budget(thing: Thing) -> bool:
    return thing.key is not None and thing.key.group_kind == BUDGET


def _serves(node: Node, thing: Thing) -> bool:
    """Whether a thing takes requests: no health check of an app looks at where those end."""
    if thing.key is None or thing.key.kind not in _SERVING:
        return False
    selector = ((node.fleet.find(thing) or {}).get("spec") or {}).get("selector")
    # Whoever scales down to nothing does so on purpose.
    return not isinstance(selector, dict) or not _is_scaled_down(node.fleet.cluster(thing.cluster), thing.key, selector)


def _is_scaled_down(cluster: ClusterIndex, service: ObjectKey, selector: dict[str, str]) -> bool:
    labelled = cluster.remembered(by_label)
    keys = [key for name, value in selector.items() for key in labelled.get((service.namespace, name, str(value)), ())]
    return any((cluster.objects[key].get("spec") or {}).get("replicas") == 0 for key in keys)
