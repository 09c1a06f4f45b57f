"""The branch, tag or commit that an Application names does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.graph.applications import complaining
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.applications.revision_not_found import RULE


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each such complaint."""
    return complaining.of_app(RULE, node, complaining.About.REVISION)
