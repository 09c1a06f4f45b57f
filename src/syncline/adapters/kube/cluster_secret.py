"""Turns a cluster Secret's description into a connection: `syncline.ports.kube.Connector` for real clusters.

Handed to the controller by `syncline.wiring`. What cannot be used is an `InvalidSpec` that names the field and never
its value. Which programs a Secret may name is for the operator to say.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection, Mapping

from syncline.adapters.kube import aws, plugin, proxies
from syncline.adapters.kube.client import KubeCluster
from syncline.adapters.kube.connection import Connection, Credential, CredentialSource, Fixed
from syncline.adapters.kube.credentials import FromPlugin
from syncline.adapters.kube.http import HttpTransport
from syncline.adapters.kube.rate import Limited
from syncline.adapters.kube.retry import Retrying
from syncline.model.cluster import Access, AwsAuth, ExecProvider, KnownCluster
from syncline.model.errors import InvalidSpec
from syncline.ports.clock import Chance, Clock
from syncline.ports.transport import Transport

PERMITS = "syncline.clusters.execCommands"
ANY = "*"


class SecretConnector:
    """Connects to clusters over HTTP, as their Secrets say; `commands` tells the programs that those may name."""

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        clock: Clock,
        chance: Chance,
        rate: float = 0.0,
        burst: int = 0,
        commands: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self._environment = environment
        self._commands = commands
        self._clock = clock
        self._chance = chance
        self._rate = rate
        self._burst = burst

    def connect(self, cluster: KnownCluster) -> KubeCluster:
        """Return a client; raises `InvalidSpec` where the Secret cannot be used."""
        found = connection(cluster, environment=self._environment, clock=self._clock, commands=self._commands())
        transport: Transport = HttpTransport(found)
        if self._rate > 0:
            transport = Limited(transport, clock=self._clock, rate=self._rate, burst=self._burst)
        return KubeCluster(Retrying(transport, clock=self._clock, chance=self._chance))


def connection(
    cluster: KnownCluster, *, environment: Mapping[str, str], clock: Clock, commands: Collection[str] = ()
) -> Connection:
    """Return how to reach a cluster and as whom; `commands` are the programs that may be run for a credential."""
    access = cluster.access or Access()
    tls = access.tls_client_config
    if not cluster.server.startswith(("https://", "http://")):
        raise InvalidSpec(f"cluster {cluster.name}: server must be an https:// address")
    if access.proxy_url and not access.proxy_url.startswith(("http://", "https://")):
        raise InvalidSpec(f"cluster {cluster.name}: proxyUrl must be an http:// or https:// address")
    return Connection(
        server=cluster.server,
        credentials=_credentials(cluster, access, clock, commands, environment),
        authority=_pem(tls.ca_data, "tlsClientConfig.caData", cluster),
        insecure=tls.insecure,
        tls_server_name=tls.server_name,
        proxy=access.proxy_url or proxies.from_environment(cluster.server, environment),
        ordinary_only=bool(cluster.project),
        context=cluster.name,
    )


def _credentials(
    cluster: KnownCluster, access: Access, clock: Clock, commands: Collection[str], environment: Mapping[str, str]
) -> CredentialSource:
    tls = access.tls_client_config
    certificate = _pem(tls.cert_data, "tlsClientConfig.certData", cluster)
    key = _pem(tls.key_data, "tlsClientConfig.keyData", cluster)
    if bool(certificate) != bool(key):
        message = f"cluster {cluster.name}: config has only one of tlsClientConfig.certData and .keyData"
        raise InvalidSpec(message)
    if access.aws_auth_config is not None:
        return _aws_tokens(cluster, access.aws_auth_config, environment, clock)
    if access.exec_provider_config is not None:
        return FromPlugin(_plugin(cluster, access.exec_provider_config, commands), clock)
    authorization = ""
    if access.bearer_token:
        authorization = f"Bearer {access.bearer_token}"
    elif access.username:
        pair = f"{access.username}:{access.password}".encode()
        authorization = f"Basic {base64.b64encode(pair).decode()}"
    return Fixed(Credential(authorization, certificate, key))


def _aws_tokens(cluster: KnownCluster, auth: AwsAuth, environment: Mapping[str, str], clock: Clock) -> CredentialSource:
    if not auth.cluster_name:
        raise InvalidSpec(f"cluster {cluster.name}: awsAuthConfig has no clusterName")
    if auth.role_arn:
        raise InvalidSpec(
            f"cluster {cluster.name}: the role of awsAuthConfig.roleARN is not assumed by Syncline",
            hint="give Syncline keys of that role, or use execProviderConfig with the command aws",
        )
    return aws.AwsTokens(
        cluster=auth.cluster_name, profile=auth.profile, server=cluster.server, environment=environment, clock=clock
    )


def _plugin(cluster: KnownCluster, program: ExecProvider, commands: Collection[str]) -> plugin.ExecPlugin:
    if not program.command:
        raise InvalidSpec(f"cluster {cluster.name}: execProviderConfig names no command")
    version = program.api_version or plugin.API_VERSIONS[0]
    if version not in plugin.API_VERSIONS:
        message = f"cluster {cluster.name}: execProviderConfig has apiVersion {version!r}"
        raise InvalidSpec(message, hint=f"one of {', '.join(plugin.API_VERSIONS)}")
    if program.command not in commands and ANY not in commands:
        named = repr(program.command[:80])
        message = f"cluster {cluster.name}: execProviderConfig names the program {named}, which is not permitted"
        raise InvalidSpec(message, hint=f"permit it with {PERMITS} in argocd-cm")
    return plugin.ExecPlugin(
        command=program.command,
        arguments=program.args,
        environment=tuple(sorted(program.env.items())),
        api_version=version,
        install_hint=program.install_hint,
    )


def _pem(data: str, name: str, cluster: KnownCluster) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        raise InvalidSpec(f"cluster {cluster.name}: {name} is not base64") from None
