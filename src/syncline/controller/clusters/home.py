"""How much of the home cluster is seen: what the Secret that describes it says, beside the installation itself.

Read by `syncline.cli.run.controller` and `syncline.cli.run.server` before they follow the cluster, since whoever has no
right to read all of it may not even ask. As in Argo CD a cluster Secret for https://kubernetes.default.svc names the
namespaces; the objects of the installation are read in its own namespaces all the same.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.controller.app_key import APPLICATION
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.controller.clusters.access import SECRETS
from syncline.controller.live.scope import ViewScope
from syncline.core.rights.roles import is_pattern
from syncline.model import cluster, names
from syncline.model.errors import InvalidSpec
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError, ClusterReader

_IN_APPLICATION_NAMESPACES = frozenset({APPLICATION, APPLICATION_SET})
_REFUSED = (401, 403)


class HomeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The namespaces that are seen of the home cluster beside those of the installation; without any all of it is."""

    namespaces: tuple[str, ...] = ()
    cluster_resources: bool = False


async def read_home_limits(home: ClusterReader, namespace: str) -> HomeLimits:
    """Return what the Secret of the home cluster says; all of the cluster is seen where there is none."""
    try:
        listed = await home.list(SECRETS, namespace=namespace, label_selector=f"{names.SECRET_TYPE}=cluster")
    except ApiError as error:
        if error.code not in _REFUSED:
            raise
        return HomeLimits()
    for secret in sorted(listed.items, key=lambda item: str(item["metadata"]["name"])):
        try:
            known = cluster.parse_secret(secret)
        except InvalidSpec:
            continue
        if known.server == names.IN_CLUSTER_SERVER:
            return HomeLimits(namespaces=known.namespaces, cluster_resources=known.cluster_resources)
    return HomeLimits()


def home_scope(
    limits: HomeLimits | None, settings: Settings, always: Iterable[GroupKind], beside: Iterable[GroupKind] = ()
) -> ViewScope:
    """Return what to follow of the home cluster; `always` are the kinds that an installation consists of.

    Kinds `beside` are looked at in its namespace too, unless settings exclude them.
    """
    limits = limits or HomeLimits()
    named = tuple("" if is_pattern(name) else name for name in settings.application_namespaces)
    own = (settings.namespace,)
    kinds = frozenset(always)
    return ViewScope(
        namespaces=limits.namespaces,
        cluster_resources=limits.cluster_resources,
        always=kinds,
        homes={kind: (*own, *named) if kind in _IN_APPLICATION_NAMESPACES else own for kind in (*kinds, *beside)},
    )
