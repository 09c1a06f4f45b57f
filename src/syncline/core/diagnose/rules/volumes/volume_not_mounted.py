"""Pods that wait for a volume which is not attached or mounted, in the words of the kubelet."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.live.pods import PodOf, pods
from syncline.core.diagnose.live.written import line, place
from syncline.core.diagnose.messages.missing import missing_parts
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-107",
    name="volume-not-mounted",
    severity=Severity.ERROR,
    summary="A pod waits for a volume that cannot be attached or mounted.",
    fix="free the volume on the node that has it, or fix what the message reports",
    looks_at=(LooksAt.LIVE, LooksAt.EVENTS),
    why="A ReadWriteOnce volume is attached to one node at a time. A rolling update starts the new pod before the old "
    "one ends, so on another node it waits forever; so does a pod whose node was lost.",
    bad="""\
kind: Deployment
spec:
  strategy: {type: RollingUpdate}  # with a ReadWriteOnce claim
""",
    good="""\
kind: Deployment
spec:
  strategy: {type: Recreate}
""",
)
_REASONS = ("FailedAttachVolume", "FailedMount")
_TAKEN = ("Multi-Attach error", "already exclusively attached", "already used by")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload with such a pod."""
    told = {one.root for one in missing_parts(app)}
    for pod in pods(app):
        said = next((event for event in app.assessment.snapshot.events if _about(event, pod)), None)
        if said is not None and pod.root not in told and (pod.pod.get("status") or {}).get("phase") == "Pending":
            told.add(pod.root)
            yield _finding(app, pod, said)


def _about(event: Object, pod: PodOf) -> bool:
    return events.subject(event) == pod.key and event.get("reason") in _REASONS


def _finding(app: App, pod: PodOf, event: Object) -> Finding:
    said = events.message(event)
    taken = any(words in said for words in _TAKEN)
    holder = _holder(app, pod) if taken else None
    what = "its volume is attached to another node, and can be attached to only one" if taken else said
    path = "spec.strategy" if pod.root.kind == "Deployment" else ""
    return RULE.finding(
        pod.root.short,
        f"{pod.root.short}: pod {pod.key.name} waits: {what}",
        evidence=[
            *(line(app, pod.root, path, "spec.strategy") if taken and path else ()),
            Evidence(kind=EvidenceKind.EVENT, text=said, subject=pod.key),
        ],
        confidence=Confidence.OWNED,
        fix=_fix(app, pod, holder, taken=taken),
    )


def _holder(app: App, pod: PodOf) -> ObjectKey | None:
    """Return another pod of the workload that has the volume: it runs on another node, or has not gone yet."""
    for other in pods(app):
        node = (other.pod.get("spec") or {}).get("nodeName")
        if other.root == pod.root and other.key != pod.key and node != (pod.pod.get("spec") or {}).get("nodeName"):
            return other.key
    return None


def _fix(app: App, pod: PodOf, holder: ObjectKey | None, *, taken: bool) -> Fix:
    where = place(app, pod.root, "spec.strategy") if pod.root.kind == "Deployment" else None
    lasting = f"; write strategy type Recreate at {where}, so that it does not happen again" if where else ""
    if holder is not None:
        gone = " --force --grace-period=0" if meta.deletion_timestamp(app.assessment.live[holder]) else ""
        return Fix(
            text=f"the old pod has it{lasting}", command=f"kubectl delete pod {holder.name} -n {holder.namespace}{gone}"
        )
    if taken:
        return Fix(text=f"decide: stop what uses it on the other node, or remove that node from the cluster{lasting}")
    return Fix(text="decide: fix what the message reports, on the volume or its storage")
