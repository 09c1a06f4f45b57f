"""Finds the Application that a live object belongs to, for commands that are given an object alone."""

from __future__ import annotations

import click

from syncline.cli.options import Chosen
from syncline.model.errors import NeedsUser


async def application_of(name: str, chosen: Chosen) -> str:
    """Return `namespace/name` of the Application that delivers an object; the object is read from the cluster."""
    from syncline.controller.settings import read_settings
    from syncline.core.compare import tracking

    kind, namespace, plain = _parts(name)
    async with chosen.connected() as (cluster, words):
        settings = (await read_settings(cluster, chosen.namespace)).settings
        served = [one for one in (await cluster.discover()).resources if one.gvk.kind.lower() == kind.lower()]
        if not served:
            raise NeedsUser(f"{words} serves no kind {kind}")
        for resource in served:
            for obj in (await cluster.list(resource, namespace=namespace if resource.namespaced else "")).items:
                whole = {"apiVersion": resource.gvk.api_version, "kind": resource.gvk.kind, **obj}
                if obj["metadata"]["name"] == plain and (instance := tracking.owner_of(whole, settings)):
                    owner_namespace, underscore, owner = instance.partition("_")
                    found = f"{owner_namespace}/{owner}" if underscore else f"{chosen.namespace}/{instance}"
                    click.echo(f"{name} belongs to Application {found}", err=True)
                    return found
    raise NeedsUser(f"no Application delivers {name}", hint="name the Application with --app")


def _parts(name: str) -> tuple[str, str, str]:
    """Return kind, namespace and name of `Kind/name`, `Kind/namespace/name` or `group/Kind:namespace/name`."""
    if ":" in name:
        from syncline.apimachinery.keys import ObjectKey

        key = ObjectKey.parse(name)
        return key.kind, key.namespace, key.name
    kind, _, rest = name.partition("/")
    namespace, _, plain = rest.rpartition("/")
    if not plain:
        raise NeedsUser(f"{name!r} names no object", hint="write Deployment/web or Deployment/shop/web")
    return kind, namespace, plain
