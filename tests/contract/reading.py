"""Stories about lists, selectors, paging, tables and watches."""

from __future__ import annotations

from tests.contract.config import MAPS, NAMESPACE, config_map
from tests.contract.steps import (
    METADATA,
    METADATA_LIST,
    TABLE,
    Story,
    delete,
    get,
    merge,
    obj,
    post,
    template,
    watch,
)

ALL = "/api/v1/configmaps?labelSelector=story%3Dtrial"
PODS = "/api/v1/namespaces/trial/pods"
_TARGET = {"kind": "Deployment", "name": "w", "apiVersion": "apps/v1"}
_AUTOSCALER = obj("h", spec={"maxReplicas": 3, "scaleTargetRef": _TARGET})
_WORKLOAD = {"selector": {"matchLabels": {"app": "w"}}, "template": template()}


def labelled(name: str, **labels: str) -> dict[str, object]:
    return config_map(name, metadata={"labels": labels}, data={"n": name})


LISTING = Story(
    "listing",
    (
        NAMESPACE,
        get(MAPS),
        post(MAPS, labelled("a", tier="front", story="trial")),
        post(MAPS, labelled("b", tier="back", story="trial")),
        post(MAPS, labelled("c", story="trial"), keep={"third": "metadata.resourceVersion"}),
        get(MAPS),
        get(ALL),
        *(
            get(f"{MAPS}?labelSelector={selector}")
            for selector in (
                "tier",
                "!tier",
                "tier%3Dfront",
                "tier%3D%3Dback",
                "tier!%3Dfront",
                "tier+in+(front,back)",
                "tier+notin+(front)",
                "tier+in+(front),story%3Dtrial",
                "tier+exists",
                "a%20b%20c",
                "tier+in+()",
                "tier%3Dbad%20value",
                "tier%3E5",
                "-bad",
            )
        ),
        *(
            get(f"{MAPS}?fieldSelector={selector}")
            for selector in (
                "metadata.name%3Da",
                "metadata.name!%3Da",
                "metadata.namespace%3Dtrial",
                "metadata.name%3Da,metadata.namespace%3Dtrial",
                "spec.x%3D1",
                "words",
            )
        ),
        get(f"{MAPS}?limit=2", keep={"token": "metadata.continue"}),
        post(MAPS, labelled("d", story="trial")),
        get(f"{MAPS}?limit=2&continue=<token>"),
        get(f"{MAPS}?limit=1", keep={"token": "metadata.continue"}),
        get(f"{MAPS}?limit=2&continue=<token>", keep={"token": "metadata.continue"}),
        get(f"{MAPS}?limit=2&continue=<token>"),
        get(f"{MAPS}?limit=1&labelSelector=story"),
        get(f"{MAPS}?limit=100"),
        get(f"{MAPS}?limit=x"),
        get(f"{MAPS}?limit=-1"),
        get(f"{MAPS}?continue=zzz"),
        get(f"{MAPS}?continue=<token>&resourceVersion=5"),
        get(f"{MAPS}?resourceVersion=abc"),
        get(f"{MAPS}?resourceVersion=0"),
        get(f"{MAPS}?resourceVersion=<third>"),
        get(f"{MAPS}?resourceVersion=<third>&resourceVersionMatch=Exact"),
        get(f"{MAPS}?resourceVersion=<third>&resourceVersionMatch=NotOlderThan"),
        get(f"{MAPS}?resourceVersionMatch=Exact"),
        get(f"{MAPS}?resourceVersion=<third>&resourceVersionMatch=Nearly"),
        get(f"{MAPS}?resourceVersion=0&resourceVersionMatch=Exact"),
        get(f"{MAPS}/a?resourceVersion=0"),
        get(f"{MAPS}/a?resourceVersion=abc"),
        get("/api/v1/namespaces/trial-none/configmaps"),
        get(MAPS, accept=METADATA_LIST),
        get(MAPS, accept="text/html"),
        get(MAPS, accept="*/*"),
    ),
)
TABLES = Story(
    "tables",
    (
        NAMESPACE,
        post(MAPS, labelled("a", tier="front")),
        get(f"{MAPS}/a", accept=TABLE),
        get(MAPS, accept=TABLE),
        get(f"{MAPS}?includeObject=None", accept=TABLE),
        get(f"{MAPS}?includeObject=Object", accept=TABLE),
        get(f"{MAPS}/none", accept=TABLE),
        get(f"{MAPS}/a", accept=METADATA),
        get("/api/v1/namespaces/trial", accept=TABLE),
        post(PODS, obj("p", spec=template(automountServiceAccountToken=False, serviceAccountName="default")["spec"])),
        get(f"{PODS}/p", accept=TABLE),
        post("/apis/apps/v1/namespaces/trial/deployments", obj("w", spec=_WORKLOAD)),
        get("/apis/apps/v1/namespaces/trial/deployments", accept=TABLE),
        post("/apis/apps/v1/namespaces/trial/statefulsets", obj("w", spec={**_WORKLOAD, "serviceName": "w"})),
        get("/apis/apps/v1/namespaces/trial/statefulsets", accept=TABLE),
        post("/apis/apps/v1/namespaces/trial/daemonsets", obj("w", spec=_WORKLOAD)),
        get("/apis/apps/v1/namespaces/trial/daemonsets", accept=TABLE),
        post("/apis/apps/v1/namespaces/trial/replicasets", obj("w", spec=_WORKLOAD)),
        get("/apis/apps/v1/namespaces/trial/replicasets", accept=TABLE),
        post("/api/v1/namespaces/trial/services", obj("s", spec={"ports": [{"port": 80}], "clusterIP": "None"})),
        get("/api/v1/namespaces/trial/services", accept=TABLE),
        post("/api/v1/namespaces/trial/secrets", obj("s", stringData={"a": "b"})),
        get("/api/v1/namespaces/trial/secrets", accept=TABLE),
        post("/api/v1/namespaces/trial/serviceaccounts", obj("s")),
        get("/api/v1/namespaces/trial/serviceaccounts", accept=TABLE),
        get("/apis/batch/v1/namespaces/trial/jobs", accept=TABLE),
        get("/apis/batch/v1/namespaces/trial/cronjobs", accept=TABLE),
        get("/apis/networking.k8s.io/v1/namespaces/trial/ingresses", accept=TABLE),
        post("/apis/networking.k8s.io/v1/namespaces/trial/networkpolicies", obj("n", spec={"podSelector": {}})),
        get("/apis/networking.k8s.io/v1/namespaces/trial/networkpolicies", accept=TABLE),
        post("/apis/policy/v1/namespaces/trial/poddisruptionbudgets", obj("n", spec={"minAvailable": 1})),
        get("/apis/policy/v1/namespaces/trial/poddisruptionbudgets", accept=TABLE),
        post("/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers", _AUTOSCALER),
        get("/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers", accept=TABLE),
        post("/api/v1/namespaces/trial/resourcequotas", obj("q", spec={"hard": {"count/jobs.batch": "2"}})),
        get("/api/v1/namespaces/trial/persistentvolumeclaims", accept=TABLE),
        get("/api/v1/namespaces/trial/events", accept=TABLE),
        get("/api/v1/namespaces/trial/resourcequotas", accept=TABLE),
        get("/api/v1/namespaces/trial/limitranges", accept=TABLE),
        get("/apis/coordination.k8s.io/v1/namespaces/trial/leases", accept=TABLE),
        get("/apis/rbac.authorization.k8s.io/v1/namespaces/trial/roles", accept=TABLE),
        get("/apis/rbac.authorization.k8s.io/v1/namespaces/trial/rolebindings", accept=TABLE),
        get("/apis/discovery.k8s.io/v1/namespaces/trial/endpointslices", accept=TABLE),
        post("/apis/apps/v1/namespaces/trial/controllerrevisions", obj("r", revision=3, data={"a": 1})),
        get("/apis/apps/v1/namespaces/trial/controllerrevisions", accept=TABLE),
    ),
)
WATCHING = Story(
    "watching",
    (
        NAMESPACE,
        post(MAPS, labelled("a", tier="front"), keep={"start": "metadata.resourceVersion"}),
        post(MAPS, labelled("b", tier="front")),
        merge(f"{MAPS}/a", {"data": {"n": "2"}}),
        merge(f"{MAPS}/b", {"metadata": {"labels": {"tier": "back"}}}),
        merge(f"{MAPS}/b", {"metadata": {"labels": {"tier": "front"}}}),
        merge(f"{MAPS}/b", {"metadata": {"labels": {"tier": "front"}}}),
        delete(f"{MAPS}/b"),
        watch(MAPS, "resourceVersion=<start>"),
        watch(MAPS, "resourceVersion=<start>&labelSelector=tier%3Dfront"),
        watch(MAPS, "resourceVersion=<start>&fieldSelector=metadata.name%3Da"),
        watch(f"{MAPS}/a", "resourceVersion=<start>"),
        watch(MAPS, "resourceVersion=<start>", accept=METADATA),
        watch(MAPS, "resourceVersion=<start>", accept=TABLE),
        watch(MAPS),
        watch(MAPS, "resourceVersion=0"),
        watch(MAPS, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watch(MAPS, "sendInitialEvents=true&allowWatchBookmarks=true"),
        watch(MAPS, "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=<start>"),
        watch(MAPS, "resourceVersionMatch=NotOlderThan&resourceVersion=<start>"),
        watch(MAPS, "resourceVersion=abc"),
        watch(MAPS, "labelSelector=a%20b%20c"),
        watch(MAPS, "fieldSelector=spec.x%3D1"),
        watch("/api/v1/namespaces/trial-none/configmaps"),
        get("/api/v1/watch/namespaces/trial/configmaps?timeoutSeconds=1"),
        get("/api/v1/watch/namespaces/trial/configmaps/a?timeoutSeconds=1"),
    ),
)
STORIES = (LISTING, TABLES, WATCHING)
