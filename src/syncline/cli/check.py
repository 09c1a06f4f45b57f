"""`syncline check`: what is wrong with a GitOps repository, before it is merged; no cluster, no server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from syncline.cli.choice import Choice
from syncline.cli.options import build_options_option, clusters_option, output_option
from syncline.cli.show import terminal

_SEVERITIES = ("error", "warning", "info")


@click.command()
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read a folder in place of a repository.")
@clusters_option
@build_options_option
@click.option("--fetch", is_flag=True, help="Fetch other repositories and charts.")
@click.option(
    "--select", multiple=True, metavar="CODE", help="Only these rules: codes, their beginnings (SRC) or names."
)
@click.option("--ignore", multiple=True, metavar="CODE", help="All but these rules.")
@click.option(
    "--fail-on",
    type=Choice(_SEVERITIES),
    default="error",
    show_default=True,
    help="Leave with 1 for findings as bad as this.",
)
@click.option("--strict", is_flag=True, help="Leave with 1 also where something could not be looked at.")
@click.option("-v", "--verbose", is_flag=True, help="Show warnings and remarks in full, and every place.")
@output_option("text", "json")
def check(
    path: Path,
    repos: tuple[str, ...],
    clusters: Path | None,
    build_options: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    output: str,
    *,
    fetch: bool,
    strict: bool,
    verbose: bool,
) -> int:
    """Look for mistakes in a GitOps repository before they are merged, without a cluster."""
    from syncline import wiring
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters
    from syncline.api.check import checked
    from syncline.cli.show.checked import as_json, screen
    from syncline.model.finding import Severity

    wanted = RenderFlags(
        local=True,
        repos=repos,
        build_options=build_options,
        clusters=tuple(known_clusters(clusters)) if clusters else (),
    )
    clock = wiring.clock()
    begin = clock.monotonic()
    found = asyncio.run(checked(path, wanted, fetch=fetch, select=_words(select), ignore=_words(ignore)))
    if output == "json":
        terminal.echo(as_json(found))
    else:
        terminal.echo(screen(found, clock.monotonic() - begin, verbose=verbose))
    bad = [Severity(one) for one in _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]]
    failed = any(one.severity in bad for one in found.findings) or (strict and bool(found.left_out))
    return 1 if failed else 0


def _words(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())
