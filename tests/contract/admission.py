"""Stories about what the API server's own admission lets in: LimitRanges, ResourceQuotas, pod security, priorities."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import Step, Story, delete, get, merge, obj, post, template

CORE = "/api/v1/namespaces/trial"
PODS = f"{CORE}/pods"
CLAIMS = f"{CORE}/persistentvolumeclaims"
QUOTAS = f"{CORE}/resourcequotas"
DEPLOYMENTS = "/apis/apps/v1/namespaces/trial/deployments"
# The real server has no ServiceAccount admission here, so nothing may depend on it.
ACCOUNT = {"serviceAccountName": "default", "automountServiceAccountToken": False}


def pod(name: str, resources: Any = None, **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", **({} if resources is None else {"resources": resources})}
    return obj(name, spec={**ACCOUNT, "containers": [container], **spec})


def limits(name: str, *items: Any) -> Step:
    return post(f"{CORE}/limitranges", obj(name, spec={"limits": list(items)}))


def claim(storage: str) -> Step:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    return post(CLAIMS, obj("p", spec=asked))


def quota(name: str, hard: dict[str, str], **rest: Any) -> Step:
    return post(QUOTAS, obj(name, spec={"hard": hard, **rest}))


LIMITING = Story(
    "limits",
    (
        NAMESPACE,
        limits(
            "one",
            {
                "type": "Container",
                "default": {"cpu": "500m", "memory": "256Mi"},
                "defaultRequest": {"cpu": "100m"},
                "max": {"cpu": "1", "memory": "1Gi"},
                "min": {"cpu": "50m"},
                "maxLimitRequestRatio": {"cpu": "5"},
            },
        ),
        # Admission reads ranges from a cache that follows a moment later.
        post(f"{PODS}?dryRun=All", pod("probe"), until=("limit-ranger",)),
        post(PODS, pod("a")),
        post(PODS, pod("b", {"limits": {"cpu": "2"}})),
        post(PODS, pod("b", {"limits": {"cpu": "20m"}})),
        post(PODS, pod("b", {"requests": {"cpu": "20m"}})),
        post(PODS, pod("b", {"requests": {"cpu": "60m"}, "limits": {"cpu": "900m"}})),
        post(PODS, pod("b", {"requests": {"cpu": "2"}})),
        merge(f"{PODS}/a", {"metadata": {"labels": {"still": "free"}}}),
        limits(
            "two",
            {"type": "Pod", "max": {"cpu": "600m", "memory": "1Gi"}},
            {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}},
        ),
        post(
            f"{PODS}?dryRun=All",
            pod("b", containers=[{"name": "c", "image": "i"}, {"name": "d", "image": "i"}]),
            until=("maximum cpu usage per Pod",),
        ),
        post(PODS, pod("b", initContainers=[{"name": "e", "image": "i"}])),
        claim("500Mi"),
        claim("5Gi"),
        claim("1Gi"),
        limits("bad", {"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "1"}, "default": {"cpu": "3"}}),
        limits("bad", {"type": "Pod", "default": {"cpu": "3"}}),
        limits("bad", {"type": "Container"}, {"type": "Container"}),
        limits("bad", {"type": "PersistentVolumeClaim"}),
        get(f"{CORE}/limitranges/two"),
        delete(f"{CORE}/limitranges/one"),
        delete(f"{CORE}/limitranges"),
    ),
)
HARD = {
    "pods": "1",
    "requests.cpu": "1",
    "limits.memory": "1Gi",
    "configmaps": "1",
    "services": "1",
    "services.nodeports": "0",
    "count/deployments.apps": "1",
}
SMALL = {"requests": {"cpu": "500m"}, "limits": {"memory": "100Mi"}}
SERVICE = {"ports": [{"port": 80}]}
DEPLOYMENT = {"selector": {"matchLabels": {"app": "w"}}, "template": template()}
COUNTING = Story(
    "quotas",
    (
        NAMESPACE,
        quota("q", HARD),
        merge(f"{QUOTAS}/q/status", {"status": {"hard": HARD, "used": dict.fromkeys(HARD, "0")}}),
        # Admission reads quotas from a cache that follows a moment later.
        post(f"{PODS}?dryRun=All", pod("probe"), until=("failed quota",)),
        post(PODS, pod("a", {"requests": {"cpu": "2"}, "limits": {"memory": "2Gi"}})),
        post(f"{PODS}?dryRun=All", pod("a", SMALL)),
        get(f"{QUOTAS}/q"),
        post(PODS, pod("a", SMALL)),
        get(f"{QUOTAS}/q"),
        post(PODS, pod("b", {"requests": {"cpu": "600m"}, "limits": {"memory": "100Mi"}})),
        post(PODS, pod("b", containers=[{"name": "c", "image": "i"}, {"name": "d", "image": "i", "resources": SMALL}])),
        post(f"{CORE}/configmaps", obj("one")),
        post(f"{CORE}/configmaps", obj("two")),
        post(f"{CORE}/services", obj("one", spec=SERVICE)),
        post(f"{CORE}/services", obj("two", spec=SERVICE)),
        merge(f"{CORE}/services/one", {"spec": {"type": "NodePort"}}),
        post(DEPLOYMENTS, obj("one", spec=DEPLOYMENT)),
        post(DEPLOYMENTS, obj("two", spec=DEPLOYMENT)),
        get(f"{QUOTAS}/q"),
        quota("bad", {"pods": "-1"}),
        quota("bad", {"nonsense": "1"}),
        quota("bad", {"pods": "1.5"}),
        quota("bad", {"pods": "1"}, scopes=["Nope"]),
        quota("bad", {"configmaps": "1"}, scopes=["BestEffort"]),
        quota("bad", {"pods": "1"}, scopes=["BestEffort", "NotBestEffort"]),
        quota("effortless", {"pods": "0"}, scopes=["BestEffort"]),
        merge(f"{QUOTAS}/effortless", {"spec": {"scopes": ["NotBestEffort"]}}),
        delete(f"{QUOTAS}/q"),
        merge(f"{QUOTAS}/effortless/status", {"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}}),
        post(f"{PODS}?dryRun=All", pod("probe"), until=("exceeded quota: effortless",)),
        post(f"{PODS}?dryRun=All", pod("measured", SMALL)),
        delete(f"{QUOTAS}/effortless"),
    ),
)
LABEL = "pod-security.kubernetes.io"
SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
DRY = f"{PODS}?dryRun=All"


def secured(context: dict[str, Any], **spec: Any) -> dict[str, Any]:
    ports = spec.pop("ports", [])
    return pod("a", containers=[{"name": "c", "image": "i", "ports": ports, "securityContext": context}], **spec)


def labelled(**labels: Any) -> Step:
    named = {f"{LABEL}/{name.replace('_', '-')}": value for name, value in labels.items()}
    return merge("/api/v1/namespaces/trial", {"metadata": {"labels": named}})


SECURING = Story(
    "pod-security",
    (
        NAMESPACE,
        labelled(enforce="restricted"),
        post(DRY, pod("a"), until=("restricted:latest",)),
        post(DRY, secured(SAFE)),
        post(DRY, secured({**SAFE, "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}})),
        post(DRY, secured({**SAFE, "capabilities": {"drop": ["KILL"], "add": ["NET_ADMIN", "CHOWN"]}})),
        post(
            DRY,
            pod(
                "a",
                containers=[{"name": "c", "image": "i"}, {"name": "d", "image": "i"}],
                initContainers=[{"name": "e", "image": "i"}],
            ),
        ),
        post(
            DRY,
            secured(
                {**SAFE, "privileged": True, "allowPrivilegeEscalation": True},
                hostNetwork=True,
                hostPID=True,
                volumes=[{"name": "v", "hostPath": {"path": "/"}}, {"name": "n", "nfs": {"server": "s", "path": "/"}}],
            ),
        ),
        post(DRY, secured(SAFE, volumes=[{"name": "v", "hostPath": {"path": "/"}}])),
        post(DRY, secured({**SAFE, "seccompProfile": {"type": "Unconfined"}})),
        post(DRY, secured({**SAFE, "appArmorProfile": {"type": "Unconfined"}})),
        post(DRY, secured({**SAFE, "runAsUser": 0}, securityContext={"runAsUser": 0})),
        post(DRY, secured({**SAFE, "runAsNonRoot": False})),
        post(DRY, secured(SAFE, securityContext={"runAsNonRoot": False})),
        post(DRY, secured(SAFE, ports=[{"containerPort": 80, "hostPort": 80}])),
        labelled(enforce="baseline", enforce_version="v1.30"),
        post(
            DRY, secured({"privileged": True, "capabilities": {"add": ["NET_ADMIN"]}}, hostIPC=True), until=("v1.30",)
        ),
        post(DRY, pod("a")),
        post(DRY, secured({}, volumes=[{"name": "v", "hostPath": {"path": "/"}}])),
        post(DRY, secured({"seccompProfile": {"type": "Unconfined"}})),
        post(DRY, pod("a", securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]})),
        labelled(enforce="strange"),
        labelled(enforce=None, enforce_version=None, warn="restricted"),
        post(DRY, secured({"privileged": True}), until=('"kind":"Pod"',)),
        post(f"{DEPLOYMENTS}?dryRun=All", obj("one", spec=DEPLOYMENT)),
        post(DRY, pod("a")),
    ),
)
PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"
RANKING = Story(
    "priorities",
    (
        NAMESPACE,
        post(PRIORITIES, {**obj("trial-high"), "value": 1000, "preemptionPolicy": "Never"}),
        get(f"{PRIORITIES}/trial-high"),
        post(DRY, pod("a", priorityClassName="trial-high"), until=('"priority":1000',)),
        post(DRY, pod("a", priorityClassName="trial-none")),
        post(DRY, pod("a", priorityClassName="trial-high", priority=5)),
        post(DRY, pod("a", priority=5)),
        post(DRY, pod("a", priorityClassName="system-node-critical")),
        post(PRIORITIES, {**obj("system-trial"), "value": 5}),
        post(PRIORITIES, {**obj("trial-huge"), "value": 1000000001}),
        merge(f"{PRIORITIES}/trial-high", {"value": 5}),
        merge(f"{PRIORITIES}/trial-high", {"description": "for tests"}),
        delete(f"{PRIORITIES}/trial-high"),
    ),
)
STORIES = (LIMITING, COUNTING, SECURING, RANKING)
