"""The certificate that an installation is served with: the Secret `argocd-server-tls`, as with Argo CD, else our own.

Read by `syncline.cli.run.server` at the start, where no files were named. Without `argocd-server-tls` the first server
makes a certificate that signs itself and stores it in `syncline-server-tls`; all servers of an installation share it.
Creating that Secret is the election: who comes second reads what the first one stored. The certificate that Argo CD
makes for itself, in argocd-secret, is left alone.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.server.access.accounts import decoded

NAME: Final = "argocd-server-tls"
SHARED: Final = "syncline-server-tls"
_SERVICE: Final = "syncline-server"
_MANAGER: Final = "syncline-server"
_DENIED, _CONFLICT = 403, 409
_SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)

MakePair = Callable[[Sequence[str]], tuple[bytes, bytes]]
"""Makes a certificate for host names, and its key; both as PEM."""


@dataclass(frozen=True, slots=True)
class ServedCertificate:
    """A certificate and its key, as PEM, and where they are from."""

    secret: str
    certificate: bytes
    key: bytes = field(repr=False)


async def served_certificate(home: Cluster, namespace: str) -> ServedCertificate | None:
    """Return the certificate of an installation; None where it has none, or it may not be read."""
    for name in (NAME, SHARED):
        try:
            entries = decoded(await home.get(_SECRETS, namespace, name))
        except ApiError as error:
            if error.code != _DENIED:
                raise
            continue
        certificate, key = entries.get("tls.crt", b""), entries.get("tls.key", b"")
        if certificate and key:
            return ServedCertificate(name, certificate, key)
    return None


async def shared_certificate(home: Cluster, namespace: str, make: MakePair) -> ServedCertificate | None:
    """Store a new certificate for all servers and return it, or the one that another server stored meanwhile.

    None where it may not be stored.
    """
    certificate, key = make(host_names(namespace))
    try:
        await home.create(_SECRETS, _secret(namespace, certificate, key), manager=_MANAGER)
    except ApiError as error:
        if error.code == _DENIED:
            return None
        if error.code != _CONFLICT:
            raise
        return await served_certificate(home, namespace)
    return ServedCertificate(SHARED, certificate, key)


def host_names(namespace: str) -> tuple[str, ...]:
    """Return the names by which clients reach a server: its Service, and this machine through a forwarded port."""
    return (_SERVICE, f"{_SERVICE}.{namespace}", f"{_SERVICE}.{namespace}.svc", "localhost")


def _secret(namespace: str, certificate: bytes, key: bytes) -> Object:
    labels = {"app.kubernetes.io/name": SHARED, "app.kubernetes.io/part-of": "syncline"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": SHARED, "namespace": namespace, "labels": labels},
        "type": "kubernetes.io/tls",
        "data": {"tls.crt": base64.b64encode(certificate).decode(), "tls.key": base64.b64encode(key).decode()},
    }
