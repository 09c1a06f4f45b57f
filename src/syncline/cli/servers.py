"""Which API server a command asks, if any: by `--server`, by the environment, or by the login in use.

Nothing of it: the Kubernetes API, as always. A kubeconfig or a context of one that somebody names wins over the
environment and the login, and so does `--core`. Tokens come from `--auth-token`, the environment, or a login.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from syncline.model.server_contexts import ServerContext

_SERVER = ("SYNCLINE_SERVER", "ARGOCD_SERVER")
_TOKEN = ("SYNCLINE_AUTH_TOKEN", "ARGOCD_AUTH_TOKEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFlags:
    """What the options say."""

    server: str = ""
    token: str = field(default="", repr=False)
    context: str = ""
    plaintext: bool = False
    insecure: bool = False
    core: bool = False


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a server; the command takes them as one `reached`."""

    @functools.wraps(command)
    def with_server(
        *args: Any,
        api_server: str,
        api_token: str,
        api_context: str,
        api_plaintext: bool,
        api_insecure: bool,
        api_core: bool,
        **options: Any,
    ) -> Any:
        flags = ServerFlags(
            server=api_server,
            token=api_token,
            context=api_context,
            plaintext=api_plaintext,
            insecure=api_insecure,
            core=api_core,
        )
        return command(*args, reached=flags, **options)

    return functools.reduce(lambda made, option: option(made), reversed(_OPTIONS), with_server)


_OPTIONS = (
    click.option(
        "--server",
        "api_server",
        default="",
        metavar="HOST[:PORT]",
        help="Use this API server instead of the Kubernetes API (default: SYNCLINE_SERVER or ARGOCD_SERVER, then the "
        "current login).",
    ),
    click.option(
        "--auth-token",
        "api_token",
        default="",
        metavar="TOKEN",
        help="Token for the server; better in SYNCLINE_AUTH_TOKEN or ARGOCD_AUTH_TOKEN, which others cannot read.",
    ),
    click.option(
        "--argocd-context", "api_context", default="", metavar="NAME", help="Login to use, see syncline context."
    ),
    click.option("--plaintext", "api_plaintext", is_flag=True, help="Connect to the server without TLS."),
    click.option("--insecure", "api_insecure", is_flag=True, help="Do not check the certificate of the server."),
    click.option("--core", "api_core", is_flag=True, help="Always use the Kubernetes API."),
)


def selected(flags: ServerFlags, *, by_kubeconfig: bool) -> ServerContext | None:
    """Return the server to ask; None for the Kubernetes API. Raises a sentence for a login that is not there."""
    if flags.core or (by_kubeconfig and not flags.server and not flags.context):
        return None
    if by_kubeconfig:
        raise click.UsageError("--server and --kubeconfig are mutually exclusive: a server is asked, or a cluster")
    from syncline import wiring
    from syncline.model.errors import NeedsUser
    from syncline.model.server_contexts import ServerContext, parse_address

    address = flags.server or ("" if flags.context else _first(_SERVER))
    if address:
        server, plain = parse_address(address)
        known = wiring.login_to(server)
        found = known or ServerContext(name=server, server=server)
        found = replace(found, plaintext=plain or flags.plaintext or (found.plaintext and "://" not in address))
    else:
        contexts = wiring.server_contexts().read()
        name = flags.context or contexts.current
        if not name:
            return None
        login = contexts.find(name)
        if login is None:
            listed = ", ".join(one.name for one in contexts.known) or "none"
            raise NeedsUser(f"no login named {name}", hint=f"known: {listed}")
        found = replace(login, plaintext=login.plaintext or flags.plaintext)
    token = flags.token or _first(_TOKEN) or found.token
    return replace(found, token=token, insecure=found.insecure or flags.insecure)


def _first(names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := os.environ.get(name, ""))), "")
