"""A namespaced object has no namespace, so that nothing of its app is delivered."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.graph.applications import complaining
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.applications.namespace_missing import RULE


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each such complaint."""
    return complaining.of_app(RULE, node, complaining.About.NAMESPACE)
