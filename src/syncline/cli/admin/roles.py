"""`syncline admin rbac`: the Kubernetes roles that a component needs for its own work, and nothing else.

Those of the controller and the server are made of the table of requests they make; those of `diagnose` of the kinds
that a cluster serves, as `diagnose --print-rbac` does.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object

_DIAGNOSE = "diagnose"


@click.command()
@click.option(
    "--component",
    type=Choice(("controller", "server", _DIAGNOSE)),
    required=True,
    help="Which program runs under them.",
)
@click.option(
    "--application-namespace",
    "application_namespaces",
    multiple=True,
    help="Further namespace with Applications, as in application.namespaces (repeatable).",
)
@click.option(
    "--impersonate",
    "impersonated",
    multiple=True,
    metavar="NAMESPACE:NAME",
    help="Service account that a project names for syncs (repeatable); none unless impersonation is on.",
)
@click.option("--secret-metadata", is_flag=True, help="With --component diagnose: names and keys of Secrets too.")
@output_option("yaml", "json", "text")
@chosen_cluster
def roles(
    component: str,
    application_namespaces: tuple[str, ...],
    impersonated: tuple[str, ...],
    chosen: Chosen,
    output: str,
    *,
    secret_metadata: bool,
) -> int:
    """Print a ServiceAccount, its Roles and their bindings, for `kubectl apply -f -`; `-o text` says what each is for.

    Rights to deliver are no part of them: give those in the namespaces that are delivered to.
    """
    from syncline.cli.show.printing import print_objects
    from syncline.core import rights

    if impersonated and component != "controller":
        raise click.UsageError("--impersonate is for --component controller: nothing else syncs")
    if component == _DIAGNOSE:
        if application_namespaces or output == "text":
            raise click.UsageError("--component diagnose reads all namespaces, and is printed as yaml or json")
        made = asyncio.run(_diagnose(chosen, secret_metadata=secret_metadata))
    elif output == "text":
        _explain(component)
        return 0
    else:
        try:
            made = rights.manifests(
                component,
                chosen.namespace,
                application_namespaces=application_namespaces,
                impersonated=impersonated,
            )
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--impersonate") from None
    print_objects(made, output)
    return 0


async def _diagnose(chosen: Chosen, *, secret_metadata: bool) -> list[Object]:
    from syncline.core.rights.roles import bound_everywhere
    from syncline.verbs.fleet import kinds

    async with chosen.connected() as (cluster, _words):
        resources = kinds.wanted(await cluster.discover(), secret_metadata=secret_metadata)
    return bound_everywhere(kinds.role(resources), chosen.namespace)


def _explain(component: str) -> None:
    from syncline.core.rights.table import USES

    for use in USES:
        if use.component == component:
            kind = f"{use.resource}.{use.group}" if use.group else use.resource
            named = f" ({', '.join(use.named)})" if use.named else ""
            terminal.echo(f"{kind}{named}: {', '.join(use.verbs)}, in namespaces of the {use.where}")
            terminal.echo(f"    {use.purpose}")
