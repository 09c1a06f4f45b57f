"""`syncline app`: the verbs, flags and columns of `argocd app`, directly on the Kubernetes API."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_VERBS = {
    "list": ("syncline.cli.app.list:list_", "List Applications."),
    "get": ("syncline.cli.app.get:get", "Show one Application with its objects, and what it waits for."),
    "why": ("syncline.cli.why:why", "Explain why an Application is not Synced and Healthy, on one screen."),
    "manifests": (
        "syncline.cli.app.manifests:manifests",
        "Print the objects an Application desires, rendered locally.",
    ),
    "diff": ("syncline.cli.app.diff:diff", "Show what differs between Git and the cluster, field by field."),
    "sync": ("syncline.cli.app.sync:sync", "Sync Applications and follow them wave by wave."),
    "adopt": (
        "syncline.cli.app.adopt:adopt",
        "Approve taking over objects of an app that this installation does not know.",
    ),
    "wait": ("syncline.cli.app.wait:wait", "Wait until Applications are synced, healthy, idle or gone."),
    "terminate-op": ("syncline.cli.app.delete:terminate_op", "Terminate the running sync."),
    "history": ("syncline.cli.app.history:history", "List the syncs of an Application, oldest first."),
    "rollback": ("syncline.cli.app.history:rollback", "Sync to an entry of the history."),
    "resources": ("syncline.cli.app.resources:resources", "List an Application's objects, and orphans."),
    "get-resource": ("syncline.cli.app.resources:get_resource", "Show live objects of an Application."),
    "patch-resource": ("syncline.cli.app.resources:patch_resource", "Patch live objects of an Application."),
    "delete-resource": ("syncline.cli.app.resources:delete_resource", "Delete live objects of an Application."),
    "logs": ("syncline.cli.app.logs:logs", "Print the logs of an Application's containers."),
    "actions": ("syncline.cli.app.actions:actions", "List and run actions on an Application's objects."),
    "create": ("syncline.cli.app.create:create", "Create an Application from a file, from flags, or from both."),
    "set": ("syncline.cli.app.set:set_", "Change settings of an Application."),
    "unset": ("syncline.cli.app.set:unset", "Remove settings of an Application."),
    "add-source": ("syncline.cli.app.set:add_source", "Add a source to an Application."),
    "remove-source": ("syncline.cli.app.set:remove_source", "Remove a source from an Application that has several."),
    "edit": ("syncline.cli.app.edit:edit", "Edit an Application's spec in your editor."),
    "patch": ("syncline.cli.app.edit:patch", "Patch an Application."),
    "delete": ("syncline.cli.app.delete:delete", "Delete Applications, with their objects or without."),
    "confirm-deletion": (
        "syncline.cli.app.delete:confirm_deletion",
        "Confirm the deletion of objects that require it.",
    ),
}


@click.group(cls=LazyGroup, commands_by_name=_VERBS)
def app() -> None:
    """List, show, change, sync and explain Applications."""
