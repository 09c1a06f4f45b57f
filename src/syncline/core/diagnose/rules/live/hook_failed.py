"""A hook of the sync failed: which, when in the sync it runs, what waits for it, and what it printed."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.hooks import FailedHook, failed_hooks, held_up
from syncline.core.diagnose.live.pods import FailingContainer, failing_containers, log_lines
from syncline.core.diagnose.live.written import line
from syncline.core.diagnose.messages.refusals import retrying
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.comparison import Verdict
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="LIV-111",
    name="hook-failed",
    severity=Severity.ERROR,
    summary="A hook of the sync failed; the rest of the sync is not applied.",
    fix="fix what the hook's log reports; a new commit, or another sync, runs it again",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="A PreSync hook runs before anything is applied, so the whole sync fails with it; a PostSync hook runs once "
    "everything is applied and healthy, so only the hook itself is missing. The finding says which it is, with exit "
    "code and last log lines.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per hook that failed."""
    containers = {one.of.root: one for one in failing_containers(app)}
    for hook in failed_hooks(app):
        failing = containers.get(hook.key)
        yield RULE.finding(
            hook.key.short,
            f"{hook.type} hook {hook.key.short} failed{_how(hook, failing)}; {_consequence(app, hook)}",
            evidence=[
                *(log_lines(app, failing.of.key, failing.trouble.container) if failing else ()),
                *(failing.log_evidence if failing else ()),
                *(failing.image_line if failing else line(app, hook.key, "", f"{hook.type} hook")),
            ],
            fix=_fix(app),
            since=hook.since,
        )


def _how(hook: FailedHook, failing: FailingContainer | None) -> str:
    if failing is None or not failing.ended:
        return f": {hook.message}" if hook.message else ""
    code, many = failing.ended.get("exitCode"), f" in {failing.pods} pods" if failing.pods > 1 else ""
    return f": container {failing.trouble.container} ended with exit code {code}{many}"


def _consequence(app: App, hook: FailedHook) -> str:
    waiting = [key.short for key in held_up(app)]
    if hook.is_first:
        return (
            f"before it nothing is applied; waiting: {listed(waiting)}" if waiting else "before it nothing is applied"
        )
    return f"not applied yet: {listed(waiting)}" if waiting else "everything else is applied"


def _fix(app: App) -> Fix:
    """Return how the corrected hook runs again: hooks are not compared, so an app in sync is not synced for one."""
    name = app.assessment.app.metadata.name
    correct = "correct what its log names and commit it"
    if retrying(app):
        return Fix(text=f"decide: {correct}; it is retried automatically")
    policy = app.assessment.app.spec.sync_policy
    automated = policy is not None and policy.automated is not None and policy.automated.enabled is not False
    if automated and app.assessment.comparison.verdict is Verdict.OUT_OF_SYNC:
        return Fix(
            text=f"decide: {correct}: a new commit is synced immediately; for the same one run syncline app sync {name}"
        )
    return Fix(
        text=f"{correct}; then run it again, since hooks alone never start a sync", command=f"syncline app sync {name}"
    )
