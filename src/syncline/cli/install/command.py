"""`syncline install`: prints or applies the manifests of an installation, and removes it again.

The objects come from `syncline.core.install`, which the chart is compared with; `syncline.cli.install.applying` brings
them into a cluster.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from syncline import __version__
from syncline.cli.choice import Choice
from syncline.cli.options import cluster_options
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.core.install.options import InstallOptions

_REPLICAS = click.IntRange(min=0)


@click.command()
@cluster_options
@click.option("--namespace", default="", help="Namespace to install into (same as --app-namespace).")
@click.option("--image", default="", metavar="IMAGE", help="Image to run, with the registry you pushed it to.")
@click.option("--mode", type=Choice(("full", "diagnose")), default="full", show_default=True, help="What to install.")
@click.option(
    "--profile",
    type=Choice(("cluster-admin", "namespaces", "impersonation")),
    default="cluster-admin",
    show_default=True,
    help="How far deliveries reach.",
)
@click.option(
    "--deliver-to", "targets", multiple=True, metavar="NAMESPACE", help="Namespace to deliver to (repeatable)."
)
@click.option(
    "--impersonate",
    "impersonated",
    multiple=True,
    metavar="NAMESPACE:NAME",
    help="Service account that a project names for syncs (repeatable).",
)
@click.option(
    "--application-namespace",
    "application_namespaces",
    multiple=True,
    help="Further namespace with Applications, as in application.namespaces (repeatable).",
)
@click.option("--controller-replicas", type=_REPLICAS, default=2, show_default=True, help="How many controllers run.")
@click.option("--server-replicas", type=_REPLICAS, default=2, show_default=True, help="How many servers run.")
@click.option("--insecure", is_flag=True, help="Let servers serve without TLS, behind a proxy that terminates it.")
@click.option("--without-isolation", is_flag=True, help="Render also where renders cannot be isolated.")
@click.option(
    "--crds",
    type=Choice(("missing", "all", "none")),
    default="missing",
    show_default=True,
    help="Which CRDs to apply; all of them at an upgrade.",
)
@click.option("--dry-run", is_flag=True, help="Print the manifests for `kubectl apply -f -`; no cluster is asked.")
@click.option("--uninstall", is_flag=True, help="Remove what was installed; CRDs and Applications stay.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(
    kubeconfig: str,
    context: str,
    app_namespace: str,
    namespace: str,
    image: str,
    mode: str,
    profile: str,
    targets: tuple[str, ...],
    impersonated: tuple[str, ...],
    application_namespaces: tuple[str, ...],
    controller_replicas: int,
    server_replicas: int,
    crds: str,
    *,
    insecure: bool,
    without_isolation: bool,
    dry_run: bool,
    uninstall: bool,
    yes: bool,
) -> int:
    """Install Syncline into a cluster, or with --dry-run print the manifests.

    Argo CD's settings, Secrets, projects and Applications are used where they are. They and the CRDs are never deleted.
    """
    from syncline.core.install.options import InstallOptions, Mode, check_options
    from syncline.core.rights.delivery import Profile

    place = namespace or app_namespace
    if uninstall:
        if dry_run:
            raise click.UsageError("--uninstall and --dry-run are mutually exclusive: give one of them")
        return asyncio.run(_uninstall(kubeconfig, context, place, yes=yes))
    options = InstallOptions(
        image=image or f"syncline:{__version__}",
        namespace=place,
        mode=Mode(mode),
        controller_replicas=controller_replicas,
        server_replicas=server_replicas,
        profile=Profile(profile),
        targets=targets,
        impersonated=impersonated,
        application_namespaces=application_namespaces,
        insecure=insecure,
        require_isolation=not without_isolation,
    )
    check_options(options)
    if dry_run:
        return _print(options, crds)
    if not image:
        raise NeedsUser("no image is named", hint="push the image to a registry of yours and pass --image")
    return asyncio.run(_install(kubeconfig, context, options, crds, yes=yes))


def _print(options: InstallOptions, crds: str) -> int:
    from syncline.cli.install.applying import definitions
    from syncline.cli.show.printing import print_objects
    from syncline.core.install.objects import installation, namespace_object

    needed = [] if crds == "none" else definitions(options)
    print_objects([namespace_object(options.namespace), *needed, *installation(options)], "yaml")
    return 0


async def _install(kubeconfig: str, context: str, options: InstallOptions, crds: str, *, yes: bool) -> int:
    from syncline import wiring
    from syncline.cli.asking import agree
    from syncline.cli.install import applying

    async with wiring.connected(kubeconfig=kubeconfig, context=context) as (cluster, words):
        plan = await applying.planned(cluster, options, crds)
        terminal.echo(f"{words}: {plan.summary()}", err=True)
        if not yes:
            agree(words, f"install Syncline into namespace {options.namespace}?", "nothing was installed")
        await applying.carry_out(cluster, plan)
    terminal.echo(f"installed {options.image} into namespace {options.namespace}", err=True)
    return 0


async def _uninstall(kubeconfig: str, context: str, namespace: str, *, yes: bool) -> int:
    from syncline import wiring
    from syncline.cli.asking import agree
    from syncline.cli.install import removing

    async with wiring.connected(kubeconfig=kubeconfig, context=context) as (cluster, words):
        removal = await removing.planned(cluster, namespace)
        terminal.echo(f"{words}: {removal.summary()}", err=True)
        if not removal.objects:
            return 0
        if not yes:
            agree(words, f"remove Syncline from namespace {namespace}?")
        await removing.carry_out(cluster, removal)
    terminal.echo("removed; CRDs, Applications, projects and what was delivered stay", err=True)
    return 0
