"""The clusters that Applications are delivered to; never what proves who we are."""

from __future__ import annotations

from collections import Counter
from typing import Any

from syncline.core.diagnose.redaction import without_secrets
from syncline.model import names
from syncline.model.cluster import KnownCluster
from syncline.server.call import Call
from syncline.server.routing import Endpoint, Query
from syncline.verbs.clusters import find_cluster, known_clusters


async def list_clusters(call: Call) -> dict[str, Any]:
    """Return the clusters that may be seen."""
    return {"metadata": {}, "items": await visible(call)}


async def visible(call: Call) -> list[dict[str, Any]]:
    """Return the clusters that may be seen, without credentials."""
    known, _broken = await known_clusters(call.backend.home, call.backend.namespace)
    rows = call.backend.shelf.rows()
    counts = Counter(row.server or row.cluster for row in rows)
    return [
        _shown(call, one, counts[one.server] + counts[one.name])
        for one in known
        if call.may("clusters", "get", _rbac_name(one))
    ]


def _rbac_name(one: KnownCluster) -> str:
    return f"{one.project}/{one.server}" if one.project else one.server


async def get_cluster(call: Call) -> dict[str, Any]:
    """Return one cluster, by its address or name, without credentials."""
    wanted = call.path("server")
    known, _broken = await known_clusters(call.backend.home, call.backend.namespace)
    found = [one for one in known if wanted.rstrip("/") in (one.server, one.name)]
    # The right is asked of the cluster that is stored, and of what was asked for where none is.
    call.require("clusters", "get", _rbac_name(found[0]) if found else wanted)
    return _shown(call, find_cluster(known, wanted), 0)


def _shown(call: Call, one: KnownCluster, apps: int) -> dict[str, Any]:
    live = call.backend.view.live_of(one.server)
    trouble = live.unreachable if live is not None else ""
    status = "Failed" if trouble else "Successful" if live is not None else "Unknown"
    state = {"status": status, "message": without_secrets(trouble)}
    return {
        "server": one.server,
        "name": one.name,
        "project": one.project,
        "namespaces": list(one.namespaces),
        "clusterResources": one.cluster_resources,
        "labels": {key: value for key, value in one.labels.items() if key != names.SECRET_TYPE},
        "connectionState": state,
        "serverVersion": live.discovery.version if live is not None else "",
        "info": {
            "connectionState": state,
            "serverVersion": live.discovery.version if live is not None else "",
            "applicationsCount": apps,
            "cacheInfo": {"resourcesCount": len(live.index) if live is not None else 0},
        },
    }


ENDPOINTS = (
    Endpoint(method="GET", path="/api/v1/clusters", handler=list_clusters, about="List clusters."),
    Endpoint(
        method="GET",
        path="/api/v1/clusters/{server:path}",
        handler=get_cluster,
        about="Get a cluster by its address or name.",
        query=(Query("id.type", "Accepted: an address and a name are told apart."),),
    ),
)
