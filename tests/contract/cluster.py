"""Stories about namespaces, discovery and paths that lead nowhere."""

from __future__ import annotations

from tests.contract.config import MAPS, NAMESPACE, config_map
from tests.contract.steps import AGGREGATED, Story, delete, get, merge, obj, post, put

NAMESPACES = "/api/v1/namespaces"
LIVING = Story(
    "namespaces",
    (
        NAMESPACE,
        NAMESPACE,
        get(f"{NAMESPACES}/trial"),
        post(NAMESPACES, obj("Trial_Bad")),
        post(NAMESPACES, obj("trial-" + "x" * 60)),
        merge(f"{NAMESPACES}/trial", {"metadata": {"labels": {"a": "b"}}}),
        merge(f"{NAMESPACES}/trial", {"metadata": {"labels": {"kubernetes.io/metadata.name": "other"}}}),
        merge(f"{NAMESPACES}/trial?dryRun=All", {"spec": {"finalizers": []}}),
        merge(f"{NAMESPACES}/trial/status?dryRun=All", {"status": {"phase": "Terminating"}}),
        get(f"{NAMESPACES}?fieldSelector=metadata.name%3Dtrial"),
        get(f"{NAMESPACES}?fieldSelector=metadata.name%3Dtrial,status.phase%3DActive"),
        delete(f"{NAMESPACES}/default"),
        delete(NAMESPACES),
        post(MAPS, config_map("early")),
        delete(f"{NAMESPACES}/trial"),
        post(MAPS, config_map("late")),
        merge(f"{MAPS}/early", {"data": {"still": "writable"}}),
        delete(f"{MAPS}/early"),
        get(f"{NAMESPACES}/trial"),
        delete(f"{NAMESPACES}/trial"),
        put(f"{NAMESPACES}/trial/finalize", obj("trial", spec={"finalizers": []})),
        get(f"{NAMESPACES}/trial"),
        post(NAMESPACES, obj("trial-two")),
        delete(f"{NAMESPACES}/trial-two", {"propagationPolicy": "Foreground"}),
    ),
)
LOOKING = Story(
    "discovery",
    (
        get("/api"),
        get("/api/v1"),
        get("/apis/apps"),
        get("/apis/apps/v1"),
        get("/apis/batch"),
        get("/apis/batch/v1"),
        get("/apis/networking.k8s.io/v1"),
        get("/apis/rbac.authorization.k8s.io/v1"),
        get("/apis/policy/v1"),
        get("/apis/storage.k8s.io/v1"),
        get("/apis/autoscaling/v2"),
        get("/apis/coordination.k8s.io/v1"),
        get("/apis/discovery.k8s.io/v1"),
        get("/apis/authorization.k8s.io/v1"),
        get("/apis/authentication.k8s.io/v1"),
        get("/apis/apiextensions.k8s.io/v1"),
        get("/apis/apiregistration.k8s.io/v1"),
        get("/apis/admissionregistration.k8s.io/v1"),
        get("/apis/scheduling.k8s.io/v1"),
        get("/apis/certificates.k8s.io/v1"),
        get("/apis/node.k8s.io/v1"),
        get("/apis/flowcontrol.apiserver.k8s.io/v1"),
        get("/api", accept=AGGREGATED),
        get("/apis/none.io"),
        get("/apis/none.io/v1"),
        get("/apis/apps/v2"),
        get("/apis/none.io/v1/things"),
        get("/apis/apps/v1/nothing"),
        get("/api/v1/nothing"),
        get("/api/v2"),
        get("/nothing"),
        post("/api/v1/pods", obj("x")),
        get("/healthz"),
        get("/livez"),
        get("/readyz"),
    ),
)
STORIES = (LIVING, LOOKING)
