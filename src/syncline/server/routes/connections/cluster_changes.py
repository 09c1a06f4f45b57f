"""Adding, changing and removing clusters that Applications are delivered to; credentials go in and never come out."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model import cluster as clusters
from syncline.model.cluster import IN_CLUSTER, Access, KnownCluster
from syncline.model.cluster_claims import is_home
from syncline.server.access.inner_addresses import require_ordinary_host
from syncline.server.answers import connections
from syncline.server.answers.kinds import Empty
from syncline.server.requests.call import Call
from syncline.server.requests.failures import DENIED, INVALID, REFUSED, Failure
from syncline.server.requests.permissions import Also, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.connections.clusters import CLUSTER, found_cluster, rbac_name, shown_cluster
from syncline.verbs.clusters import put_cluster, refresh_cluster, remove_cluster

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
    wanted, present = call.of(_NEW), call.optional(_PRESENT)
    _require_operator(call, wanted, present)
    await _put(call, wanted, present, replace=call.flag("upsert"))
    return shown_cluster(call, wanted)


async def _find_new(call: Call) -> Target[KnownCluster]:
    server = _server(call)
    if not server:
        return Target("*", problem=Failure(INVALID, "the body is a cluster with its server, https://…"))
    wanted = call.body(ClusterBody).cluster(server)
    return Target(rbac_name(wanted), wanted)


async def _find_present(call: Call) -> Target[KnownCluster] | None:
    server = call.of(_NEW).server
    present = await found_cluster(call, server)
    if present is None or present.server != server:
        return None
    return Target(rbac_name(present), present, permitted=not call.flag("upsert"))


def _home(wanted: Subject[KnownCluster]) -> Subject[None]:
    """Return the cluster with the Applications, where `wanted` is that one: no project gives a right to it."""

    async def find(call: Call) -> Target[None] | None:
        return Target(IN_CLUSTER.server) if is_home(call.of(wanted).server) else None

    return Subject("the cluster with the Applications, where the address leads there", find)


_NEW = Subject("the cluster in the body, `ADDRESS` or `PROJECT/ADDRESS`", _find_new)
_PRESENT = Subject("the cluster that has that address already", _find_present)


def _server(call: Call) -> str:
    body = call.raw_body if isinstance(call.raw_body, dict) else {}
    server = body.get("server")
    if not isinstance(server, str) or not server.startswith(("https://", "http://")):
        return ""
    # What follows would change the path of every request, and user names are no part of an address here.
    return "" if any(sign in server for sign in "?#@\\") or server.split() != [server] else server.rstrip("/")


async def update(call: Call) -> dict[str, Any]:
    """Change a cluster: what `updatedFields` names, or all of it."""
    wanted, present = call.of(_CHANGED), call.of(CLUSTER)
    _require_operator(call, wanted, present)
    await _put(call, wanted, present, replace=True)
    return shown_cluster(call, wanted)


async def _find_changed(call: Call) -> Target[KnownCluster]:
    present = call.of(CLUSTER)
    wanted = call.body(ClusterBody).cluster(present.server)
    if only := call.texts("updatedFields"):
        kept = {_ATTRIBUTES[name]: getattr(wanted, _ATTRIBUTES[name]) for name in only if name in _ATTRIBUTES}
        wanted = clusters.changed(present, **kept)
    return Target(rbac_name(wanted), wanted)


_CHANGED = Subject("the cluster as the body changes it: another project counts too", _find_changed)


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


def _require_operator(call: Call, wanted: KnownCluster, present: KnownCluster | None) -> None:
    """Refuse what only the operator decides: inner addresses, and credentials that are the installation's own.

    A token made with the identity of the installation would be sent to whatever server the cluster names. What the
    operator stored may stay while other fields change.
    """
    is_kept = present is not None and (present.server, present.access) == (wanted.server, wanted.access)
    if is_kept or call.may("projects", "update", "*"):
        return
    access = wanted.access or Access()
    for url in (wanted.server, access.proxy_url):
        require_ordinary_host(url)
    if access.aws_auth_config is not None or access.exec_provider_config is not None:
        message = (
            "awsAuthConfig and execProviderConfig use the identity of the installation: only an admin may set them"
        )
        raise Failure(DENIED, message)


async def _put(call: Call, wanted: KnownCluster, present: KnownCluster | None, *, replace: bool) -> None:
    secret: Object = clusters.secret_of(wanted, call.backend.namespace, name=present.secret if present else "")
    await put_cluster(call.backend.home, secret, replace=replace, hint="with upsert=true it is replaced")


async def delete(call: Call) -> dict[str, Any]:
    """Remove a cluster from the installation; what was delivered there stays."""
    present = call.of(CLUSTER)
    if not present.secret:
        raise Failure(REFUSED, "the cluster with the Applications is always known; no Secret describes it")
    await remove_cluster(call.backend.home, call.backend.namespace, present.secret)
    return {}


async def rotate(_call: Call) -> dict[str, Any]:
    """Refuse to replace the token of a cluster, which Syncline did not make."""
    raise Failure(
        REFUSED,
        "tokens of clusters are not rotated here",
        hint="make a new one on the cluster and set it with PUT /api/v1/clusters/{server}?updatedFields=config",
    )


async def invalidate(call: Call) -> dict[str, Any]:
    """Have a cluster read again by who keeps a copy of it; Syncline's own view follows the cluster anyway."""
    present = call.of(CLUSTER)
    if present.secret:
        await refresh_cluster(call.backend.home, call.backend.namespace, present.secret, call.backend.world.now())
    return shown_cluster(call, present)


_LIST = "/api/v1/clusters"
_ONE = "/api/v1/clusters/{server:path}"
_UPDATES = Needs("clusters", "update", CLUSTER)
_OPERATORS = Also(
    "projects", "update", "all projects (`*`), for inner addresses and the installation's own cloud identity"
)
ENDPOINTS = (
    Endpoint(
        method="POST",
        path=_LIST,
        handler=create,
        about="Add a cluster.",
        answer=connections.ClusterAnswer,
        permission=(
            Needs("clusters", "create", _NEW),
            Needs("clusters", "create", _home(_NEW)),
            Needs("clusters", "update", _PRESENT, "with `upsert`"),
        ),
        also=(_OPERATORS,),
        query=(_UPSERT,),
        body=ClusterBody,
    ),
    Endpoint(
        method="POST",
        path=f"{_ONE}/rotate-auth",
        handler=rotate,
        about="Refused: tokens are not rotated.",
        answer=Empty,
        permission=_UPDATES,
    ),
    Endpoint(
        method="POST",
        path=f"{_ONE}/invalidate-cache",
        handler=invalidate,
        about="Have a cluster read again.",
        answer=connections.ClusterAnswer,
        permission=_UPDATES,
    ),
    Endpoint(
        method="PUT",
        path=_ONE,
        handler=update,
        about="Change a cluster.",
        answer=connections.ClusterAnswer,
        permission=(_UPDATES, Needs("clusters", "update", _CHANGED), Needs("clusters", "update", _home(_CHANGED))),
        also=(_OPERATORS,),
        query=(_FIELDS,),
        body=ClusterBody,
    ),
    Endpoint(
        method="DELETE",
        path=_ONE,
        handler=delete,
        about="Remove a cluster.",
        answer=Empty,
        permission=Needs("clusters", "delete", CLUSTER),
    ),
)
