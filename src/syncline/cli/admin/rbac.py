"""`syncline admin settings rbac`: try policies on requests, and find mistakes in them, before they are used.

Policies come from a file (policy.csv, the ConfigMap argocd-rbac-cm, an ArgoCD resource or chart values) or from the
installation in a namespace. AppProjects in the file, or of the installation, bring the policies of their roles.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.api import object_files
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.core.policy.rbac.enforcer import RbacRequest, RbacVerdict
    from syncline.verbs.rights import Policies

_FILE = click.option(
    "--policy-file",
    type=click.Path(path_type=Path),
    help="File with the policies: policy.csv, argocd-rbac-cm, an ArgoCD resource or chart values.",
)
_NAMESPACE = click.option("--namespace", default="", help="Namespace of the installation (as -N).")


@click.group(cls=SwitchGroup)
def rbac() -> None:
    """Try permissions, and find mistakes in them."""


@rbac.command()
@click.argument("subject", metavar="ROLE/SUBJECT")
@click.argument("action")
@click.argument("resource")
@click.argument("name", metavar="[SUB-RESOURCE]", default="")
@_FILE
@_NAMESPACE
@click.option("--default-role", default="", help="Default role (else policy.default).")
@click.option("--use-builtin-policy/--no-use-builtin-policy", "with_builtin", default=True, help="Built-in roles too.")
@click.option("--strict/--no-strict", default=True, help="Refuse unknown resources and actions.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; answer with the exit code only.")
@click.option("--explain", is_flag=True, help="Name the line that decides.")
@output_option("text", "json")
@chosen_cluster
def can(
    subject: str,
    action: str,
    resource: str,
    name: str,
    policy_file: Path | None,
    namespace: str,
    default_role: str,
    chosen: Chosen,
    output: str,
    *,
    with_builtin: bool,
    strict: bool,
    quiet: bool,
    explain: bool,
) -> int:
    """Print Yes (exit code 0) or No (1): whether a role or subject may do something.

    For example: can role:dev sync applications 'team/shop' --policy-file policy.csv
    """
    import msgspec

    from syncline.core.policy.rbac.rights import Who
    from syncline.verbs import rights

    request = rights.request_for(subject, action, resource, name, strict=strict)
    policies = _policies(policy_file, namespace, chosen)
    if default_role:
        source = msgspec.structs.replace(policies.source, default_role=default_role)
        policies = msgspec.structs.replace(policies, source=source)
    verdict = rights.decide(policies, Who(subject), request, with_builtin=with_builtin)
    if quiet:
        return int(not verdict.allowed)
    print_verdict(request, verdict, output, explain=explain, words=("Yes", "No"))
    if warning := rights.ignored_group(policies, subject, verdict):
        terminal.echo(f"warning: {warning}", err=True)
    return int(not verdict.allowed)


@rbac.command()
@_FILE
@_NAMESPACE
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@chosen_cluster
def validate(policy_file: Path | None, namespace: str, chosen: Chosen, *, strict: bool) -> int:
    """Find lines that cannot be read, unknown resources and actions, and roles without policies."""
    from syncline.model.errors import NeedsUser
    from syncline.verbs import rights

    policies = _policies(policy_file, namespace, chosen)
    if not any(text.text.strip() for text in policies.source.texts):
        raise NeedsUser("the policy is empty", hint="put policies under policy.csv of argocd-rbac-cm")
    found = rights.problems(policies)
    for problem in found:
        kind = terminal.style("error", "red") if problem.fatal else terminal.style("warning", "yellow")
        terminal.echo(f"{kind}: {problem}", err=True)
    fatal = [problem for problem in found if problem.fatal]
    if fatal:
        terminal.echo(f"Policy is invalid: {len(fatal)} line{'' if len(fatal) == 1 else 's'} cannot be read.")
        return 1
    terminal.echo("Policy is valid.")
    return int(strict and bool(found))


def print_verdict(
    request: RbacRequest, verdict: RbacVerdict, output: str, *, explain: bool, words: tuple[str, str]
) -> None:
    """Print an answer: one word, or what a program needs; why, where that is asked for."""
    import orjson

    from syncline.verbs import rights

    reasons = rights.explanation(request, verdict)
    if output == "json":
        line = verdict.line
        answer = {
            "allowed": verdict.allowed,
            "subject": request.subject,
            "resource": request.resource,
            "action": request.action,
            "object": request.object,
            "line": str(line) if line else "",
            "place": line.place if line else "",
            "roles": list(verdict.roles),
            "why": reasons,
        }
        terminal.echo_data(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
        return
    terminal.echo(words[0] if verdict.allowed else words[1])
    for reason in reasons if explain else ():
        terminal.echo(f"  {reason}")


def _policies(file: Path | None, namespace: str, chosen: Chosen) -> Policies:
    """Return the policies of the file, else those of the installation."""
    import asyncio

    if file is not None and namespace:
        raise click.UsageError("give --policy-file or --namespace, not both")
    if file is not None:
        return _of_file(file)
    return asyncio.run(_of_installation(chosen, namespace or chosen.namespace))


def _of_file(file: Path) -> Policies:
    from syncline.core.settings.entries import places_in
    from syncline.core.settings.parse import SettingsInput
    from syncline.model.errors import NeedsUser
    from syncline.verbs import rights

    text = object_files.text(file)
    documents = object_files.documents_if_any(text, str(file))
    if not documents:
        return rights.policies_of_text(text, str(file))
    found = rights.policies_in(SettingsInput(one.value, places_in(one, str(file))) for one in documents)
    if not found.source.texts and not found.projects:
        raise NeedsUser(f"{file} contains no policies", hint="give policy.csv, argocd-rbac-cm or chart values")
    return found


async def _of_installation(chosen: Chosen, namespace: str) -> Policies:
    from syncline.verbs import rights

    async with chosen.connected() as (cluster, _):
        return await rights.read_policies(cluster, namespace)
