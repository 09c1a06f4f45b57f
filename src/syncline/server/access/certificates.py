"""The certificate that an installation is served with: the Secret `argocd-server-tls`, as with Argo CD.

Read by `syncline.cli.run.server` at the start, where no files were named. Argo CD also makes itself a certificate and
keeps it in argocd-secret; that one nobody trusts, so it is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from syncline.apimachinery.keys import GroupVersionKind
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.server.access.accounts import decoded

NAME: Final = "argocd-server-tls"
_SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)


@dataclass(frozen=True, slots=True)
class ServedCertificate:
    """A certificate and its key, as PEM, and where they are from."""

    secret: str
    certificate: bytes
    key: bytes = field(repr=False)


async def served_certificate(home: Cluster, namespace: str) -> ServedCertificate | None:
    """Return the certificate of an installation; None where it has none, or it may not be read."""
    try:
        entries = decoded(await home.get(_SECRETS, namespace, NAME))
    except ApiError as error:
        if error.code != 403:
            raise
        return None
    certificate, key = entries.get("tls.crt", b""), entries.get("tls.key", b"")
    return ServedCertificate(NAME, certificate, key) if certificate and key else None
