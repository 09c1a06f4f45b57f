"""`syncline doctor`: is all there that Syncline needs, on this machine and on the cluster, and what to do if not.

Reads only. Each check is one line: what was looked at, what was found, and what to do where something is missing.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from syncline import private_folders, wiring
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.ports.kube import ApiError, Cluster, Discovery
from syncline.ports.transport import TransportError

if TYPE_CHECKING:
    from syncline.model.settings.settings import Settings

_MARKS = {"ok": ("✔", "green"), "warning": ("◆", "yellow"), "error": ("✖", "red")}
_PYTHON = (3, 11)
_KINDS = ("Application", "AppProject", "ApplicationSet")


class MachineCheck(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    status: str
    found: str
    fix: str = ""


@click.command()
@chosen_cluster
@click.option("--offline", is_flag=True, help="Check this machine only.")
@output_option("text", "json")
def doctor(chosen: Chosen, output: str, *, offline: bool) -> int:
    """Check this machine and the cluster: what works, what is missing, and how to fix it."""
    checks = asyncio.run(_checks(chosen, offline=offline))
    if output == "json":
        import orjson

        answer = {"schemaVersion": 1, "checks": [msgspec.to_builtins(check) for check in checks]}
        terminal.echo_data(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    else:
        bad = sum(check.status == "error" for check in checks)
        terminal.echo(f"{len(checks)} checks · {bad} failed", err=True)
        for check in checks:
            mark, colour = _MARKS[check.status]
            terminal.echo(f"{terminal.style(mark, colour)} {check.name:<26}{check.found}")
            if check.fix and check.status != "ok":
                terminal.echo(f"{'':<28}fix   {check.fix}")
    return 1 if any(check.status == "error" for check in checks) else 0


async def _checks(chosen: Chosen, *, offline: bool) -> list[MachineCheck]:
    found = list(_machine())
    found += [check async for check in _programs()]
    if not offline:
        found += [check async for check in _cluster(chosen)]
    return found


def _machine() -> Iterator[MachineCheck]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _PYTHON:
        yield MachineCheck("Python", "ok", version)
    else:
        yield MachineCheck("Python", "error", version, "Syncline needs Python 3.11 or newer")
    folder = wiring.cache_folder()
    problem = _not_writable(folder)
    yield MachineCheck(
        "cache folder",
        "error" if problem else "ok",
        f"{folder}{': ' + problem if problem else ''}",
        "make it writable, or set another with SYNCLINE_CACHE",
    )


def _not_writable(folder: Path) -> str:
    import tempfile

    try:
        private_folders.make(folder)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return str(error.strerror)


async def _programs() -> AsyncIterator[MachineCheck]:
    from syncline.cli.doctor_tools import programs

    async for check in programs():
        yield check
    has_jsonnet = importlib.util.find_spec("_gojsonnet") is not None
    yield MachineCheck(
        "jsonnet",
        "ok" if has_jsonnet else "warning",
        "installed" if has_jsonnet else "not found (optional)",
        "pip install 'syncline[tools]': Jsonnet is rendered with it",
    )
    refusal = await wiring.not_shut_in()
    yield MachineCheck(
        "renders are shut in",
        "warning" if refusal else "ok",
        f"no: {refusal}" if refusal else "neither network nor files of this machine",
        "let this user create user namespaces (user.max_user_namespaces, the seccomp profile of the container);"
        " until then only checks keep helm, kubectl and jsonnet inside the repository",
    )


async def _cluster(chosen: Chosen) -> AsyncIterator[MachineCheck]:
    from syncline.model.errors import SynclineError

    try:
        async with chosen.connected() as (cluster, words):
            discovery = await cluster.discover()
            yield MachineCheck("cluster", "ok", f"{words}, Kubernetes {discovery.version or 'of unknown version'}")
            for check in _served(discovery):
                yield check
            async for check in _installation(cluster, discovery, chosen.namespace):
                yield check
    except (ApiError, TransportError, SynclineError) as error:
        yield MachineCheck("cluster", "error", str(error), "check --context and --kubeconfig, or use --offline")


def _served(discovery: Discovery) -> Iterator[MachineCheck]:
    from syncline.apimachinery.keys import GroupKind
    from syncline.model import names
    from syncline.model.published import KIND as DIAGNOSIS

    for group, reason in discovery.failed.items():
        yield MachineCheck(f"API group {group}", "warning", reason, "its kinds are Unknown until this API answers")
    missing = [kind for kind in _KINDS if discovery.find(GroupKind(names.GROUP, kind)) is None]
    found = f"missing: {', '.join(missing)}" if missing else ", ".join(_KINDS)
    yield MachineCheck("CRDs", "error" if missing else "ok", found, "syncline admin crds | kubectl apply -f -")
    publishes = discovery.find(DIAGNOSIS) is not None
    yield MachineCheck(
        "diagnosis is published",
        "ok" if publishes else "warning",
        str(DIAGNOSIS) if publishes else "no: its CRD is not installed (optional)",
        "syncline admin crds | kubectl apply --server-side -f -",
    )


async def _installation(cluster: Cluster, discovery: Discovery, namespace: str) -> AsyncIterator[MachineCheck]:
    from syncline.cli.doctor_rights import own_rights
    from syncline.cli.doctor_sets import set_checks
    from syncline.controller.settings import read_settings

    if await _is_missing(cluster, discovery, namespace):
        yield MachineCheck("namespace", "error", f"{namespace} does not exist", f"kubectl create namespace {namespace}")
        return
    yield MachineCheck("namespace", "ok", namespace)
    report = await read_settings(cluster, namespace)
    problems = "; ".join(f"{one.home}: {one.message}" for one in report.problems)
    yield MachineCheck(
        "settings", "warning" if problems else "ok", problems or "no problems", "syncline admin settings validate"
    )
    async for check in _logins(cluster, discovery, namespace):
        yield check
    async for check in project_checks(cluster, discovery, report.settings):
        yield check
    async for line in set_checks(cluster, discovery, report.settings):
        yield MachineCheck(line.name, line.status, line.found, line.fix)
    async for check in _rights(cluster, discovery):
        yield check
    async for check in own_rights(cluster, discovery, namespace, report.settings.application_namespaces):
        yield check


async def _is_missing(cluster: Cluster, discovery: Discovery, namespace: str) -> bool:
    """Whether a namespace does not exist; whoever may not read namespaces is not told, and goes on."""
    from syncline.apimachinery.keys import GroupKind

    found = discovery.find(GroupKind("", "Namespace"))
    try:
        return found is not None and await cluster.get(found, "", namespace) is None
    except ApiError as error:
        if error.code != 403:
            raise
        return False


async def _logins(cluster: Cluster, discovery: Discovery, namespace: str) -> AsyncIterator[MachineCheck]:
    """Say whether `dex.config` can be served, where an installation has one."""
    from syncline.apimachinery.keys import GroupKind

    found = discovery.find(GroupKind("", "ConfigMap"))
    settings = await cluster.get(found, namespace, "argocd-cm") if found is not None else None
    entries = (settings or {}).get("data") or {}
    if not str(entries.get("dex.config") or "").strip() or str(entries.get("oidc.config") or "").strip():
        return
    named = os.environ.get("SYNCLINE_DEX", "")
    there = wiring.has_dex(named)
    yield MachineCheck(
        "logins by Dex",
        "ok" if there else "warning",
        "dex.config is served" if there else "dex.config is set, and no program named dex was found",
        "install Dex where syncline server runs, or name it with --dex (SYNCLINE_DEX); or use oidc.config",
    )


async def project_checks(cluster: Cluster, discovery: Discovery, settings: Settings) -> AsyncIterator[MachineCheck]:
    """Name the projects whose Applications may change what decides about rights."""
    from syncline.apimachinery.keys import GroupKind
    from syncline.core.policy.admin_projects import deciding_kinds, shown_kinds
    from syncline.model import names
    from syncline.verbs.moving import typed_projects

    served = discovery.find(GroupKind(names.GROUP, "AppProject"))
    if served is None:
        return
    listed = (await cluster.list(served, namespace=settings.namespace)).items
    kinds = {
        name: found
        for name, project in sorted(typed_projects(listed, settings).items())
        if (found := deciding_kinds(project, settings.namespace))
    }
    shown = "; ".join(f"{name} may deliver {shown_kinds(found)}" for name, found in kinds.items())
    yield MachineCheck(
        "admin-equivalent projects",
        "warning" if kinds else "ok",
        f"{shown} into namespace {settings.namespace}" if kinds else "none",
        f"unless only administrators push to their repositories: syncline proj add-destination"
        f" {next(iter(kinds), 'PROJECT')} '*' '!{settings.namespace}'",
    )


_RIGHTS = (
    ("list", "*", "*", "without it kinds are Unknown"),
    ("patch", "argoproj.io", "applications", "without it statuses cannot be written"),
    ("patch", "*", "*", "without it nothing can be delivered"),
)


async def _rights(cluster: Cluster, discovery: Discovery) -> AsyncIterator[MachineCheck]:
    """Ask the API server what we may do; asking stores nothing."""
    from syncline.apimachinery.keys import GroupKind

    review = discovery.find(GroupKind("authorization.k8s.io", "SelfSubjectAccessReview"))
    if review is None:
        return
    for verb, group, resource, meaning in _RIGHTS:
        attributes = {"verb": verb, "group": group, "resource": resource}
        obj: dict[str, Any] = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "metadata": {},
            "spec": {"resourceAttributes": attributes},
        }
        answer = await cluster.create(review, obj, manager="syncline-cli")
        allowed = bool((answer.get("status") or {}).get("allowed"))
        what = "everything" if resource == "*" else resource
        yield MachineCheck(f"may {verb} {what}", "ok" if allowed else "warning", "yes" if allowed else "no", meaning)
