"""`syncline app`: the verbs and columns of `argocd app`, directly on the Kubernetes API."""

from __future__ import annotations

import asyncio

import click

from syncline.cli.options import cluster_options, output_option


@click.group()
def app() -> None:
    """List, show, sync and explain Applications."""


@app.command("list")
@cluster_options
@output_option("wide", "name", "json", "yaml")
def list_(kubeconfig: str, context: str, app_namespace: str, output: str) -> int:
    """List Applications."""
    from syncline.cli.app_list import list_applications

    return asyncio.run(list_applications(kubeconfig, context, app_namespace, output))


@app.command()
@click.argument("name")
@cluster_options
@output_option("wide", "json", "yaml")
def get(name: str, kubeconfig: str, context: str, app_namespace: str, output: str) -> int:
    """Show one Application with its objects, and what it waits for."""
    from syncline.cli.app_get import get_application

    return asyncio.run(get_application(name, kubeconfig, context, app_namespace, output))


@app.command()
@click.argument("name")
@cluster_options
@click.option("--prune", is_flag=True, help="Delete objects that Git no longer has.")
@click.option("--revision", default="", help="Commit to sync to, instead of the newest.")
@click.option("--async", "no_wait", is_flag=True, help="Do not wait for the end.")
@click.option(
    "--timeout", type=click.IntRange(min=0), default=0, help="Give up waiting after so many seconds (0: never)."
)
def sync(
    name: str,
    kubeconfig: str,
    context: str,
    app_namespace: str,
    *,
    prune: bool,
    revision: str,
    no_wait: bool,
    timeout: int,
) -> int:
    """Sync an Application and follow it wave by wave."""
    from syncline.cli.app_sync import SyncRequest, sync_application

    request = SyncRequest(name=name, prune=prune, revision=revision, wait=not no_wait, timeout=timeout)
    return asyncio.run(sync_application(request, kubeconfig, context, app_namespace))


@app.command()
@click.argument("name")
@cluster_options
@output_option("text", "json")
def why(name: str, kubeconfig: str, context: str, app_namespace: str, output: str) -> int:
    """Say why an Application is not Synced and Healthy, on one screen."""
    from syncline.cli.why import explain

    return asyncio.run(explain(name, kubeconfig, context, app_namespace, output))
