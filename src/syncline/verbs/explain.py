"""Explains why an Application is not Synced and Healthy, from one look at it."""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.assess import Assessment
from syncline.core.decide import decide
from syncline.core.diagnose.explain import Explanation
from syncline.core.diagnose.explain import explain as explain_app
from syncline.core.sync import task_results
from syncline.verbs.look import ClusterView


class Explained(msgspec.Struct, frozen=True):
    """The explanation, and what was seen."""

    explanation: Explanation
    assessment: Assessment


async def explain(view: ClusterView, app: Object) -> Explained:
    """Look at an Application, and say what is wrong and what the controller would do next."""
    assessment = await view.assess(app)
    decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
    return Explained(explain_app(assessment, decision), assessment)
