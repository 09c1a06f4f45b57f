"""Renders a folder of files, without any Application or cluster: `syncline.render`.

`syncline render` calls it and prints the objects. Charts and bases may name other folders of the checkout around the
folder, so that checkout is what is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from syncline.api import application_files
from syncline.api.build_options import FoundOptions, checkout_around, options_in, permitted
from syncline.api.running import run
from syncline.controller.sources.renders import Look
from syncline.model.desired import Desired
from syncline.model.errors import NeedsUser, RenderError
from syncline.model.sources.source import ApplicationSource, DirectorySource, HelmParameter, HelmSource
from syncline.ports.render import RenderRequest

_MAX_RELEASE = 53
Parameters = Mapping[str, str] | Sequence[tuple[str, str]]


def render(
    path: str | os.PathLike[str],
    *,
    name: str = "",
    namespace: str = "default",
    values: Sequence[str | os.PathLike[str]] = (),
    parameters: Parameters = (),
    recurse: bool = False,
    kube_version: str = "",
    api_versions: Sequence[str] = (),
    kustomize_build_options: str = "",
) -> Desired:
    """Return the objects that a folder makes: plain manifests, a chart, a kustomization or Jsonnet.

    `objects` of the result are in order, each with `obj` (a dict), `key` and `origin`, whose `place()` is its file and
    line and whose `place("spec.replicas")` is that of a field. `warnings` says what is doubtful. `name` is the release
    of a chart (else the folder's name, with `-` for what a name may not have), `values` are value files from here or
    from the folder, `parameters` set single values of a chart, `recurse` reads plain manifests of folders below too.
    `kustomize_build_options` are as in `kustomize.buildOptions`; without them those count that the settings in the
    checkout have.

    Raises `NeedsUser` where the path is not a folder, `RenderError` where its files make no objects, and `SourceError`
    where something they need cannot be fetched.
    """
    folder = Path(path)
    _check(folder)
    folder = folder.resolve()
    checkout = checkout_around(folder)
    root = checkout or folder
    below = "" if folder == root else folder.relative_to(root).as_posix()
    request = RenderRequest(
        app_name=name or _release(folder.name),
        namespace=namespace,
        project="default",
        source=ApplicationSource(
            str(root),
            path=below or ".",
            helm=_helm(root, folder, values, parameters),
            directory=DirectorySource(recurse=True) if recurse else None,
        ),
        kube_version=kube_version,
        api_versions=tuple(api_versions),
        source_repos=("*",),
        partial=True,
    )

    async def rendered() -> Desired:
        given = FoundOptions(kustomize_build_options)
        return await _rendered(
            request, str(root), below, given if given.text else await permitted(options_in(checkout))
        )

    return run(rendered())


async def _rendered(request: RenderRequest, root: str, below: str, found: FoundOptions) -> Desired:
    from syncline import wiring

    tools = wiring.tools(build_options=found.text)
    try:
        desired = await tools.renders.render(Look(request, wiring.folder(root, below)))
    except RenderError as error:
        hint = "; ".join(filter(None, (error.hint, found.warning)))
        raise RenderError(error.what, place=error.place, hint=hint, missing=error.missing) from None
    return msgspec.structs.replace(desired, warnings=(*desired.warnings, found.warning)) if found.warning else desired


def _release(name: str) -> str:
    """Return a name for a folder that helm and Kubernetes take: as Argo CD makes `path.basenameNormalized` of it."""
    return re.sub(r"[^a-z0-9.-]", "-", name.lower()).strip("-.")[:_MAX_RELEASE].strip("-.") or "release"


def _check(path: Path) -> None:
    """Raise where a path is not a folder; one that makes sense to another function is told so."""
    if path.is_file():
        elsewhere = "`syncline app manifests` and syncline.render_application"
        hint = f"render the folder that contains it; for Applications in a file use {elsewhere}"
        raise NeedsUser(f"{path} is a file", hint=hint)
    if not path.is_dir():
        raise NeedsUser(f"{path}: no such folder", hint=application_files.beside(path))


def _helm(
    root: Path, folder: Path, values: Sequence[str | os.PathLike[str]], parameters: Parameters
) -> HelmSource | None:
    if not values and not parameters:
        return None
    pairs = parameters.items() if isinstance(parameters, Mapping) else parameters
    return HelmSource(
        value_files=tuple(_value_file(root, folder, os.fspath(file)) for file in values),
        parameters=tuple(HelmParameter(name, str(value)) for name, value in pairs),
    )


def _value_file(root: Path, folder: Path, name: str) -> str:
    """Return a value file as a source names it: from the root where it lies here, else from the chart's folder."""
    here = Path(name).resolve()
    if not here.is_file() or (folder / name).is_file():
        return name
    if not here.is_relative_to(root):
        raise NeedsUser(f"value file {name} is outside {root}", hint="copy it there: files outside are not read")
    return f"/{here.relative_to(root).as_posix()}"
