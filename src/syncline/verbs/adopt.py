"""Approves that an Application takes over objects of an app that its installation does not know.

Called by `app adopt` and by the server. The approval is for the list that was seen: whoever sends its digest along is
refused where another list waits.
"""

from __future__ import annotations

from syncline.controller.app_key import AppKey
from syncline.core.assess import Assessment
from syncline.core.compare import adoption
from syncline.core.compare.adoption import Adoption
from syncline.model import names
from syncline.ports.kube import Cluster
from syncline.verbs.applications import Permit, StoredApplication, annotate
from syncline.verbs.errors import Conflict, Refused


def waiting_adoptions(assessment: Assessment, wanted: str = "") -> tuple[Adoption, ...]:
    """Return what waits for an approval; raises a sentence where nothing does, or another list than was wanted."""
    found, name = assessment.unapproved, assessment.app.metadata.name
    if not found:
        raise Refused(f"Application {name} waits for no approval", hint="nothing was changed")
    if wanted and wanted != adoption.digest(found):
        raise Conflict(
            f"Application {name} would take over other objects: {', '.join(map(str, found))}",
            hint=f"approve these with: syncline app adopt {name} {adoption.digest(found)}",
        )
    return found


async def adopt(cluster: Cluster, assessment: Assessment, permit: Permit = lambda _stored: None) -> StoredApplication:
    """Record on an Application that it may take over what was looked at, and nothing else."""
    metadata = assessment.app.metadata
    marks = adoption.annotation(assessment.adoptions)
    return await annotate(cluster, AppKey(metadata.namespace, metadata.name), {names.ADOPTED: marks}, permit)
