"""`syncline app manifests --source live`: the objects of an Application as they are on its cluster."""

from __future__ import annotations

from syncline.cli.actions import shown
from syncline.cli.app.resources import without_managed_fields
from syncline.cli.app.revisions import Revisions
from syncline.cli.app.selection import seen
from syncline.cli.applications import read_application, split_name
from syncline.cli.options import Chosen
from syncline.cli.show.printing import print_objects


async def print_live(name: str, chosen: Chosen, output: str, *, show_secrets: bool) -> int:
    """Print what an Application manages; Secrets without their values unless those are asked for."""
    async with seen(name, chosen) as (assessment, _place, _words):
        found = [assessment.live[row.key] for row in assessment.comparison.rows if row.key in assessment.live]
    objects = [without_managed_fields(obj if show_secrets else shown(obj)) for obj in found]
    print_objects(objects, output)
    return 0


async def asked_revisions(name: str, chosen: Chosen, at: Revisions) -> tuple[str, ...]:
    """Return a revision for each source of an Application of the cluster."""
    async with chosen.connected() as (cluster, _):
        _, obj = await read_application(cluster, *split_name(name, chosen.namespace))
    return tuple(at.of(obj)["revisions"])
