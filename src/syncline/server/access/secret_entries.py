"""Entries of ConfigMaps and Secrets of the installation, as the live view has them, decoded."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.server.access.accounts import decoded

_PART_OF: Final = ("app.kubernetes.io/part-of", "argocd")


def config_of(live: LiveCluster, namespace: str, name: str) -> dict[str, str]:
    """Return the entries of a ConfigMap of the installation."""
    found = live.index.get(ObjectKey("", "ConfigMap", namespace, name)) or {}
    data = found.get("data")
    return {str(key): str(value) for key, value in data.items()} if isinstance(data, dict) else {}


def secret_entry(live: LiveCluster, namespace: str, name: str, key: str) -> str:
    """Return an entry of a Secret; empty where it is not there, or the Secret is not a part of Argo CD."""
    found = live.index.get(ObjectKey("", "Secret", namespace, name or "argocd-secret"))
    if found is None or (name and meta.labels(found).get(_PART_OF[0]) != _PART_OF[1]):
        return ""
    return decoded(found).get(key, b"").decode(errors="replace").strip()
