"""Defaults that take more than a constant: those that read another field and work something out.

Called by name from `data/defaults.json` through `syncline.apimachinery.schema.defaults`, each with the part of the
object it is written for. Every function returns its input when nothing changes, else a changed shallow copy.
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.schema import pod_resources

Part = dict[str, Any]


_HOST_PART = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"(?:{_HOST_PART}(?:\.{_HOST_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_IMAGE = re.compile(
    rf"(?![0-9a-f]{{64}}$)(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*"
    r"(?::(?P<tag>[0-9A-Za-z_][0-9A-Za-z_.-]{0,127}))?"
    r"(?P<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)


@functools.lru_cache(maxsize=1024)
def pull_policy(image: str) -> str:
    """Return the pull policy of an image: Always for `latest` and for no tag, unless a digest pins it.

    A text that is not an image reference has no tag to look at, and so gets IfNotPresent.
    """
    match = _IMAGE.fullmatch(image)
    tag = match and (match["tag"] or ("" if match["digest"] else "latest"))
    return "Always" if tag == "latest" else "IfNotPresent"


def image_pull_policy(container: Part) -> Part:
    """Container: the pull policy follows from the image."""
    if container.get("imagePullPolicy"):
        return container
    return {**container, "imagePullPolicy": pull_policy(_text(container.get("image")))}


def image_volume_pull_policy(volume: Part) -> Part:
    """Image volume: the pull policy follows from the reference."""
    if volume.get("pullPolicy"):
        return volume
    return {**volume, "pullPolicy": pull_policy(_text(volume.get("reference")))}


def _text(value: Any) -> str:
    """Return a text; what is none is refused elsewhere and counts as empty here."""
    return value if isinstance(value, str) else ""


def requests_from_limits(resources: Part) -> Part:
    """Container of a Pod: a limited resource without a request requests its limit."""
    limits = resources.get("limits") or {}
    requests = resources.get("requests") or {}
    missing = {name: amount for name, amount in limits.items() if name not in requests}
    return {**resources, "requests": {**requests, **missing}} if missing else resources


def host_ports(pod_spec: Part) -> Part:
    """Pod in the host's network: a container port is a host port of the same number."""
    changed = pod_spec
    for field in ("containers", "initContainers"):
        containers = pod_spec.get(field)
        if isinstance(containers, list):
            filled = [_with_host_ports(container) for container in containers]
            if any(new is not old for new, old in zip(filled, containers, strict=True)):
                changed = {**changed, field: filled}
    return changed


def _with_host_ports(container: Any) -> Any:
    ports = container.get("ports") if isinstance(container, dict) else None
    if not isinstance(ports, list) or not any(isinstance(port, dict) and not port.get("hostPort") for port in ports):
        return container
    filled = [
        {**port, "hostPort": port.get("containerPort")} if isinstance(port, dict) and not port.get("hostPort") else port
        for port in ports
    ]
    return {**container, "ports": filled}


def empty_volume(volume: Part) -> Part:
    """Volume: one without a source is an emptyDir."""
    if any(value is not None for name, value in volume.items() if name != "name"):
        return volume
    return {**volume, "emptyDir": {}}


def secret_string_data(secret: Part) -> Part:
    """Secret: stringData is folded into data and not stored."""
    texts = secret.get("stringData")
    if "stringData" not in secret or not isinstance(texts, dict | None):
        return secret
    changed = {name: value for name, value in secret.items() if name != "stringData"}
    if texts:
        encoded = {name: base64.b64encode(str(text).encode()).decode() for name, text in texts.items()}
        changed["data"] = {**(secret.get("data") or {}), **encoded}
    return changed


def namespace_name_label(namespace: Part) -> Part:
    """Namespace: the label every namespace carries for selectors to name it."""
    metadata = meta.metadata(namespace)
    name, labels = metadata.get("name"), metadata.get("labels") or {}
    if not name or labels.get("kubernetes.io/metadata.name") == name:
        return namespace
    return {**namespace, "metadata": {**metadata, "labels": {**labels, "kubernetes.io/metadata.name": name}}}


def custom_resource_names(names: Part) -> Part:
    """CRD: singular and list kind follow from the kind."""
    kind = names.get("kind")
    if not kind or (names.get("singular") and names.get("listKind")):
        return names
    return {
        **names,
        "singular": names.get("singular") or kind.lower(),
        "listKind": names.get("listKind") or f"{kind}List",
    }


def limit_range_item(item: Part) -> Part:
    """LimitRange: defaults of containers follow from max, and requests from defaults or from min."""
    if item.get("type") != "Container":
        return item
    default = {**(item.get("max") or {}), **(item.get("default") or {})}
    requests = {**(item.get("min") or {}), **default, **(item.get("defaultRequest") or {})}
    derived = {"default": default, "defaultRequest": requests}
    changed = {**item, **{name: amounts for name, amounts in derived.items() if amounts}}
    return item if changed == item else changed


FUNCTIONS: Mapping[str, Callable[[Part], Part]] = {
    function.__name__: function
    for function in (
        custom_resource_names,
        empty_volume,
        host_ports,
        image_pull_policy,
        image_volume_pull_policy,
        limit_range_item,
        namespace_name_label,
        pod_resources.pod_level_resources,
        requests_from_limits,
        secret_string_data,
    )
}
