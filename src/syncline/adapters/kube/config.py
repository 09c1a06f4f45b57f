"""Finds out which API server to talk to and as whom: kubeconfig, or the pod's own service account.

Called by `syncline.wiring` with what the command line says; the `Connection` goes to
`syncline.adapters.kube.http`. The order is kubectl's: the file that was named, else the files of KUBECONFIG,
else ~/.kube/config, else the cluster this process runs in.
"""

from __future__ import annotations

import base64
import pathlib
from collections.abc import Mapping
from typing import Any

from syncline.adapters.kube import plugin, proxies
from syncline.adapters.kube.connection import Connection, Credential, CredentialSource, Fixed
from syncline.adapters.kube.credentials import FromPlugin, TokenFile
from syncline.adapters.kube.kubeconfig import Kubeconfig, KubeconfigEntry, KubeconfigError, load
from syncline.apimachinery.nearest import did_you_mean
from syncline.model.errors import Place
from syncline.ports.clock import Clock

SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def connect(*, environment: Mapping[str, str], clock: Clock, kubeconfig: str = "", context: str = "") -> Connection:
    """Return the connection to use; raises `KubeconfigError` saying what is missing and where."""
    paths = _paths(kubeconfig, environment)
    config = load(paths)
    if config.files:
        return of_context(config, context, environment=environment, clock=clock)
    if kubeconfig:
        raise KubeconfigError("this kubeconfig does not exist", place=Place(kubeconfig))
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return in_cluster(environment=environment, clock=clock)
    tried = " and ".join(paths)
    raise KubeconfigError(f"no cluster is configured: {tried} not found", hint="set KUBECONFIG or pass --kubeconfig")


def servers(*, environment: Mapping[str, str], kubeconfig: str = "") -> dict[str, str]:
    """Return the contexts of a kubeconfig by the address of their server; the first one of an address counts."""
    config = load(_paths(kubeconfig, environment))
    found: dict[str, str] = {}
    for name, context in config.contexts.items():
        cluster = config.clusters.get(str(context.fields.get("cluster") or ""))
        if cluster is not None and (server := str(cluster.fields.get("server") or "").rstrip("/")):
            found.setdefault(server, name)
    return found


def in_cluster(*, environment: Mapping[str, str], clock: Clock, folder: str = SERVICE_ACCOUNT) -> Connection:
    """Return the connection of a pod to its own API server, with the token read again as it is renewed."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise KubeconfigError("this process does not run in a cluster: KUBERNETES_SERVICE_HOST is not set")
    mounted = pathlib.Path(folder)
    try:
        authority = (mounted / "ca.crt").read_bytes()
    except OSError:
        message = "the pod has no service account: ca.crt is missing"
        raise KubeconfigError(message, place=Place(folder), hint="set automountServiceAccountToken") from None
    namespace = mounted / "namespace"
    server = f"https://{f'[{host}]' if ':' in host else host}:{port}"
    return Connection(
        server=server,
        credentials=TokenFile(str(mounted / "token"), clock),
        authority=authority,
        proxy=proxies.from_environment(server, environment),
        context="in-cluster",
        namespace=namespace.read_text().strip() if namespace.exists() else "",
    )


def of_context(config: Kubeconfig, name: str, *, environment: Mapping[str, str], clock: Clock) -> Connection:
    """Return the connection of one context; an empty name is the current one."""
    files = ", ".join(config.files)
    name = name or config.current_context
    if not name:
        raise KubeconfigError(
            "no current-context is set", place=Place(files), hint=_choices("contexts", config.contexts)
        )
    context = config.contexts.get(name)
    if context is None:
        message = f"no context named {name!r}"
        hint = did_you_mean(name, config.contexts) or _choices("contexts", config.contexts)
        raise KubeconfigError(message, place=Place(files), hint=hint)
    cluster = _referenced(context, "cluster", config.clusters, name)
    user = (
        _referenced(context, "user", config.users, name)
        if context.fields.get("user")
        else KubeconfigEntry({}, context.file)
    )
    server = str(cluster.fields.get("server") or "").rstrip("/")
    if not server.startswith(("https://", "http://")):
        message = f"cluster {context.fields['cluster']!r} has no https:// server address"
        raise KubeconfigError(message, place=Place(cluster.file))
    owner = f"cluster {context.fields['cluster']!r}"
    return Connection(
        server=server,
        credentials=_credentials(user, str(context.fields.get("user") or ""), cluster, clock),
        authority=cluster.read("certificate-authority", owner),
        insecure=bool(cluster.fields.get("insecure-skip-tls-verify")),
        tls_server_name=str(cluster.fields.get("tls-server-name") or ""),
        proxy=_proxy(cluster, owner) or proxies.from_environment(server, environment),
        headers=_impersonation(user),
        context=name,
        namespace=str(context.fields.get("namespace") or ""),
    )


def _paths(named: str, environment: Mapping[str, str]) -> list[str]:
    if named:
        return [named]
    listed = [path for path in environment.get("KUBECONFIG", "").split(":") if path]
    if listed:
        return listed
    home = environment.get("HOME")
    return [str(pathlib.Path(home) / ".kube" / "config")] if home else ["KUBECONFIG"]


def _referenced(context: KubeconfigEntry, kind: str, table: dict[str, KubeconfigEntry], name: str) -> KubeconfigEntry:
    wanted = str(context.fields.get(kind) or "")
    entry = table.get(wanted)
    if entry is None:
        message = f"context {name!r} names {kind} {wanted!r}, which does not exist"
        raise KubeconfigError(message, place=Place(context.file), hint=_choices(f"{kind}s", table))
    return entry


def _choices(what: str, table: Mapping[str, Any]) -> str:
    return f"known {what}: {', '.join(sorted(table)) or 'none'}"


def _proxy(cluster: KubeconfigEntry, owner: str) -> str:
    proxy = str(cluster.fields.get("proxy-url") or "")
    if proxy and not proxy.startswith(("http://", "https://")):
        message = f"proxy-url of {owner} is not an http:// or https:// address; other proxies are not supported"
        raise KubeconfigError(message, place=Place(cluster.file))
    return proxy


def _credentials(user: KubeconfigEntry, name: str, cluster: KubeconfigEntry, clock: Clock) -> CredentialSource:
    owner = f"user {name!r}"
    fields = user.fields
    certificate, key = user.read("client-certificate", owner), user.read("client-key", owner)
    if bool(certificate) != bool(key):
        raise KubeconfigError(f"{owner} has only one of client-certificate and client-key", place=Place(user.file))
    if fields.get("tokenFile"):
        return TokenFile(user.path("tokenFile"), clock, Credential("", certificate, key))
    if fields.get("token"):
        return Fixed(Credential(f"Bearer {fields['token']}", certificate, key))
    if fields.get("username"):
        pair = f"{fields['username']}:{fields.get('password') or ''}"
        return Fixed(Credential(f"Basic {base64.b64encode(pair.encode()).decode()}", certificate, key))
    if fields.get("exec"):
        return FromPlugin(_plugin(user, owner, cluster), clock)
    if fields.get("auth-provider"):
        message = f"{owner} uses auth-provider, which Kubernetes has removed"
        raise KubeconfigError(message, place=Place(user.file), hint="use an exec plugin")
    return Fixed(Credential("", certificate, key))


def _plugin(user: KubeconfigEntry, owner: str, cluster: KubeconfigEntry) -> plugin.ExecPlugin:
    settings = user.fields["exec"]
    if not isinstance(settings, dict) or not settings.get("command"):
        raise KubeconfigError(f"exec of {owner} names no command", place=Place(user.file))
    version = str(settings.get("apiVersion") or "")
    if version not in plugin.API_VERSIONS:
        message = f"exec of {owner} has apiVersion {version!r}"
        raise KubeconfigError(message, place=Place(user.file), hint=f"one of {', '.join(plugin.API_VERSIONS)}")
    if settings.get("interactiveMode") == "Always":
        message = f"exec of {owner} needs a terminal (interactiveMode: Always), but there is no terminal"
        raise KubeconfigError(message, place=Place(user.file))
    command = str(settings["command"])
    if "/" in command:
        command = str(pathlib.Path(user.file).absolute().parent / command)
    environment = tuple((str(entry["name"]), str(entry["value"])) for entry in settings.get("env") or ())
    return plugin.ExecPlugin(
        command=command,
        arguments=tuple(str(argument) for argument in settings.get("args") or ()),
        environment=environment,
        api_version=version,
        install_hint=str(settings.get("installHint") or ""),
        cluster=_told(cluster) if settings.get("provideClusterInfo") else None,
    )


def _told(cluster: KubeconfigEntry) -> dict[str, Any]:
    """Describe the cluster to a plugin in the words of ExecCredential."""
    authority = cluster.read("certificate-authority", "the cluster")
    told = {
        "server": cluster.fields.get("server"),
        "tls-server-name": cluster.fields.get("tls-server-name"),
        "insecure-skip-tls-verify": cluster.fields.get("insecure-skip-tls-verify"),
        "certificate-authority-data": base64.b64encode(authority).decode() if authority else None,
        "proxy-url": cluster.fields.get("proxy-url"),
    }
    return {key: value for key, value in told.items() if value}


def _impersonation(user: KubeconfigEntry) -> dict[str, tuple[str, ...]]:
    fields = user.fields
    headers: dict[str, tuple[str, ...]] = {}
    if fields.get("as"):
        headers["Impersonate-User"] = (str(fields["as"]),)
    if fields.get("as-uid"):
        headers["Impersonate-Uid"] = (str(fields["as-uid"]),)
    if fields.get("as-groups"):
        headers["Impersonate-Group"] = tuple(str(group) for group in fields["as-groups"])
    for key, values in (fields.get("as-user-extra") or {}).items():
        headers[f"Impersonate-Extra-{key}"] = tuple(str(value) for value in values)
    return headers
