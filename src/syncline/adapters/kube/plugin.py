"""Runs the exec plugin of a kubeconfig user and reads the credential it prints.

Called by `syncline.adapters.kube.credentials`. The plugin is what the operator's own kubeconfig names, or what a
cluster Secret names and the operator permits; started without a shell and without a terminal, killed with its children
after a minute. What it prints on stdout is never repeated in an error: it is the credential.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from syncline import processes
from syncline.adapters.kube.connection import Credential
from syncline.ports.transport import TransportError

API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_SECONDS = 60.0
_MAX_OUTPUT = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecPlugin:
    """What to run: argv, extra environment, the protocol version and what to say when it is not installed."""

    command: str
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    api_version: str = API_VERSIONS[0]
    install_hint: str = ""
    cluster: dict[str, Any] | None = None
    """The cluster as the plugin is told about it, where it asks for that."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A credential and until when it is good; None is until it is refused."""

    credential: Credential
    expires: datetime | None = None


async def run(plugin: ExecPlugin) -> Issued:
    """Run the plugin once; raises `TransportError` with one sentence when it gives no credential."""
    code, output, told = await _run(plugin)
    if code != 0:
        raise TransportError(f"{_name(plugin)} exited with code {code}" + (f": {told}" if told else ""))
    return _issued(plugin, output)


async def _run(plugin: ExecPlugin) -> tuple[int, bytes, str]:
    spec: dict[str, Any] = {"interactive": False}
    if plugin.cluster is not None:
        spec["cluster"] = plugin.cluster
    question = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
    environment = {**os.environ, **dict(plugin.environment), "KUBERNETES_EXEC_INFO": orjson.dumps(question).decode()}
    try:
        ended = await processes.run(
            (plugin.command, *plugin.arguments),
            environment=environment,
            limits=processes.ProcessLimits(seconds=_SECONDS, output=_MAX_OUTPUT),
        )
    except processes.NotStarted:
        hint = f": {' '.join(plugin.install_hint.split())}" if plugin.install_hint else ": install it"
        raise TransportError(f"{_name(plugin)} cannot be started{hint}") from None
    except processes.OverLimit as over:
        raise TransportError(f"{_name(plugin)} {over}") from None
    lines = ended.complaint().strip().splitlines()
    return ended.code, ended.output, lines[-1].strip()[:200] if lines else ""


def _issued(plugin: ExecPlugin, output: bytes) -> Issued:
    try:
        answer = orjson.loads(output)
        status = answer["status"]
        version = answer["apiVersion"]
        token, certificate = status.get("token") or "", status.get("clientCertificateData") or ""
        key, expiry = status.get("clientKeyData") or "", status.get("expirationTimestamp")
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise TransportError(f"{_name(plugin)} did not print an ExecCredential with a status") from None
    if version != plugin.api_version:
        raise TransportError(f"{_name(plugin)} printed apiVersion {version}, but {plugin.api_version} was asked for")
    if not token and not (certificate and key):
        raise TransportError(f"{_name(plugin)} printed neither a token nor a certificate with its key")
    credential = Credential(f"Bearer {token}" if token else "", certificate.encode(), key.encode())
    return Issued(credential, _instant(plugin, expiry))


def _instant(plugin: ExecPlugin, text: object) -> datetime | None:
    if not text:
        return None
    try:
        instant = datetime.fromisoformat(str(text))
    except ValueError:
        raise TransportError(f"{_name(plugin)} printed an expirationTimestamp that is not a time") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _name(plugin: ExecPlugin) -> str:
    return f"the credential plugin {plugin.command}"
