"""The flags of `app create` and `app set` about syncing without being asked, which are not plain fields."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from syncline.cli.choice import Choice
from syncline.verbs.policy import PolicyChange

_POLICIES = {"none": False, "manual": False, "automated": True, "auto": True}


def sync_policy_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags; the command takes them as one `policy`."""

    @functools.wraps(command)
    def with_flags(
        *args: Any,
        sync_policy: str | None,
        auto_prune: bool | None,
        self_heal: bool | None,
        allow_empty: bool | None,
        sync_option: tuple[str, ...],
        **others: Any,
    ) -> Any:
        policy = PolicyChange(
            automated=_POLICIES.get(sync_policy or ""),
            prune=auto_prune,
            self_heal=self_heal,
            allow_empty=allow_empty,
            options=sync_option,
        )
        return command(*args, policy=policy, **others)

    wrapped: Callable[..., Any] = with_flags
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option(
        "--sync-policy", type=Choice(list(_POLICIES)), default=None, help="Sync automatically (automated) or not."
    ),
    click.option("--auto-prune/--no-auto-prune", default=None, help="Automated sync deletes what is no longer in Git."),
    click.option("--self-heal/--no-self-heal", default=None, help="Automated sync reverts changes in the cluster."),
    click.option("--allow-empty/--no-allow-empty", default=None, help="Automated sync may delete all objects."),
    click.option("--sync-option", multiple=True, help="Sync option such as PruneLast=true; !NAME removes one."),
)
