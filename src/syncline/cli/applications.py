"""Reads and writes Applications directly in the Kubernetes API, for the command line."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

from syncline.apimachinery.keys import GroupKind, Object
from syncline.model import names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, ApiResource, Cluster

MANAGER: Final = "syncline-cli"
"""The field manager of what people change by hand."""
_ATTEMPTS = 5
_APPLICATION = GroupKind(names.GROUP, "Application")


async def application_resource(cluster: Cluster) -> ApiResource:
    """Return how Applications are served; raises a sentence when they are not."""
    resource = (await cluster.discover()).find(_APPLICATION)
    if resource is None:
        raise NeedsUser(
            "this cluster has no Applications", hint="install the CRDs: syncline admin crds | kubectl apply -f -"
        )
    return resource


async def read_application(cluster: Cluster, namespace: str, name: str) -> tuple[ApiResource, Object]:
    """Return one Application; raises a sentence that names the ones there are."""
    resource = await application_resource(cluster)
    found = await cluster.get(resource, namespace, name)
    if found is None:
        others = [str(item["metadata"]["name"]) for item in (await cluster.list(resource, namespace=namespace)).items]
        listed = ", ".join(sorted(others)[:10]) or "none"
        raise NeedsUser(f"Application {name} not found in namespace {namespace}", hint=f"there: {listed}")
    return resource, found


async def change_application(
    cluster: Cluster, namespace: str, name: str, change: Callable[[Object], Object]
) -> tuple[Object, bool]:
    """Change an Application as it is stored, also when others write to it; returns it, and whether it changed."""
    for _ in range(_ATTEMPTS):
        resource, obj = await read_application(cluster, namespace, name)
        wanted = change(copy.deepcopy(obj))
        if wanted == obj:
            return obj, False
        try:
            return await cluster.replace(resource, wanted, manager=MANAGER), True
        except ApiError as error:
            if error.reason != "Conflict":
                raise
    raise NeedsUser(f"Application {name} is being changed by others all the time", hint="try again")


def split_name(text: str, namespace: str) -> tuple[str, str]:
    """Return namespace and name of `name` or `namespace/name`."""
    first, slash, rest = text.partition("/")
    return (first, rest) if slash else (namespace, text)


def control_namespace(app: Object, otherwise: str) -> str:
    """Return the namespace of the installation an Application belongs to: its controller says, once it has looked."""
    return str((app.get("status") or {}).get("controllerNamespace") or otherwise)


def short_revision(revision: str) -> str:
    """Return a revision as people say it."""
    return revision[:7] if len(revision) == 40 else revision


def policy_of(obj: Object) -> str:
    """Return the SYNCPOLICY word."""
    automated = ((obj.get("spec") or {}).get("syncPolicy") or {}).get("automated")
    if automated is None or automated.get("enabled") is False:
        return "Manual"
    return "Auto-Prune" if automated.get("prune") else "Auto"


def conditions_of(obj: Object) -> str:
    """Return the CONDITIONS word: each type with how often it stands there."""
    counts: dict[str, int] = {}
    for condition in (obj.get("status") or {}).get("conditions") or ():
        kind = str(condition.get("type"))
        counts[kind] = counts.get(kind, 0) + 1
    return ",".join(f"{kind}({count})" if count > 1 else kind for kind, count in sorted(counts.items())) or "<none>"


def sync_and_health(obj: Object) -> tuple[str, str]:
    """Return sync status and health, `Unknown` where there is none yet."""
    status: dict[str, Any] = obj.get("status") or {}
    sync = (status.get("sync") or {}).get("status") or "Unknown"
    return sync, (status.get("health") or {}).get("status") or "Unknown"
