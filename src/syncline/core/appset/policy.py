"""What an ApplicationSet may do to Applications: its own policy, or the one that the operator has set for all.

Asked by `syncline.core.appset.decide`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from syncline.model.settings.parts import ApplicationSets

_WORDS = {
    "sync": (True, True),
    "create-only": (False, False),
    "create-update": (True, False),
    "create-delete": (False, True),
}


class Policy(NamedTuple):
    """Whether Applications may be changed, and deleted; all policies let them be created."""

    update: bool = True
    delete: bool = True


def policy_of(spec: Mapping[str, Any], settings: ApplicationSets) -> Policy:
    """Return the policy that counts: the operator's wins unless sets may choose, as they may where there is none."""
    word = settings.policy
    chosen = (spec.get("syncPolicy") or {}).get("applicationsSync")
    if chosen and (settings.policy_override or not settings.policy):
        word = str(chosen)
    return Policy(*_WORDS.get(word, (True, True)))
