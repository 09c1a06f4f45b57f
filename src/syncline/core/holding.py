"""What holds an Application back, whatever it wants: the freeze, the sync windows of its project, a paused cluster.

Called by `syncline.core.decide` and `syncline.core.autosync`. The freeze stops every write to objects, those of running
operations and of deletions too; windows stop syncs only. The status of the Application is written all the same, since
it tells why nothing happens.
"""

from __future__ import annotations

from syncline.core.assess import Assessment
from syncline.core.policy import windows
from syncline.core.policy.windows import Standing
from syncline.model import names
from syncline.model.decision import Decision, DecisionKind, Step, StepKind
from syncline.model.reason import Reason


def standing(assessment: Assessment, *, manual: bool, started_at: str = "") -> Standing:
    """Return whether the windows of the project let the app sync now."""
    snapshot, app = assessment.snapshot, assessment.app
    project = assessment.project
    if project is None or not project.spec.sync_windows:
        return Standing(allowed=True)
    return windows.standing(
        app.metadata.name,
        snapshot.destination or app.spec.destination,
        project.spec.sync_windows,
        as_of=snapshot.as_of,
        manual=manual,
        started_at=started_at,
    )


def held_by_windows(assessment: Assessment, *, manual: bool, started_at: str = "") -> str:
    """Return which windows hold the app, and when it may sync again, for people; empty where none does."""
    found = standing(assessment, manual=manual, started_at=started_at)
    project = assessment.project
    if found.allowed or project is None:
        return ""
    snapshot, app = assessment.snapshot, assessment.app
    there = snapshot.destination or app.spec.destination
    rules = project.spec.sync_windows
    opens = windows.opens(app.metadata.name, there, rules, as_of=snapshot.as_of, manual=manual)
    return windows.held(found, project.metadata.name, opens)


def frozen(assessment: Assessment) -> str:
    """Return why nothing may be written; empty where it may."""
    if everything := assessment.snapshot.settings.safety.freeze:
        return f"all writes are frozen: {everything}"
    annotations = assessment.app.metadata.annotations
    if names.FREEZE in annotations:
        return f"the writes of this app are frozen: {annotations[names.FREEZE] or 'no reason given'}"
    return ""


def unless_frozen(decision: Decision, assessment: Assessment) -> Decision:
    """Return the decision, or what is left of it while nothing may be written."""
    if not _writes(decision) or not (why := frozen(assessment)):
        return decision
    if decision.kind is not DecisionKind.PROCEED:
        return Decision(kind=DecisionKind.REST, reason=Reason.FROZEN, detail=why)
    step = Step(kind=StepKind.WAIT, reason=Reason.FROZEN, message=why)
    return Decision(kind=DecisionKind.PROCEED, reason=Reason.FROZEN, detail=why, step=step)


def _writes(decision: Decision) -> bool:
    """Whether a decision would lead to writes of objects; an end that only has to be told does not."""
    step = decision.step
    if step is None:
        return decision.kind is DecisionKind.START
    ending = step.kind is StepKind.FINISH and not step.delete_hooks and not step.release_hooks
    return step.kind is not StepKind.WAIT and not ending
