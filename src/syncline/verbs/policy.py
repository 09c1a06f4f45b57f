"""Changes of when and how an Application syncs without being asked."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from syncline.apimachinery.keys import Object
from syncline.verbs.errors import InvalidRequest


class PolicyChange(msgspec.Struct, frozen=True, kw_only=True):
    """What is to change about automatic sync; None stays as it is. An option `!NAME` is removed."""

    automated: bool | None = None
    prune: bool | None = None
    self_heal: bool | None = None
    allow_empty: bool | None = None
    options: tuple[str, ...] = ()


def put_policy(app: Object, change: PolicyChange) -> None:
    """Write a change into an Application, which is changed in place."""
    if change == PolicyChange():
        return
    policy = dict(app["spec"].get("syncPolicy") or {})
    if change.automated is False:
        policy.pop("automated", None)
    elif change.automated is not None:
        policy["automated"] = {**(policy.get("automated") or {})}
        policy["automated"].pop("enabled", None)
    for name, value in (("prune", change.prune), ("selfHeal", change.self_heal), ("allowEmpty", change.allow_empty)):
        if value is None:
            continue
        if policy.get("automated") is None:
            raise InvalidRequest("this needs automated sync, which is off", hint="add --sync-policy automated")
        policy["automated"] = {**policy["automated"], name: value}
    if change.options:
        policy["syncOptions"] = _options(policy.get("syncOptions") or [], change.options)
    policy = {name: value for name, value in policy.items() if name == "automated" or value not in ([], {}, None)}
    if policy:
        app["spec"]["syncPolicy"] = policy
    else:
        app["spec"].pop("syncPolicy", None)


def _options(before: Iterable[str], given: Iterable[str]) -> list[str]:
    """Replace options of the same name; `!NAME` removes one."""
    options = list(before)
    for option in given:
        name = option.lstrip("!").partition("=")[0]
        options = [one for one in options if one.partition("=")[0] != name]
        if not option.startswith("!"):
            options.append(option)
    return options
