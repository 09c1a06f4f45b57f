"""Stories about networking, storage, rights and the other built-in kinds."""

from __future__ import annotations

import base64
from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import TABLE, Story, delete, get, merge, obj, post, strategic

CORE = "/api/v1/namespaces/trial"
NETWORK = "/apis/networking.k8s.io/v1/namespaces/trial"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PORT = {"port": 80}
BACKEND = {"service": {"name": "x", "port": {"number": 80}}}
NETWORKING = Story(
    "networking",
    (
        NAMESPACE,
        post(f"{CORE}/services", obj("svc", spec={"ports": [PORT]})),
        post(f"{CORE}/services", obj("svc2", spec={})),
        merge(f"{CORE}/services/svc", {"spec": {"clusterIP": "10.96.9.9"}}),
        merge(f"{CORE}/services/svc", {"spec": {"selector": {"a": "b"}}}),
        strategic(f"{CORE}/services/svc", {"spec": {"ports": [{"port": 81, "name": "b"}]}}),
        merge(f"{CORE}/services/svc/status?dryRun=All", {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
        merge(f"{CORE}/services/svc", {"spec": {"type": "Silly"}}),
        delete(f"{CORE}/services/svc"),
        post(f"{CORE}/services", obj("ext", spec={"type": "ExternalName", "externalName": "x.y"})),
        post(f"{CORE}/services", obj("ext2", spec={"type": "ExternalName"})),
        post(f"{CORE}/services", obj("np", spec={"type": "NodePort", "ports": [PORT]})),
        post(f"{CORE}/services", obj("lb", spec={"type": "LoadBalancer", "ports": [PORT]})),
        post(
            f"{CORE}/services",
            obj(
                "hl", spec={"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"port": 80, "targetPort": "http"}]}
            ),
        ),
        post(f"{CORE}/services", obj("two", spec={"ports": [PORT, {"port": 81}]})),
        post(f"{CORE}/services", obj("1bad", spec={"ports": [PORT]})),
        post(f"{CORE}/services", obj("far", spec={"ports": [{"port": 70000}]})),
        post(f"{NETWORK}/ingresses", obj("i", spec={"defaultBackend": BACKEND})),
        post(f"{NETWORK}/ingresses", obj("j", spec={})),
        post(
            f"{NETWORK}/ingresses?dryRun=All",
            obj("k", spec={"rules": [{"host": "a.b", "http": {"paths": [{"path": "/", "backend": BACKEND}]}}]}),
        ),
        post(
            f"{NETWORK}/ingresses",
            obj(
                "k",
                spec={
                    "rules": [
                        {
                            "host": "a.b",
                            "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": BACKEND}]},
                        }
                    ]
                },
            ),
        ),
        merge(f"{NETWORK}/ingresses/k/status", {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
        post(f"{NETWORK}/networkpolicies", obj("n", spec={"podSelector": {}})),
        post(f"{NETWORK}/networkpolicies", obj("m", spec={"podSelector": {}, "policyTypes": ["Sideways"]})),
        delete(f"{NETWORK}/networkpolicies/n"),
        post("/apis/networking.k8s.io/v1/ingressclasses", obj("trial", spec={"controller": "trial.io/c"})),
        merge("/apis/networking.k8s.io/v1/ingressclasses/trial", {"spec": {"controller": "trial.io/d"}}),
        delete("/apis/networking.k8s.io/v1/ingressclasses/trial"),
    ),
)
STORAGE = Story(
    "storage",
    (
        NAMESPACE,
        post(f"{CORE}/persistentvolumeclaims", obj("p", spec={})),
        post(
            f"{CORE}/persistentvolumeclaims",
            obj(
                "p",
                spec={
                    "storageClassName": "x",
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            ),
        ),
        merge(f"{CORE}/persistentvolumeclaims/p", {"spec": {"storageClassName": "y"}}),
        merge(f"{CORE}/persistentvolumeclaims/p", {"spec": {"volumeName": "v"}}),
        merge(f"{CORE}/persistentvolumeclaims/p/status", {"status": {"phase": "Bound"}}),
        merge(f"{CORE}/persistentvolumeclaims/p?dryRun=All", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}),
        delete(f"{CORE}/persistentvolumeclaims/p"),
        get(f"{CORE}/persistentvolumeclaims/p"),
        post("/apis/storage.k8s.io/v1/storageclasses", obj("trial", provisioner="x")),
        merge("/apis/storage.k8s.io/v1/storageclasses/trial", {"provisioner": "y"}),
        merge("/apis/storage.k8s.io/v1/storageclasses/trial", {"allowVolumeExpansion": True}),
        delete("/apis/storage.k8s.io/v1/storageclasses/trial"),
        post(
            "/api/v1/persistentvolumes",
            obj(
                "trial",
                spec={
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteOnce"],
                    "hostPath": {"path": "/x"},
                },
            ),
        ),
        delete("/api/v1/persistentvolumes/trial"),
        post("/api/v1/nodes", obj("trial")),
        merge("/api/v1/nodes/trial", {"spec": {"unschedulable": True}}),
        merge("/api/v1/nodes/trial/status", {"status": {"capacity": {"cpu": "2"}}}),
        delete("/api/v1/nodes/trial"),
    ),
)
RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
VIEW = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "trial"}
RIGHTS = Story(
    "rights",
    (
        NAMESPACE,
        get(f"{CORE}/pods", user="trial-user"),
        post(f"{CORE}/pods", obj("p"), user="trial-user"),
        get(f"{CORE}/pods/p/log", user="trial-user"),
        delete("/api/v1/nodes/n", user="trial-user"),
        get("/apis/apps/v1/deployments", user="trial-user"),
        post(f"{RBAC}/clusterroles", obj("trial", rules=[RULE])),
        post(
            f"{RBAC}/namespaces/trial/rolebindings",
            obj(
                "b",
                roleRef=VIEW,
                subjects=[{"kind": "User", "name": "trial-user", "apiGroup": "rbac.authorization.k8s.io"}],
            ),
        ),
        get(f"{CORE}/pods/none", user="trial-user", until=("not found",)),
        get(f"{CORE}/pods", user="trial-user"),
        get("/api/v1/namespaces/default/pods/none", user="trial-user"),
        post(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "trial"}}},
            user="trial-user",
        ),
        post(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {"spec": {"resourceAttributes": {"verb": "delete", "resource": "pods", "namespace": "trial"}}},
            user="trial-user",
        ),
        post(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}},
        ),
        post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {}}),
        merge(f"{RBAC}/namespaces/trial/rolebindings/b", {"roleRef": {"name": "other"}}),
        post(f"{RBAC}/namespaces/trial/roles", obj("r", rules=[RULE])),
        post(f"{RBAC}/namespaces/trial/roles", obj("r2", rules=[{"apiGroups": [""], "resources": ["pods"]}])),
        post(f"{RBAC}/clusterrolebindings", obj("trial:x", roleRef=VIEW)),
        merge(f"{RBAC}/clusterrolebindings/trial:x", {"roleRef": {"name": "edit"}}),
        delete(f"{RBAC}/clusterrolebindings/trial:x"),
        delete(f"{RBAC}/clusterroles/trial"),
        post(f"{CORE}/serviceaccounts", obj("sa")),
        delete(f"{CORE}/serviceaccounts/sa"),
    ),
)
REST = Story(
    "other-kinds",
    (
        NAMESPACE,
        post(
            "/apis/policy/v1/namespaces/trial/poddisruptionbudgets",
            obj("n", spec={"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}),
        ),
        post(
            "/apis/policy/v1/namespaces/trial/poddisruptionbudgets",
            obj("m", spec={"minAvailable": 1, "maxUnavailable": 1}),
        ),
        post(
            "/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers",
            obj(
                "h",
                spec={"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "w", "apiVersion": "apps/v1"}},
            ),
        ),
        post(
            "/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers",
            obj(
                "i",
                spec={"maxReplicas": 0, "scaleTargetRef": {"kind": "Deployment", "name": "w", "apiVersion": "apps/v1"}},
            ),
        ),
        post(f"{CORE}/resourcequotas", obj("q", spec={"hard": {"count/jobs.batch": "2"}})),
        post(f"{CORE}/limitranges", obj("l", spec={"limits": [{"type": "Container", "default": {"cpu": "1"}}]})),
        post("/apis/coordination.k8s.io/v1/namespaces/trial/leases", obj("l", spec={"holderIdentity": "x"})),
        merge("/apis/coordination.k8s.io/v1/namespaces/trial/leases/l", {"spec": {"leaseDurationSeconds": 0}}),
        post(
            f"{CORE}/events",
            obj(
                "e",
                involvedObject={"kind": "Pod", "name": "p", "namespace": "trial"},
                reason="R",
                message="m",
                type="Normal",
            ),
        ),
        post(f"{CORE}/events", obj("f", involvedObject={"kind": "Pod", "name": "p", "namespace": "other"})),
        get(f"{CORE}/events?fieldSelector=involvedObject.name%3Dp,reason%3DR"),
        post(f"{CORE}/endpoints", obj("e", subsets=[{"addresses": [{"ip": "1.2.3.4"}], "ports": [{"port": 80}]}])),
        post(
            "/apis/discovery.k8s.io/v1/namespaces/trial/endpointslices",
            obj("e", addressType="IPv4", endpoints=[{"addresses": ["1.2.3.4"]}]),
        ),
        merge("/apis/discovery.k8s.io/v1/namespaces/trial/endpointslices/e", {"addressType": "IPv6"}),
        post(f"{CORE}/podtemplates", obj("t", template={"spec": {"containers": [{"name": "c", "image": "i"}]}})),
        post(
            f"{CORE}/replicationcontrollers",
            obj(
                "r",
                spec={
                    "selector": {"a": "b"},
                    "template": {
                        "metadata": {"labels": {"a": "b"}},
                        "spec": {"containers": [{"name": "c", "image": "i"}]},
                    },
                },
            ),
        ),
        get(f"{CORE}/replicationcontrollers/r/scale"),
        post("/apis/scheduling.k8s.io/v1/priorityclasses", obj("trial", value=5)),
        merge("/apis/scheduling.k8s.io/v1/priorityclasses/trial", {"value": 6}),
        delete("/apis/scheduling.k8s.io/v1/priorityclasses/trial"),
        post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", obj("trial")),
        merge(
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/trial",
            {"webhooks": [{"name": "short"}]},
        ),
        delete("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/trial"),
    ),
)
REVISIONS = "/apis/apps/v1/namespaces/trial/controllerrevisions"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
DRIVERS = "/apis/storage.k8s.io/v1/csinodes"


def request(content: str) -> dict[str, Any]:
    encoded = base64.b64encode(content.encode()).decode()
    return obj("trial", spec={"signerName": "example.io/one", "usages": ["client auth"], "request": encoded})


def drivers(*found: dict[str, str]) -> dict[str, Any]:
    return obj("trial", spec={"drivers": list(found)})


MACHINERY = Story(
    "machinery",
    (
        NAMESPACE,
        post(REVISIONS, obj("none", data={"a": 1})),
        post(REVISIONS, obj("zero", revision=0, data={"a": 1})),
        post(REVISIONS, obj("bare", revision=1)),
        get(f"{REVISIONS}/zero"),
        post(REQUESTS, request("no PEM")),
        post(REQUESTS, request("")),
        post(REQUESTS, request("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")),
        post(DRIVERS, drivers()),
        get(f"{DRIVERS}/trial"),
        delete(f"{DRIVERS}/trial"),
        post(DRIVERS, obj("trial", spec={})),
        delete(f"{DRIVERS}/trial"),
        post(DRIVERS, drivers({"name": "a.io", "nodeID": "x"}, {"name": "a.io", "nodeID": ""})),
        post(DRIVERS, drivers({"name": "a.io", "nodeID": "x"})),
        delete(f"{DRIVERS}/trial"),
    ),
)
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
SYSTEM = Story(
    "system-classes",
    (
        NAMESPACE,
        get(f"{CLASSES}/system-node-critical"),
        get(f"{CLASSES}/system-cluster-critical"),
        get(f"{CLASSES}/system-node-critical", accept=TABLE),
        delete(f"{CLASSES}/system-node-critical?dryRun=All"),
        merge(f"{CLASSES}/system-node-critical?dryRun=All", {"value": 1}),
        merge(f"{CLASSES}/system-node-critical?dryRun=All", {"description": "other"}),
        post(
            "/api/v1/namespaces/trial/pods?dryRun=All",
            obj(
                "p",
                spec={
                    "priorityClassName": "system-node-critical",
                    "containers": [{"name": "c", "image": "i"}],
                    "serviceAccountName": "default",
                    "automountServiceAccountToken": False,
                },
            ),
        ),
    ),
)
STORIES = (NETWORKING, STORAGE, RIGHTS, REST, MACHINERY, SYSTEM)
