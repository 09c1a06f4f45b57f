"""A kubeconfig for a sandbox that is served over HTTP."""

from __future__ import annotations

import base64
from typing import Any

from syncline.sandbox.serving.http import PATH_PREFIX, Served


def kubeconfig(served: Served, *, name: str = "sandbox", namespace: str = "default") -> dict[str, Any]:
    """Return the kubeconfig of a served sandbox, ready to be written as YAML or JSON.

    Without TLS the token is part of the server's address, because kubectl sends no bearer token there.
    """
    cluster = {"server": served.address if served.authority else f"{served.address}{PATH_PREFIX}{served.token}"}
    if served.authority:
        cluster["certificate-authority-data"] = base64.b64encode(served.authority.encode()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": served.token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": namespace}}],
        "current-context": name,
    }
