"""`syncline app manifests`: the objects an Application desires, rendered here, with where each comes from.

Attached to `app` by `syncline.cli.app.group`. With a file no cluster is asked.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from syncline.cli.app.revisions import revisions_of_sources
from syncline.cli.choice import Choice
from syncline.cli.options import (
    Chosen,
    allow_local_option,
    build_options_option,
    chosen_cluster,
    clusters_option,
    output_option,
)
from syncline.verbs.revisions import RevisionChoice


@click.command()
@click.argument("app")
@chosen_cluster
@click.option("--local", is_flag=True, help="Read the files of this checkout, committed or not.")
@click.option("--revision", "revisions", multiple=True, help="Commit, branch or tag, one for each source in order.")
@revisions_of_sources
@click.option(
    "--source",
    type=Choice(("git", "live")),
    default="git",
    show_default=True,
    help="Show the objects in Git or the live ones.",
)
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@clusters_option
@click.option("--show-origin", is_flag=True, help="Print the file and line before each object.")
@click.option("--show-secrets", is_flag=True, help="Print the values of Secrets.")
@click.option("--check-images", is_flag=True, help="Check that all images exist; exit code 1 if one does not.")
@click.option("--kube-version", default="", help="Kubernetes version to render for (default: that of the cluster).")
@click.option("--api-versions", multiple=True, help="API version to render for (can be repeated).")
@build_options_option
@output_option("yaml", "json")
def manifests(
    app: str,
    chosen: Chosen,
    revisions: tuple[str, ...],
    at: RevisionChoice,
    source: str,
    repos: tuple[str, ...],
    kube_version: str,
    api_versions: tuple[str, ...],
    build_options: str,
    clusters: Path | None,
    output: str,
    *,
    local: bool,
    show_origin: bool,
    show_secrets: bool,
    check_images: bool,
) -> int:
    """Print the objects an Application desires, rendered locally.

    APP is a file with Applications, a folder of such files, or the name of one on the cluster; ApplicationSets in files
    are expanded to the Applications they create. Warns about objects that two Applications deliver.
    """
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters
    from syncline.cli.render import image_check, rendering
    from syncline.cli.render import remarks as render_remarks
    from syncline.model.desired import Desired

    async def print_all() -> int:
        if chosen.server is not None and source == "git" and not Path(app).exists():
            from syncline.cli.app import live_manifests

            if show_secrets or local or len(revisions) > 1:
                chosen.refuse_server("this option")
            asked = RevisionChoice(revision=revisions[0]) if revisions else at
            return await live_manifests.print_served(app, chosen, asked, output, show_origin=show_origin)
        if source == "live" or at.revisions:
            # Much is loaded for what needs the cluster.
            from syncline.cli.app import live_manifests
        if source == "live":
            return await live_manifests.print_live(app, chosen, output, show_secrets=show_secrets)
        wanted = RenderFlags(
            local=local,
            revisions=await live_manifests.asked_revisions(app, chosen, at) if at.revisions else revisions,
            repos=repos,
            kube_version=kube_version,
            api_versions=api_versions,
            build_options=build_options,
            clusters=tuple(known_clusters(clusters)) if clusters else (),
        )
        found, count = await rendering.opened_of_all(app, chosen, wanted)
        able = await rendering.rendered(found)
        desired = Desired(
            tuple(item for _opened, one in able for item in one.objects),
            warnings=(*(warning for _opened, one in able for warning in one.warnings), *render_remarks.remarks(able)),
        )
        rendering.print_desired(desired, output, show_origin=show_origin, show_secrets=show_secrets)
        missing = await image_check.tell_missing(desired) if check_images else 0
        return 1 if missing or len(able) < count else 0

    return asyncio.run(print_all())
