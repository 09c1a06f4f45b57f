"""`syncline facts`: describes a real cluster in one YAML file, so that the sandbox can stand in for it.

Reads nodes, storage classes, namespaces, pods and the kinds that are served; never Secrets. The file is what
`syncline sandbox --cluster` takes, and what `syncline check` knows about a cluster from
`.syncline/clusters/NAME.yaml`: for that it has the part `facts`, with the date it was written at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import click

from syncline.apimachinery.keys import GroupKind, Object
from syncline.cli.show import terminal
from syncline.ports.kube import ApiError, Cluster, Discovery

_OWN_LABELS: Final = frozenset({"kubernetes.io/arch", "kubernetes.io/hostname", "kubernetes.io/os"})
_OWN_TAINTS: Final = "node.kubernetes.io/"
_AMOUNTS: Final = frozenset({"cpu", "memory", "pods"})
_LEFT_OUT: Final = ("ephemeral-storage", "hugepages-", "attachable-volumes-")
_DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
_KINDS: Final = {
    "nodes": GroupKind("", "Node"),
    "limits": GroupKind("storage.k8s.io", "CSINode"),
    "classes": GroupKind("storage.k8s.io", "StorageClass"),
    "pods": GroupKind("", "Pod"),
    "services": GroupKind("", "Service"),
    "ingress_classes": GroupKind("networking.k8s.io", "IngressClass"),
    "namespaces": GroupKind("", "Namespace"),
}


@click.command()
@click.option("--kubeconfig", default="", help="Kubeconfig file (default: KUBECONFIG, then ~/.kube/config).")
@click.option("--context", default="", help="Context of the kubeconfig.")
@click.option("--name", default="", help="Argo CD's name for the cluster, for destinations and cluster generators.")
@click.option("--server", default="", help="The cluster's address in Applications.")
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="Label for cluster generators; repeatable.")
@click.option(
    "--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file instead of printing."
)
def facts(
    kubeconfig: str, context: str, name: str, server: str, labels: tuple[str, ...], output_file: Path | None
) -> int:
    """Describe a cluster in one file, for check, and so that the sandbox can imitate it."""
    about: dict[str, Any] = {"name": name, "server": server, "labels": dict(map(_label, labels))}
    return asyncio.run(_write(kubeconfig, context, about, output_file))


def _label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.BadParameter(f"{text} is not KEY=VALUE", param_hint="--label")
    return key, value


async def _write(kubeconfig: str, context: str, about: dict[str, Any], output_file: Path | None) -> int:
    from syncline import wiring
    from syncline.apimachinery import times, yaml

    async with wiring.connected(kubeconfig=kubeconfig, context=context) as (cluster, words):
        found, unread = await _read(cluster)
    about = {"date": times.format_time(wiring.clock().now()), **about}
    described = describe(found, wiring.operator_groups(), about)
    text = f"# {words}, without its Secrets\n{yaml.dump(described)}"
    if output_file is not None:
        output_file.write_text(text, encoding="utf-8")
    else:
        terminal.echo(text, nl=False)
    counts = ", ".join(
        (
            _counted(len(found.nodes), "node", "nodes"),
            _counted(len(found.classes), "storage class", "storage classes"),
            _counted(len(described["images"]["seen"]), "image", "images"),
        )
    )
    terminal.echo(f"{words}, read-only · {counts} · Secrets not read", err=True)
    for kind, why in unread.items():
        terminal.echo(f"not read: {kind}: {why}", err=True)
    return 1 if unread else 0


class ClusterFacts:
    """What was read from a cluster."""

    def __init__(self, discovery: Discovery, lists: Mapping[str, tuple[Object, ...]]) -> None:
        self.version = discovery.version
        served = [resource.gvk for resource in discovery.resources]
        self.groups = {kind.group for kind in served} | {f"{kind.group}/{kind.kind}" for kind in served}
        self.nodes = lists.get("nodes", ())
        self.limits = lists.get("limits", ())
        self.classes = lists.get("classes", ())
        self.pods = lists.get("pods", ())
        self.services = lists.get("services", ())
        self.ingress_classes = lists.get("ingress_classes", ())
        self.namespaces = lists.get("namespaces", ())
        self.resources = discovery.resources


async def _read(cluster: Cluster) -> tuple[ClusterFacts, dict[str, str]]:
    discovery = await cluster.discover()
    lists: dict[str, tuple[Object, ...]] = {}
    unread: dict[str, str] = {}
    for name, kind in _KINDS.items():
        resource = discovery.find(kind)
        if resource is None:
            continue
        try:
            lists[name] = (await cluster.list(resource)).items
        except ApiError as error:
            unread[kind.kind] = error.message
    return ClusterFacts(discovery, lists), unread


def describe(
    found: ClusterFacts, operators: Mapping[str, Iterable[str]], about: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the cluster file for what was read; `about` is what the cluster does not say of itself."""
    balanced = [one for one in found.services if (one.get("spec") or {}).get("type") == "LoadBalancer"]
    served = any(((one.get("status") or {}).get("loadBalancer") or {}).get("ingress") for one in balanced)
    names = sorted(one["metadata"]["name"] for one in found.ingress_classes)
    described: dict[str, Any] = {
        "version": found.version,
        "nodes": [_node(node, _limit(node, found.limits)) for node in found.nodes],
        "storageClasses": [_storage_class(one) for one in found.classes],
        "images": _images(found.pods),
        "operators": sorted(name for name, groups in operators.items() if found.groups & set(groups)),
        "metricsServer": "metrics.k8s.io" in found.groups,
        "loadBalancers": {"enabled": served or not balanced, **({"ingressClasses": ["", *names]} if names else {})},
    }
    known = {key: value for key, value in (about or {}).items() if value}
    known["namespaces"] = sorted(one["metadata"]["name"] for one in found.namespaces)
    known["kinds"] = _served(found)
    described["facts"] = known
    return {key: value for key, value in described.items() if value not in ("", None)}


def _served(found: ClusterFacts) -> list[dict[str, Any]]:
    """Return the kinds that are served, each once with its versions."""
    kinds: dict[GroupKind, dict[str, Any]] = {}
    for one in found.resources:
        kind = one.gvk.group_kind
        entry = {"group": kind.group, "kind": kind.kind, "versions": [], "namespaced": one.namespaced}
        kinds.setdefault(kind, entry)["versions"].append(one.gvk.version)
    return [kinds[kind] for kind in sorted(kinds)]


def _node(node: Object, limit: int) -> dict[str, Any]:
    spec, status = node.get("spec") or {}, node.get("status") or {}
    amounts = status.get("allocatable") or status.get("capacity") or {}
    others = {
        name: str(amount) for name, amount in amounts.items() if name not in _AMOUNTS and not name.startswith(_LEFT_OUT)
    }
    labels = {
        key: value
        for key, value in (node["metadata"].get("labels") or {}).items()
        if key not in _OWN_LABELS and not key.startswith("beta.kubernetes.io/")
    }
    taints = [
        {key: one[key] for key in ("key", "value", "effect") if one.get(key)}
        for one in spec.get("taints") or ()
        if not str(one.get("key") or "").startswith(_OWN_TAINTS)
    ]
    addresses = [one["address"] for one in status.get("addresses") or () if one.get("type") == "InternalIP"]
    ready = next((one.get("status") for one in status.get("conditions") or () if one.get("type") == "Ready"), "True")
    described: dict[str, Any] = {"name": node["metadata"]["name"]}
    described |= {name: str(amounts[name]) for name in ("cpu", "memory", "pods") if name in amounts}
    parts: dict[str, Any] = {
        "labels": labels,
        "taints": taints,
        "resources": others,
        "volumeLimit": limit,
        "unschedulable": bool(spec.get("unschedulable")),
        "address": addresses[0] if addresses else "",
    }
    described |= {key: value for key, value in parts.items() if value}
    return described if ready == "True" else {**described, "ready": False}


def _limit(node: Object, limits: Iterable[Object]) -> int:
    counts = [
        int((driver.get("allocatable") or {}).get("count") or 0)
        for one in limits
        if one["metadata"]["name"] == node["metadata"]["name"]
        for driver in (one.get("spec") or {}).get("drivers") or ()
    ]
    return min((count for count in counts if count), default=0)


def _storage_class(one: Object) -> dict[str, Any]:
    annotations = one["metadata"].get("annotations") or {}
    described: dict[str, Any] = {
        "name": one["metadata"]["name"],
        "provisioner": one.get("provisioner", ""),
        "bindingMode": one.get("volumeBindingMode") or "Immediate",
        "reclaimPolicy": one.get("reclaimPolicy") or "Delete",
    }
    if annotations.get(_DEFAULT_CLASS) == "true":
        described["default"] = True
    if one.get("allowVolumeExpansion"):
        described["allowExpansion"] = True
    return described


def _images(pods: Iterable[Object]) -> dict[str, Any]:
    """Return the images in use, those that need a pull secret, and those that are not there."""
    seen: set[str] = set()
    missing: set[str] = set()
    guarded: set[str] = set()
    for pod in pods:
        spec, status = pod.get("spec") or {}, pod.get("status") or {}
        images = {
            str(one.get("image") or "") for field in ("initContainers", "containers") for one in spec.get(field) or ()
        }
        seen |= images
        if spec.get("imagePullSecrets"):
            guarded |= {image for image in images if _registry(image)}
        for one in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
            waiting = (one.get("state") or {}).get("waiting") or {}
            told = str(waiting.get("message") or "")
            if waiting.get("reason") in ("ErrImagePull", "ImagePullBackOff") and "not found" in told:
                missing.add(str(one.get("image") or ""))
    described: dict[str, Any] = {"seen": sorted(seen - {""})}
    if missing:
        described["unknown"] = sorted(missing)
    if guarded:
        described["private"] = [{"image": image} for image in sorted(guarded)]
    return described


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _registry(image: str) -> str:
    first, slash, _ = image.partition("/")
    return first if slash and ("." in first or ":" in first) else ""
