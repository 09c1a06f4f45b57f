"""An Application cannot be compared, for a reason that no other rule knows."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.graph.applications import complaining
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.differences.uncomparable import RULE


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each such complaint."""
    return complaining.of_app(RULE, node, complaining.About.COMPARISON)
