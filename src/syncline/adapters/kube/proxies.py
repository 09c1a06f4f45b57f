"""Decides from the environment whether an API server is reached through a proxy.

Called by `syncline.adapters.kube.config` where the kubeconfig names no proxy. NO_PROXY is read as for repositories:
names of hosts, domain suffixes, addresses and networks (10.0.0.0/8), which Python's own reading of it does not know.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from syncline.net import proxies, urls

_PORTS = {"http": 80, "https": 443}


def from_environment(server: str, environment: Mapping[str, str]) -> str:
    """Return the proxy for a server, or an empty text."""
    parts = urlsplit(server)
    host = parts.hostname or ""
    if host == "localhost" or _is_loopback(host):
        return ""
    port = parts.port or _PORTS.get(parts.scheme, 0)
    if proxies.exempt(urls.Url(parts.scheme, host, port), _setting("no_proxy", environment)):
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
