"""Finds what a pod needs from ConfigMaps, Secrets and CSI drivers, and whether it is there.

Asked by `syncline.sandbox.controllers.kubelet.kubelet`: volumes before the pod starts, environment before each
container does. Answers are in the kubelet's words; empty means that all is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.store.store import Bucket, ObjectStore

_SLICES = Bucket("discovery.k8s.io", "endpointslices")
DRIVERS = Bucket("storage.k8s.io", "csidrivers")
_CLASSES = Bucket("storage.k8s.io", "storageclasses")
_SERVICES = Bucket("", "services")
_REFERENCES = re.compile(r"\$(\$)?\(([^()]*)\)")
"""References to variables, and those that are written twice to mean themselves."""
_BUCKETS = {"configmap": Bucket("", "configmaps"), "secret": Bucket("", "secrets")}


def container_problem(store: ObjectStore, namespace: str, container: Object) -> str:
    """Return why a container cannot be configured, or nothing."""
    for source in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "configmap"), ("secretRef", "secret")):
            wanted = source.get(field)
            if wanted and not wanted.get("optional") and _find(store, kind, namespace, wanted["name"]) is None:
                return f'{kind} "{wanted["name"]}" not found'
    for variable in container.get("env") or ():
        problem = _variable_problem(store, namespace, variable.get("valueFrom") or {})
        if problem:
            return problem
    return _path_problem(store, namespace, container)


def _path_problem(store: ObjectStore, namespace: str, container: Object) -> str:
    """Return why the path within a volume cannot be worked out from the environment, or nothing."""
    for mount in container.get("volumeMounts") or ():
        wanted = [name for sign, name in _REFERENCES.findall(mount.get("subPathExpr") or "") if not sign]
        missing = sorted({name for name in wanted if name not in _variables(store, namespace, container)})
        if missing:
            return f"missing value for {', '.join(missing)}"
    return ""


def _variables(store: ObjectStore, namespace: str, container: Object) -> set[str]:
    """Return the names of the variables that a container has, but for empty ones; Services give some, too."""
    found: set[str] = set()
    for source in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "configmap"), ("secretRef", "secret")):
            held = _find(store, kind, namespace, source[field]["name"]) if source.get(field) else None
            found |= {f"{source.get('prefix') or ''}{key}" for key in (held or {}).get("data") or ()}
    for variable in container.get("env") or ():
        if variable.get("value") or variable.get("valueFrom"):
            found.add(str(variable.get("name")))
    for row in store.rows(_SERVICES, namespace):
        word = row.place.name.upper().replace("-", "_")
        found |= {f"{word}_SERVICE_HOST", f"{word}_SERVICE_PORT"}
    return found | {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}


def _variable_problem(store: ObjectStore, namespace: str, source: Object) -> str:
    for field, kind, word in (
        ("configMapKeyRef", "configmap", "ConfigMap"),
        ("secretKeyRef", "secret", "Secret"),
    ):
        wanted = source.get(field)
        if not wanted or wanted.get("optional"):
            continue
        found = _find(store, kind, namespace, wanted.get("name", ""))
        if found is None:
            return f'{kind} "{wanted.get("name", "")}" not found'
        keys = {*(found.get("data") or ()), *(found.get("binaryData") or ())}
        if wanted.get("key") not in keys:
            return f"couldn't find key {wanted.get('key')} in {word} {namespace}/{wanted['name']}"
    return ""


def volume_problems(store: ObjectStore, namespace: str, spec: Object) -> list[str]:
    """Return why volumes cannot be mounted, one sentence each."""
    problems = []
    for volume in spec.get("volumes") or ():
        driven = _driver_problem(store, namespace, volume["csi"]) if volume.get("csi") else ""
        if driven:
            problems.append(f'MountVolume.SetUp failed for volume "{volume["name"]}" : {driven}')
        for kind, wanted in _volume_sources(volume):
            name = wanted.get("name") or wanted.get("secretName") or ""
            if wanted.get("optional"):
                continue
            found = _find(store, kind, namespace, name)
            title = f'MountVolume.SetUp failed for volume "{volume["name"]}" : '
            if found is None:
                problems.append(f'{title}{kind} "{name}" not found')
                continue
            keys = {*(found.get("data") or ()), *(found.get("binaryData") or ())}
            missing = [item["key"] for item in wanted.get("items") or () if item.get("key") not in keys]
            if missing:
                short = "config" if kind == "configmap" else kind
                problems.append(f"{title}references non-existent {short} key: {missing[0]}")
    return problems


def _driver_problem(store: ObjectStore, namespace: str, source: Object) -> str:
    """Return why a CSI driver cannot mount a volume that a pod brings itself; few drivers offer that."""
    driver, secret = str(source.get("driver") or ""), (source.get("nodePublishSecretRef") or {}).get("name")
    if not _is_installed(store, driver):
        told = f"driver name {driver} not found in the list of registered CSI drivers"
        return f"kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: {told}"
    row = store.get(DRIVERS, "", driver)
    modes = [] if row is None else (row.decode().get("spec") or {}).get("volumeLifecycleModes") or ["Persistent"]
    if "Ephemeral" not in modes:
        told = " ".join(f'"{mode}"' for mode in modes)
        known = f"only supports [{told}]" if modes else "no CSIDriver object"
        before = "kubernetes.io/csi: mounter.SetupAt failed to check volume lifecycle mode"
        return f'{before}: volume mode "Ephemeral" not supported by driver {driver} ({known})'
    if secret and _find(store, "secret", namespace, secret) is None:
        told = f"failed to find the secret {secret} in the namespace {namespace} with error: secrets"
        before = f"fetching NodePublishSecretRef {namespace}/{secret} failed"
        return f'{before}: kubernetes.io/csi: {told} "{secret}" not found'
    return ""


def _is_installed(store: ObjectStore, driver: str) -> bool:
    """Tell whether a CSI driver is there: by its CSIDriver, or by a storage class that it provisions for."""
    classes = (row.decode().get("provisioner") for row in store.rows(_CLASSES))
    return store.get(DRIVERS, "", driver) is not None or driver in classes


def _volume_sources(volume: Object) -> Iterator[tuple[str, dict[str, Any]]]:
    if volume.get("configMap"):
        yield "configmap", volume["configMap"]
    if volume.get("secret"):
        yield "secret", volume["secret"]
    for source in (volume.get("projected") or {}).get("sources") or ():
        if source.get("configMap"):
            yield "configmap", source["configMap"]
        if source.get("secret"):
            yield "secret", source["secret"]


def _find(store: ObjectStore, kind: str, namespace: str, name: str) -> Object | None:
    row = store.get(_BUCKETS[kind], namespace, name)
    return None if row is None else row.decode()


def answers(store: ObjectStore, namespace: str, service: str) -> bool:
    """Tell whether a Service has a ready endpoint."""
    slices = (row.decode() for row in store.rows(_SLICES, namespace))
    return any(
        (one["metadata"].get("labels") or {}).get("kubernetes.io/service-name") == service
        and any((endpoint.get("conditions") or {}).get("ready") for endpoint in one.get("endpoints") or ())
        for one in slices
    )
