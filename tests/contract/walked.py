"""A story of what random walks found: requests that were answered otherwise than by a real server once."""

from __future__ import annotations

from tests.contract.config import MAPS, NAMESPACE
from tests.contract.custom import DEFINITIONS, definition
from tests.contract.steps import Story, apply, delete, get, merge, obj, post, put, strategic, typed

SETS = "/apis/apps/v1/namespaces/trial/statefulsets"
SERVICES = "/api/v1/namespaces/trial/services"
RANGES = "/api/v1/namespaces/trial/limitranges"
SCALERS = "/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers"
GADGETS = "/apis/trial.example.io/v1/namespaces/trial/gadgets"
SPEC = {"containers": [{"name": "c", "image": "i"}]}
TEMPLATE = {"metadata": {"labels": {"app": "w"}}, "spec": SPEC}
ACCOUNT = {"serviceAccountName": "default", "automountServiceAccountToken": False}
PODS = "/api/v1/namespaces/trial/pods"
RUNTIME = {
    **typed("node.k8s.io/v1", "RuntimeClass", "kata"),
    "handler": "kata",
    "overhead": {"podFixed": {"cpu": "250m"}},
    "scheduling": {"nodeSelector": {"kata": "yes"}, "tolerations": [{"key": "kata", "operator": "Exists"}]},
}
BUDGETS = "/apis/policy/v1/namespaces/trial/poddisruptionbudgets"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/namespaces/trial/rolebindings"
CRONS = "/apis/batch/v1/namespaces/trial/cronjobs"
CLAIMS = "/api/v1/namespaces/trial/persistentvolumeclaims"
JOB = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}
GADGET = {"apiVersion": "trial.example.io/v1", "kind": "Gadget"}
COLOURED = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}}},
    },
}
VERSION = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": COLOURED}}


def set_of(name: str, /, **spec: object) -> dict[str, object]:
    return typed("apps/v1", "StatefulSet", name, spec=spec)


WALKED = Story(
    "walked",
    (
        NAMESPACE,
        post(SETS, set_of("a.b", selector={"matchLabels": {"app": "w"}}, template=TEMPLATE, serviceName="w")),
        post(SETS, set_of("Not Valid", selector={"matchLabels": {"app": "w"}}, template=TEMPLATE, serviceName="w")),
        apply(f"{SETS}/b", typed("apps/v1", "StatefulSet", "b")),
        apply(f"{SERVICES}/a", typed("v1", "Service", "a", spec={"ports": [{"port": None}]})),
        post(SERVICES, obj("a", spec={"ports": [{"port": 0}]})),
        post(SERVICES, obj("a", spec={"ports": [{"port": 70000}]})),
        post(SERVICES, obj("a", spec={"ports": [{"port": 80}]})),
        strategic(f"{SERVICES}/a", {"metadata": {"labels": {"note": "x" * 70}}}),
        *(
            post(RANGES, obj("r", spec={"limits": [{"type": kind, "max": {"memory": "9Gi"}}]}))
            for kind in ("", "Podd", "Not Valid", "x" * 70, "example.io/thing")
        ),
        get("/apis/batch/v1/namespaces/trial/jobs?fieldSelector=spec.nope%3Da"),
        get(f"{SETS}?fieldSelector=spec.nope%3Da"),
        put(f"{SCALERS}/b?dryRun=All", {**typed("autoscaling/v2", "HorizontalPodAutoscaler", "b"), "spec": ""}),
        get(f"{MAPS}x"),
        put(MAPS, obj("a")),
        post(f"{BUDGETS}?dryRun=All", obj("a", metadata={"finalizers": ["hold"]}, spec={"minAvailable": 1})),
        put(f"{BUDGETS}/c", obj("c", metadata={"labels": {"n": 1}}, spec={"minAvailable": ["x"]})),
        put(f"{BUDGETS}/c", obj("c", metadata={"labels": {"n": 1}}, spec={"selector": "x"})),
        put(f"{BINDINGS}/b", typed("rbac.authorization.k8s.io/v1", "RoleBinding", "b")),
        post(SETS, set_of("s", selector={"matchLabels": {"app": "w"}}, template=TEMPLATE, serviceName="x" * 70)),
        post(SETS, set_of("s", selector={"matchLabels": {"app": "w"}}, template=TEMPLATE, serviceName="Not Valid")),
        post(CRONS, typed("batch/v1", "CronJob", "x" * 53, spec={"schedule": "@daily", "jobTemplate": JOB})),
        post("/api/v1/namespaces/trial/secrets", obj("s", data={"b": ["x"]})),
        post(CLAIMS, obj("c", spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})),
        put(f"{CLAIMS}/c", obj("c", spec={})),
        post(PODS, obj("p", spec={**SPEC, **ACCOUNT, "runtimeClassName": "nope"})),
        post("/apis/node.k8s.io/v1/runtimeclasses", RUNTIME),
        post(PODS, obj("p", spec={**SPEC, **ACCOUNT, "runtimeClassName": "kata"})),
        post(DEFINITIONS, definition(versions=[VERSION])),
        get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',)),
        get(GADGETS, until=('"GadgetList"',)),
        post(GADGETS, typed("trial.example.io/v1", "Gadget", "g", spec={"colour": True})),
        post(GADGETS, typed("trial.example.io/v1", "Gadget", "g", spec={"colour": "green"})),
        get(f"{GADGETS}?fieldSelector=spec.nope%3Da"),
        get(f"{GADGETS}s"),
        post(GADGETS, obj("e", metadata={"labels": {}, "annotations": {}}, **GADGET)),
        apply(f"{GADGETS}/f", obj("f", metadata={"labels": {}, "annotations": {}}, **GADGET)),
        apply(f"{GADGETS}/h", obj("h", metadata={"finalizers": [], "ownerReferences": []}, **GADGET)),
        post(GADGETS, {**GADGET, "metadata": "Not Valid"}),
        put(GADGETS, obj("e", **GADGET)),
        merge(GADGETS, {"spec": {"colour": "red"}}),
        put("/apis/trial.example.io/v1/gadgets", obj("e", **GADGET)),
        post("/apis/trial.example.io/v1/gadgets", obj("e", **GADGET)),
        delete("/apis/trial.example.io/v1/gadgets"),
        delete(f"{DEFINITIONS}/gadgets.trial.example.io"),
    ),
)
STORIES = (WALKED,)
