"""Brings an installation into a cluster: what is created if missing, what is applied, and what an older choice left.

Called by `syncline.cli.install.command`. Objects of the same name that Helm or somebody else manages are refused, not
taken over. Where a narrower profile is chosen, the wider roles of before are removed, or nothing would be narrower.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from syncline.apimachinery.keys import Object, gvk_of
from syncline.cli.install import removing
from syncline.cli.run.install import create, exists, served
from syncline.controller.clusters.access import SECRETS
from syncline.core.install.objects import HOME_SECRET, installation, namespace_object
from syncline.core.install.options import MANAGED_BY, InstallOptions, Mode
from syncline.model import names
from syncline.model.crds import all_crds
from syncline.model.default_project import default_project
from syncline.model.errors import NeedsUser
from syncline.model.published_crd import diagnosis_crd
from syncline.ports.kube import ApiError, Cluster

_LABEL = "app.kubernetes.io/managed-by"
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an installation takes, in order."""

    missing: list[Object]
    definitions: list[Object]
    objects: list[Object]
    stale: list[Object]
    last: list[Object]

    def summary(self) -> str:
        """Return how much is written, in words."""
        kinds = {obj["kind"] for obj in self.missing}
        parts = [
            "the namespace is created" if "Namespace" in kinds else "",
            f"{len(self.definitions)} CRDs are applied" if self.definitions else "no CRD is applied",
            f"{len(self.objects)} objects are applied",
            f"{len(self.stale)} objects of an earlier installation are removed" if self.stale else "",
        ]
        return ", ".join(part for part in parts if part)


def definitions(options: InstallOptions) -> list[Object]:
    """Return the CRDs that an installation needs; reading alone needs none."""
    return [] if options.mode is Mode.DIAGNOSE else [*all_crds(), diagnosis_crd()]


async def planned(cluster: Cluster, options: InstallOptions, crds: str) -> Plan:
    """Return what to do; raises a sentence where objects of others are in the way."""
    objects = installation(options)
    space = namespace_object(options.namespace)
    needed = [] if crds == "none" else definitions(options)
    if crds == "missing":
        needed = [obj for obj in needed if not await exists(cluster, obj)]
    for obj in objects:
        await _refuse_foreign(cluster, obj)
    if options.targets:
        await _refuse_other_home(cluster, options.namespace)
    kept = {_name(obj) for obj in objects}
    older = await removing.installed(cluster, options.namespace)
    return Plan(
        missing=[] if await exists(cluster, space) else [space],
        definitions=needed,
        objects=objects,
        stale=[obj for obj in older if _name(obj) not in kept],
        last=[] if options.mode is Mode.DIAGNOSE else [default_project(options.namespace)],
    )


async def carry_out(cluster: Cluster, plan: Plan) -> None:
    """Create and apply, then remove what is stale."""
    await create(cluster, plan.missing)
    await create(cluster, plan.definitions, force=True)
    await create(cluster, [obj for obj in plan.last if not await _is_there(cluster, obj)])
    await create(cluster, plan.objects, force=True)
    await removing.remove(cluster, plan.stale)


async def _is_there(cluster: Cluster, obj: Object) -> bool:
    resource = await served(cluster, obj)
    metadata = obj["metadata"]
    return await cluster.get(resource, metadata["namespace"], metadata["name"]) is not None


async def _refuse_foreign(cluster: Cluster, obj: Object) -> None:
    gvk, metadata = gvk_of(obj), obj["metadata"]
    resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
    if resource is None:
        return
    present = await cluster.get(resource, metadata.get("namespace", ""), metadata["name"])
    manager = (((present or {}).get("metadata") or {}).get("labels") or {}).get(_LABEL, "")
    if present is not None and manager != MANAGED_BY:
        owner = f"is managed by {manager}" if manager else "was not made by `syncline install`"
        hint = "use that program" if manager else "delete it first"
        raise NeedsUser(f"{obj['kind']} {metadata['name']} exists and {owner}", hint=hint)


async def _refuse_other_home(cluster: Cluster, namespace: str) -> None:
    """Raise where another Secret describes the home cluster already: only one of them would count."""
    selector = f"{names.SECRET_TYPE}=cluster"
    try:
        secrets = (await cluster.list(SECRETS, namespace=namespace, label_selector=selector)).items
    except ApiError as error:
        if error.code != _NOT_FOUND:
            raise
        return
    for secret in secrets:
        name = str(secret["metadata"]["name"])
        if name != HOME_SECRET and _server(secret) == names.IN_CLUSTER_SERVER:
            raise NeedsUser(
                f"the Secret {name} already describes the home cluster",
                hint="list the namespaces in it and install without --deliver-to, or delete it",
            )


def _server(secret: Object) -> str:
    try:
        return base64.b64decode(str((secret.get("data") or {}).get("server") or "")).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""


def _name(obj: Object) -> tuple[str, str, str]:
    return obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
