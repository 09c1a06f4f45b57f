"""All rules, listed once: which checks there are for a kind of subject, and which rule somebody means.

Read by `syncline.core.diagnose.explain` and every other command that runs rules, by `syncline rule` and by the rule
reference. Importing it imports all rules, so commands do that only when they run.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, TypeVar

from syncline.core.diagnose.rule import Check, Rule
from syncline.core.diagnose.rules.applications import (
    namespace_absent,
    namespace_missing,
    not_permitted,
    path_not_found,
    revision_not_found,
    spec_invalid,
    two_values,
)
from syncline.core.diagnose.rules.applicationsets import colliding_names
from syncline.core.diagnose.rules.cluster import cluster_unreachable, deletion_stuck, webhook_unanswered
from syncline.core.diagnose.rules.differences import (
    changed_on_admission,
    immutable_field_ignored,
    repeated_list_key,
    replicas_with_autoscaler,
    uncomparable,
    unused_ignore_rule,
    whole_object_ignored,
)
from syncline.core.diagnose.rules.internal import rule_failed
from syncline.core.diagnose.rules.live import (
    accepted_drift,
    admission_denied,
    git_ahead,
    hook_failed,
    live_change,
    not_healthy,
    not_syncing,
    object_extra,
    object_missing,
    render_waits,
    revision_failed,
    sync_failed,
    sync_stuck,
    sync_window,
    waiting,
)
from syncline.core.diagnose.rules.network import ingress_port, no_address, service_without_pods
from syncline.core.diagnose.rules.ordering import claim_before_consumer, kind_missing, unknown_hook, wave_without_effect
from syncline.core.diagnose.rules.ownership import data_deleted, immutable_change, shared_object
from syncline.core.diagnose.rules.secrets import reference_missing, secret_not_synced, store_missing, store_not_ready
from syncline.core.diagnose.rules.settings import unknown_field, unread_setting, unreadable_value, without_effect
from syncline.core.diagnose.rules.sources import (
    glob_with_comma,
    manifest_warning,
    quantity_invalid,
    repeated_object,
    source_failed,
    too_large,
    undeclared_field,
    version_not_served,
)
from syncline.core.diagnose.rules.volumes import claim_unbound, storage_class_missing, volume_not_mounted
from syncline.core.diagnose.rules.workloads import (
    container_failing,
    drain_blocked,
    image_not_found,
    named_object_missing,
    out_of_memory,
    pods_refused,
    probe_failing,
    pull_secret_missing,
    quota_exceeded,
    scaled_to_zero,
    selector_of_others,
    unschedulable,
)
from syncline.core.diagnose.subjects import App, Fleet

if TYPE_CHECKING:
    from syncline.core.diagnose.graph.fault import NodeCheck

S = TypeVar("S")

_LIVE: tuple[Check[Any], ...] = (
    # What could not be read comes first: nothing else is known where it is missing.
    revision_not_found.check,
    revision_not_found.check_repo,
    path_not_found.check,
    path_not_found.check_repo,
    source_failed.check,
    source_failed.check_repo,
    manifest_warning.check,
    repeated_object.check,
    namespace_missing.check,
    namespace_missing.check_repo,
    not_permitted.check,
    not_permitted.check_repo,
    not_permitted.check_project,
    spec_invalid.check,
    cluster_unreachable.check,
    uncomparable.check,
    unread_setting.check_settings,
    unread_setting.check_options,
    unknown_field.check,
    unknown_field.check_objects,
    unreadable_value.check,
    without_effect.check,
    colliding_names.check,
    repeated_object.check_repo,
    # What is or will be destroyed.
    data_deleted.check,
    immutable_change.check,
    immutable_change.check_app,
    shared_object.check_fleet,
    shared_object.check_repo,
    shared_object.check_app,
    unknown_hook.check,
    too_large.check,
    repeated_list_key.check,
    # What keeps a sync from working.
    version_not_served.check,
    version_not_served.check_repo,
    kind_missing.check,
    kind_missing.check_repo,
    claim_before_consumer.check_repo,
    namespace_absent.check,
    namespace_absent.check_repo,
    admission_denied.check,
    webhook_unanswered.check,
    quota_exceeded.check,
    quota_exceeded.check_repo,
    undeclared_field.check,
    undeclared_field.check_repo,
    quantity_invalid.check,
    quantity_invalid.check_repo,
    hook_failed.check,
    sync_failed.check,
    # What keeps pods from running.
    storage_class_missing.check,
    claim_unbound.check_app,
    storage_class_missing.check_repo,
    secret_not_synced.check_app,
    reference_missing.check,
    reference_missing.check_repo,
    reference_missing.check_mounts,
    store_missing.check_repo,
    store_not_ready.check_repo,
    named_object_missing.check,
    named_object_missing.check_repo,
    selector_of_others.check,
    selector_of_others.check_repo,
    pods_refused.check,
    volume_not_mounted.check,
    pull_secret_missing.check,
    pull_secret_missing.check_repo,
    image_not_found.check,
    out_of_memory.check,
    container_failing.check,
    probe_failing.check,
    probe_failing.check_repo,
    unschedulable.check,
    unschedulable.check_repo,
    service_without_pods.check,
    service_without_pods.check_repo,
    ingress_port.check,
    ingress_port.check_repo,
    no_address.check,
    scaled_to_zero.check,
    drain_blocked.check_app,
    deletion_stuck.check,
    # What is waited for, and what differs.
    sync_stuck.check,
    render_waits.check,
    sync_window.check,
    waiting.check,
    changed_on_admission.check,
    replicas_with_autoscaler.check_app,
    live_change.check,
    object_missing.check,
    object_extra.check,
    git_ahead.check,
    revision_failed.check,
    not_syncing.check,
    unused_ignore_rule.check,
    unused_ignore_rule.check_repo,
    unused_ignore_rule.check_matches,
    immutable_field_ignored.check,
    replicas_with_autoscaler.check,
    whole_object_ignored.check,
    glob_with_comma.check,
    two_values.check,
    wave_without_effect.check,
    accepted_drift.check,
)
"""The checks that running apps have, those first that a person should read first among findings of one severity."""
_OWN_WORDS: tuple[Check[Any], ...] = (not_healthy.check,)
"""What is said in an object's own words, where nothing says more."""


def checks(subject: type[S]) -> tuple[Check[S], ...]:
    """Return the checks for one kind of subject; those of repositories take time to import, and `why` needs none."""
    listed = (*_LIVE, *_OWN_WORDS) if subject in (App, Fleet) else all_checks()
    return tuple(check for check in listed if check.subject is subject)


def all_checks() -> tuple[Check[Any], ...]:
    """Return every check, in that order; those of repositories before what objects say themselves."""
    from syncline.core.diagnose import repo_registry

    return (*_LIVE, *repo_registry.CHECKS, *_OWN_WORDS)


def _on_nodes() -> tuple[NodeCheck, ...]:
    """Return the checks on single things of a fleet; they take time to import, and `why` does without them."""
    from syncline.core.diagnose import node_registry

    return node_registry.CHECKS


def rules() -> tuple[Rule, ...]:
    """Return all rules by code."""
    listed = [*(check.rule for check in all_checks()), *(check.rule for check in _on_nodes())]
    found = {rule.code: rule for rule in listed}
    found[rule_failed.RULE.code] = rule_failed.RULE
    return tuple(found[code] for code in sorted(found))


def subjects_of(rule: Rule) -> tuple[str, ...]:
    """Return what a rule is checked on, in words: `app`, `fleet`, `repo`, `change`, `node` (of a fleet)."""
    found = [check.subject.__name__.lower() for check in all_checks() if check.rule is rule]
    nodes = ["node"] if any(check.rule is rule for check in _on_nodes()) else []
    return tuple(dict.fromkeys([*found, *nodes]))


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
