"""All checks on single things, listed once: what `diagnose` asks about a Pod, a Secret, an Application.

Read by `syncline.core.diagnose.graph.diagnose` and by `syncline.core.diagnose.registry`, which lists the rules. The
order counts where a thing has several faults: the first is what a chain shows.
"""

from __future__ import annotations

from syncline.core.diagnose.graph.fault import NodeCheck
from syncline.core.diagnose.nodes.apps import (
    app_cluster,
    app_comparison,
    app_conversion,
    app_drift,
    app_hook_failed,
    app_namespace,
    app_not_syncing,
    app_objects,
    app_path,
    app_permission,
    app_refused,
    app_revision,
    app_shared_object,
    app_source,
    app_spec,
    app_waiting,
    app_window,
    set_failing,
)
from syncline.core.diagnose.nodes.objects import (
    budget_drain,
    claim_class,
    deletion_stuck,
    object_words,
    reference_missing,
    service_endpoints,
)
from syncline.core.diagnose.nodes.pods import (
    pod_crash,
    pod_hidden_values,
    pod_image,
    pod_missing,
    pod_out_of_memory,
    pod_probe,
    pod_pull_secret,
    pod_unschedulable,
    pod_volume,
    workload_pods,
)
from syncline.core.diagnose.nodes.refused import (
    refused_account,
    refused_field,
    refused_immutable,
    refused_kind,
    refused_limit,
    refused_namespace,
    refused_other,
    refused_policy,
    refused_quantity,
    refused_quota,
    refused_version,
    refused_webhook,
)
from syncline.core.diagnose.rules.applicationsets import orphaned_app
from syncline.core.diagnose.rules.cluster import (
    api_service_down,
    delivery_part_down,
    node_not_ready,
    operator_absent,
    operator_not_installed,
)
from syncline.core.diagnose.rules.live import account_forbidden, approval_awaited, unexplained
from syncline.core.diagnose.rules.network import dns_failing, gateway_not_accepted, ingress_backend, no_load_balancer
from syncline.core.diagnose.rules.ordering import claim_before_consumer, definition_not_established
from syncline.core.diagnose.rules.secrets import (
    certificate_not_ready,
    challenge_failing,
    issuer_not_ready,
    secret_not_synced,
    store_missing,
    store_not_ready,
    vault_sealed,
)
from syncline.core.diagnose.rules.sources import repository_unreachable
from syncline.core.diagnose.rules.volumes import claim_unbound, volume_permission
from syncline.core.diagnose.rules.workloads import (
    autoscaler_blind,
    dependency_login,
    dependency_unreachable,
    init_waiting,
    never_scheduled,
    registry_unreachable,
    sandbox_failed,
    stuck_revision,
)

CHECKS: tuple[NodeCheck, ...] = (
    # Applications that nobody wants, and those that cannot be rendered or compared.
    orphaned_app.check,
    delivery_part_down.check,
    repository_unreachable.check,
    app_revision.check,
    app_path.check,
    app_source.check,
    app_cluster.check,
    app_conversion.check,
    app_permission.check,
    app_namespace.check,
    app_spec.check,
    app_comparison.check,
    set_failing.check,
    # Applications that are not synced, or not healthy.
    claim_before_consumer.check,
    approval_awaited.check,
    app_waiting.check,
    app_hook_failed.check,
    app_refused.check,
    app_objects.check,
    app_shared_object.check,
    app_window.check,
    app_not_syncing.check,
    app_drift.check,
    # What is refused to a sync, or to the controller of a workload.
    refused_kind.check,
    refused_version.check,
    refused_quota.check,
    refused_policy.check,
    refused_webhook.check,
    refused_immutable.check,
    refused_field.check,
    refused_quantity.check,
    refused_account.check,
    refused_namespace.check,
    account_forbidden.check,
    refused_limit.check,
    refused_other.check,
    # Workloads and their pods.
    stuck_revision.check,
    stuck_revision.check_pod,
    workload_pods.check,
    vault_sealed.check,
    pod_hidden_values.check,
    pod_unschedulable.check,
    never_scheduled.check,
    node_not_ready.check_pod,
    sandbox_failed.check,
    pod_missing.check,
    init_waiting.check,
    pod_volume.check,
    pod_image.check,
    pod_pull_secret.check,
    registry_unreachable.check,
    pod_out_of_memory.check,
    dns_failing.check,
    dependency_unreachable.check,
    dependency_login.check,
    volume_permission.check,
    pod_probe.check,
    pod_crash.check,
    # What they name, and what leads to them.
    claim_class.check,
    claim_unbound.check,
    service_endpoints.check,
    reference_missing.check,
    secret_not_synced.check,
    store_missing.check,
    store_not_ready.check,
    certificate_not_ready.check,
    issuer_not_ready.check,
    challenge_failing.check,
    gateway_not_accepted.check,
    ingress_backend.check,
    no_load_balancer.check,
    autoscaler_blind.check,
    budget_drain.check,
    # What everything stands on.
    node_not_ready.check,
    api_service_down.check,
    definition_not_established.check,
    operator_not_installed.check,
    deletion_stuck.check,
    # Anything else, in its own words.
    operator_absent.check,
    object_words.check,
    unexplained.check,
)
