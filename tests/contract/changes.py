"""Stories about changing objects of many kinds: what may change, what may not, and what is filled in on the way."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.refusals import APPS, BACKEND, BATCH, CORE, NETWORK, NEVER, PORT, STORAGE, WORKLOAD
from tests.contract.steps import Step, Story, delete, get, merge, obj, post, template

SERVICES = f"{CORE}/services"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/trial/leases"
FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1"


def change(path: str, **spec: Any) -> Step:
    return merge(f"{path}?dryRun=All", {"spec": spec})


def claims(storage: str) -> list[dict[str, Any]]:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    return [{"metadata": {"name": "d"}, "spec": asked}]


def dry(path: str, name: str, **rest: Any) -> Step:
    return post(f"{path}?dryRun=All", obj(name, **rest))


SERVING = Story(
    "service-changes",
    (
        NAMESPACE,
        post(SERVICES, obj("s", spec={"ports": [PORT], "selector": {"a": "b"}})),
        change(f"{SERVICES}/s", type="NodePort"),
        change(f"{SERVICES}/s", type="LoadBalancer"),
        change(f"{SERVICES}/s", type="ExternalName", externalName="a.b"),
        change(f"{SERVICES}/s", clusterIP="None"),
        change(f"{SERVICES}/s", ipFamilyPolicy="RequireDualStack"),
        dry(SERVICES, "h", spec={"clusterIP": "None", "selector": {"a": "b"}}),
        dry(SERVICES, "l", spec={"type": "LoadBalancer", "ports": [PORT]}),
        dry(SERVICES, "n", spec={"type": "NodePort", "ports": [PORT], "externalTrafficPolicy": "Local"}),
        dry(SERVICES, "e", spec={"type": "ExternalName", "externalName": "a.example.com"}),
        post(f"{NETWORK}/ingresses", obj("i", spec={"defaultBackend": BACKEND, "ingressClassName": "x"})),
        change(
            f"{NETWORK}/ingresses/i",
            rules=[{"host": "*.a.io", "http": {"paths": [{"path": "/", "pathType": "Exact", "backend": BACKEND}]}}],
        ),
        merge(
            f"{NETWORK}/ingresses/i/status",
            {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}, {"hostname": "a.b"}]}}},
        ),
        merge(f"{NETWORK}/ingresses/i/status?dryRun=All", {"status": {"loadBalancer": {"ingress": [{"ip": "x"}]}}}),
    ),
)
RUNNING = Story(
    "workload-changes",
    (
        NAMESPACE,
        post(
            f"{APPS}/statefulsets",
            obj("s", spec={**WORKLOAD, "serviceName": "s", "volumeClaimTemplates": claims("1Gi")}),
        ),
        change(f"{APPS}/statefulsets/s", serviceName="t"),
        change(f"{APPS}/statefulsets/s", podManagementPolicy="Parallel"),
        change(f"{APPS}/statefulsets/s", replicas=3, updateStrategy={"type": "OnDelete", "rollingUpdate": None}),
        change(f"{APPS}/statefulsets/s", volumeClaimTemplates=claims("2Gi")),
        dry(
            f"{APPS}/daemonsets",
            "d",
            spec={**WORKLOAD, "updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}},
        ),
        post(f"{APPS}/daemonsets", obj("d", spec=WORKLOAD)),
        merge(f"{APPS}/daemonsets/d", {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "j"}]}}}}),
        change(f"{APPS}/daemonsets/d", updateStrategy={"type": "OnDelete", "rollingUpdate": None}),
        post(f"{APPS}/replicasets", obj("r", spec=WORKLOAD)),
        change(f"{APPS}/replicasets/r", selector={"matchLabels": {"app": "x"}}),
        get(f"{APPS}/replicasets/r/scale"),
        post(f"{CORE}/replicationcontrollers", obj("rc", spec={"selector": {"app": "w"}, "template": template()})),
        dry(f"{CORE}/replicationcontrollers", "other", spec={"template": template()}),
        merge(f"{CORE}/replicationcontrollers/rc/scale", {"spec": {"replicas": 2}}),
        post(f"{APPS}/controllerrevisions", obj("cr", revision=1, data={"a": 1})),
        merge(f"{APPS}/controllerrevisions/cr", {"data": {"a": 2}}),
        dry(f"{APPS}/controllerrevisions", "other", revision=-1),
        post(f"{BATCH}/jobs", obj("j", spec={"template": NEVER, "completions": 2})),
        change(f"{BATCH}/jobs/j", completions=3),
        change(f"{BATCH}/jobs/j", parallelism=3, suspend=True),
        change(f"{BATCH}/jobs/j", backoffLimit=1, ttlSecondsAfterFinished=5, activeDeadlineSeconds=9),
        post(f"{BATCH}/cronjobs", obj("c", spec={"schedule": "@daily", "jobTemplate": {"spec": {"template": NEVER}}})),
        change(f"{BATCH}/cronjobs/c", suspend=True, schedule="*/5 * * * *", timeZone="Europe/Berlin"),
        post(f"{CORE}/podtemplates", obj("pt", template=template())),
    ),
)
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "x"}
BOUND = {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
KEEPING = Story(
    "other-changes",
    (
        NAMESPACE,
        post(f"{CORE}/secrets", obj("t", type="a.b/c", data={"a": "MQ=="})),
        merge(f"{CORE}/secrets/t", {"type": "x.y/z"}),
        merge(f"{CORE}/secrets/t", {"stringData": {"b": "2"}}),
        merge(f"{CORE}/secrets/t", {"immutable": True}),
        merge(f"{CORE}/secrets/t", {"data": {"b": "Mw=="}}),
        post(f"{CORE}/serviceaccounts", obj("sa", secrets=[{"name": "x"}], automountServiceAccountToken=False)),
        merge(f"{CORE}/serviceaccounts/sa", {"imagePullSecrets": [{"name": "p"}]}),
        post(f"{CORE}/persistentvolumeclaims", obj("p", spec=CLAIM)),
        merge(f"{CORE}/persistentvolumeclaims/p/status", {"status": BOUND}),
        change(f"{CORE}/persistentvolumeclaims/p", volumeName="v"),
        change(f"{CORE}/persistentvolumeclaims/p", resources={"requests": {"storage": "500Mi"}}),
        post(f"{STORAGE}/storageclasses", obj("trial", provisioner="a.io/b", parameters={"a": "b"})),
        merge(f"{STORAGE}/storageclasses/trial", {"parameters": {"a": "c"}}),
        merge(f"{STORAGE}/storageclasses/trial", {"allowVolumeExpansion": True}),
        delete(f"{STORAGE}/storageclasses/trial"),
        post(
            LEASES,
            obj(
                "l",
                spec={"holderIdentity": "x", "leaseDurationSeconds": 15, "renewTime": "2024-01-01T00:00:00.000000Z"},
            ),
        ),
        merge(f"{LEASES}/l", {"spec": {"holderIdentity": "y", "leaseTransitions": 1}}),
        dry(
            f"{FLOW}/prioritylevelconfigurations",
            "trial",
            spec={
                "type": "Limited",
                "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}},
            },
        ),
        dry(
            f"{FLOW}/flowschemas",
            "trial",
            spec={"priorityLevelConfiguration": {"name": "x"}, "matchingPrecedence": 1000},
        ),
        dry("/apis/resource.k8s.io/v1/deviceclasses", "trial", spec={}),
        dry("/apis/node.k8s.io/v1/runtimeclasses", "trial", handler="h"),
        dry("/apis/networking.k8s.io/v1/ingressclasses", "trial", spec={"controller": "a.io/b"}),
        dry(f"{STORAGE}/csidrivers", "trial.io", spec={}),
        dry(
            f"{STORAGE}/volumeattachments",
            "trial",
            spec={"attacher": "a.io", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
        ),
        dry(
            "/apis/apiregistration.k8s.io/v1/apiservices",
            "v1.trial.io",
            spec={
                "group": "trial.io",
                "version": "v1",
                "groupPriorityMinimum": 10,
                "versionPriority": 10,
                "service": {"name": "x", "namespace": "y"},
            },
        ),
    ),
)
STORIES = (SERVING, RUNNING, KEEPING)
