"""`syncline account can-i`: what the policies of an installation let somebody do."""

from __future__ import annotations

import asyncio

import click

from syncline.cli.admin.rbac import print_verdict
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.core.policy.rbac.rights import Who
from syncline.verbs import rights
from syncline.verbs.rights import Policies


@click.command("can-i")
@click.argument("action")
@click.argument("resource")
@click.argument("name", metavar="SUBRESOURCE")
@click.option("--as", "subject", default="admin", show_default=True, help="Account, role or project role that asks.")
@click.option("--as-group", "groups", multiple=True, help="Group of that account; repeatable.")
@click.option("--explain", is_flag=True, help="Name the line that decides.")
@output_option("text", "json")
@chosen_cluster
def can_i(
    action: str,
    resource: str,
    name: str,
    subject: str,
    groups: tuple[str, ...],
    chosen: Chosen,
    output: str,
    *,
    explain: bool,
) -> int:
    """Print yes or no: whether an account may do something. The exit code is 0 for both.

    For example: can-i sync applications 'team/*' --as alice
    """
    is_default = click.get_current_context().get_parameter_source("subject") is click.core.ParameterSource.DEFAULT
    if chosen.server is not None and is_default and not groups and not explain and output == "text":
        terminal.echo(asyncio.run(_asked(chosen, action, resource, name)))
        return 0
    request = rights.request_for(subject, action, resource, name)
    verdict = rights.decide(asyncio.run(_policies(chosen)), Who(subject, groups), request)
    if is_default:
        terminal.echo(f"asked for {subject}: without a server there is no login (--as names another)", err=True)
    print_verdict(request, verdict, output, explain=explain, words=("yes", "no"))
    return 0


async def _asked(chosen: Chosen, action: str, resource: str, name: str) -> str:
    """Return what the server says to whoever is logged in."""
    async with chosen.opened() as home:
        return await home.can_i(resource, action, name)


async def _policies(chosen: Chosen) -> Policies:
    async with chosen.connected() as (cluster, _):
        return await rights.read_policies(cluster, chosen.namespace)
