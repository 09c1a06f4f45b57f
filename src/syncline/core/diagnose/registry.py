"""All rules, listed once: which checks there are for a kind of subject, and which rule somebody means.

Read by `syncline.core.diagnose.explain` and every other command that runs rules, by `syncline rule` and by the rule
reference. Importing it imports all rules, so commands do that only when they run.
"""

from __future__ import annotations

import difflib
from typing import Any, TypeVar

from syncline.core.diagnose.rule import Check, Rule
from syncline.core.diagnose.rules.applications import (
    namespace_missing,
    not_permitted,
    path_not_found,
    revision_not_found,
    spec_invalid,
)
from syncline.core.diagnose.rules.differences import uncomparable, unused_ignore_rule
from syncline.core.diagnose.rules.internal import rule_failed
from syncline.core.diagnose.rules.live import (
    accepted_drift,
    cluster_unreachable,
    git_ahead,
    live_change,
    not_healthy,
    not_syncing,
    object_extra,
    object_missing,
    revision_failed,
    sync_failed,
    sync_stuck,
    waiting,
)
from syncline.core.diagnose.rules.ownership import data_deleted, immutable_change, shared_object
from syncline.core.diagnose.rules.settings import unknown_field, unread_setting, unreadable_value, without_effect
from syncline.core.diagnose.rules.sources import manifest_warning, source_failed
from syncline.core.diagnose.rules.workloads import container_failing, image_not_found, unschedulable

S = TypeVar("S")

CHECKS: tuple[Check[Any], ...] = (
    # What could not be read comes first: nothing else is known where it is missing.
    revision_not_found.check,
    path_not_found.check,
    source_failed.check,
    manifest_warning.check,
    namespace_missing.check,
    not_permitted.check,
    spec_invalid.check,
    cluster_unreachable.check,
    uncomparable.check,
    unread_setting.check_settings,
    unread_setting.check_options,
    unknown_field.check,
    unreadable_value.check,
    without_effect.check,
    # What is or will be destroyed.
    data_deleted.check,
    immutable_change.check,
    shared_object.check_fleet,
    shared_object.check_repo,
    # What happened, then why, then what differs.
    sync_failed.check,
    sync_stuck.check,
    waiting.check,
    image_not_found.check,
    container_failing.check,
    unschedulable.check,
    live_change.check,
    object_missing.check,
    object_extra.check,
    git_ahead.check,
    revision_failed.check,
    not_syncing.check,
    unused_ignore_rule.check,
    accepted_drift.check,
    # In an object's own words, where nothing says more.
    not_healthy.check,
)
"""Every check, those first that a person should read first among findings of one severity."""


def checks(subject: type[S]) -> tuple[Check[S], ...]:
    """Return the checks for one kind of subject."""
    return tuple(check for check in CHECKS if check.subject is subject)


def rules() -> tuple[Rule, ...]:
    """Return all rules by code."""
    found = {check.rule.code: check.rule for check in CHECKS}
    found[rule_failed.RULE.code] = rule_failed.RULE
    return tuple(found[code] for code in sorted(found))


def subjects_of(rule: Rule) -> tuple[str, ...]:
    """Return what a rule is checked on, in words: `app`, `fleet`, `repo`, `change`."""
    return tuple(dict.fromkeys(check.subject.__name__.lower() for check in CHECKS if check.rule is rule))


def find(text: str) -> Rule | None:
    """Return the rule with a code or name, however it is capitalised."""
    wanted = text.strip().lower()
    return next((rule for rule in rules() if wanted in (rule.code.lower(), rule.name)), None)


def nearest(text: str) -> Rule:
    """Return the rule whose code or name is most like a text."""
    wanted = text.strip().lower()[:100]

    def likeness(rule: Rule) -> float:
        return max(difflib.SequenceMatcher(None, wanted, one).ratio() for one in (rule.code.lower(), rule.name))

    return max(rules(), key=likeness)
