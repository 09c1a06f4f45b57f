"""`syncline app manifests --source live`: the objects of an Application as they are on its cluster."""

from __future__ import annotations

from syncline.cli.app.resources import without_managed_fields
from syncline.cli.app.selection import looked_at
from syncline.cli.options import Chosen
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.model.errors import NeedsUser
from syncline.verbs.applications import read_application
from syncline.verbs.resources import masked
from syncline.verbs.revisions import RevisionChoice


async def print_live(name: str, chosen: Chosen, output: str, *, show_secrets: bool) -> int:
    """Print what an Application manages; Secrets without their values unless those are asked for."""
    async with looked_at(name, chosen) as (seen, _words):
        assessment = seen.assessment
        found = [assessment.live[row.key] for row in assessment.comparison.rows if row.key in assessment.live]
    objects = [without_managed_fields(obj if show_secrets else masked(obj)) for obj in found]
    print_objects(objects, output)
    return 0


async def print_served(name: str, chosen: Chosen, at: RevisionChoice, output: str, *, show_origin: bool) -> int:
    """Print what the sources of an Application make, as its server renders them; Secrets without their values."""
    from syncline.cli.render.rendering import print_desired
    from syncline.verbs.look import Overrides

    async with chosen.opened() as home:
        stored = await read_application(home.cluster, await chosen.find(home.cluster, name, home))
        sync = at.of(stored.app) if at != RevisionChoice() else None
        snapshot = (await home.look(stored, Overrides(sync=sync))).snapshot
    if snapshot.desired is None:
        failed = "; ".join(trouble.message for trouble in snapshot.troubles)
        raise NeedsUser(failed or "the source could not be rendered")
    terminal.echo(f"{home.words}, read-only", err=True)
    print_desired(snapshot.desired, output, show_origin=show_origin, show_secrets=False)
    return 0


async def asked_revisions(name: str, chosen: Chosen, at: RevisionChoice) -> tuple[str, ...]:
    """Return a revision for each source of an Application of the cluster."""
    async with chosen.connected() as (cluster, _):
        stored = await read_application(cluster, await chosen.find(cluster, name))
    return at.of(stored.app).revisions
