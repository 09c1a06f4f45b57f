"""Containers that start and end badly, again and again."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.hooks import failed_hooks
from syncline.core.diagnose.live.pods import (
    CONFIG_REASON,
    IMAGE_REASONS,
    FailingContainer,
    container_path,
    failing_containers,
    killed_by_probe,
    log_lines,
    never_ran,
)
from syncline.core.diagnose.live.rollouts import former
from syncline.core.diagnose.live.written import place, rewrite
from syncline.core.diagnose.messages import crash_words
from syncline.core.diagnose.messages.missing import missing_parts
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-008",
    name="container-failing",
    severity=Severity.ERROR,
    summary="A container crashes or cannot start.",
    fix="fix what the last lines of its log report",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The workload does not become available. Init containers count too: while one fails, the others never start. "
    "The finding quotes exit code and last log lines.",
)
_MEANINGS = {126: "not executable", 127: "command not found", 137: "killed", 139: "segmentation fault", 143: "stopped"}


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and container that crashes; a hook that failed has a rule of its own."""
    hooks = {row.key for row in failed_hooks(app)}
    missing = {one.root for one in missing_parts(app)}
    for one in failing_containers(app):
        explained = one.trouble.reason in IMAGE_REASONS or one.ended.get("reason") == "OOMKilled"
        waits = one.trouble.reason == CONFIG_REASON and one.of.root in missing
        if explained or waits or one.of.root in hooks or killed_by_probe(app, one):
            continue
        yield _finding(app, one)


def _finding(app: App, one: FailingContainer) -> Finding:
    root, container = one.of.root, one.trouble.container
    before = former(app, root, container)
    said = log_lines(app, one.of.key, container)
    if not said and one.ended.get("message") and not never_ran(one):
        said = [Evidence(kind=EvidenceKind.FIELD, text=str(one.ended["message"]), subject=one.of.key)]
    options = []
    path = container_path(app, root, container)
    if before is not None and path:
        options.append(rewrite(app, root, f"{path}.image", before.image, remark="the image before"))
    return RULE.finding(
        root.short,
        f"{root.short}: container {container} {_words(one)}",
        evidence=[
            *said,
            *(() if never_ran(one) else one.log_evidence),
            *one.image_line,
            *(before.evidence(root) if before else ()),
        ],
        confidence=Confidence.OWNED,
        fix=_fix(app, one),
        options=options,
    )


def _words(one: FailingContainer) -> str:
    if not one.ended:
        said = f": {one.trouble.message}" if one.trouble.message else ""
        return f"does not run: {one.trouble.reason}{said}"
    if never_ran(one):
        return f"cannot be started: {one.ended.get('message') or one.trouble.message or one.ended.get('reason')}"
    code = int(one.ended.get("exitCode") or 0)
    meaning = f" ({_MEANINGS[code]})" if code in _MEANINGS else ""
    restarts = int(one.status.get("restartCount") or 0)
    times = f" {restarts + 1} times, last" if restarts else ""
    pods = f", in {one.pods} pods" if one.pods > 1 else ""
    return f"crashed{times} with exit code {code}{meaning}{pods}"


def _fix(app: App, one: FailingContainer) -> Fix:
    """Return what is to be decided: what to correct only the log or the message can say."""
    said = [
        one.trouble.message,
        str(one.ended.get("message") or ""),
        *(line.text for line in log_lines(app, one.of.key, one.trouble.container)),
    ]
    if known := crash_words.decision(app, one.of, said):
        return Fix(text=f"decide: {known}")
    where = place(app, one.of.root, container_path(app, one.of.root, one.trouble.container))
    what = "what the log names" if one.ended and not never_ran(one) else "what the message names"
    return Fix(text=f"decide: correct {what}, in the program or{f' at {where}' if where else ' in the container'}")
