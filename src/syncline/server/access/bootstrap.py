"""Gives an installation what it lacks: a key that signs sessions, a first password of `admin`, the default project.

Called when a server starts that may write there. What is there already is left alone. The first password goes into the
Secret that Argo CD uses for it, and nowhere else: not into a log, not onto a screen. The odd fact: several servers may
start at once on an empty cluster, so each write names the state it was decided on, and whoever loses reads again.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from syncline.apimachinery import times
from syncline.apimachinery.keys import GroupVersionKind
from syncline.model import names
from syncline.model.default_project import DEFAULT_PROJECT, default_project
from syncline.ports.auth import Passwords, Unguessable
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.server.access.accounts import decoded

INITIAL: Final = "argocd-initial-admin-secret"
_SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)
_PROJECTS = ApiResource(
    gvk=GroupVersionKind(names.GROUP, names.VERSION, "AppProject"), plural="appprojects", namespaced=True
)
_NAME = "argocd-secret"
_MANAGER = "syncline-server"
_PASSWORD_BYTES = 18
_ATTEMPTS = 10
_CONFLICT = 409


async def ensure_keys(home: Cluster, namespace: str, passwords: Passwords, secrets: Unguessable, clock: Clock) -> str:
    """Write what is missing; return the name of the Secret with the first password, if it was made now."""
    for attempt in range(_ATTEMPTS):
        try:
            return await _try_keys(home, namespace, passwords, secrets, clock)
        except ApiError as error:
            # Another server was faster: its key and password count.
            if error.code != _CONFLICT or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


async def ensure_default_project(home: Cluster, namespace: str) -> bool:
    """Create the project `default` where it is missing, as Argo CD's server does; return whether it was created."""
    if await home.get(_PROJECTS, namespace, DEFAULT_PROJECT) is not None:
        return False
    try:
        await home.create(_PROJECTS, default_project(namespace), manager=_MANAGER)
    except ApiError as error:
        if error.code != _CONFLICT:
            raise
        return False
    return True


async def _try_keys(home: Cluster, namespace: str, passwords: Passwords, secrets: Unguessable, clock: Clock) -> str:
    present = await home.get(_SECRETS, namespace, _NAME)
    data = (present or {}).get("data") or {}
    entries: dict[str, str] = {}
    if not data.get("server.secretkey"):
        entries["server.secretkey"] = secrets.text(32)
    initial = ""
    if not data.get("admin.password"):
        password = await _first_password(home, namespace, secrets)
        entries["admin.password"] = await passwords.hashed(password)
        entries["admin.passwordMtime"] = times.format_time(clock.now())
        initial = INITIAL
    if entries and present is None:
        await home.create(_SECRETS, _secret(namespace, _NAME, entries), manager=_MANAGER)
    elif entries and present is not None:
        version = {"resourceVersion": present["metadata"]["resourceVersion"]}
        body = {"metadata": version, "data": _encoded(entries)}
        await home.patch(_SECRETS, namespace, _NAME, body, kind="merge", manager=_MANAGER)
    return initial


async def _first_password(home: Cluster, namespace: str, secrets: Unguessable) -> str:
    """Return the password in the Secret of the first password; a Secret that is not there is created."""
    present = await home.get(_SECRETS, namespace, INITIAL)
    if password := decoded(present).get("password"):
        return password.decode()
    made = secrets.text(_PASSWORD_BYTES)
    if present is None:
        await home.create(_SECRETS, _secret(namespace, INITIAL, {"password": made}), manager=_MANAGER)
    else:
        version = {"resourceVersion": present["metadata"]["resourceVersion"]}
        body = {"metadata": version, "data": _encoded({"password": made})}
        await home.patch(_SECRETS, namespace, INITIAL, body, kind="merge", manager=_MANAGER)
    return made


def _secret(namespace: str, name: str, entries: dict[str, str]) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "type": "Opaque",
        "data": _encoded(entries),
    }


def _encoded(entries: dict[str, str]) -> dict[str, str]:
    return {key: base64.b64encode(text.encode()).decode() for key, text in entries.items()}
