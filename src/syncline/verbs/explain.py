"""Explains why an Application is not Synced and Healthy, from one look at it."""

from __future__ import annotations

import contextlib

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.assess import Assessment
from syncline.core.decide import decide
from syncline.core.diagnose.explain import Explanation
from syncline.core.diagnose.explain import explain as explain_app
from syncline.core.diagnose.live.recorded import NOT_LOOKED, as_recorded, not_rendered
from syncline.core.sync import task_results
from syncline.model.decision import Decision
from syncline.model.errors import SynclineError
from syncline.verbs.look import ClusterView
from syncline.verbs.surroundings import rivals, with_surroundings


class Explained(msgspec.Struct, frozen=True):
    """The explanation, and what was seen."""

    explanation: Explanation
    assessment: Assessment


async def explain(view: ClusterView, app: Object, *, outside: bool = True) -> Explained:
    """Look at an Application, and say what is wrong and what the controller would do next.

    Causes are also looked for outside of the app, in all of the clusters that are in view, unless whoever asks may not
    see all of those.
    """
    for rival in rivals(view, app):
        # What another app desires is known once it was looked at; where that fails, its own `why` tells.
        with contextlib.suppress(SynclineError):
            await view.assess(rival)
    assessment = await with_surroundings(view, await view.assess(app))
    if why := not_rendered(assessment):
        recorded = as_recorded(assessment)
        told = msgspec.structs.replace(await _told(view, recorded, NOT_LOOKED, outside=outside), not_rendered=why)
        return Explained(told, recorded)
    assessment = await _with_layers(view, assessment)
    decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
    return Explained(await _told(view, assessment, decision, outside=outside), assessment)


async def _told(view: ClusterView, assessment: Assessment, decision: Decision, *, outside: bool) -> Explanation:
    """Return why an app is as it is; where it is not in order, also by what is around it."""
    told = explain_app(assessment, decision)
    if told.good or not outside:
        return told
    from syncline.verbs.behind import behind

    return explain_app(assessment, decision, await behind(view, assessment))


async def _with_layers(view: ClusterView, assessment: Assessment) -> Assessment:
    """Return the assessment with the layers that its objects have their values from."""
    snapshot = msgspec.structs.replace(assessment.snapshot, layers=await view.layers(assessment))
    return msgspec.structs.replace(assessment, snapshot=snapshot)
