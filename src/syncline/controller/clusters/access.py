"""Reads what sources may use from the Secrets and ConfigMaps of an installation.

Called when a controller starts and whenever one of these objects changes; the value goes to the readers of sources by
`syncline.ports.source.Accessible.use`. A Secret that cannot be read costs its own repository only: the rest is used,
and a sentence says which one is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.model import names
from syncline.model.errors import InvalidSpec
from syncline.model.sources import repository
from syncline.model.sources.access import SourceAccess, parse_known_hosts
from syncline.ports.kube import ApiError, ApiResource, ClusterReader

SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)
CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
KNOWN_HOSTS = "argocd-ssh-known-hosts-cm"
CERTIFICATES = "argocd-tls-certs-cm"
SIGNING_KEYS = "argocd-gpg-keys-cm"
_REFUSED = (401, 403)
T = TypeVar("T")


async def read_access(home: ClusterReader, namespace: str) -> SourceAccess:
    """Return everything the installation in a namespace lets its sources use."""
    problems: list[str] = []
    hosts = await _config_map(home, namespace, KNOWN_HOSTS, problems)
    return SourceAccess(
        repositories=await _secrets(home, namespace, repository.REPOSITORY, repository.parse_repository, problems),
        templates=await _secrets(home, namespace, repository.TEMPLATE, repository.parse_template, problems),
        known_hosts=None if hosts is None else parse_known_hosts([hosts.get("ssh_known_hosts", "")]),
        certificates={
            name.lower(): text
            for name, text in (await _config_map(home, namespace, CERTIFICATES, problems) or {}).items()
        },
        signing_keys=await _config_map(home, namespace, SIGNING_KEYS, problems) or {},
        problems=tuple(problems),
    )


async def _secrets(
    home: ClusterReader, namespace: str, kind: str, parse: Callable[[Object], T], problems: list[str]
) -> tuple[T, ...]:
    found: list[T] = []
    try:
        listed = await home.list(SECRETS, namespace=namespace, label_selector=f"{names.SECRET_TYPE}={kind}")
    except ApiError as error:
        if error.code not in _REFUSED:
            raise
        problems.append(f"Secrets in namespace {namespace} cannot be read, so no {kind} is known: {error.message}")
        return ()
    for secret in sorted(listed.items, key=lambda item: str(item["metadata"]["name"])):
        try:
            found.append(parse(secret))
        except InvalidSpec as error:
            problems.append(str(error))
    return tuple(found)


async def _config_map(home: ClusterReader, namespace: str, name: str, problems: list[str]) -> dict[str, str] | None:
    try:
        found = await home.get(CONFIG_MAPS, namespace, name)
    except ApiError as error:
        if error.code not in _REFUSED:
            raise
        problems.append(f"{name} in namespace {namespace} cannot be read: {error.message}")
        return None
    return None if found is None else {str(key): str(text) for key, text in (found.get("data") or {}).items()}
