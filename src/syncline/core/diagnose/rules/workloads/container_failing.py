"""Containers that do not run for another reason than their image."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.pods import FailingContainer, failing_containers
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-008",
    name="container-failing",
    severity=Severity.ERROR,
    summary="A container crashes, or cannot be created.",
    fix="read the log of the container; where it never started, create the Secret or ConfigMap that it names",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The workload does not become available. Init containers count too: while one fails, the others never start.",
)
_NEVER_RAN = ("CreateContainerConfigError", "CreateContainerError")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and container that does not run."""
    for one in failing_containers(app, image=False):
        root, trouble = one.of.root, one.trouble
        said = f", {trouble.message}" if trouble.message and trouble.message != trouble.reason else ""
        yield RULE.finding(
            root.short,
            f"{root.short}: container {trouble.container} does not run: {trouble.reason}{said}",
            evidence=one.evidence,
            confidence=Confidence.OWNED,
            fix=_fix(one),
        )


def _fix(one: FailingContainer) -> Fix:
    """Return what to do about a container that does not run; one that never ran has no log."""
    if one.trouble.reason in _NEVER_RAN:
        where = f"; the container is defined at {one.place}" if one.place else ""
        return Fix(text=f"create the missing object, or correct the reference{where}")
    pod = one.of.key
    command = f"kubectl logs -n {pod.namespace} {pod.name} -c {one.trouble.container} --previous"
    return Fix(text="read its last log lines", command=command)
