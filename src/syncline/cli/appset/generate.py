"""`syncline appset generate`: the Applications that ApplicationSets of a file create, without a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.options import allow_local_option, clusters_option, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.api.applicationsets import GeneratedApplication
    from syncline.model.cluster import KnownCluster
    from syncline.model.desired import DesiredObject
    from syncline.wiring import RenderTools


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@clusters_option
@click.option("--local", is_flag=True, help="Read these folders as they are, committed or not.")
@output_option("yaml", "json", "name")
def generate(file: Path, repos: tuple[str, ...], clusters: Path | None, output: str, *, local: bool) -> int:
    """Print the Applications that the ApplicationSets of FILE create, with the parameters and where those come from.

    The current checkout replaces its remotes. Without --clusters only the local cluster is known.
    """
    import asyncio

    from syncline import wiring
    from syncline.api import applicationsets, object_files
    from syncline.model.errors import InvalidSpec

    found = [item for item in object_files.located(file, with_fields=True) if item.obj.get("kind") == "ApplicationSet"]
    if not found:
        raise InvalidSpec(f"{file} contains no ApplicationSet")
    known = applicationsets.known_clusters(clusters) if clusters else []
    tools = wiring.tools(repos, local=local)
    made = asyncio.run(_made(found, tools, known))
    _print([one for applications in made for one in applications], output)
    for item, applications in zip(found, made, strict=True):
        if not applications:
            place = item.origin.place("spec.generators")
            terminal.echo(
                f"{place}: ApplicationSet {item.key.name} creates no Application: its generators give no parameters",
                err=True,
            )
    return 0


async def _made(
    sets: list[DesiredObject], tools: RenderTools, known: list[KnownCluster]
) -> list[list[GeneratedApplication]]:
    from syncline.api import applicationsets

    return [await applicationsets.generated([one], tools, known) for one in sets]


def _print(applications: list[GeneratedApplication], output: str) -> None:
    import orjson

    from syncline.apimachinery import yaml

    if output == "json":
        rows = [_row(one) for one in applications]
        terminal.echo_data(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    for one in applications:
        if output == "name":
            terminal.echo_data(one.application["metadata"].get("name", ""))
        else:
            places = ", ".join(map(str, one.origins))
            terminal.echo_data(f"---\n# {places}\n{yaml.dump(one.application)}", nl=False)


def _row(one: GeneratedApplication) -> dict[str, Any]:
    return {
        "application": one.application,
        "parameters": one.parameters,
        "origins": [str(place) for place in one.origins],
    }
