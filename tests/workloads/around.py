"""Stories of what stands around workloads: namespaces, garbage, quotas, limits, budgets, claims, accounts."""

from __future__ import annotations

from typing import Any

from tests.workloads.objects import (
    UNREADY,
    autoscaler,
    budget,
    claim,
    config_map,
    deployment,
    limit_range,
    pod,
    quota,
    volume,
)
from tests.workloads.steps import Json, Look, Pause, Send, Step, Story, create, delete, gone, merge, number, until

_SMALL = {"resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "128Mi"}}}


def _available(count: int) -> Step:
    return until("deployments/web", "status.availableReplicas", count)


def _budget(name: str, *steps: Step) -> Story:
    return Story(f"budget-{name}", steps, ("poddisruptionbudgets",))


def _quota(name: str, *steps: Step, looks_at: tuple[str, ...] = ("resourcequotas",), **rest: Any) -> Story:
    return Story(f"quota-{name}", steps, looks_at, **rest)


def _evict(name: str) -> Json:
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}


STORIES = (
    Story("namespace-new", (Pause(1),), ("..", "serviceaccounts", "configmaps")),
    Story(
        "account-comes-back",
        (delete("serviceaccounts/default"), until("serviceaccounts/default", "metadata.name", "default")),
        ("serviceaccounts",),
    ),
    Story(
        "root-certificates-come-back",
        (
            delete("configmaps/kube-root-ca.crt"),
            until("configmaps/kube-root-ca.crt", "metadata.name", "kube-root-ca.crt"),
        ),
        ("serviceaccounts",),
    ),
    Story(
        "namespace-waits-for-a-finalizer",
        (
            create(config_map("held", finalizers=["example.com/hold"])),
            create(deployment(replicas=1)),
            _available(1),
            delete(".."),
            until("..", "status.conditions[NamespaceFinalizersRemaining].status", "True"),
            until("..", "status.conditions[NamespaceContentRemaining].status", "True"),
            number("pods", 0),
            number("replicasets", 0),
            Pause(3),
            Look("held"),
            merge("configmaps/held", {"metadata": {"finalizers": None}}),
            gone(".."),
        ),
        ("..",),
        events=False,
    ),
    Story(
        "finalizer-holds-an-object",
        (
            create(config_map("held", finalizers=["example.com/hold"])),
            delete("configmaps/held"),
            Look("held"),
            merge("configmaps/held", {"metadata": {"finalizers": None}}),
            gone("configmaps/held"),
        ),
        ("configmaps",),
    ),
    _budget("minimum", create(deployment(replicas=3)), _available(3), create(budget(minAvailable=2)), Pause(1)),
    _budget("maximum", create(deployment(replicas=3)), _available(3), create(budget(maxUnavailable="34%")), Pause(1)),
    _budget("without-pods", create(budget(minAvailable=1)), Pause(1)),
    _budget(
        "of-unready-pods",
        create(deployment(replicas=2, image=UNREADY)),
        number("pods", 2),
        create(budget(minAvailable=1)),
        Pause(2),
    ),
    _budget(
        "eviction-refused",
        create(pod("alone", {"app": "web"})),
        until("pods/alone", "status.phase", "Running"),
        create(budget(minAvailable=1)),
        until("poddisruptionbudgets/web", "status.currentHealthy", 1),
        Send("POST", "pods/alone/eviction", _evict("alone"), code=429),
    ),
    _budget(
        "eviction-granted",
        create(deployment(replicas=2)),
        _available(2),
        create(pod("alone", {"app": "web"})),
        until("pods/alone", "status.phase", "Running"),
        create(budget(minAvailable=1)),
        until("poddisruptionbudgets/web", "status.observedGeneration", 1),
        Pause(1),
        Send("POST", "pods/alone/eviction", _evict("alone")),
        gone("pods/alone"),
        Pause(1),
    ),
    _quota(
        "counts",
        create(quota(pods="4", requests_cpu="1", limits_memory="1Gi")),
        create(deployment(replicas=2, container=_SMALL)),
        _available(2),
        Look("two"),
        merge("deployments/web", {"spec": {"replicas": 0}}),
        number("pods", 0),
        until("resourcequotas/quota", "status.used.pods", "0"),
    ),
    _quota(
        "exceeded",
        create(quota(pods="1")),
        until("resourcequotas/quota", "status.hard.pods", "1"),
        create(deployment(replicas=2)),
        until("deployments/web", "status.conditions[ReplicaFailure].status", "True"),
        _available(1),
        looks_at=("resourcequotas", "deployments", "replicasets"),
    ),
    _quota(
        "of-objects",
        create(
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "quota"},
                "spec": {"hard": {"count/configmaps": "3", "count/deployments.apps": "1", "services": "0"}},
            }
        ),
        until("resourcequotas/quota", "status.used.count/configmaps", "1"),
        create(config_map("one")),
        create(config_map("two")),
        create(config_map("three"), code=403),
        create(deployment(replicas=0)),
        until("resourcequotas/quota", "status.used.count/deployments~apps", "1"),
    ),
    _quota(
        "raised",
        create(quota(pods="1")),
        until("resourcequotas/quota", "status.hard.pods", "1"),
        merge("resourcequotas/quota", {"spec": {"hard": {"pods": "5"}}}),
        until("resourcequotas/quota", "status.hard.pods", "5"),
    ),
    _quota(
        "limit-range-gives-defaults",
        create(limit_range(default={"cpu": "500m"}, defaultRequest={"cpu": "250m"})),
        create(quota(requests_cpu="1", limits_cpu="2")),
        until("resourcequotas/quota", "status.used.requests~cpu", "0"),
        create(deployment(replicas=2)),
        _available(2),
        looks_at=("resourcequotas", "pods"),
    ),
    _quota(
        "limit-range-refuses",
        create(limit_range(max={"cpu": "1"})),
        create(deployment(replicas=1, container={"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}})),
        until("deployments/web", "status.conditions[ReplicaFailure].status", "True"),
        looks_at=("deployments", "replicasets"),
    ),
    Story(
        "claim-binds-to-a-volume",
        (
            create(volume("trial-one")),
            create(claim()),
            until("persistentvolumeclaims/data", "status.phase", "Bound"),
            until("persistentvolumes/trial-one", "status.phase", "Bound"),
        ),
        ("persistentvolumeclaims", "persistentvolumes/trial-one"),
        events=False,
        cluster_wide=("persistentvolumes/trial-one",),
    ),
    Story(
        "claim-waits-for-a-volume",
        (
            create(claim(size="50Gi")),
            until("persistentvolumeclaims/data", "status.phase", "Pending"),
            Pause(2),
        ),
        ("persistentvolumeclaims",),
    ),
    Story(
        "claim-deleted-volume-released",
        (
            create(volume("trial-one")),
            create(claim()),
            until("persistentvolumeclaims/data", "status.phase", "Bound"),
            delete("persistentvolumeclaims/data"),
            gone("persistentvolumeclaims/data"),
            until("persistentvolumes/trial-one", "status.phase", "Released"),
        ),
        ("persistentvolumeclaims", "persistentvolumes/trial-one"),
        events=False,
        cluster_wide=("persistentvolumes/trial-one",),
    ),
    Story(
        "claim-in-use-is-protected",
        (
            create(volume("trial-one")),
            create(claim()),
            until("persistentvolumeclaims/data", "status.phase", "Bound"),
            create(pod("user", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])),
            until("pods/user", "status.phase", "Running"),
            delete("persistentvolumeclaims/data"),
            Pause(1),
            Look("protected"),
            delete("pods/user"),
            gone("pods/user"),
            gone("persistentvolumeclaims/data"),
        ),
        ("persistentvolumeclaims",),
        events=False,  # whether the claim or its volume is seen first is chance
        cluster_wide=("persistentvolumes/trial-one",),
    ),
    Story(
        "pod-waits-for-its-claim",
        (
            create(pod("user", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "absent"}}])),
            Pause(3),
        ),
        ("pods",),
    ),
    Story(
        "pod-fits-nowhere",
        (
            create(
                {
                    **pod("big"),
                    "spec": {
                        "containers": [
                            {"name": "main", "image": "a:1", "resources": {"requests": {"cpu": "900"}}},
                        ]
                    },
                }
            ),
            Pause(3),
        ),
        ("pods",),
    ),
    Story(
        "autoscaler-without-metrics",
        (
            create(deployment(replicas=2, container=_SMALL)),
            _available(2),
            create(autoscaler()),
            until("horizontalpodautoscalers/web", "status.conditions[ScalingActive].status", "False"),
            Pause(2),
        ),
        ("horizontalpodautoscalers",),
    ),
    Story(
        "autoscaler-keeps-its-minimum",
        (
            create(deployment(replicas=1, container=_SMALL)),
            _available(1),
            create(autoscaler()),
            until("deployments/web", "spec.replicas", 2),
            _available(2),
        ),
        ("horizontalpodautoscalers", "deployments"),
        events=False,
    ),
    Story(
        "autoscaler-of-nothing",
        (
            create(autoscaler()),
            until("horizontalpodautoscalers/web", "status.conditions[AbleToScale].status", "False"),
        ),
        ("horizontalpodautoscalers",),
    ),
)
