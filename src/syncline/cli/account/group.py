"""`syncline account`: as `argocd account`, as far as it can be answered without a server."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_VERBS = {
    "can-i": ("syncline.cli.account.can_i:can_i", "Print yes or no: whether a subject may do something."),
    "list": ("syncline.cli.account.accounts:list_", "List the local accounts."),
    "get": ("syncline.cli.account.accounts:get", "Show one account and its tokens."),
}


@click.group(cls=LazyGroup, commands_by_name=_VERBS)
def account() -> None:
    """List accounts, and check what an account may do under the installation's policies."""
