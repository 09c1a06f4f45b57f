"""`syncline login`: a token of an API server for a name and a password, or by single sign-on in the browser.

The token goes into the file of logins, for its owner alone, and nowhere else: not onto the screen, not into an error.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.model.server_contexts import ServerContext

_SSO_PORT = 8085


@click.command()
@click.argument("server")
@click.option("--username", default="", help="Name of the account (default: prompt).")
@click.option("--password", default="", help="Password (default: prompt); - reads standard input.")
@click.option("--sso", is_flag=True, help="Log in with the server's single sign-on, in the browser.")
@click.option(
    "--sso-port",
    type=click.IntRange(0, 65535),
    default=_SSO_PORT,
    show_default=True,
    help="Port of this machine that the provider sends the browser back to.",
)
@click.option("--sso-launch-browser/--no-sso-launch-browser", default=True, help="Open the browser.")
@click.option("--name", default="", help="Name of the login, for syncline context (default: the server).")
@click.option("--plaintext", is_flag=True, help="Without TLS.")
@click.option("--insecure", is_flag=True, help="Do not check the certificate of the server.")
@click.option("--skip-test-tls", is_flag=True, help="Accepted for compatibility: nothing is tested.")
@click.option("--grpc-web", is_flag=True, help="Accepted for compatibility: requests are plain HTTP.")
@click.option("--grpc-web-root-path", "root_path", default="", help="Path prefix of the server.")
def login(
    server: str,
    username: str,
    password: str,
    name: str,
    root_path: str,
    sso_port: int,
    *,
    sso: bool,
    sso_launch_browser: bool,
    plaintext: bool,
    insecure: bool,
    skip_test_tls: bool,  # noqa: ARG001 - as argocd has it
    grpc_web: bool,  # noqa: ARG001
) -> int:
    """Log in to an API server; commands use it from then on.

    SERVER is HOST[:PORT]. `syncline logout` ends the session; with --core a command still uses the Kubernetes API.
    """
    from syncline.model.server_contexts import ServerContext, parse_address

    if sso and (username or password):
        raise click.UsageError("--sso and --username are mutually exclusive: the provider asks who you are")
    host, plain = parse_address(server)
    context = ServerContext(
        name=name or host, server=host, plaintext=plaintext or plain, insecure=insecure, root_path=root_path
    )
    if sso:
        from syncline.cli.login.browser import log_in_by_browser

        found, who = asyncio.run(log_in_by_browser(context, sso_port, launch=sso_launch_browser))
    else:
        given = username or _asked("Username")
        found, who = asyncio.run(_by_password(context, given, _secret(password))), given
    keep(found)
    terminal.echo(f"'{who}' logged in successfully" if who else "logged in successfully")
    terminal.echo(f"context '{found.name}' updated")
    return 0


def keep(context: ServerContext) -> None:
    """Store a login, and use it from now on."""
    from syncline import wiring

    file = wiring.server_contexts()
    file.write(file.read().having(context))


def _asked(question: str) -> str:
    if not sys.stdin.isatty():
        raise NeedsUser("there is no terminal to ask for a user name", hint="give --username")
    return str(click.prompt(question, err=True))


def _secret(given: str) -> str:
    """Return the password: as given, from standard input, or asked for without showing it."""
    if given == "-" or (not given and not sys.stdin.isatty()):
        line = sys.stdin.readline().rstrip("\r\n")
        if not line:
            raise NeedsUser("no password on standard input", hint="give --password, or type it at a terminal")
        return line
    return given or str(click.prompt("Password", hide_input=True, err=True))


async def _by_password(context: ServerContext, username: str, password: str) -> ServerContext:
    from syncline import wiring
    from syncline.verbs.served.api import NotLoggedIn

    async with wiring.server_api(context) as api:
        try:
            answer = await api.ask("POST", "/api/v1/session", None, {"username": username, "password": password})
        except NotLoggedIn:
            # What the server says to a wrong password is one sentence for everything that may be wrong with it.
            raise NeedsUser(f"{context.server}: Invalid username or password") from None
    token = answer.get("token") if isinstance(answer, dict) else None
    if not isinstance(token, str) or not token:
        raise NeedsUser(f"{context.server} gave no token", hint="is this an API server of Syncline or Argo CD?")
    return replace(context, token=token)
