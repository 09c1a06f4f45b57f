"""Containers that are killed because they use more memory than they may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.core.diagnose.live.pods import FailingContainer, container_path, containers, failing_containers, log_lines
from syncline.core.diagnose.live.written import line
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-009",
    name="out-of-memory",
    severity=Severity.ERROR,
    summary="A container is killed because it uses more memory than its limit.",
    fix="raise resources.limits.memory, or make the program use less",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The kernel kills the container, and its log does not say so: the limit is the only trace. Only a measurement "
    "shows how much it needs.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and container that ran out of memory."""
    for one in failing_containers(app):
        if one.ended.get("reason") == "OOMKilled":
            yield _finding(app, one)


def _finding(app: App, one: FailingContainer) -> Finding:
    root, container = one.of.root, one.trouble.container
    limit = _limit(one)
    path = container_path(app, root, container)
    lines = line(app, root, f"{path}.resources.limits.memory", f"memory: {limit}") if path and limit else one.image_line
    what = f"its limit of {limit}" if limit else "its node had left (it has no limit)"
    times = int(one.status.get("restartCount") or 0) + 1
    said = f"{times} times" if times > 1 else "once"
    where = f" at {lines[0].place}" if lines and lines[0].place else ""
    return RULE.finding(
        root.short,
        f"{root.short}: container {container} was killed {said}: it used more memory than {what} (OOMKilled)",
        evidence=[*lines, *log_lines(app, one.of.key, container)],
        confidence=Confidence.OWNED,
        fix=Fix(text=f"decide: raise resources.limits.memory{where}, or make the program use less"),
    )


def _limit(one: FailingContainer) -> str:
    spec: dict[str, Any] = one.of.pod.get("spec") or {}
    found = next((entry for _at, entry in containers(spec) if entry.get("name") == one.trouble.container), {})
    return str(((found.get("resources") or {}).get("limits") or {}).get("memory") or "")
