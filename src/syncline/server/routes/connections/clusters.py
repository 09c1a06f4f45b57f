"""The clusters that Applications are delivered to; never what proves who we are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.keys import GroupVersionKind
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model import names
from syncline.model.cluster import KnownCluster
from syncline.model.logins import without_logins
from syncline.ports.kube import ApiResource
from syncline.server.answers import connections
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Filtered, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.verbs.clusters import chosen_cluster, known_clusters
from syncline.verbs.errors import NotFound

_NOT_OPEN = "Cluster has no applications and is not being monitored."


async def list_clusters(call: Call) -> dict[str, Any]:
    """Return the clusters that may be seen."""
    named, server = call.text("name"), call.text("server").rstrip("/")
    found = [one for one in await visible(call) if named in ("", one["name"]) and server in ("", one["server"])]
    return {"metadata": {}, "items": found}


async def visible(call: Call) -> list[dict[str, Any]]:
    """Return the clusters that may be seen, without credentials."""
    known, _broken = await known_clusters(call.backend.home, call.backend.namespace)
    counts = Counter(row.server or row.cluster for row in call.backend.shelf.rows())
    return [_shown(call, one, counts) for one in known if call.may("clusters", "get", rbac_name(one))]


def rbac_name(one: KnownCluster) -> str:
    """Return the name under which policies speak of a cluster."""
    return f"{one.project}/{one.server}" if one.project else one.server


async def found_cluster(call: Call, wanted: str) -> KnownCluster | None:
    """Return a cluster by its address or name; None where there is none."""
    known, _broken = await known_clusters(call.backend.home, call.backend.namespace)
    return chosen_cluster(known, wanted)


async def _find(call: Call) -> Target[KnownCluster]:
    wanted = call.path("server")
    found = await found_cluster(call, wanted)
    if found is None:
        # Without the names of those there are: not everybody may see them.
        return Target(wanted, problem=NotFound(f"cluster '{without_logins(wanted)}' not found"))
    return Target(rbac_name(found), found)


CLUSTER: Final = Subject("the cluster in the path, `ADDRESS` or `PROJECT/ADDRESS`", _find)


async def get_cluster(call: Call) -> dict[str, Any]:
    """Return one cluster, by its address or name, without credentials."""
    return shown_cluster(call, call.of(CLUSTER))


def shown_cluster(call: Call, one: KnownCluster) -> dict[str, Any]:
    """Return what is told of one cluster."""
    return _shown(call, one, Counter(row.server or row.cluster for row in call.backend.shelf.rows()))


def _shown(call: Call, one: KnownCluster, counts: Mapping[str, int]) -> dict[str, Any]:
    live = call.backend.view.live_of(one.server)
    trouble = live.unreachable if live is not None else ""
    status = "Failed" if trouble else "Successful" if live is not None else "Unknown"
    words = without_secrets(trouble) if live is not None else _NOT_OPEN
    state = {"status": status, "message": words, "attemptedAt": call.backend.world.now()}
    version = live.discovery.short_version if live is not None else ""
    kinds = (
        sorted({text for one in live.discovery.resources if _is_kept(one) for text in _api(one.gvk)})
        if live is not None
        else []
    )
    return {
        "server": one.server,
        "name": one.name,
        "project": one.project,
        "namespaces": list(one.namespaces),
        "clusterResources": one.cluster_resources,
        "labels": {key: value for key, value in one.labels.items() if key != names.SECRET_TYPE},
        "connectionState": state,
        "config": {"tlsClientConfig": {"insecure": bool(one.access and one.access.tls_client_config.insecure)}},
        "serverVersion": version,
        "info": {
            "connectionState": state,
            "serverVersion": version,
            "applicationsCount": counts.get(one.server, 0) + counts.get(one.name, 0),
            "apiVersions": kinds,
            "cacheInfo": {"resourcesCount": len(live.index) if live is not None else 0, "apisCount": len(kinds)},
        },
    }


def _is_kept(one: ApiResource) -> bool:
    """Whether objects of a kind can be followed, and are not mere measurements."""
    return {"list", "watch"} <= one.verbs and one.gvk.group != "metrics.k8s.io"


def _api(gvk: GroupVersionKind) -> tuple[str, str]:
    """Return a version of a group, and the kind in it, as charts ask for them."""
    return gvk.api_version, f"{gvk.api_version}/{gvk.kind}"


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/clusters",
        handler=list_clusters,
        about="List clusters.",
        answer=connections.ClusterList,
        permission=Filtered("clusters", "get", "clusters"),
        query=(Query("name"), Query("server")),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/clusters/{server:path}",
        handler=get_cluster,
        about="Get a cluster by its address or name.",
        answer=connections.ClusterAnswer,
        permission=Needs("clusters", "get", CLUSTER),
        query=(Query("id.type", "Accepted: an address and a name are told apart."),),
    ),
)
