"""Refuses addresses of the server's own machine and of metadata services in what a tenant stores.

Used by the routes that store repositories, credential templates and clusters, for callers who are not admins: a stored
address is asked by the controller. The words do not depend on what is at the address.
"""

from __future__ import annotations

from syncline.model.sources import repository_urls
from syncline.net import urls
from syncline.server.requests.failures import DENIED, Failure


def require_ordinary_host(url: str) -> None:
    """Raise unless the host of an address is an ordinary one, as far as its text says; empty texts are."""
    host = repository_urls.host(url)
    if host and urls.written_kind(host) is not urls.AddressKind.ORDINARY:
        message = f"{host} is an address of the server's own machine or network: only an admin may name it"
        raise Failure(DENIED, message)
