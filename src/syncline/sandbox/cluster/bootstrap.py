"""What every cluster has from its first second: namespaces, the node, the kubernetes Service, roles.

Called once by `syncline.sandbox.server` at the start. Namespaces get their service account and root certificate from
`syncline.sandbox.controllers.namespaces`, as later ones do.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, gvk_of
from syncline.ports.kube import ApiError
from syncline.sandbox.api import writes
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster import first_objects, metrics
from syncline.sandbox.cluster.settings import StorageClassSpec
from syncline.sandbox.controllers.scheduling import nodes
from syncline.sandbox.errors import StatusError
from syncline.sandbox.served import custom
from syncline.sandbox.store.store import Bucket

_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_SERVER: Final = WriteOptions(manager="kube-apiserver")
_INSTALLER: Final = WriteOptions(manager="sandbox")


def populate(backend: Backend) -> None:
    """Create the objects of a fresh cluster, those there already stay; raises `ApiError` for one that is refused."""
    try:
        _populate(backend)
    except StatusError as error:
        text = f"The cluster cannot start with this object: {error.message}"
        raise ApiError(error.code, error.reason, text) from None


def _populate(backend: Backend) -> None:
    if backend.settings.simulate and backend.settings.metrics_server:
        metrics.serve(backend)
    if backend.store.get(Bucket("", "namespaces"), "", "default") is not None:
        first_objects.create(backend)
        _install(backend, [])
        return
    for name in _NAMESPACES:
        _create(backend, "", "Namespace", "", {"metadata": {"name": name}}, _SERVER)
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
    labels = {"component": "apiserver", "provider": "kubernetes"}
    address = str(ipaddress.ip_network(backend.settings.service_network)[1])
    service = {"metadata": {"name": "kubernetes", "labels": labels}, "spec": {"clusterIP": address, "ports": ports}}
    _create(backend, "", "Service", "default", service, _SERVER)
    first_objects.create(backend)
    if not backend.settings.simulate:
        return
    if backend.settings.metrics_server:
        spec = {"group": metrics.GROUP, "version": metrics.VERSION, "groupPriorityMinimum": 100, "versionPriority": 100}
        served = {"metadata": {"name": f"{metrics.VERSION}.{metrics.GROUP}"}, "spec": spec}
        _create(backend, "apiregistration.k8s.io", "APIService", "", served, _INSTALLER)
    nodes.install(backend)
    for one in backend.settings.storage_classes:
        _create(backend, "storage.k8s.io", "StorageClass", "", _storage_class(one), _INSTALLER)
    _install(backend, backend.settings.objects)


def _storage_class(one: StorageClassSpec) -> Object:
    metadata: Object = {"name": one.name}
    if one.default:
        metadata["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    body: Object = {
        "metadata": metadata,
        "provisioner": one.provisioner,
        "reclaimPolicy": one.reclaim_policy,
        "volumeBindingMode": one.binding_mode,
    }
    if one.allow_expansion:
        body["allowVolumeExpansion"] = True
    if one.parameters:
        body["parameters"] = dict(one.parameters)
    return body


def _install(backend: Backend, given: Iterable[Object]) -> None:
    """Create the custom kinds of installed operators, then the objects the cluster begins with; what is there stays."""
    from syncline.sandbox.behaviours import shipped

    objects = [obj for one in backend.settings.operators for obj in shipped.objects_of(one)]
    for obj in (*objects, *given):
        gvk = gvk_of(obj)
        resource = backend.registry.of_kind(gvk) or backend.registry.preferred(gvk.group, gvk.kind)
        if resource is None:
            raise LookupError(
                f"the cluster starts with an object of {gvk.group}/{gvk.kind}, which no operator provides"
            )
        namespace = meta.namespace(obj) if resource.namespaced else ""
        if resource.namespaced:
            namespace = namespace or "default"
            if backend.store.get(Bucket("", "namespaces"), "", namespace) is None:
                _create(backend, "", "Namespace", "", {"metadata": {"name": namespace}}, _INSTALLER)
        if backend.store.get(resource.bucket, namespace, obj["metadata"]["name"]) is not None:
            continue
        written = writes.create(backend, resource, namespace, obj, _INSTALLER)
        if resource.kind == "CustomResourceDefinition":
            _serve(backend, obj)
        elif "status" in obj and resource.has_status:
            row = written.row
            writes.update(
                backend, resource, row, {**resource.decode(row), "status": obj["status"]}, _INSTALLER, "status"
            )


def _serve(backend: Backend, definition: Object) -> None:
    """Serve a custom kind at once, so that objects of it can follow."""
    spec = definition["spec"]
    backend.registry.replace_custom(spec["group"], spec["names"]["plural"], custom.resources_of(definition))


def _create(backend: Backend, group: str, kind: str, namespace: str, obj: Object, options: WriteOptions) -> None:
    writes.create(backend, backend.resource(group, kind), namespace, obj, options)


def version(text: str) -> dict[str, Any]:
    """Return the document of /version."""
    major, minor, *_ = text.removeprefix("v").split(".")
    return {
        "major": major,
        "minor": minor,
        "gitVersion": text,
        "gitCommit": "sandbox",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "none",
        "platform": "linux/amd64",
    }
