"""All objects of an installation that can be removed again, in the order in which they are applied.

Called by `syncline.cli.install` and by `tools/build_manifests.py`; a test compares them with what Helm makes of the
chart. Not part of them: the Namespace, CRDs, and what Argo CD owns too, because a removal must never reach those.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.core.install import workloads
from syncline.core.install.options import InstallOptions, Mode
from syncline.core.install.pods import labels
from syncline.core.rights.delivery import Profile, delivery_roles
from syncline.core.rights.diagnose import diagnose_roles
from syncline.core.rights.roles import manifests
from syncline.core.rights.table import Component
from syncline.model import names

HOME_SECRET: Final = "syncline-home-cluster"  # noqa: S105 - the name of an object


def installation(options: InstallOptions) -> list[Object]:
    """Return the objects of an installation."""
    if options.mode is Mode.DIAGNOSE:
        roles = diagnose_roles(options.namespace)
        return [*_labelled(options, workloads.DIAGNOSE, roles), *workloads.diagnoser(options)]
    return [
        *_rights(options, Component.CONTROLLER, workloads.CONTROLLER),
        *_rights(options, Component.SERVER, workloads.SERVER),
        *([home_secret(options)] if options.targets else []),
        *workloads.controller(options),
        *workloads.server(options),
    ]


def namespace_object(name: str) -> Object:
    """Return the namespace of an installation, without a label by which it would be removed."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def home_secret(options: InstallOptions) -> Object:
    """Return the cluster Secret that keeps controller and server from reading beyond the namespaces delivered to."""
    more = {names.SECRET_TYPE: "cluster"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": HOME_SECRET, "namespace": options.namespace, "labels": {**labels(options), **more}},
        "type": "Opaque",
        "stringData": {
            "name": names.IN_CLUSTER_NAME,
            "server": names.IN_CLUSTER_SERVER,
            "namespaces": ",".join(sorted(set(options.targets))),
            "config": "{}",
        },
    }


def _rights(options: InstallOptions, component: Component, name: str) -> list[Object]:
    own = manifests(
        component,
        options.namespace,
        application_namespaces=options.application_namespaces,
        impersonated=options.impersonated if options.profile is Profile.IMPERSONATION else (),
    )
    delivery = delivery_roles(options.profile, component, options.namespace, options.targets)
    return _labelled(options, name, [*own, *delivery])


def _labelled(options: InstallOptions, name: str, objects: list[Object]) -> list[Object]:
    return [_with_labels(obj, labels(options, name)) for obj in objects]


def _with_labels(obj: Object, more: dict[str, str]) -> Object:
    metadata: dict[str, Any] = obj["metadata"]
    result = {**obj, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **more}}}
    # Pods ask for their token themselves, so that no other pod under this account gets one.
    return {**result, "automountServiceAccountToken": False} if obj["kind"] == "ServiceAccount" else result
