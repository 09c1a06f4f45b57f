"""`syncline cluster add`: makes a cluster of the kubeconfig a destination.

A service account with all rights is created on that cluster, and its token, address and certificate authority are
kept in a Secret of the home cluster, as Argo CD does. No credential is printed.
"""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import click
import msgspec

from syncline import wiring
from syncline.apimachinery.keys import Object, gvk_of
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.show import terminal
from syncline.model import cluster as clusters
from syncline.model import names
from syncline.model.cluster import Access, KnownCluster
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster
from syncline.verbs.applications import MANAGER
from syncline.verbs.clusters import cluster_secrets, put_cluster

_ACCOUNT = "argocd-manager"
_PATIENCE = 30.0


class ClusterFlags(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    context: str
    name: str
    namespaces: tuple[str, ...]
    cluster_resources: bool
    system_namespace: str
    service_account: str
    labels: tuple[str, ...]
    annotations: tuple[str, ...]
    project: str
    shard: int | None
    upsert: bool
    in_cluster: bool
    proxy_url: str
    disable_compression: bool
    exec_command: str
    exec_command_args: tuple[str, ...]
    exec_command_env: tuple[str, ...]
    exec_command_api_version: str
    exec_command_install_hint: str


@click.command()
@click.argument("target", metavar="CONTEXT")
@chosen_cluster
@click.option("--name", default="", help="Name of the cluster (default: that of the context).")
@click.option("--namespace", "namespaces", multiple=True, help="Manage only this namespace (can be repeated).")
@click.option("--cluster-resources", is_flag=True, help="With --namespace: manage cluster-scoped objects too.")
@click.option("--system-namespace", default="kube-system", show_default=True, help="Namespace for the account.")
@click.option("--service-account", default="", help="Use this existing service account.")
@click.option("--label", "labels", multiple=True, help="Label KEY=VALUE of the cluster.")
@click.option("--annotation", "annotations", multiple=True, help="Annotation KEY=VALUE of the cluster.")
@click.option("--project", default="", help="Only for this project.")
@click.option("--shard", type=click.IntRange(min=0), default=None, help="Controller shard for this cluster.")
@click.option("--upsert", is_flag=True, help="Overwrite the existing cluster.")
@click.option("--in-cluster", is_flag=True, help="Use the in-cluster address of the cluster.")
@click.option("--proxy-url", default="", help="Proxy to reach the cluster.")
@click.option("--disable-compression", is_flag=True, help="Turn off compression of responses.")
@click.option("--exec-command", default="", help="Program that prints credentials; no service account is created.")
@click.option("--exec-command-args", multiple=True, help="Argument of the program (can be repeated).")
@click.option("--exec-command-env", multiple=True, help="Environment of the program, KEY=VALUE (can be repeated).")
@click.option(
    "--exec-command-api-version", default="client.authentication.k8s.io/v1", help="API version of its credentials."
)
@click.option("--exec-command-install-hint", default="", help="Hint to show when the program is missing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def add(target: str, chosen: Chosen, *, yes: bool, **given: Any) -> int:
    """Add a cluster of your kubeconfig as a destination."""
    wanted = ClusterFlags(context=target, **given)
    if not yes and not wanted.service_account and not wanted.exec_command:
        _confirm(target, wanted.system_namespace)
    return asyncio.run(_add(chosen, wanted))


def _confirm(target: str, namespace: str) -> None:
    from syncline.cli.asking import agree

    agree(
        f"context {target}",
        f"Create the service account {namespace}/{_ACCOUNT} with full access there?",
        "nothing was created",
    )


async def _add(chosen: Chosen, wanted: ClusterFlags) -> int:
    endpoint = wiring.endpoint(kubeconfig=chosen.kubeconfig, context=wanted.context)
    login = _program(wanted) if wanted.exec_command else {"bearerToken": await _account_token(chosen, wanted)}
    secret = _secret(chosen.namespace, wanted, endpoint, login)
    async with chosen.connected() as (home, words):
        terminal.echo(words, err=True)
        await put_cluster(home, secret, replace=wanted.upsert, hint="overwrite it with --upsert")
    terminal.echo(f"Cluster '{wanted.name or wanted.context}' added")
    if wanted.exec_command:
        terminal.echo(f"to use it, add to syncline.clusters.execCommands in argocd-cm: {wanted.exec_command}", err=True)
    return 0


async def _account_token(chosen: Chosen, wanted: ClusterFlags) -> str:
    """Return the token of an account on the cluster, created unless it is there already."""
    async with wiring.connected(kubeconfig=chosen.kubeconfig, context=wanted.context) as (target, _):
        if not wanted.service_account:
            for obj in _account(wanted):
                await _put(target, obj)
        return await _token(target, wanted.system_namespace, wanted.service_account or _ACCOUNT)


def _program(wanted: ClusterFlags) -> dict[str, Any]:
    """Return how to log in by a program that gives out credentials."""
    program = {
        "command": wanted.exec_command,
        "args": list(wanted.exec_command_args),
        "env": _pairs(wanted.exec_command_env),
        "apiVersion": wanted.exec_command_api_version,
        "installHint": wanted.exec_command_install_hint,
    }
    return {"execProviderConfig": {name: value for name, value in program.items() if value}}


def _account(wanted: ClusterFlags) -> list[Object]:
    group = "rbac.authorization.k8s.io"
    role = f"{_ACCOUNT}-role"
    subject = {"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": wanted.system_namespace}
    rules = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]
    account = {"metadata": {"name": _ACCOUNT, "namespace": wanted.system_namespace}}
    objects: list[Object] = [{"apiVersion": "v1", "kind": "ServiceAccount", **account}]
    if not wanted.namespaces:
        reference = {"apiGroup": group, "kind": "ClusterRole", "name": role}
        return [
            *objects,
            {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": role}, "rules": rules},
            {
                "apiVersion": f"{group}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": {"name": f"{role}-binding"},
                "roleRef": reference,
                "subjects": [subject],
            },
        ]
    for namespace in wanted.namespaces:
        reference = {"apiGroup": group, "kind": "Role", "name": role}
        metadata = {"name": role, "namespace": namespace}
        binding = {"name": f"{role}-binding", "namespace": namespace}
        objects += [
            {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": rules[:1]},
            {
                "apiVersion": f"{group}/v1",
                "kind": "RoleBinding",
                "metadata": binding,
                "roleRef": reference,
                "subjects": [subject],
            },
        ]
    return objects


async def _put(target: Cluster, obj: Object) -> None:
    gvk = gvk_of(obj)
    resource = (await target.discover()).find(gvk.group_kind, gvk.version)
    if resource is None:
        raise NeedsUser(f"this cluster does not serve {gvk.kind}")
    await target.apply(resource, obj, manager=MANAGER)


async def _token(target: Cluster, namespace: str, account: str) -> str:
    """Return the token of the account's long-lived Secret, creating it and waiting for the cluster to fill it in."""
    name = f"{account}-long-lived-token"
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "annotations": {"kubernetes.io/service-account.name": account},
        },
        "type": "kubernetes.io/service-account-token",
    }
    await _put(target, secret)
    resource, _ = await cluster_secrets(target, namespace)
    for _ in range(int(_PATIENCE * 2)):
        found = await target.get(resource, namespace, name)
        if token := ((found or {}).get("data") or {}).get("token"):
            return base64.b64decode(token).decode()
        await asyncio.sleep(0.5)
    raise NeedsUser(
        f"the cluster did not issue a token for {namespace}/{account} within {_PATIENCE:g} s",
        hint="is its controller manager running?",
    )


def _secret(namespace: str, wanted: ClusterFlags, endpoint: wiring.Endpoint, login: dict[str, Any]) -> Object:
    server = names.IN_CLUSTER_SERVER if wanted.in_cluster else endpoint.server
    tls: dict[str, Any] = {"insecure": endpoint.insecure}
    if endpoint.authority:
        tls["caData"] = base64.b64encode(endpoint.authority).decode()
    way = {"proxyUrl": wanted.proxy_url, "disableCompression": wanted.disable_compression, "tlsClientConfig": tls}
    described = KnownCluster(
        server=server,
        name=wanted.name or wanted.context,
        access=msgspec.convert({**login, **way}, Access),
        namespaces=wanted.namespaces,
        cluster_resources=wanted.cluster_resources,
        project=wanted.project,
        shard=-1 if wanted.shard is None else wanted.shard,
        labels=_pairs(wanted.labels),
        annotations=_pairs(wanted.annotations),
    )
    return clusters.secret_of(described, namespace)


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    pairs = dict(text.partition("=")[::2] for text in texts)
    if any("=" not in text for text in texts):
        raise NeedsUser("labels, annotations and variables must have the form KEY=VALUE")
    return pairs
