"""A program ends because it may not read or write a file, mostly on a volume."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import crashes, pods
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-205",
    name="volume-permission",
    severity=Severity.ERROR,
    summary="A program fails because it may not read or write a file or folder.",
    fix="set securityContext.fsGroup to the program's group, or mount a volume where it writes",
    looks_at=(LooksAt.LIVE,),
    why="A volume belongs to the user who created it, and a container that does not run as root cannot write there "
    "unless fsGroup allows it; with readOnlyRootFilesystem nothing can be written outside of volumes.",
)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container whose log says that a file may not be used."""
    for crash in crashes.crashes(node):
        if crashes.about(crash) is About.PERMISSION:
            yield Fault(
                rule=RULE,
                state=crash.state,
                cause=crash.owner,
                about=crash.name,
                tell=partial(_finding, node, crash),
            )


def _finding(node: Node, crash: Crash) -> Finding:
    line = crash.told.line.strip() if crash.told is not None else ""
    mounts = crash.container.spec.get("volumeMounts") or ()
    at = next((one for one in mounts if str(one.get("mountPath") or "?").rstrip("/") in line), None)
    runs = {
        **((node.obj.get("spec") or {}).get("securityContext") or {}),
        **(crash.container.spec.get("securityContext") or {}),
    }
    shown = ", ".join(
        f"{name} {runs[name]}" for name in ("runAsUser", "fsGroup", "readOnlyRootFilesystem") if name in runs
    )
    where = f" (volume {at.get('name')} at {at.get('mountPath')})" if at else ""
    return RULE.finding(
        str(crash.owner),
        f"{crash.owner}: container {crash.name} may not access a file{where}: {line}",
        evidence=[
            *crashes.evidence(node, crash),
            *(
                [Evidence(kind=EvidenceKind.FIELD, text=shown, subject=node.key, path="spec.securityContext")]
                if shown
                else []
            ),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(
            text="decide: set spec.securityContext.fsGroup to the group of the program"
            if at
            else "decide: mount a volume where it writes, or make it write elsewhere"
        ),
        since=str(crash.container.ended.get("finishedAt") or ""),
    )
