"""What lists show of an Application at a glance: the images its pods run, and where it can be reached.

Called by `syncline.controller.deliver.status`. As with Argo CD images are those of live pods, whoever made them, and
addresses come from Ingresses and from `link.argocd.argoproj.io/*` annotations of live objects and of the Application
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, key_of
from syncline.core.assess import Assessment
from syncline.model import names
from syncline.model.application import ApplicationSummary

_LINK = "link.argocd.argoproj.io/"
_IGNORE_DEFAULT_LINKS = "argocd.argoproj.io/ignore-default-links"
_INGRESS_GROUPS = ("extensions", "networking.k8s.io")
_SAFE = ("http://", "https://")
_POD_SPECS = (("spec",), ("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))


def summary_of(assessment: Assessment) -> ApplicationSummary:
    """Return the summary of an Application's status."""
    images: set[str] = set()
    urls = set(_links(assessment.app.metadata.annotations))
    children = False
    for key, obj in assessment.live.items():
        if key.kind == "Pod" and not key.group:
            images.update(_images(obj.get("spec") or {}, "initContainers", "containers"))
        elif key.kind == "Application" and key.group == names.GROUP:
            children = children or key != assessment.myself
        urls.update(addresses_of(obj))
    return ApplicationSummary(tuple(sorted(urls)), tuple(sorted(images)), children)


def addresses_of(obj: Object) -> Iterator[str]:
    """Yield where a live object says it can be reached: by its links, and by its rules where it is an Ingress."""
    key = key_of(obj)
    if key.kind == "Ingress" and key.group in _INGRESS_GROUPS:
        yield from _ingress_urls(obj)
    yield from _links(meta.annotations(obj))


def images_of(obj: Object) -> tuple[str, ...]:
    """Return the images a desired object names for its containers, as results of a sync show them."""
    for path in _POD_SPECS:
        spec: Any = obj
        for member in path:
            spec = spec.get(member) if isinstance(spec, dict) else None
        if isinstance(spec, dict) and spec.get("containers"):
            return tuple(_images(spec, "containers"))
    return ()


def _images(spec: Any, *lists: str) -> Iterator[str]:
    for name in lists:
        for container in _items(spec, name):
            if container.get("image"):
                yield str(container["image"])


def _links(annotations: Any) -> Iterator[str]:
    """Return the addresses that annotations name, bare or as `title|address`; nothing but http is one."""
    if not isinstance(annotations, dict):
        return
    for name, text in annotations.items():
        if name.startswith(_LINK) and str(text).rpartition("|")[2].startswith(_SAFE):
            yield str(text)


def _ingress_urls(obj: Object) -> Iterator[str]:
    annotations = meta.annotations(obj)
    if names.is_true(annotations.get(_IGNORE_DEFAULT_LINKS)):
        return
    spec = obj.get("spec") or {}
    status = (obj.get("status") or {}).get("loadBalancer") or {}
    reached = next((str(one.get("hostname") or one.get("ip")) for one in _items(status, "ingress")), "")
    for rule in _items(spec, "rules"):
        host = str(rule.get("host") or "") or reached
        scheme = "https" if _is_secured(host, _items(spec, "tls")) else "http"
        for path in _items(rule.get("http"), "paths") if host else ():
            yield f"{scheme}://{host}{str(path.get('path') or '').removesuffix('*')}"


def _is_secured(host: str, lines: Iterable[dict[str, Any]]) -> bool:
    return any(line.get("secretName") is not None or line.get("host") == host for line in lines)


def _items(parent: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects of a list that may be missing or malformed."""
    found = parent.get(name) if isinstance(parent, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
