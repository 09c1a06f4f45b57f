"""`syncline render`: what a folder of files makes, without any Application or cluster."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from syncline.cli.options import output_option


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", default="", help="Name to render for: the release of a chart (else that of the folder).")
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace to render for.")
@click.option(
    "-f", "--values", "values", multiple=True, help="Value file of a chart, from here or from PATH (can be repeated)."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Parameter of a chart.")
@click.option("--recurse", is_flag=True, help="Read plain manifests of folders below too.")
@click.option("--kube-version", default="", help="Kubernetes version to render for.")
@click.option("--api-versions", multiple=True, help="API version to render for (can be repeated).")
@click.option("--show-origin", is_flag=True, help="Say before each object which file and line made it.")
@click.option("--show-secrets", is_flag=True, help="Print the values of Secrets.")
@output_option("yaml", "json")
def render(path: Path, output: str, *, show_origin: bool, show_secrets: bool, **given: Any) -> int:
    """Print the objects that a folder of files makes: plain manifests, a chart, a kustomization, Jsonnet."""
    from syncline.cli.render.rendering import print_desired

    _check(path)
    desired = asyncio.run(_render(path.resolve(), given))
    if not desired.objects:
        click.echo(f"{path} makes no objects (folders below it are read with --recurse)", err=True)
    print_desired(desired, output, show_origin=show_origin, show_secrets=show_secrets)
    return 0


async def _render(path: Path, given: dict[str, Any]) -> Any:
    from syncline import wiring
    from syncline.controller.sources.renders import Look
    from syncline.ports.render import RenderRequest

    root = _root(path)
    below = "" if path == root else path.relative_to(root).as_posix()
    request = RenderRequest(
        app_name=given["name"] or path.name.lower(),
        namespace=given["namespace"],
        project="default",
        source=_source(root, below, given),
        kube_version=given["kube_version"],
        api_versions=given["api_versions"],
        source_repos=("*",),
        partial=True,
    )
    return await wiring.tools().renders.render(Look(request, wiring.folder(str(root), below)))


def _check(path: Path) -> None:
    """Raise where a path is no folder; one that makes sense to another command is told so."""
    from syncline.cli.render import application_files
    from syncline.model.errors import NeedsUser

    if path.is_file():
        hint = "render the folder it is in; Applications of a file are rendered by `syncline app manifests`"
        raise NeedsUser(f"{path} is a file", hint=hint)
    if not path.is_dir():
        raise NeedsUser(f"{path}: there is no such folder", hint=application_files.beside(path))


def _root(path: Path) -> Path:
    """Return the checkout around a folder, since charts and bases may name its other folders; else the folder."""
    return next((folder for folder in (path, *path.parents) if (folder / ".git").exists()), path)


def _value_file(root: Path, folder: Path, name: str) -> str:
    """Return a value file as a source names it: from the root where it lies here, else from the chart's folder."""
    from syncline.model.errors import NeedsUser

    here = Path(name).resolve()
    if not here.is_file() or (folder / name).is_file():
        return name
    if not here.is_relative_to(root):
        raise NeedsUser(f"value file {name} lies outside {root}", hint="copy it there: nothing else is read")
    return f"/{here.relative_to(root).as_posix()}"


def _source(root: Path, below: str, given: dict[str, Any]) -> Any:
    from syncline.model.errors import NeedsUser
    from syncline.model.sources.source import ApplicationSource, DirectorySource, HelmParameter, HelmSource

    parameters = []
    for text in given["settings"]:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise NeedsUser(f"{text!r} is not NAME=VALUE", hint="write --set image.tag=2")
        parameters.append(HelmParameter(name, value))
    helm = None
    if given["values"] or parameters:
        files = tuple(_value_file(root, root / below, name) for name in given["values"])
        helm = HelmSource(value_files=files, parameters=tuple(parameters))
    directory = DirectorySource(recurse=True) if given["recurse"] else None
    return ApplicationSource(str(root), path=below or ".", helm=helm, directory=directory)
