"""Stories about the kinds that run something: pods, workloads, jobs, and their status and scale."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import (
    Story,
    apply,
    delete,
    get,
    json_patch,
    merge,
    obj,
    post,
    put,
    strategic,
    template,
    typed,
)

APPS = "/apis/apps/v1/namespaces/trial"
DEPLOYMENTS = f"{APPS}/deployments"
DRY = f"{DEPLOYMENTS}?dryRun=All"
BATCH = "/apis/batch/v1/namespaces/trial"
PODS = "/api/v1/namespaces/trial/pods"
SELECTOR = {"matchLabels": {"app": "w"}}
NEVER = template(restartPolicy="Never")


def deployment(name: str = "w", **spec: Any) -> dict[str, Any]:
    return typed("apps/v1", "Deployment", name, spec={"selector": SELECTOR, "template": template(), **spec})


def with_container(**container: Any) -> dict[str, Any]:
    return deployment("bad", template=template(containers=[{"name": "x", "image": "i", **container}]))


DEPLOYING = Story(
    "deployments",
    (
        NAMESPACE,
        post(DEPLOYMENTS, deployment(), keep={"version": "metadata.resourceVersion"}),
        get(f"{DEPLOYMENTS}/w"),
        get(f"{DEPLOYMENTS}/none"),
        merge(f"{DEPLOYMENTS}/w", {"spec": {"selector": {"matchLabels": {"app": "z"}}}}),
        merge(f"{DEPLOYMENTS}/w", {"spec": {"replicas": -1}}),
        merge(f"{DEPLOYMENTS}/w", {"spec": {"replicas": "x"}}),
        merge(f"{DEPLOYMENTS}/w", {"spec": {"replicas": 4}}),
        merge(f"{DEPLOYMENTS}/w", {"spec": {"replicas": 4}}),
        merge(f"{DEPLOYMENTS}/w", {"metadata": {"labels": {"q": "1"}}}),
        merge(f"{DEPLOYMENTS}/w", {"spec": {"template": {"metadata": {"labels": {"app": "z"}}}}}),
        merge(f"{DEPLOYMENTS}/w", {"status": {"replicas": 9}}),
        merge(f"{DEPLOYMENTS}/w/status", {"spec": {"replicas": 7}, "status": {"replicas": 4}}),
        merge(f"{DEPLOYMENTS}/w/status?dryRun=All", {"status": {"replicas": -4}}),
        get(f"{DEPLOYMENTS}/w/status"),
        put(f"{DEPLOYMENTS}/w", deployment(replicas=2)),
        put(f"{DEPLOYMENTS}/w", {**deployment(), "metadata": {"name": "w", "resourceVersion": "<version>"}}),
        put(f"{DEPLOYMENTS}/w/status", {**deployment(), "status": {"replicas": 1, "observedGeneration": 3}}),
        strategic(f"{DEPLOYMENTS}/w", {"spec": {"template": {"spec": {"containers": [{"name": "d", "image": "j"}]}}}}),
        strategic(
            f"{DEPLOYMENTS}/w", {"spec": {"template": {"spec": {"containers": [{"name": "d", "$patch": "delete"}]}}}}
        ),
        strategic(f"{DEPLOYMENTS}/w", {"spec": {"template": {"spec": {"containers": [{"image": "nameless"}]}}}}),
        strategic(
            f"{DEPLOYMENTS}/w",
            {"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "c"}], "containers": []}}}},
        ),
        strategic(f"{DEPLOYMENTS}/w", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        json_patch(f"{DEPLOYMENTS}/w", ("replace", "/spec/template/spec/containers/0/image", "k")),
        json_patch(f"{DEPLOYMENTS}/w", ("remove", "/spec/template/spec/containers/0")),
        get(f"{DEPLOYMENTS}/w/scale"),
        put(f"{DEPLOYMENTS}/w/scale", obj("w", metadata={"namespace": "trial"}, spec={"replicas": 2})),
        merge(f"{DEPLOYMENTS}/w/scale", {"spec": {"replicas": 3}}),
        merge(f"{DEPLOYMENTS}/w/scale", {"spec": {"replicas": -3}}),
        get(f"{DEPLOYMENTS}/none/scale"),
        get(f"{DEPLOYMENTS}/w/nonsense"),
        post(DRY, deployment("bad", selector={"matchLabels": {"app": "no"}})),
        post(DRY, deployment("bad", selector=None)),
        post(DRY, deployment("bad", selector={})),
        post(DRY, deployment("bad", template=template(containers=[]))),
        post(DRY, deployment("bad", template=template(containers=[{"name": "x"}]))),
        post(DRY, deployment("bad", template=template(containers=[{"name": "X", "image": "i"}]))),
        post(DRY, deployment("bad", template=template(containers=[{"name": "x", "image": "i"}] * 2))),
        post(DRY, deployment("bad", template=template(restartPolicy="Never"))),
        post(DRY, with_container(volumeMounts=[{"name": "v", "mountPath": "/x"}])),
        post(DRY, with_container(ports=[{"containerPort": 99999}])),
        post(DRY, with_container(imagePullPolicy="Sometimes")),
        post(DRY, with_container(env=[{"name": "a=b", "value": "1"}])),
        post(DRY, with_container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}})),
        post(DRY, with_container(resources={"requests": {"cpu": "lots"}})),
        post(DRY, with_container(livenessProbe={})),
        post(DRY, deployment("bad", strategy={"type": "Sideways"})),
        post(DRY, deployment("bad", strategy={"type": "Recreate", "rollingUpdate": {"maxSurge": 1}})),
        post(f"{DEPLOYMENTS}?fieldValidation=Strict", deployment("bad", replica=1)),
        post(f"{DEPLOYMENTS}?fieldValidation=Warn&dryRun=All", deployment("bad", replica=1)),
        apply(f"{DEPLOYMENTS}/v", deployment("v", replicas=2)),
        apply(f"{DEPLOYMENTS}/v", deployment("v"), manager="two"),
        merge(f"{DEPLOYMENTS}/v/scale?fieldManager=scaler", {"spec": {"replicas": 5}}),
        apply(f"{DEPLOYMENTS}/v", deployment("v", replicas=2)),
        apply(f"{DEPLOYMENTS}/v/status", {**deployment("v"), "status": {"replicas": 1}}, manager="status"),
        delete(f"{DEPLOYMENTS}/v", {"propagationPolicy": "Foreground"}),
        delete(f"{DEPLOYMENTS}/w"),
    ),
)
SETS = Story(
    "sets",
    (
        NAMESPACE,
        post(
            f"{APPS}/statefulsets",
            obj(
                "s",
                spec={
                    "serviceName": "s",
                    "selector": SELECTOR,
                    "template": template(),
                    "volumeClaimTemplates": [
                        obj(
                            "d",
                            spec={
                                "accessModes": ["ReadWriteOnce"],
                                "resources": {"requests": {"storage": "1Gi"}},
                            },
                        )
                    ],
                },
            ),
        ),
        merge(f"{APPS}/statefulsets/s", {"spec": {"serviceName": "t"}}),
        merge(f"{APPS}/statefulsets/s", {"spec": {"replicas": 2}}),
        merge(f"{APPS}/statefulsets/s/scale", {"spec": {"replicas": 3}}),
        merge(f"{APPS}/statefulsets/s/status", {"status": {"replicas": 1, "currentRevision": "r"}}),
        post(f"{APPS}/daemonsets", obj("s", spec={"selector": SELECTOR, "template": template()})),
        merge(f"{APPS}/daemonsets/s", {"spec": {"selector": {"matchLabels": {"x": "y"}}}}),
        merge(f"{APPS}/daemonsets/s", {"spec": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}}),
        get(f"{APPS}/daemonsets/s/scale"),
        post(f"{APPS}/replicasets", obj("s", spec={"selector": SELECTOR, "template": template()})),
        get(f"{APPS}/replicasets/s/scale"),
        delete(f"{APPS}/replicasets/s", {"propagationPolicy": "Foreground"}),
        get(f"{APPS}/replicasets/s"),
        delete(f"{APPS}/daemonsets/s", {"propagationPolicy": "Orphan"}),
        post(f"{APPS}/controllerrevisions", obj("r", revision=1, data={"a": {"b": 1}})),
        merge(f"{APPS}/controllerrevisions/r", {"data": {"a": 2}}),
    ),
)
JOBS = Story(
    "jobs",
    (
        NAMESPACE,
        post(f"{BATCH}/jobs", obj("j", spec={"template": template()})),
        post(f"{BATCH}/jobs", obj("j", spec={"template": NEVER})),
        merge(f"{BATCH}/jobs/j", {"spec": {"completions": 3}}),
        merge(f"{BATCH}/jobs/j", {"spec": {"parallelism": 3}}),
        merge(f"{BATCH}/jobs/j", {"spec": {"suspend": True}}),
        merge(f"{BATCH}/jobs/j", {"spec": {"backoffLimit": -1}}),
        merge(f"{BATCH}/jobs/j?dryRun=All", {"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}),
        merge(f"{BATCH}/jobs/j/status", {"status": {"active": 1}}),
        delete(f"{BATCH}/jobs/j", {"propagationPolicy": "Background"}),
        post(
            f"{BATCH}/cronjobs", obj("c", spec={"schedule": "* * * * *", "jobTemplate": {"spec": {"template": NEVER}}})
        ),
        post(f"{BATCH}/cronjobs", obj("d", spec={"schedule": "nope", "jobTemplate": {"spec": {"template": NEVER}}})),
        post(f"{BATCH}/cronjobs", obj("d", spec={"schedule": "", "jobTemplate": {"spec": {"template": NEVER}}})),
        merge(f"{BATCH}/cronjobs/c", {"spec": {"suspend": True, "concurrencyPolicy": "Forbid"}}),
        merge(f"{BATCH}/cronjobs/c", {"spec": {"concurrencyPolicy": "Perhaps"}}),
        merge(f"{BATCH}/cronjobs/c", {"spec": {"timeZone": "Nowhere/Land"}}),
        delete(f"{BATCH}/cronjobs/c"),
    ),
)
_POD = {
    "automountServiceAccountToken": False,
    "serviceAccountName": "default",
    "containers": [{"name": "c", "image": "i"}],
}
RUNNING = Story(
    "pods",
    (
        NAMESPACE,
        post(
            PODS,
            obj(
                "p",
                metadata={"labels": {"a": "b"}},
                spec={**_POD, "containers": [{"name": "c", "image": "i:1", "resources": {"requests": {"cpu": "1"}}}]},
            ),
        ),
        strategic(f"{PODS}/p", {"spec": {"containers": [{"name": "c", "image": "j"}]}}),
        merge(f"{PODS}/p", {"spec": {"nodeName": "x"}}),
        merge(f"{PODS}/p", {"spec": {"dnsPolicy": "Default"}}),
        merge(f"{PODS}/p", {"spec": {"activeDeadlineSeconds": 5}}),
        merge(f"{PODS}/p", {"metadata": {"annotations": {"n": "1"}}}),
        get(f"{PODS}?fieldSelector=spec.nodeName%3Dx"),
        get(f"{PODS}?fieldSelector=status.phase%3DPending"),
        get(f"{PODS}?fieldSelector=spec.bogus%3Dx"),
        get(f"{PODS}?labelSelector=a+in+(b,c)"),
        merge(f"{PODS}/p/status", {"status": {"phase": "Running"}}),
        strategic(f"{PODS}/p/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
        strategic(f"{PODS}/p/status", {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}),
        post(f"{PODS}/p/binding", obj("p", target={"name": "x"})),
        post(f"{PODS}/p/binding", {"target": {"name": "y"}}),
        post(f"{PODS}/p/binding", obj("p", target={"name": "y"})),
        get(f"{PODS}/p/binding"),
        delete(f"{PODS}/p"),
        get(f"{PODS}/p"),
        delete(f"{PODS}/p?gracePeriodSeconds=0"),
        get(f"{PODS}/p"),
        post(PODS, obj("q", spec=_POD)),
        post(f"{PODS}/q/eviction", {"metadata": {"name": "q"}}),
        get(f"{PODS}/q"),
        post(f"{PODS}/none/eviction", {"metadata": {"name": "none"}}),
        post(PODS, obj("r", spec=_POD)),
        delete(f"{PODS}/r"),
        post(f"{PODS}?dryRun=All", obj("bad", spec={})),
        post(f"{PODS}?dryRun=All", obj("bad", spec={**_POD, "restartPolicy": "Maybe"})),
        post(f"{PODS}?dryRun=All", obj("bad", spec={**_POD, "volumes": [{"name": "v"}, {"name": "v"}]})),
        post(f"{PODS}?dryRun=All", obj("bad", spec={**_POD, "serviceAccountName": "Bad Name"})),
        post(f"{PODS}?dryRun=All", obj("bad", spec={**_POD, "priorityClassName": "none"})),
        get(f"{PODS}/none/log"),
    ),
)
STORIES = (DEPLOYING, SETS, JOBS, RUNNING)
