"""`syncline proj add-…`, `remove-…`, `allow-…` and `deny-…`: single entries of a project's lists."""

from __future__ import annotations

import click

from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.proj.changing import PROJECT, changed
from syncline.verbs import project_edits


@click.command("add-source")
@PROJECT
@click.argument("url")
@chosen_cluster
def add_source(project: str, url: str, chosen: Chosen) -> int:
    """Permit a source repository; prefix the URL with `!` to forbid it."""
    return changed(chosen, project, project_edits.add("sourceRepos", url, f"source repository {url}"))


@click.command("remove-source")
@PROJECT
@click.argument("url")
@chosen_cluster
def remove_source(project: str, url: str, chosen: Chosen) -> int:
    """Remove a source repository."""
    return changed(chosen, project, project_edits.remove("sourceRepos", url, f"source repository {url}"))


@click.command("add-source-namespace")
@PROJECT
@click.argument("namespace")
@chosen_cluster
def add_source_namespace(project: str, namespace: str, chosen: Chosen) -> int:
    """Permit Applications in a namespace."""
    return changed(chosen, project, project_edits.add("sourceNamespaces", namespace, f"namespace {namespace}"))


@click.command("remove-source-namespace")
@PROJECT
@click.argument("namespace")
@chosen_cluster
def remove_source_namespace(project: str, namespace: str, chosen: Chosen) -> int:
    """Remove a namespace of Applications."""
    return changed(chosen, project, project_edits.remove("sourceNamespaces", namespace, f"namespace {namespace}"))


_BY_NAME = click.option("--name", "by_name", is_flag=True, help="The cluster is given by its name, not its address.")


def _destination(server: str, namespace: str, *, by_name: bool) -> dict[str, str]:
    return {"name" if by_name else "server": server, "namespace": namespace}


@click.command("add-destination")
@PROJECT
@click.argument("server", metavar="SERVER/NAME")
@click.argument("namespace")
@_BY_NAME
@chosen_cluster
def add_destination(project: str, server: str, namespace: str, chosen: Chosen, *, by_name: bool) -> int:
    """Permit a destination."""
    entry = _destination(server, namespace, by_name=by_name)
    return changed(chosen, project, project_edits.add("destinations", entry, f"destination {server},{namespace}"))


@click.command("remove-destination")
@PROJECT
@click.argument("server", metavar="SERVER/NAME")
@click.argument("namespace")
@_BY_NAME
@chosen_cluster
def remove_destination(project: str, server: str, namespace: str, chosen: Chosen, *, by_name: bool) -> int:
    """Remove a destination."""
    entry = _destination(server, namespace, by_name=by_name)
    return changed(chosen, project, project_edits.remove("destinations", entry, f"destination {server},{namespace}"))


def _account(server: str, namespace: str, account: str, account_namespace: str) -> dict[str, str]:
    whole = f"{account_namespace}:{account}" if account_namespace else account
    return {"server": server, "namespace": namespace, "defaultServiceAccount": whole}


_ACCOUNT_NAMESPACE = click.option(
    "--service-account-namespace", "account_namespace", default="", help="Namespace of the service account."
)


@click.command("add-destination-service-account")
@PROJECT
@click.argument("server")
@click.argument("namespace")
@click.argument("account", metavar="SERVICE_ACCOUNT")
@_ACCOUNT_NAMESPACE
@chosen_cluster
def add_destination_service_account(
    project: str, server: str, namespace: str, account: str, account_namespace: str, chosen: Chosen
) -> int:
    """Set the service account for a destination."""
    entry = _account(server, namespace, account, account_namespace)
    words = f"service account {account} of {server},{namespace}"
    return changed(chosen, project, project_edits.add("destinationServiceAccounts", entry, words))


@click.command("remove-destination-service-account")
@PROJECT
@click.argument("server")
@click.argument("namespace")
@click.argument("account", metavar="SERVICE_ACCOUNT")
@_ACCOUNT_NAMESPACE
@chosen_cluster
def remove_destination_service_account(
    project: str, server: str, namespace: str, account: str, account_namespace: str, chosen: Chosen
) -> int:
    """Remove the service account of a destination."""
    entry = _account(server, namespace, account, account_namespace)
    words = f"service account {account} of {server},{namespace}"
    return changed(chosen, project, project_edits.remove("destinationServiceAccounts", entry, words))


def _list(default: str) -> click.Option:
    return click.Option(
        ["-l", "--list", "which"],
        type=Choice(["allow", "deny"]),
        default=default,
        show_default=True,
        help="The list that is changed.",
    )


def _kind_command(name: str, words: str, *, allow: bool, cluster: bool) -> click.Command:
    """Return a command that permits or forbids a kind, in the list that `--list` chooses."""

    @click.command(name, help=words)
    @PROJECT
    @click.argument("group")
    @click.argument("kind")
    @chosen_cluster
    def command(project: str, group: str, kind: str, chosen: Chosen, which: str, named: str = "") -> int:
        scope = "cluster" if cluster else "namespace"
        field = f"{scope}Resource{'Whitelist' if which == 'allow' else 'Blacklist'}"
        entry = {"group": group, "kind": kind, **({"name": named} if named else {})}
        present = allow if which == "allow" else not allow
        told = f"updated: {group}/{kind} is {'in' if present else 'no longer in'} spec.{field}"
        return changed(chosen, project, project_edits.list_kind(field, entry, present=present), told)

    command.params.append(_list("allow" if cluster else "deny"))
    if cluster:
        command.params.append(click.Argument(["named"], metavar="[NAME]", default=""))
        # Arguments are taken in the order of this list.
        command.params.sort(
            key=lambda one: (
                ("project", "group", "kind", "named").index(one.name or "") if isinstance(one, click.Argument) else 9
            )
        )
    return command


allow_cluster_resource = _kind_command(
    "allow-cluster-resource", "Permit a cluster-scoped kind, or remove it from the deny list.", allow=True, cluster=True
)
deny_cluster_resource = _kind_command(
    "deny-cluster-resource", "Remove a cluster-scoped kind from the allow list, or deny it.", allow=False, cluster=True
)
allow_namespace_resource = _kind_command(
    "allow-namespace-resource", "Remove a namespaced kind from the deny list, or permit it.", allow=True, cluster=False
)
deny_namespace_resource = _kind_command(
    "deny-namespace-resource", "Deny a namespaced kind, or remove it from the allow list.", allow=False, cluster=False
)

_ORPHAN_NAME = click.option("--name", default="", help="Pattern of names.")


def _orphan(group: str, kind: str, name: str) -> dict[str, str]:
    return {field: value for field, value in (("group", group), ("kind", kind), ("name", name)) if value}


@click.command("add-orphaned-ignore")
@PROJECT
@click.argument("group")
@click.argument("kind")
@_ORPHAN_NAME
@chosen_cluster
def add_orphaned_ignore(project: str, group: str, kind: str, name: str, chosen: Chosen) -> int:
    """Leave a kind out of orphaned resources."""
    return changed(chosen, project, project_edits.ignore_orphan(_orphan(group, kind, name), ignored=True))


@click.command("remove-orphaned-ignore")
@PROJECT
@click.argument("group")
@click.argument("kind")
@_ORPHAN_NAME
@chosen_cluster
def remove_orphaned_ignore(project: str, group: str, kind: str, name: str, chosen: Chosen) -> int:
    """Count a kind among orphaned resources again."""
    return changed(chosen, project, project_edits.ignore_orphan(_orphan(group, kind, name), ignored=False))


@click.command("add-signature-key")
@PROJECT
@click.argument("key")
@chosen_cluster
def add_signature_key(project: str, key: str, chosen: Chosen) -> int:
    """Require commits to be signed with a key."""
    return changed(chosen, project, project_edits.add("signatureKeys", {"keyID": key}, f"key {key}"))


@click.command("remove-signature-key")
@PROJECT
@click.argument("key")
@chosen_cluster
def remove_signature_key(project: str, key: str, chosen: Chosen) -> int:
    """Remove a key that commits may be signed with."""
    return changed(chosen, project, project_edits.remove("signatureKeys", {"keyID": key}, f"key {key}"))
