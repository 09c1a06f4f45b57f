"""`syncline app get`: the head of `argocd app get`, then the objects with what each one waits for."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app import not_syncing, sync_windows
from syncline.cli.app.waiting import held_words, identity_of, queued
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object
from syncline.cli.show.tables import fields, fitting_columns, only_columns, table, table_with_words
from syncline.cli.show.words import short_revision, sync_and_health
from syncline.model.errors import NeedsUser
from syncline.model.logins import without_logins
from syncline.verbs.applications import StoredApplication, read_application
from syncline.verbs.home import Home
from syncline.verbs.refresh import RefreshRequest

OUTPUTS = ("wide", "json", "yaml", "tree", "tree=detailed")
"""The forms in which an Application is printed."""
_CONDITIONS = ("CONDITION", "MESSAGE", "LAST TRANSITION")
_ROWS = ["GROUP", "KIND", "NAMESPACE", "NAME", "STATUS", "HEALTH", "HOOK", "MESSAGE"]


@click.command()
@app_argument()
@chosen_cluster
@click.option("--refresh", "wants_refresh", is_flag=True, help="Refresh first.")
@click.option("--hard-refresh", is_flag=True, help="Refresh and render again first.")
@click.option("--show-operation", is_flag=True, help="Show the last operation too.")
@click.option("--show-params", is_flag=True, help="Show the parameters of the source too.")
@click.option("--source-position", type=click.IntRange(min=1), default=None, help="Only this source.")
@click.option("--source-name", default="", help="Only the source with this name.")
@click.option(
    "--timeout", type=click.IntRange(min=1), default=60, show_default=True, help="Seconds to wait for the refresh."
)
@output_option(*OUTPUTS)
def get(
    name: str,
    chosen: Chosen,
    timeout: int,
    output: str,
    source_position: int | None,
    source_name: str,
    *,
    wants_refresh: bool,
    hard_refresh: bool,
    show_operation: bool,
    show_params: bool,
) -> int:
    """Show one Application with its objects, and what it waits for."""
    extras = _Extras(show_operation, show_params, source_position or 0, source_name)
    wanted = functools.partial(RefreshRequest, hard=hard_refresh, timeout=timeout)
    return asyncio.run(_get(name, chosen, output, wanted if wants_refresh or hard_refresh else None, extras))


class _Extras(NamedTuple):
    operation: bool
    params: bool
    position: int
    source: str


async def _get(
    name: str, chosen: Chosen, output: str, wanted: functools.partial[RefreshRequest] | None, extras: _Extras
) -> int:
    async with chosen.opened() as home:
        words = home.words
        stored = await read_application(home.cluster, await chosen.find(home.cluster, name, home))
        if wanted is not None:
            stored = await home.refresh(wanted(app=stored.key))
        obj = stored.obj
        drawn = await _drawn(home, stored, output) if output.startswith("tree") else ""
        remarks: list[tuple[str, str]] = []
        if output not in ("json", "yaml"):
            remarks = await sync_windows.lines(home, stored) + await not_syncing.lines(home, stored)
    if output in ("json", "yaml"):
        print_object(obj, output)
        return 0
    terminal.echo(words, err=True)
    parts = [summary(obj, remarks, with_rows=not drawn)]
    parts += [drawn] if drawn else []
    parts += [operation_words(obj)] if extras.operation else []
    parts += [_params(obj, extras)] if extras.params else []
    terminal.echo("\n\n".join(part for part in parts if part))
    return 0


async def print_ended(home: Home, obj: Object, output: str) -> None:
    """Print an Application after something that was waited for; whoever asked for JSON or YAML gets nothing else."""
    if output in ("json", "yaml"):
        print_object(obj, output)
        return
    drawn = await _drawn(home, StoredApplication(obj), output) if output.startswith("tree") else ""
    parts = [summary(obj, with_rows=not drawn), drawn, operation_words(obj)]
    terminal.echo("\n" + "\n\n".join(part for part in parts if part))


async def _drawn(home: Home, stored: StoredApplication, output: str) -> str:
    from syncline import wiring
    from syncline.cli.show.object_tree import tree

    assessment = await home.look(stored)
    return tree(assessment, wiring.clock().now(), detailed=output == "tree=detailed")


def operation_words(obj: Object) -> str:
    """Return the last operation, field by field; empty where there was none."""
    state = (obj.get("status") or {}).get("operationState")
    if not state:
        return ""
    result = state.get("syncResult") or {}
    return fields(
        [
            ("Operation", "Sync"),
            ("Sync Revision", str(result.get("revision") or ", ".join(result.get("revisions") or []))),
            ("Phase", str(state.get("phase") or "")),
            ("Start", str(state.get("startedAt") or "")),
            ("Finished", str(state.get("finishedAt") or "")),
            ("Duration", _duration(state)),
            ("Message", str(state.get("message") or "")),
        ],
        terminal.columns(),
    )


def _duration(state: Object) -> str:
    from syncline.apimachinery import times

    began, ended = state.get("startedAt"), state.get("finishedAt")
    return f"{(times.parse(ended) - times.parse(began)).total_seconds():.0f}s" if began and ended else ""


def _params(obj: Object, extras: _Extras) -> str:
    sources = sources_of(obj)
    if extras.position > len(sources):
        raise NeedsUser(f"no source {extras.position}: this Application has {len(sources)}")
    rows = [
        [str(entry.get("name", "")), str(entry.get("value", ""))]
        for place, source in enumerate(sources, start=1)
        if extras.position in (0, place) and extras.source in ("", source.get("name"))
        for entry in ((source.get("helm") or {}).get("parameters") or [])
    ]
    return table(["NAME", "VALUE"], rows) if rows else ""


def sources_of(obj: Object) -> list[Object]:
    """Return the sources of an Application, one or several."""
    spec = obj.get("spec") or {}
    return list(spec.get("sources") or ([spec["source"]] if spec.get("source") else []))


def summary(obj: Object, remarks: Sequence[tuple[str, str]] = (), *, with_rows: bool = True) -> str:
    """Return what `app get` prints; `remarks` are lines that the Application itself does not hold."""
    columns = terminal.columns()
    parts = [fields(_head(obj, remarks), columns)]
    if conditions := (obj.get("status") or {}).get("conditions"):
        parts.append(_conditions(conditions, columns))
    if with_rows and (rows := rows_of(obj)):
        kept = fitting_columns(_ROWS, [[*row[:-1], ""] for row in rows], columns, ("GROUP", "HOOK", "NAMESPACE"))
        parts.append(table_with_words(kept, only_columns(_ROWS, rows, kept), columns))
    return "\n\n".join(parts)


def _conditions(conditions: Sequence[Object], columns: int | None) -> str:
    """Return the conditions with the columns that `argocd` prints; on a terminal the sentence comes last."""
    rows = [[str(item.get(name) or "") for name in ("type", "message", "lastTransitionTime")] for item in conditions]
    if columns is None:
        return table(_CONDITIONS, rows)
    kept = ("CONDITION", "LAST TRANSITION", "MESSAGE")
    return table_with_words(kept, only_columns(_CONDITIONS, rows, kept), columns)


def _head(obj: Object, remarks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    destination, sources = spec.get("destination") or {}, sources_of(obj)
    sync, health = sync_and_health(obj)
    message = (status.get("health") or {}).get("message")
    state = status.get("operationState") or {}
    head = [
        ("Name", f"{obj['metadata'].get('namespace')}/{obj['metadata']['name']}"),
        ("Project", str(spec.get("project") or "default")),
        ("Server", str(destination.get("server") or destination.get("name") or "")),
        ("Namespace", str(destination.get("namespace") or "")),
        ("Sources" if len(sources) > 1 else "Source", ""),
        *(line for source in sources for line in _source(source)),
        *remarks,
        ("Sync Policy", _policy(spec)),
        ("Sync Status", _sync_words(sync, status.get("sync") or {}, sources)),
        ("Health Status", f"{health} ({message})" if message else health),
    ]
    if state.get("phase"):
        head.append(("Operation", f"{state['phase']}: {held_words(str(state.get('message') or ''))}"))
    return head


def _source(source: Object) -> Iterator[tuple[str, str]]:
    helm, kustomize = source.get("helm") or {}, source.get("kustomize") or {}
    yield "- Repo", without_logins(str(source.get("repoURL") or ""))
    yield "  Target", str(source.get("targetRevision") or "")
    for title, text in (
        ("  Path", source.get("path")),
        ("  Chart", source.get("chart")),
        ("  Ref", source.get("ref")),
        ("  Helm Values", ",".join(helm.get("valueFiles") or [])),
        ("  Name Prefix", kustomize.get("namePrefix")),
    ):
        if text:
            yield title, str(text)


def _sync_words(sync: str, status: Object, sources: list[Object]) -> str:
    revisions = status.get("revisions") or [status.get("revision") or ""]
    targets = [
        f"{source.get('targetRevision') or 'HEAD'} ({short_revision(str(revision))})"
        for source, revision in zip(sources, revisions, strict=False)
        if revision
    ]
    return f"{sync} {'to' if sync == 'Synced' else 'from'} {', '.join(targets)}" if targets else sync


def _policy(spec: Object) -> str:
    automated = (spec.get("syncPolicy") or {}).get("automated")
    if automated is None or automated.get("enabled") is False:
        return "Manual"
    return "Automated" + (" (Prune)" if automated.get("prune") else "")


def rows_of(obj: Object) -> list[list[str]]:
    """Return one row per object: hooks show their phase, others sync status and health, each with its message."""
    status = obj.get("status") or {}
    results = {
        identity_of(item): item
        for item in ((status.get("operationState") or {}).get("syncResult") or {}).get("resources") or ()
    }
    waits = queued(obj)
    rows = [
        _object_row(item, results.pop(identity_of(item), {}), waits.get(identity_of(item), ""))
        for item in status.get("resources") or ()
        if not item.get("hook")
    ]
    rows += [_hook_row(item) for item in results.values() if item.get("hookType")]
    return rows


def _object_row(item: Object, result: Object, waits: str) -> list[str]:
    health = item.get("health") or {}
    message = waits or health.get("message") or result.get("message") or ""
    return [*identity_of(item), item.get("status", ""), health.get("status", ""), "", message]


def _hook_row(item: Object) -> list[str]:
    return [
        *identity_of(item),
        item.get("hookPhase", ""),
        item.get("status", ""),
        item["hookType"],
        item.get("message", ""),
    ]
