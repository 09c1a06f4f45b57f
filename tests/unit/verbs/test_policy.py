"""What a change of automatic sync makes of a sync policy."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.verbs.errors import InvalidRequest
from syncline.verbs.policy import PolicyChange, put_policy


def after(change: PolicyChange, policy: dict[str, Any] | None = None) -> dict[str, Any] | None:
    app: dict[str, Any] = {"spec": {} if policy is None else {"syncPolicy": policy}}
    put_policy(app, change)
    found: dict[str, Any] | None = app["spec"].get("syncPolicy")
    return found


@pytest.mark.parametrize(
    ("change", "before", "expected"),
    [
        (PolicyChange(), None, None),
        (PolicyChange(automated=True), None, {"automated": {}}),
        (
            PolicyChange(automated=True, prune=True, self_heal=True),
            None,
            {"automated": {"prune": True, "selfHeal": True}},
        ),
        (PolicyChange(automated=True), {"automated": {"prune": True}}, {"automated": {"prune": True}}),
        (PolicyChange(automated=True), {"automated": {"enabled": False}}, {"automated": {}}),
        (PolicyChange(automated=False), {"automated": {"prune": True}}, None),
        (
            PolicyChange(automated=False),
            {"automated": {}, "syncOptions": ["PruneLast=true"]},
            {"syncOptions": ["PruneLast=true"]},
        ),
        (PolicyChange(self_heal=False), {"automated": {"selfHeal": True}}, {"automated": {"selfHeal": False}}),
    ],
)
def test_automatic_sync_is_switched_on_changed_and_off(
    change: PolicyChange, before: dict[str, Any] | None, expected: dict[str, Any] | None
) -> None:
    assert after(change, before) == expected


def test_prune_without_automatic_sync_says_what_is_missing() -> None:
    with pytest.raises(InvalidRequest, match="needs automated sync"):
        after(PolicyChange(prune=True))


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
    policy = after(PolicyChange(options=given), {"syncOptions": ["PruneLast=true"]})
    assert (policy or {}).get("syncOptions") == expected
