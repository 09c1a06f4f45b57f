"""The flags of `app create` and `app set` about syncing without being asked, which are not plain fields."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click
import msgspec

from syncline.model.errors import NeedsUser

_POLICIES = ("none", "manual", "automated", "auto")


class PolicyFlags(msgspec.Struct, frozen=True, kw_only=True):
    """What was said about automatic sync; None is not said."""

    policy: str | None = None
    prune: bool | None = None
    self_heal: bool | None = None
    allow_empty: bool | None = None
    options: tuple[str, ...] = ()


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
        flags = PolicyFlags(
            policy=sync_policy, prune=auto_prune, self_heal=self_heal, allow_empty=allow_empty, options=sync_option
        )
        return command(*args, policy=flags, **others)

    wrapped: Callable[..., Any] = with_flags
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_OPTIONS = (
    click.option(
        "--sync-policy", type=click.Choice(_POLICIES), default=None, help="Sync by itself (automated) or not."
    ),
    click.option("--auto-prune/--no-auto-prune", default=None, help="Automatic sync deletes what Git no longer has."),
    click.option("--self-heal/--no-self-heal", default=None, help="Automatic sync undoes changes in the cluster."),
    click.option("--allow-empty/--no-allow-empty", default=None, help="Automatic sync may delete the last object."),
    click.option("--sync-option", multiple=True, help="Sync option such as PruneLast=true; !NAME takes one away."),
)


def put_policy(app: dict[str, Any], flags: PolicyFlags) -> None:
    """Write what was said into an Application."""
    policy = dict(app["spec"].get("syncPolicy") or {})
    if flags.policy in ("none", "manual"):
        policy.pop("automated", None)
    elif flags.policy is not None:
        policy["automated"] = {**(policy.get("automated") or {})}
        policy["automated"].pop("enabled", None)
    for name, value in (("prune", flags.prune), ("selfHeal", flags.self_heal), ("allowEmpty", flags.allow_empty)):
        if value is None:
            continue
        if policy.get("automated") is None:
            raise NeedsUser("this needs automatic sync, which is off", hint="add --sync-policy automated")
        policy["automated"] = {**policy["automated"], name: value}
    if flags.options:
        policy["syncOptions"] = _options(policy.get("syncOptions") or [], flags.options)
    policy = {name: value for name, value in policy.items() if name == "automated" or value not in ([], {}, None)}
    if policy:
        app["spec"]["syncPolicy"] = policy
    else:
        app["spec"].pop("syncPolicy", None)


def _options(before: list[str], given: tuple[str, ...]) -> list[str]:
    """Replace options of the same name; `!NAME` takes one away."""
    options = list(before)
    for option in given:
        name = option.lstrip("!").partition("=")[0]
        options = [one for one in options if one.partition("=")[0] != name]
        if not option.startswith("!"):
            options.append(option)
    return options
