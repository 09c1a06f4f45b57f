"""A program ends because something it calls does not accept its login."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import crashes, pods
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.core.references.pods import SECRET
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-204",
    name="dependency-login",
    severity=Severity.ERROR,
    summary="A program fails because a database or service does not accept its login.",
    fix="make the login of the service match the Secret that the program reads",
    looks_at=(LooksAt.LIVE,),
    why="The service answers, so the connection works; the credentials are wrong or old. Secrets are not read, so "
    "Syncline cannot tell which side is right: the finding names the Secrets that the program reads and what creates "
    "them.",
)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose log says that a login was refused, because of what makes its Secrets."""
    for crash in crashes.crashes(node):
        if crashes.about(crash) is About.LOGIN:
            makers = tuple(node.at(maker) for key in _secrets(node) for maker in node.cluster.makers(key))
            yield Fault(
                rule=RULE,
                state=crash.state,
                because=makers,
                cause=crash.owner,
                about=crash.name,
                tell=partial(_finding, node, crash),
            )


def _secrets(node: Node) -> list[ObjectKey]:
    found = [one.key for one in read.references(node.obj) if one.key.group_kind == SECRET]
    return list(dict.fromkeys(found))


def _finding(node: Node, crash: Crash) -> Finding:
    names = [key.name for key in _secrets(node)]
    line = crash.told.line.strip() if crash.told is not None else ""
    using = f"; it reads {listed(names)}" if names else ""
    return RULE.finding(
        str(crash.owner),
        f"{crash.owner}: container {crash.name} is refused: {line}{using}",
        evidence=[
            *crashes.evidence(node, crash),
            *(
                Evidence(kind=EvidenceKind.FIELD, text=f"reads Secret {name}", subject=crash.owner.key)
                for name in names[:3]
            ),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(
            text="decide: which side is right, the Secret or the service, and bring the other in line; then restart"
        ),
        since=str(crash.container.ended.get("finishedAt") or ""),
    )
