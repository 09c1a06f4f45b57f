"""What the newest warning about an object says beyond its condition: conditions tell that, warnings mostly tell why."""

from __future__ import annotations

from syncline.core.diagnose.graph.fault import Node
from syncline.core.health import events
from syncline.model.finding import Evidence, EvidenceKind


def telling(node: Node, message: str) -> str:
    """Return the newest warning about an object, on one line; its own message where no warning says more."""
    warnings = (" ".join(events.message(one).split()) for one in node.cluster.events(node.key))
    return next((text for text in warnings if text and text not in message), "") or message


def warned(node: Node, message: str) -> list[Evidence]:
    """Return that warning as evidence; nothing where none says more than the message."""
    text = telling(node, message)
    return [Evidence(kind=EvidenceKind.EVENT, text=text, subject=node.key)] if text != message else []
