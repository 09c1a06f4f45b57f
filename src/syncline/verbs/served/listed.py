"""Repositories and clusters as an API server lists them, as values of the model; credentials never travel.

Used by `syncline.verbs.served.home`.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.model.cluster import KnownCluster
from syncline.model.sources.repository import Credentials, Repository, Way


def repository(found: Object) -> tuple[Repository, tuple[str, str]]:
    """Return a repository, and whether the server can read it with its reason."""
    way = Way(
        insecure=bool(found.get("insecure")),
        ignore_host_key=bool(found.get("insecureIgnoreHostKey")),
        lfs=bool(found.get("enableLfs")),
        oci=bool(found.get("enableOCI")),
    )
    one = Repository(
        url=_text(found, "repo"),
        kind=_text(found, "type") or "git",
        name=_text(found, "name"),
        project=_text(found, "project"),
        credentials=Credentials(username=_text(found, "username")),
        way=way,
        inherited=bool(found.get("inheritedCreds")),
    )
    return one, (_state_of(found)["status"] or "Unknown", _state_of(found)["message"])


def cluster(found: Object) -> KnownCluster:
    """Return a cluster."""
    return KnownCluster(
        server=_text(found, "server"),
        name=_text(found, "name"),
        project=_text(found, "project"),
        namespaces=tuple(map(str, found.get("namespaces") or ())),
        cluster_resources=bool(found.get("clusterResources")),
        labels={str(key): str(value) for key, value in (found.get("labels") or {}).items()},
    )


def state(found: Object) -> dict[str, str]:
    """Return version and state of a cluster."""
    info = found.get("info") or {}
    version = _text(found, "serverVersion") or str(info.get("serverVersion") or "")
    return {"serverVersion": version, **_state_of(found)}


def _state_of(found: Object) -> dict[str, str]:
    told: Any = found.get("connectionState") or (found.get("info") or {}).get("connectionState") or {}
    return {"status": str(told.get("status") or ""), "message": str(told.get("message") or "")}


def _text(found: Object, name: str) -> str:
    return str(found.get(name) or "")
