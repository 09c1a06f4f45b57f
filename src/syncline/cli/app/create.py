"""`syncline app create`: from a file, from flags, or from a file that flags complete."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.spec_flags import Flag, put_flags, spec_flags
from syncline.cli.app.sync_policy_flags import PolicyFlags, put_policy, sync_policy_flags
from syncline.cli.applications import MANAGER, application_resource
from syncline.cli.options import Chosen, chosen_cluster
from syncline.model import application, names
from syncline.model.errors import NeedsUser, Place
from syncline.ports.kube import Cluster

_SERVER_FIELDS = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")
"""What an API server writes: a file may hold it when it was printed from a cluster."""
VALIDATE = click.option(
    "--validate/--no-validate", default=True, show_default=True, help="Refuse what cannot work as it is written."
)


@click.command()
@click.argument("name", required=False, default="")
@chosen_cluster
@click.option(
    "-f",
    "--file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="File with Applications (-: standard input).",
)
@click.option("--name", "flag_name", default="", help="Name of the Application, the same as the argument.")
@click.option("--upsert", is_flag=True, help="Overwrite an Application that is there already and says something else.")
@click.option("-l", "--label", "labels", multiple=True, help="Label KEY=VALUE (can be repeated).")
@click.option("--annotations", multiple=True, help="Annotation KEY=VALUE (can be repeated).")
@click.option("--set-finalizer", is_flag=True, help="Deleting the Application deletes its objects too.")
@VALIDATE
@sync_policy_flags
@spec_flags(application=True)
def create(
    name: str,
    flag_name: str,
    chosen: Chosen,
    file: Path | None,
    labels: tuple[str, ...],
    annotations: tuple[str, ...],
    policy: PolicyFlags,
    given: Mapping[Flag, Any],
    *,
    upsert: bool,
    set_finalizer: bool,
    validate: bool,
) -> int:
    """Create an Application from a file, from flags, or from both: flags win."""
    name = name or flag_name
    applications = _read(file) if file else [{"spec": {}}]
    if len(applications) > 1 and (name or given):
        raise NeedsUser(f"{file} holds {len(applications)} Applications", hint="flags and a name need just one")
    for app in applications:
        _complete(app, name, chosen.namespace)
        metadata = app["metadata"]
        _add(metadata, "labels", labels)
        _add(metadata, "annotations", annotations)
        if set_finalizer and names.RESOURCES_FINALIZER not in metadata.setdefault("finalizers", []):
            metadata["finalizers"].append(names.RESOURCES_FINALIZER)
        put_flags(app, source_of(app) if of_source(given) else {}, given)
        put_policy(app, policy)
        if validate:
            check(app)
    return asyncio.run(_create(chosen, applications, upsert=upsert))


def _read(file: Path) -> list[dict[str, Any]]:
    from syncline.apimachinery import yaml

    found = []
    piped = str(file) == "-"
    content: bytes = sys.stdin.buffer.read() if piped else file.read_bytes()
    where = "standard input" if piped else str(file)
    for document in yaml.load_documents(content, source=where):
        if not isinstance(document.value, dict) or document.value.get("kind") != "Application":
            raise NeedsUser("this document is no Application", place=Place(where, document.line))
        found.append({**document.value, "spec": document.value.get("spec") or {}})
    if not found:
        raise NeedsUser(f"{where} holds no Application")
    return found


def _complete(app: dict[str, Any], name: str, namespace: str) -> None:
    metadata = app["metadata"] = {**(app.get("metadata") or {})}
    for field in _SERVER_FIELDS:
        metadata.pop(field, None)
    app.pop("status", None)
    if name:
        metadata["name"] = name
    if not metadata.get("name"):
        raise NeedsUser("the Application has no name", hint="give one as argument, or in metadata.name")
    metadata.setdefault("namespace", namespace)
    app["apiVersion"], app["kind"] = names.API_VERSION, "Application"
    app["spec"].setdefault("destination", {})
    app["spec"].setdefault("project", "default")


def _add(metadata: dict[str, Any], field: str, pairs: tuple[str, ...]) -> None:
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise NeedsUser(f"{pair} is not of the form KEY=VALUE")
        metadata.setdefault(field, {})[key] = value


def of_source(given: Mapping[Flag, Any]) -> bool:
    """Whether any of the flags that were given belongs to a source."""
    return any(not flag.path.startswith("spec.") for flag in given)


def source_of(app: dict[str, Any], position: int = 0) -> dict[str, Any]:
    """Return one source of an Application for changing; positions count from 1 and are for several sources."""
    spec = app["spec"]
    sources: list[dict[str, Any]] = spec.get("sources") or []
    if not sources:
        if position > 1:
            raise NeedsUser(f"there is no source {position}: this Application has one source")
        source: dict[str, Any] = spec.get("source") or {}
        if spec.get("sourceHydrator") is None:
            spec["source"] = source
        return source
    if len(sources) == 1:
        position = position or 1
    if not 1 <= position <= len(sources):
        raise NeedsUser(
            f"this Application has {len(sources)} sources", hint=f"choose one with --source-position 1…{len(sources)}"
        )
    return sources[position - 1]


def check(app: dict[str, Any]) -> None:
    """Raise a sentence when an Application cannot be worked with as written."""
    for raw in app["spec"].get("sources") or [app["spec"].get("source") or {}]:
        if not raw.get("repoURL") and not app["spec"].get("sourceHydrator"):
            raise NeedsUser("the source has no repository", hint="say --repo URL")
    parsed = application.parse(app)
    for source in parsed.spec.all_sources:
        if not (source.path or source.chart or source.ref):
            raise NeedsUser(
                f"the source {source.repo_url} has neither path nor chart", hint="say --path or --helm-chart"
            )
    destination = parsed.spec.destination
    if bool(destination.server) == bool(destination.name):
        many = "both a server and a name" if destination.server else "neither a server nor a name"
        raise NeedsUser(f"the destination has {many}", hint="say --dest-server or --dest-name, not both")


async def _create(chosen: Chosen, applications: list[dict[str, Any]], *, upsert: bool) -> int:
    async with chosen.connected() as (cluster, words):
        click.echo(words, err=True)
        for app in applications:
            click.echo(f"application '{app['metadata']['name']}' {await _put(cluster, app, upsert=upsert)}")
    return 0


async def _put(cluster: Cluster, app: dict[str, Any], *, upsert: bool) -> str:
    resource = await application_resource(cluster)
    namespace, name = app["metadata"]["namespace"], app["metadata"]["name"]
    found = await cluster.get(resource, namespace, name)
    if found is None:
        await cluster.create(resource, app, manager=MANAGER)
        return "created"
    wanted = _over(found, app)
    if wanted == found:
        return "unchanged"
    if not upsert:
        raise NeedsUser(
            f"Application {name} exists already and says something else",
            hint="overwrite it with --upsert, or change it with: syncline app set",
        )
    await cluster.replace(resource, wanted, manager=MANAGER)
    return "updated"


def _over(found: Object, app: dict[str, Any]) -> Object:
    """Return what is stored with another spec; labels, annotations and finalizers are added to those there are."""
    metadata = dict(found["metadata"])
    for field in ("labels", "annotations"):
        if app["metadata"].get(field):
            metadata[field] = {**(metadata.get(field) or {}), **app["metadata"][field]}
    if app["metadata"].get("finalizers"):
        metadata["finalizers"] = list(dict.fromkeys([*metadata.get("finalizers", []), *app["metadata"]["finalizers"]]))
    return {**found, "metadata": metadata, "spec": app["spec"]}
