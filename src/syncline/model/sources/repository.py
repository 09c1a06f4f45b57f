"""Repositories and credential templates, as Argo CD keeps them in Secrets.

Parsed by `syncline.controller.clusters.access` from Secrets labelled `argocd.argoproj.io/secret-type`, written by the
commands `syncline repo` and `syncline repocreds`, and used through `syncline.model.sources.access`. Printing one of
these values shows which credentials there are, never what they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.errors import InvalidSpec

REPOSITORY = "repository"
TEMPLATE = "repo-creds"
MANAGED_BY = "managed-by"

_TEXTS = {
    "username": "username",
    "password": "password",
    "bearer_token": "bearerToken",
    "ssh_private_key": "sshPrivateKey",
    "tls_client_certificate": "tlsClientCertData",
    "tls_client_key": "tlsClientCertKey",
    "github_app_private_key": "githubAppPrivateKey",
    "github_app_base_url": "githubAppEnterpriseBaseUrl",
    "gcp_service_account_key": "gcpServiceAccountKey",
    "azure_tenant_id": "azureServicePrincipalTenantId",
    "azure_client_id": "azureServicePrincipalClientId",
    "azure_client_secret": "azureServicePrincipalClientSecret",
    "azure_endpoint": "azureActiveDirectoryEndpoint",
}
_NUMBERS = {"github_app_id": "githubAppID", "github_app_installation_id": "githubAppInstallationID"}
_SWITCHES = {"force_basic": "forceHttpBasicAuth", "azure_workload_identity": "useAzureWorkloadIdentity"}
_WAY_TEXTS = {"proxy": "proxy", "no_proxy": "noProxy"}
_WAY_SWITCHES = {
    "insecure": "insecure",
    "ignore_host_key": "insecureIgnoreHostKey",
    "lfs": "enableLfs",
    "oci": "enableOCI",
    "plain_http": "insecureOCIForceHttp",
}
_WAY_NUMBERS = {"depth": "depth"}
_FIELDS = frozenset(("url", "type", "name", "project")).union(
    *(part.values() for part in (_TEXTS, _NUMBERS, _SWITCHES, _WAY_TEXTS, _WAY_NUMBERS, _WAY_SWITCHES))
)
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("", "0", "f", "F", "FALSE", "false", "False")


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """Whatever proves who we are to a server; empty where nothing is needed."""

    username: str = ""
    password: str = ""
    bearer_token: str = ""
    ssh_private_key: str = ""
    tls_client_certificate: str = ""
    tls_client_key: str = ""
    github_app_id: int = 0
    github_app_installation_id: int = 0
    github_app_private_key: str = ""
    github_app_base_url: str = ""
    gcp_service_account_key: str = ""
    azure_tenant_id: str = ""
    azure_client_id: str = ""
    azure_client_secret: str = ""
    azure_endpoint: str = ""
    force_basic: bool = False
    azure_workload_identity: bool = False

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in (*_TEXTS, "azure_workload_identity"))

    def __repr__(self) -> str:
        return f"Credentials({', '.join(self.kinds()) or 'none'})"

    def kinds(self) -> list[str]:
        """Name the kinds of credentials there are, for people."""
        named = {
            "username": self.username,
            "password": self.password,
            "bearer token": self.bearer_token,
            "ssh key": self.ssh_private_key,
            "client certificate": self.tls_client_certificate,
            "GitHub App": self.github_app_private_key,
            "Google service account": self.gcp_service_account_key,
            "Azure service principal": self.azure_client_secret,
            "Azure workload identity": self.azure_workload_identity,
        }
        return [name for name, value in named.items() if value]

    def identity(self) -> str:
        """Name what must be exchanged for a token before a server lets us in; empty for what is shown as it is."""
        named = {
            "GitHub App": self.github_app_private_key,
            "Google service account": self.gcp_service_account_key,
            "Azure service principal": self.azure_client_secret,
            "Azure workload identity": self.azure_workload_identity,
        }
        return "" if self.password or self.bearer_token else next((name for name, value in named.items() if value), "")

    def secrets(self) -> list[str]:
        """Return the texts that nobody may see."""
        texts = (self.password, self.bearer_token, self.ssh_private_key, self.tls_client_key)
        apps = (self.github_app_private_key, self.gcp_service_account_key, self.azure_client_secret)
        return [text for text in (*texts, *apps) if text]


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is reached: proxy, what is not checked, and what it speaks."""

    proxy: str = ""
    no_proxy: str = ""
    insecure: bool = False
    ignore_host_key: bool = False
    lfs: bool = False
    oci: bool = False
    plain_http: bool = False
    depth: int = 0
    """How much history Argo CD clones; kept for it. A commit is fetched alone here, whatever this says."""

    def __repr__(self) -> str:
        shown = {name: getattr(self, name) for name in self.__struct_fields__ if getattr(self, name)}
        if "@" in self.proxy:
            shown["proxy"] = "***@" + self.proxy.rpartition("@")[2]
        return f"Way({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """One repository somebody has told us about."""

    url: str
    kind: str = "git"
    name: str = ""
    project: str = ""
    credentials: Credentials = Credentials()
    way: Way = Way()
    secret: str = ""
    """Name of the Secret it was read from; empty for one nobody has told us about."""
    inherited: bool = False
    """Whether the credentials come from a template."""


class CredentialTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """Credentials for every repository whose address starts with one."""

    url: str
    kind: str = "git"
    credentials: Credentials = Credentials()
    way: Way = Way()
    secret: str = ""


def parse_repository(secret: Object) -> Repository:
    """Read a repository Secret; raises `InvalidSpec` naming the field that cannot be read, never its value."""
    values = secret_values(secret)
    return Repository(
        url=_url(secret, values),
        kind=values.get("type") or "git",
        name=values.get("name", ""),
        project=values.get("project", ""),
        credentials=_credentials(secret, values),
        way=_way(secret, values),
        secret=_name(secret),
    )


def parse_template(secret: Object) -> CredentialTemplate:
    """Read a repo-creds Secret."""
    values = secret_values(secret)
    return CredentialTemplate(
        url=_url(secret, values),
        kind=values.get("type") or "git",
        credentials=_credentials(secret, values),
        way=_way(secret, values),
        secret=_name(secret),
    )


def secret_values(secret: Object) -> dict[str, str]:
    """Return the texts of a Secret; `stringData` wins, as it would on the server."""
    values: dict[str, str] = {}
    for field, text in (secret.get("data") or {}).items():
        try:
            values[str(field)] = base64.b64decode(str(text or ""), validate=True).decode()
        except (binascii.Error, ValueError):
            raise InvalidSpec(f"Secret {_name(secret)}: data.{field} is not base64-encoded text") from None
    values.update({str(field): str(text) for field, text in (secret.get("stringData") or {}).items()})
    return values


def repository_secret(repository: Repository, namespace: str) -> Object:
    """Return the Secret of a repository, under the name Argo CD would give it."""
    named = {"name": repository.name, "project": repository.project}
    name = repository.secret or secret_name("repo", repository.url, repository.project)
    return _secret(name, namespace, REPOSITORY, {**named, **_values(repository)})


def template_secret(template: CredentialTemplate, namespace: str) -> Object:
    """Return the Secret of a credential template, under the name Argo CD would give it."""
    name = template.secret or secret_name("creds", template.url)
    return _secret(name, namespace, TEMPLATE, _values(template))


def updated_secret(known: Object, wanted: Object) -> Object:
    """Return a stored Secret with the values of another one; what neither of us knows stays, and so do its labels."""
    foreign = {field: text for field, text in (known.get("data") or {}).items() if field not in _FIELDS}
    metadata = {**known["metadata"]}
    for kind in ("labels", "annotations"):
        metadata[kind] = {**(metadata.get(kind) or {}), **wanted["metadata"][kind]}
    return {**known, "metadata": metadata, "data": {**foreign, **wanted["data"]}}


def secret_name(prefix: str, url: str, project: str = "") -> str:
    """Return the name of the Secret for an address: `repo-` and a 32 bit FNV-1a hash in decimal."""
    value = 0x811C9DC5
    for byte in url.encode() + project.encode():
        value = ((value ^ byte) * 0x01000193) % 2**32
    return f"{prefix}-{value}"


def fingerprint(credentials: Credentials) -> str:
    """Return a short digest that changes with the credentials and tells nothing of them."""
    return hashlib.sha256(b"access" + msgspec.json.encode(credentials)).hexdigest()[:16] if credentials else ""


def _values(item: Repository | CredentialTemplate) -> dict[str, str]:
    values = {"url": item.url, "type": item.kind}
    for part, fields in (
        (item.credentials, {**_TEXTS, **_NUMBERS, **_SWITCHES}),
        (item.way, {**_WAY_TEXTS, **_WAY_NUMBERS, **_WAY_SWITCHES}),
    ):
        for attribute, field in fields.items():
            value = getattr(part, attribute)
            values[field] = str(value).lower() if isinstance(value, bool) else str(value)
    return values


def _secret(name: str, namespace: str, kind: str, values: dict[str, str]) -> Object:
    kept = {field: text for field, text in values.items() if text not in ("", "false", "0")}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {names.SECRET_TYPE: kind},
            "annotations": {MANAGED_BY: "argocd.argoproj.io"},
        },
        "data": {field: base64.b64encode(text.encode()).decode() for field, text in sorted(kept.items())},
    }


def _credentials(secret: Object, values: dict[str, str]) -> Credentials:
    found: dict[str, Any] = {attribute: values.get(field, "") for attribute, field in _TEXTS.items()}
    found |= {attribute: _number(secret, values, field) for attribute, field in _NUMBERS.items()}
    found |= {attribute: _switch(secret, values, field) for attribute, field in _SWITCHES.items()}
    return Credentials(**found)


def _way(secret: Object, values: dict[str, str]) -> Way:
    found: dict[str, Any] = {attribute: values.get(field, "") for attribute, field in _WAY_TEXTS.items()}
    found |= {attribute: _number(secret, values, field) for attribute, field in _WAY_NUMBERS.items()}
    found |= {attribute: _switch(secret, values, field) for attribute, field in _WAY_SWITCHES.items()}
    return Way(**found)


def _number(secret: Object, values: dict[str, str], field: str) -> int:
    text = values.get(field, "").strip()
    if text and not text.isdecimal():
        raise InvalidSpec(f"Secret {_name(secret)}: {field} is not a number")
    return int(text or 0)


def _switch(secret: Object, values: dict[str, str], field: str) -> bool:
    text = values.get(field, "").strip()
    if text not in (*_TRUE, *_FALSE):
        raise InvalidSpec(f"Secret {_name(secret)}: {field} is neither true nor false")
    return text in _TRUE


def _url(secret: Object, values: dict[str, str]) -> str:
    url = values.get("url", "").strip()
    if not url:
        raise InvalidSpec(f"Secret {_name(secret)}: url is missing")
    return url


def _name(secret: Object) -> str:
    return meta.name(secret)
