"""Builds what commands ask of an installation: by the Kubernetes API, or through an API server; and the logins."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from syncline.wiring.clusters import argocd_api, connector
from syncline.wiring.machine import clock, evaluating

if TYPE_CHECKING:
    from syncline.adapters.auth.loopback import Callback
    from syncline.adapters.server_contexts import ContextFile
    from syncline.model.server_contexts import ServerContext
    from syncline.ports.auth import Unguessable
    from syncline.ports.kube import Cluster
    from syncline.verbs.direct import DirectHome
    from syncline.verbs.look import Worlds
    from syncline.verbs.served.api import ServerApi
    from syncline.verbs.served.home import ServedHome


def direct_home(cluster: Cluster, words: str, namespace: str, worlds: Worlds) -> DirectHome:
    """Return an installation by the Kubernetes API."""
    from syncline.verbs.direct import DirectHome, DirectTools

    return DirectHome(cluster, words, namespace, DirectTools(worlds, evaluating, connector, clock()))


@asynccontextmanager
async def server_api(context: ServerContext) -> AsyncIterator[ServerApi]:
    """Yield the API of a server, as whom the token of a login says."""
    from syncline.verbs.served.api import ServerApi

    async with argocd_api(context.url, context.token, insecure=context.insecure) as transport:
        yield ServerApi(transport, context.server)


@asynccontextmanager
async def served_home(context: ServerContext) -> AsyncIterator[ServedHome]:
    """Yield an installation through its server, which tells its namespace."""
    from syncline.verbs.served.home import ServedHome

    async with server_api(context) as api:
        settings = await api.get("/api/v1/settings")
        namespace = str(settings.get("controllerNamespace") or "argocd") if isinstance(settings, dict) else "argocd"
        yield ServedHome(api, namespace, evaluating)


def unguessable() -> Unguessable:
    """Return texts that nobody can guess."""
    from syncline.adapters.auth import SystemSecrets

    return SystemSecrets()


def self_signed_certificate(hosts: Sequence[str]) -> tuple[bytes, bytes]:
    """Return a new certificate for host names, and its key; both as PEM."""
    from syncline.adapters.auth.certificates import self_signed

    return self_signed(hosts, clock().now())


def login_callback(port: int) -> AbstractAsyncContextManager[Callback]:
    """Return a listener for the browser that comes back from a login."""
    from syncline.adapters.auth.loopback import listening

    return listening(port)


def server_contexts() -> ContextFile:
    """Return the file of logins of this user."""
    from syncline.adapters.server_contexts import ContextFile

    named = os.environ.get("SYNCLINE_LOGINS")
    if named:
        return ContextFile(Path(named).expanduser())
    return ContextFile(_configuration() / "syncline" / "logins")


def login_to(server: str) -> ServerContext | None:
    """Return the login to a server: one of ours, else one that `argocd login` left."""
    from syncline.adapters.server_contexts import ContextFile

    folder = os.environ.get("ARGOCD_CONFIG_DIR")
    argocd = (Path(folder).expanduser() if folder else _configuration() / "argocd") / "config"
    found = server_contexts().read().at(server)
    return found if found is not None else ContextFile(argocd).read().at(server)


def _configuration() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME")
    return Path(base).expanduser() if base else Path.home() / ".config"
