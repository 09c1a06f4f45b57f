"""Everything an installation lets its sources use: repositories, templates, host keys, certificates, signing keys.

Read by `syncline.controller.clusters.access`, handed to the adapters through `syncline.ports.source.Accessible`. Who
may use what is decided here: an exact address first (of the project, then of everybody), then the longest template that
the address falls under. A template never reaches past its own host.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from syncline.model.sources import repository_urls
from syncline.model.sources.repository import CredentialTemplate, Repository, Way


class SourceAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What sources may use; empty is a good value: everything public."""

    repositories: tuple[Repository, ...] = ()
    templates: tuple[CredentialTemplate, ...] = ()
    known_hosts: str | None = None
    """Text of `ssh_known_hosts`; None where nobody keeps one, and the user's own is asked."""
    certificates: dict[str, str] = {}
    """Certificates by server name, as PEM: trusted for this server in place of the machine's."""
    signing_keys: dict[str, str] = {}
    """Public keys of commit signers, armoured, by key id."""
    problems: tuple[str, ...] = ()
    """Sentences about what could not be read."""

    def repository(self, url: str, project: str = "") -> Repository:
        """Return what is known about a repository, with credentials of a template where it has none itself."""
        known = self.known(url, project)
        repository = known or Repository(url=url)
        if repository.credentials:
            return repository
        template = self._template(url, repository.kind if known else "")
        if template is None:
            return repository
        way = _joined(repository.way, template.way)
        return msgspec.structs.replace(
            repository,
            kind=repository.kind if known else template.kind,
            credentials=template.credentials,
            way=way,
            inherited=True,
        )

    def known(self, url: str, project: str = "") -> Repository | None:
        """Return the repository of an address: the project's own, else the one of no project."""
        found = [one for one in self.repositories if repository_urls.same(one.url, url)]
        own = next((one for one in found if project and one.project == project), None)
        return own or next((one for one in found if not one.project), None)

    def places(self) -> frozenset[tuple[str, int]]:
        """Return the hosts and ports that repository Secrets without a project name."""
        operators = (one for one in self.repositories if not one.project)
        found = (repository_urls.place(one.url, plain_http=one.way.plain_http) for one in operators)
        return frozenset(place for place in found if place is not None)

    def certificate(self, url: str) -> str:
        """Return the certificates a server is checked against, or nothing where the machine's count."""
        return self.certificates.get(repository_urls.host(url), "")

    def _template(self, url: str, kind: str) -> CredentialTemplate | None:
        fitting = [one for one in self.templates if repository_urls.is_below(url, one.url)]
        if kind:
            fitting = [one for one in fitting if one.kind == kind] or fitting
        return max(fitting, key=lambda one: len(repository_urls.normalized(one.url)), default=None)


def parse_known_hosts(texts: Sequence[str]) -> str:
    """Return one known_hosts text: lines without comments, each once, in order."""
    lines: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                lines[" ".join(line.split())] = None
    return "".join(f"{line}\n" for line in lines)


def _joined(own: Way, template: Way) -> Way:
    return Way(
        proxy=own.proxy or template.proxy,
        no_proxy=own.no_proxy or template.no_proxy,
        insecure=own.insecure or template.insecure,
        ignore_host_key=own.ignore_host_key or template.ignore_host_key,
        lfs=own.lfs,
        oci=own.oci or template.oci,
        plain_http=own.plain_http or template.plain_http,
        depth=own.depth,
    )
