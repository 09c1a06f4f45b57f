"""Stories about evictions and budgets, bindings and tokens, and the rules for the status of built-in kinds."""

from __future__ import annotations

from typing import Any

from tests.contract.admission import ACCOUNT, CORE, DEPLOYMENT, PODS
from tests.contract.config import NAMESPACE
from tests.contract.steps import Step, Story, get, merge, obj, post, template, typed

BUDGETS = "/apis/policy/v1/namespaces/trial/poddisruptionbudgets"
APPS = "/apis/apps/v1/namespaces/trial"
JOBS = "/apis/batch/v1/namespaces/trial/jobs"
READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}
RUNNING = {"status": {"phase": "Running", "conditions": [READY]}}
CHOSEN = {"selector": {"matchLabels": {"app": "w"}}}
COUNTED = {
    "observedGeneration": 1,
    "disruptionsAllowed": 0,
    "currentHealthy": 1,
    "desiredHealthy": 1,
    "expectedPods": 2,
}
CONTAINERS = [{"name": "c", "image": "i"}]


def pod(name: str) -> Step:
    spec = {**ACCOUNT, "containers": CONTAINERS, "nodeName": "n"}
    return post(PODS, obj(name, metadata={"labels": {"app": "w"}}, spec=spec))


def evict(name: str, query: str = "", **rest: Any) -> Step:
    return post(f"{PODS}/{name}/eviction{query}", typed("policy/v1", "Eviction", rest.pop("called", name), **rest))


def budget(name: str = "bad", **spec: Any) -> Step:
    return post(BUDGETS, obj(name, spec=spec))


def status(path: str, **status: Any) -> Step:
    return merge(f"{path}/status?dryRun=All", {"status": status})


EVICTING = Story(
    "evictions",
    (
        NAMESPACE,
        pod("a"),
        pod("b"),
        merge(f"{PODS}/a/status", RUNNING),
        merge(f"{PODS}/b/status", RUNNING),
        budget("one", minAvailable=1, **CHOSEN),
        evict("a"),
        merge(f"{BUDGETS}/one/status", {"status": COUNTED}),
        evict("a"),
        evict("a", "?dryRun=All"),
        merge(f"{BUDGETS}/one/status", {"status": {"disruptionsAllowed": 1}}),
        evict("a", deleteOptions={"dryRun": ["All"]}),
        evict("a", deleteOptions={"gracePeriodSeconds": 5}),
        get(f"{BUDGETS}/one"),
        get(f"{PODS}/a"),
        evict("none"),
        evict("b", called="other"),
        budget("two", maxUnavailable=1, **CHOSEN),
        evict("b"),
        status(f"{BUDGETS}/one", disruptionsAllowed=-1),
        budget(minAvailable="x"),
        budget(minAvailable=-1),
        budget(maxUnavailable="200%"),
        budget(unhealthyPodEvictionPolicy="Never"),
        merge(f"{BUDGETS}/two", {"spec": {"maxUnavailable": "50%"}}),
    ),
)
BINDING = {"metadata": {"name": "c"}, "target": {"kind": "Node", "name": "n"}}
REPORTING = Story(
    "statuses",
    (
        NAMESPACE,
        post(f"{CORE}/bindings", BINDING),
        post(PODS, obj("c", spec={**ACCOUNT, "containers": CONTAINERS})),
        post(f"{CORE}/bindings", BINDING),
        post(f"{CORE}/bindings", BINDING),
        get(f"{CORE}/bindings"),
        get(f"{PODS}/c"),
        post(f"{APPS}/replicasets", obj("r", spec=DEPLOYMENT)),
        status(f"{APPS}/replicasets/r", replicas=1, readyReplicas=2, availableReplicas=3),
        post(f"{APPS}/statefulsets", obj("s", spec={**DEPLOYMENT, "serviceName": "s"})),
        status(f"{APPS}/statefulsets/s", replicas=1, readyReplicas=2, currentReplicas=-1, availableReplicas=3),
        post(f"{APPS}/daemonsets", obj("d", spec=DEPLOYMENT)),
        status(f"{APPS}/daemonsets/d", numberReady=-1, desiredNumberScheduled=-2),
        post(f"{APPS}/deployments", obj("w", spec=DEPLOYMENT)),
        status(f"{APPS}/deployments/w", replicas=3, readyReplicas=1, availableReplicas=2, unavailableReplicas=-1),
        post(JOBS, obj("j", spec={"template": template(restartPolicy="Never")})),
        status(f"{JOBS}/j", succeeded=-1),
        post(f"{CORE}/serviceaccounts", obj("x", imagePullSecrets=[{"name": "p"}])),
        post(
            f"{CORE}/serviceaccounts/x/token",
            typed("authentication.k8s.io/v1", "TokenRequest", "", spec={"expirationSeconds": 600}),
        ),
    ),
)
STORIES = (EVICTING, REPORTING)
