"""Adding, changing and removing clusters that Applications are delivered to; credentials go in and never come out."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model import cluster as clusters
from syncline.model.cluster import IN_CLUSTER, Access, KnownCluster
from syncline.model.cluster_claims import is_home
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, REFUSED, Failure
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.connections.clusters import found_cluster, rbac_name, shown_cluster
from syncline.verbs.clusters import put_cluster, refresh_cluster, remove_cluster
from syncline.verbs.errors import NotFound

_UPSERT = Query("upsert", "Replace the one there is.", "boolean")
_FIELDS = Query("updatedFields", "Change only these (name, namespaces, config, …).", many=True)


class ClusterBody(msgspec.Struct, frozen=True, rename="camel"):
    """A cluster as Argo CD's API describes it."""

    server: str = ""
    name: str = ""
    config: Access = Access()
    namespaces: tuple[str, ...] = ()
    cluster_resources: bool = False
    project: str = ""
    shard: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}

    def cluster(self, server: str) -> KnownCluster:
        """Return the cluster that is described."""
        return KnownCluster(
            server=server,
            name=self.name or server,
            access=self.config,
            namespaces=self.namespaces,
            cluster_resources=self.cluster_resources,
            project=self.project,
            shard=-1 if self.shard is None else self.shard,
            labels=self.labels,
            annotations=self.annotations,
        )


async def create(call: Call) -> dict[str, Any]:
    """Add a cluster, or with `upsert` replace the one of its address."""
    server = _server(call)
    wanted = call.body(ClusterBody).cluster(server) if server else KnownCluster(server="*")
    call.require("clusters", "create", rbac_name(wanted))
    if not server:
        raise Failure(INVALID, "the body is a cluster with its server, https://…")
    _require_operator(call, "create", wanted)
    upsert = call.flag("upsert")
    present = await found_cluster(call, server)
    if present is not None and present.server != server:
        present = None
    if present is not None and upsert:
        call.require("clusters", "update", rbac_name(present))
    await _put(call, wanted, present, replace=upsert)
    return shown_cluster(call, wanted)


def _server(call: Call) -> str:
    body = call.raw_body if isinstance(call.raw_body, dict) else {}
    server = body.get("server")
    return server.rstrip("/") if isinstance(server, str) and server.startswith(("https://", "http://")) else ""


async def update(call: Call) -> dict[str, Any]:
    """Change a cluster: what `updatedFields` names, or all of it."""
    present = await _present(call, "update")
    body = call.body(ClusterBody)
    wanted = body.cluster(present.server)
    if only := call.texts("updatedFields"):
        kept = {_ATTRIBUTES[name]: getattr(wanted, _ATTRIBUTES[name]) for name in only if name in _ATTRIBUTES}
        wanted = clusters.changed(present, **kept)
    call.require("clusters", "update", rbac_name(wanted))
    _require_operator(call, "update", wanted)
    await _put(call, wanted, present, replace=True)
    return shown_cluster(call, wanted)


_ATTRIBUTES = {
    "name": "name",
    "namespaces": "namespaces",
    "config": "access",
    "clusterResources": "cluster_resources",
    "project": "project",
    "shard": "shard",
    "labels": "labels",
    "annotations": "annotations",
}


def _require_operator(call: Call, action: str, wanted: KnownCluster) -> None:
    """Require a right to the cluster with the Applications, by whatever address, that no project gives."""
    if is_home(wanted.server):
        call.require("clusters", action, IN_CLUSTER.server)


async def _put(call: Call, wanted: KnownCluster, present: KnownCluster | None, *, replace: bool) -> None:
    secret: Object = clusters.secret_of(wanted, call.backend.namespace, name=present.secret if present else "")
    await put_cluster(call.backend.home, secret, replace=replace, hint="with upsert=true it is replaced")


async def _present(call: Call, action: str) -> KnownCluster:
    """Return the cluster of a request, for somebody who may do that to it."""
    wanted = call.path("server")
    found = await found_cluster(call, wanted)
    call.require("clusters", action, rbac_name(found) if found is not None else wanted)
    if found is None:
        raise NotFound(f"cluster '{wanted}' not found")
    return found


async def delete(call: Call) -> dict[str, Any]:
    """Remove a cluster from the installation; what was delivered there stays."""
    present = await _present(call, "delete")
    if not present.secret:
        raise Failure(REFUSED, "the cluster with the Applications is always known; no Secret describes it")
    await remove_cluster(call.backend.home, call.backend.namespace, present.secret)
    return {}


async def rotate(call: Call) -> dict[str, Any]:
    """Refuse to replace the token of a cluster, which Syncline did not make."""
    await _present(call, "update")
    raise Failure(
        REFUSED,
        "tokens of clusters are not rotated here",
        hint="make a new one on the cluster and set it with PUT /api/v1/clusters/{server}?updatedFields=config",
    )


async def invalidate(call: Call) -> dict[str, Any]:
    """Have a cluster read again by who keeps a copy of it; Syncline's own view follows the cluster anyway."""
    present = await _present(call, "update")
    if present.secret:
        await refresh_cluster(call.backend.home, call.backend.namespace, present.secret, call.backend.world.now())
    return shown_cluster(call, present)


_LIST = "/api/v1/clusters"
_ONE = "/api/v1/clusters/{server:path}"
ENDPOINTS = (
    Endpoint(method="POST", path=_LIST, handler=create, about="Add a cluster.", query=(_UPSERT,), body=ClusterBody),
    Endpoint(method="POST", path=f"{_ONE}/rotate-auth", handler=rotate, about="Refused: tokens are not rotated."),
    Endpoint(method="POST", path=f"{_ONE}/invalidate-cache", handler=invalidate, about="Have a cluster read again."),
    Endpoint(method="PUT", path=_ONE, handler=update, about="Change a cluster.", query=(_FIELDS,), body=ClusterBody),
    Endpoint(method="DELETE", path=_ONE, handler=delete, about="Remove a cluster."),
)
