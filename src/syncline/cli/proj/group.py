"""`syncline proj`: what the Applications of a team may use, kept in AppProjects."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_VERBS = {
    "list": ("syncline.cli.proj.show:list_", "List the projects."),
    "get": ("syncline.cli.proj.show:get", "Show a project."),
    "create": ("syncline.cli.proj.create:create", "Create a project."),
    "set": ("syncline.cli.proj.create:set_", "Set fields of a project."),
    "edit": ("syncline.cli.proj.create:edit", "Edit a project's spec in your editor."),
    "delete": ("syncline.cli.proj.create:delete", "Delete projects that no Application uses."),
    "add-source": ("syncline.cli.proj.lists:add_source", "Permit a source repository."),
    "remove-source": ("syncline.cli.proj.lists:remove_source", "Remove a source repository."),
    "add-source-namespace": ("syncline.cli.proj.lists:add_source_namespace", "Permit Applications in a namespace."),
    "remove-source-namespace": (
        "syncline.cli.proj.lists:remove_source_namespace",
        "Remove a namespace of Applications.",
    ),
    "add-destination": ("syncline.cli.proj.lists:add_destination", "Permit a destination."),
    "remove-destination": ("syncline.cli.proj.lists:remove_destination", "Remove a destination."),
    "add-destination-service-account": (
        "syncline.cli.proj.lists:add_destination_service_account",
        "Set the service account for a destination.",
    ),
    "remove-destination-service-account": (
        "syncline.cli.proj.lists:remove_destination_service_account",
        "Remove the service account of a destination.",
    ),
    "allow-cluster-resource": ("syncline.cli.proj.lists:allow_cluster_resource", "Permit a cluster-scoped kind."),
    "deny-cluster-resource": ("syncline.cli.proj.lists:deny_cluster_resource", "Forbid a cluster-scoped kind."),
    "allow-namespace-resource": ("syncline.cli.proj.lists:allow_namespace_resource", "Permit a namespaced kind."),
    "deny-namespace-resource": ("syncline.cli.proj.lists:deny_namespace_resource", "Forbid a namespaced kind."),
    "add-orphaned-ignore": ("syncline.cli.proj.lists:add_orphaned_ignore", "Leave a kind out of orphaned resources."),
    "remove-orphaned-ignore": (
        "syncline.cli.proj.lists:remove_orphaned_ignore",
        "Count a kind among orphaned resources again.",
    ),
    "add-signature-key": ("syncline.cli.proj.lists:add_signature_key", "Require commits to be signed with a key."),
    "remove-signature-key": (
        "syncline.cli.proj.lists:remove_signature_key",
        "Remove a key that commits may be signed with.",
    ),
    "role": ("syncline.cli.proj.roles:role", "Manage the roles of a project."),
    "windows": ("syncline.cli.proj.windows:windows", "Manage the sync windows of a project."),
}


@click.group(cls=LazyGroup, commands_by_name=_VERBS)
def proj() -> None:
    """List, show and change projects, their roles and sync windows."""
