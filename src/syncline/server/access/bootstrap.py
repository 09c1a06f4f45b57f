"""Gives an installation what sessions need, where it has none: a key that signs, and a first password of `admin`.

Called when a server starts that may write there. What is there already is left alone. The first password goes into the
Secret that Argo CD uses for it, and nowhere else: not into a log, not onto a screen.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from syncline.apimachinery import times
from syncline.apimachinery.keys import GroupVersionKind
from syncline.ports.auth import Passwords, Unguessable
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, Cluster

INITIAL: Final = "argocd-initial-admin-secret"
_SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)
_NAME = "argocd-secret"
_MANAGER = "syncline-server"
_PASSWORD_BYTES = 18


async def ensure_keys(home: Cluster, namespace: str, passwords: Passwords, secrets: Unguessable, clock: Clock) -> str:
    """Write what is missing; return the name of the Secret with the first password, if it was made now."""
    present = await home.get(_SECRETS, namespace, _NAME)
    data = (present or {}).get("data") or {}
    entries: dict[str, str] = {}
    if not data.get("server.secretkey"):
        entries["server.secretkey"] = secrets.text(32)
    made = ""
    if not data.get("admin.password"):
        password = secrets.text(_PASSWORD_BYTES)
        entries["admin.password"] = await passwords.hashed(password)
        entries["admin.passwordMtime"] = times.format_time(clock.now())
        await _put(home, namespace, INITIAL, {"password": password})
        made = INITIAL
    if entries:
        await _put(home, namespace, _NAME, entries)
    return made


async def _put(home: Cluster, namespace: str, name: str, entries: dict[str, str]) -> None:
    """Write entries of a Secret; one that is not there is created."""
    data = {key: base64.b64encode(text.encode()).decode() for key, text in entries.items()}
    try:
        await home.patch(_SECRETS, namespace, name, {"data": data}, kind="merge", manager=_MANAGER)
    except ApiError as error:
        if error.code != 404:
            raise
        labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"}
        secret: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "type": "Opaque",
            "data": data,
        }
        await home.create(_SECRETS, secret, manager=_MANAGER)
