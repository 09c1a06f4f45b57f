"""`syncline check`: what is wrong with a GitOps repository, before it is merged; no cluster, no server."""

from __future__ import annotations

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
    from syncline.api.applications import RenderFlags
    from syncline.api.check import Checked

_SEVERITIES = ("error", "warning", "info")
_FORMATS = ("text", "json", "sarif", "github", "markdown", "html")


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@clusters_option
@build_options_option
@click.option("--fetch", is_flag=True, help="Fetch other repositories and charts.")
@click.option(
    "--select", multiple=True, metavar="CODE", help="Only these rules: codes, their beginnings (SRC) or names."
)
@click.option("--ignore", multiple=True, metavar="CODE", help="All but these rules.")
@click.option("--preview-rules", is_flag=True, help="Also run rules that are still on trial.")
@click.option(
    "--min-severity",
    type=Choice(_SEVERITIES),
    default="info",
    show_default=True,
    help="Hide findings that are less severe.",
)
@click.option(
    "--fail-on",
    type=Choice(_SEVERITIES),
    default="error",
    show_default=True,
    help="Exit with 1 for findings of this severity or worse.",
)
@click.option("--strict", is_flag=True, help="Also exit with 1 if something could not be checked.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Leave out the findings of this file."
)
@click.option("--write-baseline", is_flag=True, help="Write all findings to the baseline (.syncline/baseline.json).")
@click.option("--fix", is_flag=True, help="Write fixes that are safe into the files, then check again.")
@click.option(
    "--deliver", is_flag=True, help="Bring the repository up on a sandbox and report what never becomes Healthy."
)
@click.option("--watch", is_flag=True, help="Check again whenever a file changes.")
@click.option("-v", "--verbose", is_flag=True, help="Show warnings and remarks in full, and every place.")
@output_file_option
@output_option(*_FORMATS)
def check(
    paths: tuple[Path, ...],
    repos: tuple[str, ...],
    clusters: Path | None,
    build_options: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    min_severity: str,
    fail_on: str,
    baseline: Path | None,
    output: str,
    output_file: Path | None,
    *,
    fetch: bool,
    preview_rules: bool,
    strict: bool,
    write_baseline: bool,
    fix: bool,
    deliver: bool,
    watch: bool,
    verbose: bool,
) -> int:
    """Find mistakes in a GitOps repository before they are merged, without a cluster.

    Each PATH is a folder or a file; the whole checkout around it is checked (default: this folder).
    """
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters
    from syncline.api.check import Selection, root_of
    from syncline.cli.checkouts import Checkouts, baseline_of
    from syncline.model.errors import NeedsUser
    from syncline.model.finding import Severity

    wanted = RenderFlags(
        local=True,
        repos=repos,
        build_options=build_options,
        clusters=tuple(known_clusters(clusters)) if clusters else (),
    )
    roots = tuple(dict.fromkeys(root_of(path) for path in paths or (Path(),)))
    if len(roots) > 1 and (watch or (write_baseline and baseline)):
        raise NeedsUser("these paths are in more than one checkout", hint="name one of them")
    if deliver:
        return max(_delivered(root, wanted, fetch=fetch) for root in roots)
    selection = Selection(
        select=_words(select), ignore=_words(ignore), preview_rules=preview_rules, least=Severity(min_severity)
    )
    known = baseline_of(baseline, write=write_baseline)
    checkouts = Checkouts(roots, wanted, selection, known, fetch=fetch, again=watch or fix)
    if watch:
        return checkouts.watch(output, verbose=verbose)
    found, seconds = checkouts.once()
    if write_baseline:
        terminal.echo("\n".join(checkouts.write_baselines(found)))
        return 0
    if fix:
        checkouts.fix(found)
        found, seconds = checkouts.once()
    whole = checkouts.whole(found)
    terminal.echo_to(output_file, checkouts.shown(whole, seconds, output, verbose=verbose), data=output != "text")
    return 1 if _failed(whole, fail_on, strict=strict) else 0


def _delivered(root: Path, wanted: RenderFlags, *, fetch: bool) -> int:
    from syncline import wiring
    from syncline.cli.proof.deliver import deliver
    from syncline.cli.proof.show import screen

    clock = wiring.clock()
    begin = clock.monotonic()
    found = wiring.run_in_virtual_time(deliver(root, wanted, fetch=fetch))
    terminal.echo(screen(found, clock.monotonic() - begin))
    return 1 if found.bad or found.absent else 0


def _failed(found: Checked, fail_on: str, *, strict: bool) -> bool:
    bad = _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]
    missing = bool(found.left_out or found.problems) or not (found.apps or found.sets)
    return any(one.severity.value in bad for one in found.findings) or (strict and missing)


def _words(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())
