"""Says how the server of a chart is reached: credentials, certificates and proxy of the repository that matches it.

Used by `syncline.adapters.charts.helm` and `syncline.adapters.charts.oci`. A chart that lies on another host than its
index is asked for with that host's own credentials, or with none.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.model.errors import SourceError
from syncline.model.sources import repository_urls
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.permitted import repo_permitted
from syncline.model.sources.repository import Repository
from syncline.net import downloads, urls


def door(repository: Repository, access: SourceAccess, reach: urls.Reach) -> downloads.Door:
    """Return how we talk to a repository's own server."""
    credentials, way = repository.credentials, repository.way
    if identity := credentials.identity():
        # Nobody who has an identity asks as nobody.
        what = f"the {identity} of {urls.scrub(repository.url)} cannot be used for charts and registries"
        raise SourceError(what, hint="put a username and password, or a bearer token, into the repository Secret")
    header = ""
    if credentials.username or credentials.password:
        header = downloads.basic(credentials.username, credentials.password)
    elif credentials.bearer_token:
        header = f"Bearer {credentials.bearer_token}"
    return downloads.Door(
        authorization=header,
        certificates=access.certificate(repository.url),
        client_certificate=credentials.tls_client_certificate,
        client_key=credentials.tls_client_key,
        insecure=way.insecure,
        proxy=way.proxy,
        no_proxy=way.no_proxy,
        is_proxy_trusted=not repository.project,
        reach=_opened(repository, access, reach),
    )


def elsewhere(url: str, access: SourceAccess, reach: urls.Reach, permitted: Sequence[str]) -> downloads.Door:
    """Return how we talk to another host than the one that was asked for, where that one leads to.

    An index is content, which strangers write: Secrets count there only where the project permits that address.
    """
    if any(repo_permitted(text, permitted) for text in (url, url.rpartition("/")[0])):
        return door(access.repository(url), access, reach)
    return door(Repository(url=url), SourceAccess(certificates=access.certificates), reach)


def _opened(repository: Repository, access: SourceAccess, reach: urls.Reach) -> urls.Reach:
    """Return what may be asked: what a Secret opens counts for the address it was written for."""
    place = repository_urls.place(repository.url, plain_http=repository.way.plain_http)
    if place is None:
        return reach
    if place in access.places():
        return reach.besides({place})
    return reach.besides_own({place}) if repository.project else reach


def without_login(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return an address without the user and password in it, and those apart."""
    found = urls.parse(url, schemes=("http", "https", "oci"))
    if found.username is None and found.password is None:
        return str(found), None
    return str(found), (found.username or "", found.password or "")
