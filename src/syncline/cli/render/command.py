"""`syncline render`: what a folder of files makes, without any Application or cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncline.cli.options import allow_local_option, build_options_option, output_option
from syncline.cli.show import terminal


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--name", default="", help="Name to render for: the release name of a chart (default: that of the folder)."
)
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace to render for.")
@click.option(
    "-f", "--values", "values", multiple=True, help="Value file of a chart, from here or from PATH (can be repeated)."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Parameter of a chart.")
@click.option("--recurse", is_flag=True, help="Read plain manifests of subfolders too.")
@click.option("--kube-version", default="", help="Kubernetes version to render for.")
@click.option("--api-versions", multiple=True, help="API version to render for (can be repeated).")
@click.option("--show-origin", is_flag=True, help="Print the file and line before each object.")
@click.option("--show-secrets", is_flag=True, help="Print the values of Secrets.")
@build_options_option
@allow_local_option
@output_option("yaml", "json")
def render(path: Path, output: str, build_options: str, *, show_origin: bool, show_secrets: bool, **given: Any) -> int:
    """Render a folder: plain manifests, a chart, a kustomization or Jsonnet."""
    from syncline.api import rendering
    from syncline.cli.render.rendering import print_desired

    parameters = [_parameter(text) for text in given.pop("settings")]
    desired = rendering.render(path, parameters=parameters, kustomize_build_options=build_options, **given)
    if not desired.objects:
        terminal.echo(f"{path} has no objects (read subfolders with --recurse)", err=True)
    print_desired(desired, output, show_origin=show_origin, show_secrets=show_secrets)
    return 0


def _parameter(text: str) -> tuple[str, str]:
    from syncline.model.errors import NeedsUser

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise NeedsUser(f"{text!r} is not NAME=VALUE", hint="write --set image.tag=2")
    return name, value
