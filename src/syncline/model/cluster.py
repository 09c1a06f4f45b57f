"""A destination cluster as Argo CD's cluster Secrets describe it, and which one an Application means.

Parsed from the Secrets by `syncline.controller.clusters.destinations`, turned into connections by
`syncline.adapters.kube.cluster_secret`. Credentials are kept out of `repr`, and no error of this module holds a value.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.nearest import misspelt
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.errors import InvalidSpec
from syncline.model.sources import repository_urls


class Tls(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How the API server is trusted, and the client certificate; the data fields are base64 of PEM."""

    insecure: bool = False
    server_name: str = ""
    ca_data: str = ""
    cert_data: str = ""
    key_data: str = ""


class ExecProvider(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A program that gives out credentials."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    api_version: str = ""
    install_hint: str = ""


class AwsAuth(msgspec.Struct, frozen=True, kw_only=True):
    """Which EKS cluster it is, and as whom it is asked."""

    cluster_name: str = msgspec.field(default="", name="clusterName")
    role_arn: str = msgspec.field(default="", name="roleARN")
    profile: str = ""


class Access(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The `config` of a cluster Secret."""

    username: str = ""
    password: str = ""
    bearer_token: str = ""
    tls_client_config: Tls = Tls()
    exec_provider_config: ExecProvider | None = None
    aws_auth_config: AwsAuth | None = None
    proxy_url: str = ""
    disable_compression: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCluster:
    """One destination. Without `namespaces` all of the cluster is seen; `shard` of -1 leaves the choice to others."""

    server: str
    name: str = ""
    access: Access | None = field(default=None, repr=False)
    namespaces: tuple[str, ...] = ()
    cluster_resources: bool = False
    project: str = ""
    shard: int = -1
    secret: str = ""
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def paused(self) -> bool:
        """Whether everything delivered to it is left alone."""
        return names.is_true(self.annotations.get(names.SKIP_RECONCILE))


IN_CLUSTER = KnownCluster(server=names.IN_CLUSTER_SERVER, name=names.IN_CLUSTER_NAME)
"""The cluster the Applications live on, where no Secret says more about it."""


def is_cluster_secret(obj: Object) -> bool:
    """Whether an object is a Secret that describes a cluster."""
    labels = meta.labels(obj)
    return obj.get("kind") == "Secret" and labels.get(names.SECRET_TYPE) == "cluster"


def parse_secret(secret: Object) -> KnownCluster:
    """Return the cluster a Secret describes; `InvalidSpec` names the field that cannot be read, never its value."""
    metadata = meta.metadata(secret)
    where = f"cluster Secret {metadata.get('namespace', '')}/{metadata.get('name', '')}"
    text = {name: _decoded(value, name, where) for name, value in (secret.get("data") or {}).items()}
    text |= {name: str(value) for name, value in (secret.get("stringData") or {}).items()}
    server = text.get("server", "").rstrip("/")
    if not server:
        raise InvalidSpec(f"{where} has no server")
    return KnownCluster(
        server=server,
        name=text.get("name") or server,
        access=_access(text.get("config") or "{}", where),
        namespaces=tuple(sorted({part.strip() for part in text.get("namespaces", "").split(",")} - {""})),
        cluster_resources=text.get("clusterResources", "").strip().lower() == "true",
        project=text.get("project", ""),
        shard=_shard(text.get("shard", ""), where),
        secret=str(metadata.get("name") or ""),
        uid=str(metadata.get("uid") or ""),
        labels=dict(metadata.get("labels") or {}),
        annotations=dict(metadata.get("annotations") or {}),
    )


def described(secret: Object) -> KnownCluster:
    """Return what a Secret says of a cluster without its credentials, which need not be readable for that."""
    bare = {name: value for name, value in (secret.get("data") or {}).items() if name not in ("config", "shard")}
    plain = {name: value for name, value in (secret.get("stringData") or {}).items() if name not in ("config", "shard")}
    return parse_secret({**secret, "data": bare, "stringData": plain})


def changed(known: KnownCluster, **values: Any) -> KnownCluster:
    """Return a cluster with other values."""
    return replace(known, **values)


def secret_of(known: KnownCluster, namespace: str, *, name: str = "") -> Object:
    """Return the Secret that describes a cluster, under the name that Argo CD would give it unless it has one."""
    host = repository_urls.host(known.server) or "cluster"
    digest = hashlib.sha256(known.server.encode()).hexdigest()[:8]
    data = {
        "name": known.name,
        "server": known.server,
        "config": msgspec.json.encode(_config(known.access or Access())).decode(),
        "namespaces": ",".join(known.namespaces),
        "clusterResources": "true" if known.cluster_resources else "",
        "project": known.project,
        "shard": str(known.shard) if known.shard >= 0 else "",
    }
    metadata = {
        "name": name or f"cluster-{host}-{digest}".lower(),
        "namespace": namespace,
        "labels": {**known.labels, names.SECRET_TYPE: "cluster"},
        "annotations": {**known.annotations, "managed-by": "argocd.argoproj.io"},
    }
    encoded = {field: base64.b64encode(text.encode()).decode() for field, text in data.items() if text}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": encoded}


def _config(access: Access) -> dict[str, Any]:
    """Return what is set of a config; whether certificates are checked is always said."""
    found = _set(msgspec.to_builtins(access))
    tls = {"insecure": access.tls_client_config.insecure, **found.pop("tlsClientConfig", {})}
    return {**found, "tlsClientConfig": tls}


def _set(values: dict[str, Any]) -> dict[str, Any]:
    kept = {name: _set(value) if isinstance(value, dict) else value for name, value in values.items()}
    return {name: value for name, value in kept.items() if value}


class UnreadableCluster(msgspec.Struct, frozen=True):
    """A cluster Secret that cannot be used: its name, why, and which cluster it is about as far as that can be told."""

    secret: str
    why: str
    server: str = ""
    name: str = ""


def unreadable(secret: Object, why: str) -> UnreadableCluster:
    """Return what can be told of a Secret that `parse_secret` refused."""
    found = {}
    for field_name in ("server", "name"):
        try:
            value = (secret.get("data") or {}).get(field_name, "")
            text = _decoded(value, field_name, "")
        except InvalidSpec:
            text = ""
        found[field_name] = str((secret.get("stringData") or {}).get(field_name) or text)
    return UnreadableCluster(
        secret=meta.name(secret),
        why=why,
        server=found["server"].rstrip("/"),
        name=found["name"],
    )


def _decoded(value: object, name: str, where: str) -> str:
    try:
        return base64.b64decode(str(value), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise InvalidSpec(f"{where}: {name} is not base64-encoded text") from None


def _access(text: str, where: str) -> Access:
    try:
        return msgspec.json.decode(text.encode(), type=Access)
    except msgspec.ValidationError as error:
        # msgspec names types and the path, and no values.
        raise InvalidSpec(f"{where}: config cannot be read: {error}") from None
    except msgspec.DecodeError:
        raise InvalidSpec(f"{where}: config is not JSON") from None


def _shard(text: str, where: str) -> int:
    if not text:
        return -1
    if not text.isascii() or not text.isdigit():
        raise InvalidSpec(f"{where}: shard is not a number")
    return int(text)


def choose(destination: Destination, known: Iterable[KnownCluster]) -> KnownCluster:
    """Return the cluster a destination means; `InvalidSpec` says in Argo CD's words why there is not exactly one."""
    server, name = destination.server, destination.name
    if server and name:
        raise InvalidSpec(f"application destination can't have both name and server defined: {name} {server}")
    if not server and not name:
        raise InvalidSpec("Destination server missing from app spec: set spec.destination.server or .name")
    listed = list(known)
    if server:
        found = _operators([cluster for cluster in listed if cluster.server == server.rstrip("/")])
        if len({cluster.project for cluster in found}) > 1:
            secrets = " and ".join(sorted(cluster.secret for cluster in found))
            raise InvalidSpec(f'cluster "{server}" is claimed by the Secrets {secrets} of several projects')
        if found:
            return found[0]
        raise InvalidSpec(f'error getting cluster by server "{server}": cluster not found')
    found = _operators([cluster for cluster in listed if cluster.name == name and not _takes_home_name(cluster)])
    if len(found) == 1:
        return found[0]
    if found:
        servers = " ".join(sorted(cluster.server for cluster in found))
        raise InvalidSpec(f"there are {len(found)} clusters with the same name: [{servers}]")
    # Whoever reads this may see the Application, and need not see all clusters: those of projects are not named.
    near = misspelt(name, [cluster.name for cluster in listed if not cluster.project])
    raise InvalidSpec(f"there are no clusters with this name: {name}" + (f" (known: {near})" if near else ""))


def _operators(found: list[KnownCluster]) -> list[KnownCluster]:
    """Return those of no project where there are any: a project's cluster takes nobody else's place."""
    return [cluster for cluster in found if not cluster.project] or found


def _takes_home_name(cluster: KnownCluster) -> bool:
    return bool(cluster.project) and cluster.name == names.IN_CLUSTER_NAME and cluster.server != names.IN_CLUSTER_SERVER
