"""`syncline proj role`: the roles of a project, their policies and groups. Tokens are made by a server."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import click

from syncline.apimachinery.times import format_time
from syncline.cli.choice import Choice
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.proj.changing import PROJECT, changed
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.core.policy.rbac import words
from syncline.core.policy.rbac.rights import project_texts
from syncline.model import project as projects
from syncline.model.errors import NeedsUser
from syncline.model.project import AppProject, JWTToken
from syncline.verbs import project_edits
from syncline.verbs.projects import read_project

_ROLE = click.argument("name", metavar="ROLE-NAME")


@click.group(cls=SwitchGroup)
def role() -> None:
    """Manage the roles of a project."""


def _read(project: str, chosen: Chosen) -> AppProject:
    async def read() -> AppProject:
        async with chosen.connected() as (cluster, _):
            return projects.parse(await read_project(cluster, chosen.namespace, project))

    return asyncio.run(read())


@role.command("list")
@PROJECT
@chosen_cluster
@output_option("wide", "name", "json", "yaml")
def list_(project: str, chosen: Chosen, output: str) -> int:
    """List the roles of a project."""
    found = _read(project, chosen).spec.roles
    if output == "name":
        terminal.echo("\n".join(one.name for one in found))
    elif output == "wide":
        terminal.echo(table(("ROLE-NAME", "DESCRIPTION"), [(one.name, one.description) for one in found]))
    else:
        values = [
            {
                "name": one.name,
                "description": one.description,
                "policies": list(one.policies),
                "groups": list(one.groups),
            }
            for one in found
        ]
        print_objects(values, output)
    return 0


@role.command()
@PROJECT
@_ROLE
@chosen_cluster
@output_option("wide", "json", "yaml")
def get(project: str, name: str, chosen: Chosen, output: str) -> int:
    """Show a role with its policies, groups and tokens."""
    typed = _read(project, chosen)
    project_edits.role_of({"roles": [{"name": one.name} for one in typed.spec.roles]}, name)
    (found,) = (one for one in typed.spec.roles if one.name == name)
    place = typed.spec.roles.index(found)
    policies = [line for line in project_texts(typed)[place].text.split("\n") if line.startswith("p")]
    tokens = _tokens(typed, name)
    if output != "wide":
        told = {"name": name, "description": found.description, "policies": policies, "groups": list(found.groups)}
        print_object({**told, "tokens": [{"id": one.id, "iat": one.iat, "exp": one.exp} for one in tokens]}, output)
        return 0
    terminal.echo(f"{'Role Name:':<15}{name}")
    terminal.echo(f"{'Description:':<15}{found.description}".rstrip())
    terminal.echo("Policies:\n" + "\n".join(policies))
    terminal.echo("Groups:\n" + ("\n".join(f"  - {group}" for group in found.groups) or "<none>"))
    terminal.echo("JWT Tokens:")
    rows = [[str(one.iat), _time(one.iat), _time(one.exp) if one.exp else "<none>"] for one in tokens]
    terminal.echo(table(("ID", "ISSUED-AT", "EXPIRES-AT"), rows))
    return 0


def _tokens(typed: AppProject, name: str) -> tuple[JWTToken, ...]:
    """Return the tokens that a project lists for a role, in its status or, as older versions did, in its spec."""
    by_role = typed.status.jwt_tokens_by_role if typed.status is not None else {}
    if name in by_role:
        return by_role[name].items
    return next((one.jwt_tokens for one in typed.spec.roles if one.name == name), ())


def _time(seconds: int) -> str:
    return format_time(datetime.fromtimestamp(seconds, UTC))


@role.command()
@PROJECT
@_ROLE
@click.option("--description", default="", help="Description.")
@chosen_cluster
def create(project: str, name: str, description: str, chosen: Chosen) -> int:
    """Create a role without policies."""
    return changed(chosen, project, project_edits.create_role(name, description), f"updated: role '{name}' created")


@role.command()
@PROJECT
@_ROLE
@chosen_cluster
def delete(project: str, name: str, chosen: Chosen) -> int:
    """Delete a role."""
    return changed(chosen, project, project_edits.delete_role(name), f"updated: role '{name}' deleted")


def _policy(project: str, name: str, resource: str, action: str, object_: str, permission: str) -> str:
    return f"p, proj:{project}:{name}, {resource}, {action}, {project}/{object_}, {permission}"


_ACTION = click.option("-a", "--action", required=True, help="Action, such as get or sync.")
_PERMISSION = click.option(
    "-p", "--permission", type=Choice(["allow", "deny"]), default="allow", show_default=True, help="Allow or deny."
)
_OBJECT = click.option("-o", "--object", "object_", required=True, help="Object within the project; `*` is any.")
_RESOURCE = click.option(
    "-r",
    "--resource",
    type=Choice(sorted(words.IN_PROJECTS)),
    default="applications",
    show_default=True,
    help="Resource.",
)


@role.command("add-policy")
@PROJECT
@_ROLE
@_ACTION
@_PERMISSION
@_OBJECT
@_RESOURCE
@chosen_cluster
def add_policy(
    project: str, name: str, action: str, permission: str, object_: str, resource: str, chosen: Chosen
) -> int:
    """Add a policy to a role."""
    policy = _policy(project, name, resource, action, object_, permission)
    return changed(chosen, project, project_edits.in_role(name, "policies", policy, present=True))


@role.command("remove-policy")
@PROJECT
@_ROLE
@_ACTION
@_PERMISSION
@_OBJECT
@_RESOURCE
@chosen_cluster
def remove_policy(
    project: str, name: str, action: str, permission: str, object_: str, resource: str, chosen: Chosen
) -> int:
    """Remove a policy from a role."""
    policy = _policy(project, name, resource, action, object_, permission)
    return changed(chosen, project, project_edits.in_role(name, "policies", policy, present=False))


@role.command("add-group")
@PROJECT
@_ROLE
@click.argument("group", metavar="GROUP-CLAIM")
@chosen_cluster
def add_group(project: str, name: str, group: str, chosen: Chosen) -> int:
    """Add a group to a role."""
    return changed(chosen, project, project_edits.in_role(name, "groups", group, present=True))


@role.command("remove-group")
@PROJECT
@_ROLE
@click.argument("group", metavar="GROUP-CLAIM")
@chosen_cluster
def remove_group(project: str, name: str, group: str, chosen: Chosen) -> int:
    """Remove a group from a role."""
    return changed(chosen, project, project_edits.in_role(name, "groups", group, present=False))


@role.command("list-tokens")
@PROJECT
@_ROLE
@chosen_cluster
def list_tokens(project: str, name: str, chosen: Chosen) -> int:
    """List the tokens of a role; the tokens themselves are stored nowhere."""
    tokens = _tokens(_read(project, chosen), name)
    if not tokens:
        terminal.echo(f"No tokens for {project}.{name}")
        return 0
    rows = [[one.id, _time(one.iat), _time(one.exp) if one.exp else "never"] for one in tokens]
    terminal.echo(table(("ID", "ISSUED AT", "EXPIRES AT"), rows))
    return 0


@role.command("create-token", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@PROJECT
@_ROLE
def create_token(project: str, name: str) -> int:
    """Not possible here: tokens are signed by a server."""
    raise NeedsUser(
        f"a token of proj:{project}:{name} is signed by a server with its own key, and none runs here",
        hint="use argocd proj role create-token against a server, or put the role's group into its policies",
    )
