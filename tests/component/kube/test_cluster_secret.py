"""What a cluster Secret says becomes a connection; what cannot be used is one sentence without a secret in it."""

import asyncio
import base64
import pathlib
from typing import Any

import orjson
import pytest

from syncline.adapters.kube.cluster_secret import connection
from syncline.adapters.kube.connection import Credential
from syncline.adapters.kube.rate import Limited
from syncline.model.application import Destination
from syncline.model.cluster import IN_CLUSTER, KnownCluster, choose, parse_secret
from syncline.model.errors import InvalidSpec
from syncline.ports.transport import Request, Response
from tests.support.clocks import LoopClock
from tests.support.fleet import describe
from tests.support.loops.simulated import run_simulated

SERVER = "https://east.example:6443"
PEM = base64.b64encode(b"-----BEGIN CERTIFICATE-----").decode()
CANARY = "hush-hush-canary"


def secret(config: Any = None, **fields: str) -> KnownCluster:
    text = config if isinstance(config, str) else orjson.dumps(config or {}).decode()
    return parse_secret(describe("argocd", "east", SERVER, **{"config": text, **fields}))


@pytest.mark.parametrize(
    ("config", "credential"),
    [
        ({}, Credential()),
        ({"bearerToken": "t"}, Credential("Bearer t")),
        ({"username": "u", "password": "p"}, Credential("Basic dTpw")),
        (
            {"tlsClientConfig": {"certData": PEM, "keyData": PEM}},
            Credential("", b"-----BEGIN CERTIFICATE-----", b"-----BEGIN CERTIFICATE-----"),
        ),
    ],
)
def test_credentials(config: dict[str, Any], credential: Credential) -> None:
    async def main() -> None:
        made = connection(secret(config), environment={}, clock=LoopClock())
        assert await made.credentials.current() == credential

    run_simulated(main)


def test_trust_proxy_and_names_are_taken_over() -> None:
    config = {"tlsClientConfig": {"insecure": False, "serverName": "api", "caData": PEM}, "proxyUrl": "http://p:1"}
    made = connection(secret(config), environment={}, clock=LoopClock())
    assert (made.server, made.authority, made.tls_server_name, made.proxy, made.insecure) == (
        SERVER,
        b"-----BEGIN CERTIFICATE-----",
        "api",
        "http://p:1",
        False,
    )


def test_a_secret_says_which_part_of_a_cluster_and_which_shard() -> None:
    known = secret({}, namespaces="b, a,,", clusterResources="true", project="shop", shard="3")
    assert (known.namespaces, known.cluster_resources, known.project, known.shard) == (("a", "b"), True, "shop", 3)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"awsAuthConfig": {"profile": CANARY}}, "awsAuthConfig has no clusterName"),
        ({"awsAuthConfig": {"clusterName": "east", "roleARN": CANARY}}, "roleARN is not assumed by Syncline"),
        ({"execProviderConfig": {"args": [CANARY]}}, "execProviderConfig names no command"),
        ({"execProviderConfig": {"command": "x", "apiVersion": "v1"}}, "execProviderConfig has apiVersion 'v1'"),
        (
            {"execProviderConfig": {"command": "aws", "args": [CANARY], "env": {"A": CANARY}}},
            "'aws', which is not permitted (permit it with syncline.clusters.execCommands in argocd-cm)",
        ),
        ({"tlsClientConfig": {"certData": PEM}}, "only one of tlsClientConfig.certData and .keyData"),
        ({"tlsClientConfig": {"caData": CANARY}}, "tlsClientConfig.caData is not base64"),
        ({"proxyUrl": CANARY}, "proxyUrl must be an http:// or https:// address"),
        ({"bearerToken": [CANARY]}, "config cannot be read"),
        ("{" + CANARY, "config is not JSON"),
    ],
)
def test_what_cannot_be_used_is_said_without_a_secret(config: Any, words: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        connection(secret(config), environment={}, clock=LoopClock())
    assert words in str(caught.value)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("named", "permitted", "runs"),
    [
        ("mint", (), False),
        ("mint", ("other",), False),
        ("/elsewhere/mint", ("mint",), False),
        ("mint ", ("mint",), False),
        ("mint", ("mint",), True),
        ("mint", ("*",), True),
    ],
)
def test_a_program_of_a_secret_runs_only_where_the_operator_permits_it(
    tmp_path: pathlib.Path, named: str, permitted: tuple[str, ...], runs: bool
) -> None:
    script = tmp_path / "mint"
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "minted"}}
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho '{orjson.dumps(answer).decode()}'\n")
    script.chmod(0o755)
    known = secret({"execProviderConfig": {"command": named.replace("mint", str(script), 1), "args": [CANARY]}})
    commands = [text.replace("mint", str(script), 1) for text in permitted]

    async def main() -> None:
        made = connection(known, environment={}, clock=LoopClock(), commands=commands)
        assert await made.credentials.current() == Credential("Bearer minted")

    if runs:
        asyncio.run(main())
    else:
        with pytest.raises(InvalidSpec, match="which is not permitted"):
            asyncio.run(main())
    assert (tmp_path / "ran").exists() is runs


def test_no_secret_is_printed_with_a_cluster() -> None:
    assert CANARY not in repr(secret({"bearerToken": CANARY}))


@pytest.mark.parametrize(
    ("server", "name", "found"),
    [
        ("https://kubernetes.default.svc", "", True),
        ("https://kubernetes.default.svc/", "", True),
        ("", "in-cluster", True),
        ("https://kubernetes.default.svc", "in-cluster", False),
        ("", "", False),
        ("https://other:6443", "", False),
        ("", "other", False),
    ],
)
def test_the_home_cluster_is_found_under_both_its_names_and_nothing_else(server: str, name: str, found: bool) -> None:
    destination = Destination(server=server, name=name)
    if found:
        assert choose(destination, [IN_CLUSTER]) == IN_CLUSTER
    else:
        with pytest.raises(InvalidSpec):
            choose(destination, [IN_CLUSTER])


class Instant:
    """A transport that notes when requests leave."""

    def __init__(self) -> None:
        self.at: list[float] = []

    async def send(self, _request: Request, *, timeout: float | None = None) -> Response:
        del timeout
        self.at.append(round(LoopClock().monotonic(), 3))
        return None  # type: ignore[return-value]  # nobody looks at the answer

    async def close(self) -> None:
        pass


def test_a_rate_lets_a_burst_through_and_then_one_request_at_a_time() -> None:
    async def main() -> None:
        inner = Instant()
        limited = Limited(inner, clock=LoopClock(), rate=2.0, burst=3)
        for _ in range(6):
            await limited.send(Request(method="GET", path="/"), timeout=1.0)
        assert inner.at == [0.0, 0.0, 0.0, 0.5, 1.0, 1.5]
        await limited.send(Request(method="GET", path="/"))
        assert inner.at[-1] == 1.5, "watches are not counted"

    run_simulated(main)
