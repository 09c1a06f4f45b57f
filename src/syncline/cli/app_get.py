"""`syncline app get`: the head of `argocd app get`, then the objects with what each one waits for."""

from __future__ import annotations

import click

from syncline import wiring
from syncline.apimachinery.keys import Object
from syncline.cli.applications import read_application, short_revision, split_name, sync_and_health
from syncline.cli.printing import print_object
from syncline.cli.tables import fields, table

_ROWS = ["GROUP", "KIND", "NAMESPACE", "NAME", "STATUS", "HEALTH", "HOOK", "MESSAGE"]


async def get_application(name: str, kubeconfig: str, context: str, namespace: str, output: str) -> int:
    """Print one Application."""
    namespace, name = split_name(name, namespace)
    async with wiring.connected(kubeconfig=kubeconfig, context=context) as (cluster, words):
        _, obj = await read_application(cluster, namespace, name)
    if output != "wide":
        print_object(obj, output)
        return 0
    click.echo(words, err=True)
    click.echo(summary(obj))
    return 0


def summary(obj: Object) -> str:
    """Return what `app get` prints."""
    parts = [fields(_head(obj))]
    if conditions := (obj.get("status") or {}).get("conditions"):
        rows = [
            [item.get("type", ""), item.get("message", ""), item.get("lastTransitionTime", "")] for item in conditions
        ]
        parts.append(table(["CONDITION", "MESSAGE", "LAST TRANSITION"], rows))
    parts.append(table(_ROWS, rows_of(obj)))
    return "\n\n".join(parts)


def _head(obj: Object) -> list[tuple[str, str]]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    destination, source = spec.get("destination") or {}, spec.get("source") or {}
    sync, health = sync_and_health(obj)
    revision = short_revision(str((status.get("sync") or {}).get("revision") or ""))
    target = source.get("targetRevision") or "HEAD"
    message = (status.get("health") or {}).get("message")
    state = status.get("operationState") or {}
    head = [
        ("Name", f"{obj['metadata'].get('namespace')}/{obj['metadata']['name']}"),
        ("Project", str(spec.get("project") or "default")),
        ("Server", str(destination.get("server") or destination.get("name") or "")),
        ("Namespace", str(destination.get("namespace") or "")),
        ("Source", ""),
        ("- Repo", str(source.get("repoURL") or "")),
        ("  Target", str(source.get("targetRevision") or "")),
        ("  Path", str(source.get("path") or "")),
        ("Sync Policy", _policy(spec)),
        ("Sync Status", f"{sync} {'to' if sync == 'Synced' else 'from'} {target} ({revision})" if revision else sync),
        ("Health Status", f"{health} ({message})" if message else health),
    ]
    if state.get("phase"):
        head.append(("Operation", f"{state['phase']}: {state.get('message', '')}"))
    return head


def _policy(spec: Object) -> str:
    automated = (spec.get("syncPolicy") or {}).get("automated")
    if automated is None or automated.get("enabled") is False:
        return "Manual"
    return "Automated" + (" (Prune)" if automated.get("prune") else "")


def rows_of(obj: Object) -> list[list[str]]:
    """Return one row per object: hooks show their phase, others sync status and health, each with its message."""
    status = obj.get("status") or {}
    results = {
        _identity(item): item
        for item in ((status.get("operationState") or {}).get("syncResult") or {}).get("resources") or ()
    }
    rows = [
        _object_row(item, results.pop(_identity(item), {}))
        for item in status.get("resources") or ()
        if not item.get("hook")
    ]
    rows += [_hook_row(item) for item in results.values() if item.get("hookType")]
    return rows


def _identity(item: Object) -> tuple[str, str, str, str]:
    return (item.get("group", ""), item.get("kind", ""), item.get("namespace", ""), item.get("name", ""))


def _object_row(item: Object, result: Object) -> list[str]:
    health = item.get("health") or {}
    message = health.get("message") or result.get("message") or ""
    return [*_identity(item), item.get("status", ""), health.get("status", ""), "", message]


def _hook_row(item: Object) -> list[str]:
    return [
        *_identity(item),
        item.get("hookPhase", ""),
        item.get("status", ""),
        item["hookType"],
        item.get("message", ""),
    ]
