"""Builds the TLS settings of a connection: whom to trust and which certificate to show.

Called by `syncline.adapters.kube.http`. Python reads client certificates from files only, so the PEM texts
pass through a private folder that is gone before the first byte is sent.
"""

from __future__ import annotations

import pathlib
import ssl
import tempfile

from syncline.adapters.kube import failures
from syncline.adapters.kube.connection import Connection, Credential
from syncline.ports.transport import TransportError


def context(connection: Connection, credential: Credential) -> ssl.SSLContext:
    """Return the TLS context; raises `TransportError` when a certificate cannot be read."""
    # The authorities of the machine are read only where they count: there are many of them.
    trusting = connection.authority and not connection.insecure
    made = _trusting(connection) if trusting else ssl.create_default_context()
    # Authorities made by older cluster installers lack extensions that newer Pythons insist on.
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if connection.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    if credential.certificate:
        _show(made, connection, credential)
    return made


def _trusting(connection: Connection) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cadata=connection.authority.decode("ascii", "replace"))
    except ssl.SSLError:
        message = (
            f"cannot reach {failures.shown(connection.server)}: its certificate-authority contains no PEM certificate"
        )
        raise TransportError(message) from None


def _show(made: ssl.SSLContext, connection: Connection, credential: Credential) -> None:
    with tempfile.TemporaryDirectory(prefix="syncline-") as folder:
        certificate, key = pathlib.Path(folder, "certificate.pem"), pathlib.Path(folder, "key.pem")
        certificate.write_bytes(credential.certificate)
        key.write_bytes(credential.key)
        try:
            made.load_cert_chain(certificate, key)
        except ssl.SSLError:
            server = failures.shown(connection.server)
            why = "client certificate and key cannot be read or do not belong together"
            raise TransportError(f"cannot reach {server}: {why}") from None
