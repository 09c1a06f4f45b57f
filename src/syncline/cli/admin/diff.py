"""`syncline admin diff`: what differs between desired and live objects in files, and which rule would silence it.

Attached to `admin`. Nothing here reaches a cluster: a server's answers to dry runs may be given as a file. Files may
hold many objects, which are paired by key. Ignore rules of the Application and of argocd-cm count, jq included.
Values of Secrets are masked in all output (`syncline.cli.admin.diff_output`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncline.cli.options import compat_option, output_option
from syncline.cli.show import terminal

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILES = click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True)


@click.command("diff")
@click.option("--desired", type=_FILES, required=True, help="File with the objects as Git has them.")
@click.option("--live", type=_FILES, required=True, help="File with the objects as the cluster has them.")
@click.option("--app", type=_PATH, help="File with the Application: its options, ignore rules and tracking count.")
@click.option(
    "--argocd-cm-path", "cm", type=_PATH, help="File with the argocd-cm ConfigMap, ArgoCD resource or chart values."
)
@click.option("--crds", type=_PATH, multiple=True, help="File with CRDs of custom kinds; repeatable.")
@click.option("--predicted", type=_PATH, help="File with the server's answers to dry runs of the apply.")
@click.option(
    "--write-ignore", is_flag=True, help="Print the ignore rule that silences this; with --app, write it there."
)
@click.option("--accept", metavar="REASON", help="Like --write-ignore, but as accepted drift, with the reason why.")
@click.option("--until", metavar="DATE", default="", help="When accepted drift expires, such as 2026-12-31.")
@click.option("--as-of", metavar="TIME", default="", help="Time at which expiry is checked (default: now).")
@compat_option
@output_option("text", "json")
def diff(**given: Any) -> int:
    """Show what differs between desired and live objects, field by field, and why (exit code 1 if anything does)."""
    from syncline.api import diffing
    from syncline.cli.admin import diff_output, diff_rules

    found = diffing.diff(
        given["desired"],
        given["live"],
        app=given["app"],
        settings=given["cm"],
        crds=given["crds"],
        predicted=given["predicted"],
        as_of=given["as_of"],
        compat=given["compat"],
    )
    for note in found.notes:
        terminal.echo(note, err=True)
    rules = diff_rules.wanted(given, found)
    if given["output"] == "json":
        diff_output.print_json(found, rules)
    else:
        diff_output.print_text(found, rules)
    diff_rules.write(given, rules)
    return diff_output.exit_code(found)
