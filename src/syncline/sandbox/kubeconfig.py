"""A kubeconfig for a sandbox that is served over HTTP."""

from __future__ import annotations

from typing import Any

from syncline.sandbox.http import PATH_PREFIX


def kubeconfig(address: str, token: str, *, name: str = "sandbox", namespace: str = "default") -> dict[str, Any]:
    """Return the kubeconfig for an address and token, ready to be written as YAML or JSON.

    Without TLS the token is part of the server's address, because kubectl sends no bearer token there.
    """
    server = address if address.startswith("https:") else f"{address}{PATH_PREFIX}{token}"
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": namespace}}],
        "current-context": name,
    }
