"""Builds the clients of clusters: those a kubeconfig names, those Secrets describe, and one over any transport."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from syncline.model.settings.settings import Settings
from syncline.wiring.machine import clock

if TYPE_CHECKING:
    from syncline.ports.kube import Cluster, ClusterReader, Connector
    from syncline.ports.transport import Transport
    from syncline.verbs.fleet.hub import Contexts


@asynccontextmanager
async def connected(
    *, kubeconfig: str = "", context: str = "", rate: float = 0.0
) -> AsyncIterator[tuple[Cluster, str]]:
    """Yield a client of the cluster a kubeconfig names, and the words for it (`context minikube`).

    With a `rate` no more requests than that are sent in a second.
    """
    from syncline.adapters.clock import SystemChance
    from syncline.adapters.kube import config
    from syncline.adapters.kube.client import KubeCluster
    from syncline.adapters.kube.http import HttpTransport
    from syncline.adapters.kube.rate import Limited
    from syncline.adapters.kube.retry import Retrying

    time = clock()
    connection = config.connect(environment=os.environ, clock=time, kubeconfig=kubeconfig, context=context)
    transport: Transport = HttpTransport(connection)
    if rate:
        transport = Limited(transport, clock=time, rate=rate, burst=max(1, int(rate)))
    cluster = KubeCluster(Retrying(transport, clock=time, chance=SystemChance()))
    try:
        yield cluster, f"context {connection.context}" if connection.context else connection.server
    finally:
        await cluster.close()


def contexts(kubeconfig: str = "", rate: float = 0.0) -> Contexts:
    """Return what a kubeconfig leads to, by the address of each server; the first context of an address counts."""
    from syncline.adapters.kube import config
    from syncline.verbs.fleet.hub import Contexts

    @asynccontextmanager
    async def opened(context: str) -> AsyncIterator[ClusterReader]:
        async with connected(kubeconfig=kubeconfig, context=context, rate=rate) as (cluster, _words):
            yield cluster

    return Contexts(config.servers(environment=os.environ, kubeconfig=kubeconfig), opened)


@asynccontextmanager
async def argocd_api(url: str, token: str, *, insecure: bool = False, rate: float = 0.0) -> AsyncIterator[Transport]:
    """Yield a transport to the API of an argocd-server, as whom a token says."""
    from syncline.adapters.clock import SystemChance
    from syncline.adapters.kube import proxies
    from syncline.adapters.kube.connection import Connection, Credential, Fixed
    from syncline.adapters.kube.http import HttpTransport
    from syncline.adapters.kube.rate import Limited
    from syncline.adapters.kube.retry import Retrying

    connection = Connection(
        server=url,
        credentials=Fixed(Credential(f"Bearer {token}" if token else "")),
        insecure=insecure,
        proxy=proxies.from_environment(url, os.environ),
    )
    transport: Transport = HttpTransport(connection)
    if rate:
        transport = Limited(transport, clock=clock(), rate=rate, burst=max(1, int(rate)))
    api = Retrying(transport, clock=clock(), chance=SystemChance())
    try:
        yield api
    finally:
        await api.close()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an API server is, and how it is trusted; no credentials."""

    server: str
    authority: bytes
    insecure: bool


def endpoint(*, kubeconfig: str = "", context: str = "") -> Endpoint:
    """Return the address of the cluster a kubeconfig names."""
    from syncline.adapters.kube import config

    found = config.connect(environment=os.environ, clock=clock(), kubeconfig=kubeconfig, context=context)
    return Endpoint(found.server, found.authority, found.insecure)


def connector(settings: Settings | None = None, *, now: Callable[[], Settings] | None = None) -> Connector:
    """Return what opens the clusters that Secrets describe, no faster than an operator who set a rate wants it.

    Where nobody did, API servers share their time out themselves. `now` tells the settings of the moment:
    which programs a Secret may have run. Without any it is none.
    """
    from syncline.adapters.clock import SystemChance
    from syncline.adapters.kube.cluster_secret import SecretConnector
    from syncline.model.settings.parts import ControllerLimits

    limits = settings.limits if settings else ControllerLimits()
    said = (limits.client_qps, limits.client_burst) != (ControllerLimits().client_qps, ControllerLimits().client_burst)
    return SecretConnector(
        environment=os.environ,
        clock=clock(),
        chance=SystemChance(),
        rate=limits.client_qps if said else 0.0,
        burst=limits.client_burst,
        commands=lambda: (now() if now else settings or Settings()).exec_commands,
    )


def client(transport: Transport) -> Cluster:
    """Return a client over a transport, such as the sandbox's own."""
    from syncline.adapters.kube.client import KubeCluster

    return KubeCluster(transport)
