"""Generates the Applications of ApplicationSets without a cluster: `syncline.generate_applications`.

Used by `syncline appset generate`, and by everything that reads Applications out of files: there an ApplicationSet
stands for the Applications it would create.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from syncline import wiring
from syncline.api import inputs, object_files
from syncline.api.running import run
from syncline.controller.appsets.answering import Answering, answered
from syncline.core.appset.generate import Generated, GenerationError
from syncline.core.appset.parameters import to_json
from syncline.model import applicationset, names
from syncline.model.cluster import KnownCluster, is_cluster_secret, parse_secret
from syncline.model.desired import DesiredObject, Origin
from syncline.model.errors import InvalidSpec, Place
from syncline.ports.source import RevisionRequest

if TYPE_CHECKING:
    from syncline.ports.source import Tree
    from syncline.wiring import RenderTools

KIND = "ApplicationSet"
_UNANSWERED = "failed to list refs"
_LOCAL = "read a local copy of the repository with --repo URL=PATH"


class GeneratedApplication(msgspec.Struct, frozen=True):
    """An Application that an ApplicationSet creates, the parameters that make it, and the places those come from."""

    application: dict[str, Any]
    parameters: dict[str, Any]
    origins: tuple[Place, ...]


def generate_applications(
    appset: inputs.File | Mapping[str, Any],
    *,
    repos: Mapping[str, str | os.PathLike[str]] | None = None,
    clusters: inputs.File | None = None,
    local: bool = False,
) -> list[GeneratedApplication]:
    """Return the Applications of the ApplicationSets of a file, or of a dict.

    `repos` lets folders stand for addresses, `local` takes their files as they are, committed or not. `clusters` is a
    file of cluster Secrets, or of a list of maps with name, server, labels and annotations.

    Raises `InvalidSpec` where a set cannot be read or its generators or template fail.
    """
    found = [item for item in inputs.located(appset, with_fields=True) if item.obj.get("kind") == KIND]
    if not found:
        raise InvalidSpec(f"no {KIND} to generate from", hint="give a file or a dict with one")
    pairs = tuple(f"{url}={os.fspath(folder)}" for url, folder in (repos or {}).items())
    tools = wiring.tools(pairs, local=local)
    return run(generated(found, tools, known_clusters(clusters) if clusters is not None else ()))


async def generated(
    items: Iterable[DesiredObject], tools: RenderTools, clusters: Sequence[KnownCluster] = ()
) -> list[GeneratedApplication]:
    """Return the Applications of ApplicationSets, in the order of the sets."""

    async def tree(repo_url: str, revision: str, project: str) -> Tree:
        folder = tools.folder_of(repo_url)
        if folder:
            return tools.tree(folder)
        sha = await tools.source.resolve(RevisionRequest(repo_url, revision, project=project))
        return await tools.source.tree(repo_url, sha, "", project=project)

    answering = Answering(tree, clusters)
    found: list[GeneratedApplication] = []
    for item in items:
        applicationset.parse(item.obj)
        try:
            applications, _ = await answered(item.obj, answering)
        except GenerationError as error:
            place = item.origin.place(error.field)
            hint = _LOCAL if _UNANSWERED in error.message else ""
            raise InvalidSpec(f"{KIND} {item.key.name}: {error.message}", place=place, hint=hint) from None
        found += [_with_places(one, item.origin) for one in applications]
    return found


def _with_places(one: Generated, origin: Origin) -> GeneratedApplication:
    """Return an Application with the places of its parameters: a file of a repository, else a line of the set."""
    places = [Place(place.file, place.line) if place.file else origin.place(place.field) for place in one.origins]
    return GeneratedApplication(one.obj, to_json(one.values), tuple(dict.fromkeys(places)))


async def expanded(
    items: Sequence[DesiredObject], tools: RenderTools, clusters: Sequence[KnownCluster] = ()
) -> list[DesiredObject]:
    """Return objects with ApplicationSets replaced by their Applications, each placed where its parameters are."""
    found: list[DesiredObject] = []
    for item in items:
        if item.obj.get("kind") != KIND:
            found.append(item)
            continue
        for one in await generated([item], tools, clusters):
            place = one.origins[-1] if one.origins else item.origin.place()
            found.append(DesiredObject(one.application, Origin(file=place.file, line=place.line)))
    return found


def known_clusters(file: inputs.File) -> list[KnownCluster]:
    """Return the clusters that a file describes: cluster Secrets, or a list of maps with name, server and labels."""
    name, documents = object_files.documents(os.fspath(file))
    return [_cluster(one, Place(name, document.line)) for document in documents for one in _members(document.value)]


def _members(value: Any) -> list[Any]:
    items = value.get("items") if isinstance(value, dict) else value
    return items if isinstance(items, list) else [value]


def _cluster(one: Any, place: Place) -> KnownCluster:
    if isinstance(one, dict) and is_cluster_secret(one):
        return parse_secret(one)
    if not isinstance(one, dict) or one.get("kind") or not one.get("name"):
        raise InvalidSpec(
            "this is not a cluster", place=place, hint="give cluster Secrets, or maps with name, server and labels"
        )
    texts = {field: str(one.get(field) or "") for field in ("name", "server", "project")}
    marks = {
        field: {str(key): str(value) for key, value in (one.get(field) or {}).items()}
        for field in ("labels", "annotations")
    }
    server = texts["server"].rstrip("/") or names.IN_CLUSTER_SERVER
    return KnownCluster(
        name=texts["name"],
        server=server,
        project=texts["project"],
        labels={names.SECRET_TYPE: "cluster", **marks["labels"]},
        annotations=marks["annotations"],
    )
