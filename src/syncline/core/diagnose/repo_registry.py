"""The checks on repositories alone, by family: one line per rule.

Listed by `syncline.core.diagnose.registry` after those that also look at running apps.
"""

from __future__ import annotations

from typing import Any

from syncline.core.diagnose.rule import Check
from syncline.core.diagnose.rules.applications import (
    automated_without_retry,
    deleted_with_its_file,
    empty_render_prunes,
    floating_chart,
    generate_paths_incomplete,
    name_too_long,
    namespace_not_created,
    renders_nothing,
    same_source_twice,
    stale_branch,
    zero_values,
)
from syncline.core.diagnose.rules.applicationsets import (
    deletes_all_it_made,
    exclude_without_effect,
    generates_nothing,
    missing_key_unnoticed,
    step_without_apps,
)
from syncline.core.diagnose.rules.differences import (
    ignored_but_applied,
    injected_field_written,
    list_ignored_and_respected,
    platform_fills_field,
    quantity_spelling,
    removed_key_stays,
    webhook_with_side_effects,
)
from syncline.core.diagnose.rules.ordering import (
    cannot_bootstrap,
    command_not_permitted,
    consumer_before_producer,
    definition_in_later_app,
    definition_made_by_operator,
    hook_before_its_needs,
    hook_vanishes,
    hook_without_end,
    readiness_needs_post_hook,
    sets_do_not_wait,
    wave_gates_nothing,
    webhook_guards_itself,
)
from syncline.core.diagnose.rules.ownership import (
    data_recreated,
    definition_recreated,
    moved_object,
    operator_goes_with_its_objects,
    renamed_app,
)
from syncline.core.diagnose.rules.secrets import (
    one_store_for_many,
    secret_in_git,
    store_account_namespace,
)
from syncline.core.diagnose.rules.settings import (
    apply_and_diff_differ,
    cache_shorter_than_refresh,
    excluded_kind,
    health_hides_failures,
    label_tracking,
    out_of_sync_only,
    stale_health_check,
    waves_without_health,
)
from syncline.core.diagnose.rules.sources import (
    empty_override,
    glob_matches_nothing,
    remote_base_unpinned,
    required_field_empty,
    two_hook_styles,
    unlisted_file,
    unread_value,
    unsteady_render,
)

CHECKS: tuple[Check[Any], ...] = (
    unsteady_render.check,
    empty_override.check,
    unread_value.check,
    required_field_empty.check,
    remote_base_unpinned.check,
    two_hook_styles.check,
    unlisted_file.check,
    glob_matches_nothing.check,
    stale_branch.check,
    namespace_not_created.check,
    automated_without_retry.check,
    empty_render_prunes.check,
    name_too_long.check,
    deleted_with_its_file.check,
    zero_values.check,
    floating_chart.check,
    generate_paths_incomplete.check,
    same_source_twice.check,
    renders_nothing.check,
    generates_nothing.check,
    missing_key_unnoticed.check,
    deletes_all_it_made.check,
    step_without_apps.check,
    exclude_without_effect.check,
    apply_and_diff_differ.check,
    waves_without_health.check,
    stale_health_check.check,
    health_hides_failures.check,
    out_of_sync_only.check,
    cache_shorter_than_refresh.check,
    excluded_kind.check,
    label_tracking.check,
    definition_in_later_app.check,
    cannot_bootstrap.check,
    definition_made_by_operator.check,
    consumer_before_producer.check,
    hook_before_its_needs.check,
    hook_vanishes.check,
    hook_without_end.check,
    command_not_permitted.check,
    readiness_needs_post_hook.check,
    sets_do_not_wait.check,
    wave_gates_nothing.check,
    webhook_guards_itself.check,
    definition_recreated.check,
    moved_object.check,
    renamed_app.check,
    operator_goes_with_its_objects.check,
    data_recreated.check,
    secret_in_git.check,
    store_account_namespace.check,
    one_store_for_many.check,
    injected_field_written.check,
    removed_key_stays.check,
    ignored_but_applied.check,
    list_ignored_and_respected.check,
    platform_fills_field.check,
    webhook_with_side_effects.check,
    quantity_spelling.check,
)
