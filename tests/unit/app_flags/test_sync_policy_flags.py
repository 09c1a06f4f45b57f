"""What the flags about automatic sync make of a sync policy."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.cli.app.sync_policy_flags import PolicyFlags, put_policy
from syncline.model.errors import NeedsUser


def after(flags: PolicyFlags, policy: dict[str, Any] | None = None) -> dict[str, Any] | None:
    app: dict[str, Any] = {"spec": {} if policy is None else {"syncPolicy": policy}}
    put_policy(app, flags)
    found: dict[str, Any] | None = app["spec"].get("syncPolicy")
    return found


@pytest.mark.parametrize(
    ("flags", "before", "expected"),
    [
        (PolicyFlags(), None, None),
        (PolicyFlags(policy="automated"), None, {"automated": {}}),
        (
            PolicyFlags(policy="auto", prune=True, self_heal=True),
            None,
            {"automated": {"prune": True, "selfHeal": True}},
        ),
        (PolicyFlags(policy="automated"), {"automated": {"prune": True}}, {"automated": {"prune": True}}),
        (PolicyFlags(policy="automated"), {"automated": {"enabled": False}}, {"automated": {}}),
        (PolicyFlags(policy="none"), {"automated": {"prune": True}}, None),
        (
            PolicyFlags(policy="manual"),
            {"automated": {}, "syncOptions": ["PruneLast=true"]},
            {"syncOptions": ["PruneLast=true"]},
        ),
        (PolicyFlags(self_heal=False), {"automated": {"selfHeal": True}}, {"automated": {"selfHeal": False}}),
    ],
)
def test_automatic_sync_is_switched_on_changed_and_off(
    flags: PolicyFlags, before: dict[str, Any] | None, expected: dict[str, Any] | None
) -> None:
    assert after(flags, before) == expected


def test_prune_without_automatic_sync_says_what_is_missing() -> None:
    with pytest.raises(NeedsUser, match="needs automatic sync"):
        after(PolicyFlags(prune=True))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("Validate=false",), ["PruneLast=true", "Validate=false"]),
        (("PruneLast=false",), ["PruneLast=false"]),
        (("!PruneLast",), None),
        (("!PruneLast=true", "Replace=true"), ["Replace=true"]),
    ],
)
def test_sync_options_replace_those_of_the_same_name(given: tuple[str, ...], expected: list[str] | None) -> None:
    policy = after(PolicyFlags(options=given), {"syncOptions": ["PruneLast=true"]})
    assert (policy or {}).get("syncOptions") == expected
