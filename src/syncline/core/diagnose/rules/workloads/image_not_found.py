"""Images that cannot be pulled, traced to the line in Git that names them."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.pods import failing_containers
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-002",
    name="image-not-found",
    severity=Severity.ERROR,
    summary="The image of a container cannot be pulled.",
    fix="push the image, or name one that exists",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The container never starts. Most often the tag was never pushed, or Git was merged before the build was done; "
    "the finding quotes the kubelet and names the line of the image.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and container whose image cannot be pulled."""
    for one in failing_containers(app, image=True):
        root, trouble = one.of.root, one.trouble
        yield RULE.finding(
            root.short,
            f"{root.short}: image {one.image} of container {trouble.container} cannot be pulled ({trouble.reason})",
            evidence=one.evidence,
            confidence=Confidence.OWNED,
            fix=Fix(text=f"{RULE.fix}{f' in {one.place}' if one.place else ''}"),
        )
