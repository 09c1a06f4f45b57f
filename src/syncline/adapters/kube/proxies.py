"""Decides from the environment whether an API server is reached through a proxy.

Called by `syncline.adapters.kube.config` where the kubeconfig names no proxy. NO_PROXY may hold host names,
domain suffixes, addresses and networks (10.0.0.0/8), as it does in clusters; Python's own reading of it knows
no networks.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit


def from_environment(server: str, environment: Mapping[str, str]) -> str:
    """Return the proxy for a server, or an empty text."""
    parts = urlsplit(server)
    host = parts.hostname or ""
    if host == "localhost" or _is_loopback(host):
        return ""
    if any(_matches(host, entry.strip()) for entry in _setting("no_proxy", environment).split(",")):
        return ""
    proxy = _setting(f"{parts.scheme}_proxy", environment)
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _setting(name: str, environment: Mapping[str, str]) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _matches(host: str, entry: str) -> bool:
    if entry == "*":
        return True
    entry = entry.removeprefix("*").lower()
    if not entry:
        return False
    if entry.startswith("."):
        return host.endswith(entry)
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return host == entry or host.endswith(f".{entry}")
