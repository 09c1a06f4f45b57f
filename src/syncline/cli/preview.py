"""`syncline preview`: what a change does to every app, before it is merged; no server, and a cluster only if named."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.choice import Choice
from syncline.cli.options import (
    allow_local_option,
    build_options_option,
    clusters_option,
    output_file_option,
    output_option,
)
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.model.preview import Preview

_SEVERITIES = ("error", "warning", "info", "never")


@click.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option(
    "--base", default="", metavar="REV", help="Revision to compare with (default: fork point of this branch)."
)
@click.option(
    "--head",
    default="worktree",
    show_default=True,
    metavar="REV",
    help="Revision to preview; `worktree` is the files as they are.",
)
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@clusters_option
@build_options_option
@click.option("--fetch", is_flag=True, help="Fetch other repositories and charts.")
@click.option(
    "--from",
    "files",
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE|DIR",
    help="Also compare with what is live, from `kubectl get -o yaml` output: shows drift and net effect separately.",
)
@click.option("--context", default="", help="Also compare with what is live on the cluster of this context, read-only.")
@click.option("--kubeconfig", default="", help="Kubeconfig file of that context (default: KUBECONFIG, ~/.kube/config).")
@click.option(
    "--fail-on",
    type=Choice(_SEVERITIES),
    default="error",
    show_default=True,
    help="Exit with 1 for new findings of this severity or worse.",
)
@click.option("--strict", is_flag=True, help="Also exit with 1 if an app could not be rendered.")
@click.option("-v", "--verbose", is_flag=True, help="Show every consequence in full, every row, and noise.")
@output_file_option
@output_option("text", "markdown", "html", "json")
def preview(
    path: Path,
    base: str,
    head: str,
    repos: tuple[str, ...],
    clusters: Path | None,
    build_options: str,
    files: Path | None,
    context: str,
    kubeconfig: str,
    fail_on: str,
    output: str,
    output_file: Path | None,
    *,
    fetch: bool,
    strict: bool,
    verbose: bool,
) -> int:
    """Show what a change does to every app before it is merged, without a cluster."""
    from syncline import wiring
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters
    from syncline.api.preview import previewed
    from syncline.cli.live_source import live_reader
    from syncline.cli.show.previewing.sentences import not_rendered

    wanted = RenderFlags(
        local=True,
        repos=repos,
        build_options=build_options,
        clusters=tuple(known_clusters(clusters)) if clusters else (),
    )
    live = live_reader(files, kubeconfig, context)
    clock = wiring.clock()
    begin = clock.monotonic()
    found = asyncio.run(previewed(path, wanted, base=base, head=head, fetch=fetch, live=live))
    text = _shown(found, output, clock.monotonic() - begin, verbose=verbose)
    terminal.echo_to(output_file, text, data=output != "text")
    bad = _SEVERITIES[: _SEVERITIES.index(fail_on) + 1] if fail_on != "never" else ()
    failed = any(one.severity.value in bad for one in found.new) or (strict and bool(not_rendered(found)))
    return 1 if failed else 0


def _shown(found: Preview, output: str, seconds: float, *, verbose: bool) -> str:
    if output == "json":
        from syncline.cli.show.previewing.data import as_json

        return as_json(found)
    if output == "markdown":
        from syncline.cli.show.previewing.markdown import comment

        return comment(found)
    if output == "html":
        from syncline.cli.show.previewing.page import page

        return page(found, seconds)
    from syncline.cli.show.previewing.text import screen

    return screen(found, seconds, verbose=verbose)
