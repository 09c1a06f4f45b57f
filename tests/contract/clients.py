"""Stories of what others send: GitOps tools, plugins of kubectl and operators, in the order they send it."""

from __future__ import annotations

from typing import Any

from tests.contract.config import MAPS, NAMESPACE
from tests.contract.custom import DEFINITIONS, GADGETS, definition, gadget
from tests.contract.steps import (
    AGGREGATED,
    METADATA_LIST,
    TABLE,
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
    watch,
)

DEPLOYMENTS = "/apis/apps/v1/namespaces/trial/deployments"
SERVICES = "/api/v1/namespaces/trial/services"
PODS = "/api/v1/namespaces/trial/pods"
SECRETS = "/api/v1/namespaces/trial/secrets"
JOBS = "/apis/batch/v1/namespaces/trial/jobs"
SETS = "/apis/apps/v1/namespaces/trial/statefulsets"
BUDGETS = "/apis/policy/v1/namespaces/trial/poddisruptionbudgets"
INGRESSES = "/apis/networking.k8s.io/v1/namespaces/trial/ingresses"
QUOTAS = "/api/v1/namespaces/trial/resourcequotas"
RANGES = "/api/v1/namespaces/trial/limitranges"
ACCOUNTS = "/api/v1/namespaces/trial/serviceaccounts"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
ACCOUNT = {"serviceAccountName": "default", "automountServiceAccountToken": False}


def web(replicas: int | None = 2, image: str = "example/web:1", **spec: Any) -> dict[str, Any]:
    given = {} if replicas is None else {"replicas": replicas}
    containers = [
        {
            "name": "web",
            "image": image,
            "ports": [{"containerPort": 80, "name": "http"}],
            "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        }
    ]
    made = template(labels={"app": "web"}, containers=containers)
    return typed(
        "apps/v1",
        "Deployment",
        "web",
        spec={**given, "selector": {"matchLabels": {"app": "web"}}, "template": made, **spec},
    )


def only(**spec: Any) -> dict[str, Any]:
    """A configuration that says little."""
    return typed("apps/v1", "Deployment", "web", spec=spec)


def container(**rest: Any) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [{"name": "web", **rest}]}}}


GITOPS = Story(
    "gitops-tool",
    (
        NAMESPACE,
        apply(f"{DEPLOYMENTS}/web?dryRun=All", web(), manager="argocd-controller"),
        apply(f"{DEPLOYMENTS}/web", web(), manager="argocd-controller"),
        apply(f"{DEPLOYMENTS}/web", web(), manager="argocd-controller"),
        apply(f"{DEPLOYMENTS}/web", only(replicas=5), manager="kubectl"),
        apply(f"{DEPLOYMENTS}/web", only(replicas=5), manager="kubectl&force=true"),
        apply(f"{DEPLOYMENTS}/web", web(None), manager="argocd-controller"),
        apply(f"{DEPLOYMENTS}/web?dryRun=All", web(3), manager="argocd-controller"),
        apply(f"{DEPLOYMENTS}/web", only(**container(image="example/web:2")), manager="image-updater"),
        apply(f"{DEPLOYMENTS}/web", only(**container(image="example/web:2")), manager="image-updater&force=true"),
        apply(f"{DEPLOYMENTS}/web", web(None), manager="argocd-controller&force=true"),
        apply(f"{DEPLOYMENTS}/web", only(**container(env=[{"name": "C", "value": "3"}])), manager="patcher"),
        apply(f"{DEPLOYMENTS}/web", only(**container(env=[{"name": "A", "value": "9"}])), manager="patcher"),
        apply(f"{DEPLOYMENTS}/web", only(), manager="patcher"),
        merge(f"{DEPLOYMENTS}/web?fieldManager=hpa", {"spec": {"replicas": 7}}),
        merge(f"{DEPLOYMENTS}/web/scale?fieldManager=hpa", {"spec": {"replicas": 8}}),
        merge(f"{DEPLOYMENTS}/web?fieldManager=op", {"status": {"replicas": 3}, "metadata": {"labels": {"a": "b"}}}),
        merge(f"{DEPLOYMENTS}/web/status?fieldManager=op", {"spec": {"replicas": 1}, "status": {"replicas": 3}}),
        apply(f"{DEPLOYMENTS}/web/status", {**only(), "status": {"readyReplicas": 2}}, manager="op"),
        strategic(f"{DEPLOYMENTS}/web", {"spec": container(env=[{"name": "B", "$patch": "delete"}])}),
        strategic(
            f"{DEPLOYMENTS}/web",
            {"spec": container(env=[{"$patch": "replace"}, {"name": "Z", "value": "0"}])},
        ),
        strategic(
            f"{DEPLOYMENTS}/web", {"spec": {"template": {"spec": {"$retainKeys": ["containers"], "containers": []}}}}
        ),
        strategic(f"{DEPLOYMENTS}/web", {"spec": {"strategy": {"$patch": "replace", "type": "Recreate"}}}),
        strategic(
            f"{DEPLOYMENTS}/web",
            {
                "spec": {
                    "template": {
                        "spec": {
                            "$setElementOrder/containers": [{"name": "side"}, {"name": "web"}],
                            "containers": [{"name": "side", "image": "s"}],
                        }
                    }
                }
            },
        ),
        strategic(f"{DEPLOYMENTS}/web", {"spec": {"$deleteFromPrimitiveList/finalizers": ["x"]}}),
        strategic(f"{DEPLOYMENTS}/web", {"metadata": {"finalizers": ["example.io/a", "example.io/b"]}}),
        strategic(f"{DEPLOYMENTS}/web", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.io/a"]}}),
        json_patch(f"{DEPLOYMENTS}/web", ("test", "/spec/replicas", 1), ("replace", "/spec/replicas", 2)),
        json_patch(
            f"{DEPLOYMENTS}/web", ("add", "/spec/template/spec/containers/0/env/-", {"name": "Y", "value": "1"})
        ),
        json_patch(f"{DEPLOYMENTS}/web", ("remove", "/metadata/annotations/none")),
        json_patch(f"{DEPLOYMENTS}/web", ("replace", "/spec/selector/matchLabels/app", "other")),
        delete(f"{DEPLOYMENTS}/web", {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}),
        get(f"{DEPLOYMENTS}/web", keep={"uid": "metadata.uid", "version": "metadata.resourceVersion"}),
        delete(f"{DEPLOYMENTS}/web", {"preconditions": {"resourceVersion": "1"}}),
        delete(
            f"{DEPLOYMENTS}/web",
            {"preconditions": {"uid": "<uid>", "resourceVersion": "<version>"}, "propagationPolicy": "Foreground"},
        ),
        get(f"{DEPLOYMENTS}/web"),
        delete(f"{DEPLOYMENTS}/web", {"propagationPolicy": "Background", "orphanDependents": True}),
        delete(f"{DEPLOYMENTS}/web", {"propagationPolicy": "Orphan"}),
        apply(f"{DEPLOYMENTS}/web", web(), manager="argocd-controller&force=true"),
        merge(f"{DEPLOYMENTS}/web", {"metadata": {"finalizers": None}}),
        get(f"{DEPLOYMENTS}/web"),
        apply(
            f"{DEPLOYMENTS}/web", {**web(), "metadata": {"name": "web", "uid": "<uid>"}}, manager="argocd-controller"
        ),
        apply(f"{DEPLOYMENTS}/other", web(), manager="argocd-controller"),
        apply(f"{DEPLOYMENTS}/web?fieldValidation=Strict", {**web(), "spek": 1}, manager="argocd-controller"),
        apply(f"{MAPS}/gen", {**typed("v1", "ConfigMap", "gen"), "metadata": {"generateName": "gen-"}}),
    ),
)


def map_of(name: str, **rest: Any) -> dict[str, Any]:
    return typed("v1", "ConfigMap", name, **rest)


READERS = Story(
    "plugins-and-informers",
    (
        NAMESPACE,
        *(post(MAPS, map_of(f"m{number}", metadata={"labels": {"n": str(number % 2)}})) for number in range(4)),
        post(MAPS, {"metadata": {"generateName": "gen-"}}),
        post(MAPS, {"metadata": {"generateName": "gen-", "name": "named"}}),
        post(MAPS, {"metadata": {"generateName": "not valid gen-"}}),
        post(MAPS, {"metadata": {}}),
        get(f"{MAPS}?limit=2", keep={"more": "metadata.continue", "version": "metadata.resourceVersion"}),
        get(f"{MAPS}?limit=2&continue=<more>", keep={"rest": "metadata.continue"}),
        get(f"{MAPS}?limit=2&continue=<rest>"),
        get(f"{MAPS}?limit=2&continue=<more>&resourceVersion=<version>"),
        get(f"{MAPS}?limit=2&labelSelector=n%3D0"),
        get(f"{MAPS}?labelSelector=n%20notin%20(0)&limit=1"),
        get(f"{MAPS}?labelSelector=!n"),
        get(f"{MAPS}?labelSelector=n%3E0"),
        get(f"{MAPS}?fieldSelector=metadata.name!%3Dm0,metadata.namespace%3Dtrial"),
        get(f"{MAPS}?resourceVersion=<version>&resourceVersionMatch=NotOlderThan"),
        get(f"{MAPS}?resourceVersion=<version>&resourceVersionMatch=Exact"),
        get(f"{MAPS}?resourceVersion=<version>&resourceVersionMatch=Nearby"),
        get(f"{MAPS}?resourceVersion=0&resourceVersionMatch=Exact"),
        get(MAPS, accept=TABLE),
        get(f"{MAPS}?includeObject=None", accept=TABLE),
        get(f"{MAPS}?includeObject=Object&limit=1", accept=TABLE),
        get(MAPS, accept=METADATA_LIST),
        get(f"{MAPS}/m0", accept=TABLE),
        watch(MAPS, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watch(MAPS, "sendInitialEvents=true"),
        watch(MAPS, "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=<version>"),
        watch(MAPS, "sendInitialEvents=true&resourceVersionMatch=Exact"),
        watch(MAPS, "resourceVersionMatch=NotOlderThan"),
        watch(MAPS, "resourceVersion=<version>&allowWatchBookmarks=true"),
        watch(MAPS, "resourceVersion=<version>&labelSelector=n%3D1", accept=TABLE),
        watch(f"{MAPS}?fieldSelector=metadata.name%3Dm1", "resourceVersion=0"),
        watch(f"{MAPS}/m1"),
        get(f"{MAPS}/m0?resourceVersion=0"),
        get(f"{MAPS}/m0?resourceVersion=999999999"),
        delete(f"{MAPS}?labelSelector=n%3D0&limit=1"),
        delete(f"{MAPS}?dryRun=All"),
        delete(f"{MAPS}?fieldSelector=metadata.name%3Dm1", {"propagationPolicy": "Foreground"}),
        get(MAPS),
        post(DEFINITIONS, definition()),
        get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',)),
        get(GADGETS, until=('"GadgetList"',)),
        get("/apis/trial.example.io/v1"),
        post(GADGETS, gadget("a", status={"phase": "x"})),
        put(f"{GADGETS}/a/status", gadget("a", status={"phase": "y"})),
        merge(f"{GADGETS}/a/status", {"status": {"phase": "Ready"}, "metadata": {"labels": {"no": "way"}}}),
        merge(f"{GADGETS}/a", {"status": {"phase": "ignored"}}),
        get(f"{GADGETS}?fieldSelector=spec.color%3Dred", accept=TABLE),
        watch(GADGETS, "fieldSelector=spec.color%3Dblue"),
        watch(GADGETS, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        delete(f"{DEFINITIONS}/gadgets.trial.example.io"),
    ),
)


def pod(name: str, /, **spec: Any) -> dict[str, Any]:
    containers = spec.pop("containers", [{"name": "c", "image": "example/app"}])
    return typed("v1", "Pod", name, spec={"containers": containers, **ACCOUNT, **spec})


def amounts(**given: str) -> dict[str, Any]:
    return {"requests": given, "limits": given}


def sized(name: str, /, **given: str) -> dict[str, Any]:
    return pod(name, containers=[{"name": "c", "image": "example/app", "resources": amounts(**given)}])


def only_c(**rest: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "c", **rest}]}}


def service(name: str, /, **spec: Any) -> dict[str, Any]:
    return typed("v1", "Service", name, spec=spec)


def ingress(**spec: Any) -> dict[str, Any]:
    return typed("networking.k8s.io/v1", "Ingress", "i", spec=spec)


def rule(path: str = "/", kind: str | None = "Prefix", port: Any = None, **rest: Any) -> dict[str, Any]:
    port = {"number": 80} if port is None else port
    made = {"path": path, "backend": {"service": {"name": "s", "port": port}}, **({"pathType": kind} if kind else {})}
    return {"http": {"paths": [made]}, **rest}


HTTP = {"port": 80}
OPERATORS = Story(
    "operators-and-defaults",
    (
        NAMESPACE,
        post(PODS, pod("p", containers=[{"name": "c", "image": "example/app@sha256:" + "0" * 64}])),
        post(
            f"{PODS}?dryRun=All",
            pod("q", containers=[{"name": "c", "image": "a:latest", "livenessProbe": {"tcpSocket": {"port": 1}}}]),
        ),
        post(f"{PODS}?dryRun=All", pod("q", initContainers=[{"name": "s", "image": "a", "restartPolicy": "Always"}])),
        post(
            f"{PODS}?dryRun=All",
            pod("q", initContainers=[{"name": "s", "image": "a", "livenessProbe": {"exec": {"command": ["x"]}}}]),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod("q", volumes=[{"name": "v", "secret": {"secretName": "s"}}, {"name": "t", "emptyDir": {}}]),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod("q", hostNetwork=True, containers=[{"name": "c", "image": "a", "ports": [{"containerPort": 80}]}]),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod("q", containers=[{"name": "c", "image": "a", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod(
                "q",
                containers=[
                    {"name": "c", "image": "a", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}
                ],
            ),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod("q", containers=[{"name": "c", "image": "a", "volumeMounts": [{"name": "none", "mountPath": "/x"}]}]),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod(
                "q",
                volumes=[{"name": "v", "emptyDir": {}}],
                containers=[
                    {
                        "name": "c",
                        "image": "a",
                        "volumeMounts": [{"name": "v", "mountPath": "/x", "subPathExpr": "$(POD)", "subPath": "y"}],
                    }
                ],
            ),
        ),
        post(
            f"{PODS}?dryRun=All",
            pod(
                "q",
                volumes=[
                    {
                        "name": "v",
                        "csi": {"driver": "secrets-store.csi.k8s.io", "readOnly": True, "volumeAttributes": {"a": "b"}},
                    }
                ],
                containers=[
                    {
                        "name": "c",
                        "image": "a",
                        "securityContext": {"readOnlyRootFilesystem": True},
                        "volumeMounts": [{"name": "v", "mountPath": "/x", "subPathExpr": "$(POD)/a"}],
                    }
                ],
            ),
        ),
        post(f"{PODS}?dryRun=All", pod("q", volumes=[{"name": "v", "csi": {"driver": ""}}])),
        post(f"{PODS}?dryRun=All", pod("q", volumes=[{"name": "v", "csi": {"driver": "Bad_Driver"}}])),
        post(
            f"{PODS}?dryRun=All",
            pod(
                "q",
                volumes=[{"name": "v", "emptyDir": {}}],
                containers=[
                    {
                        "name": "c",
                        "image": "a",
                        "volumeMounts": [{"name": "v", "mountPath": "/x", "subPathExpr": "../a"}],
                    }
                ],
            ),
        ),
        merge(f"{PODS}/p", {"spec": {"containers": [{"name": "c", "image": "example/other"}]}}),
        merge(f"{PODS}/p", {"spec": {"nodeName": "n"}}),
        strategic(f"{PODS}/p", {"spec": {"containers": [{"name": "c", "image": "example/new"}]}}),
        strategic(f"{PODS}/p", {"spec": {"tolerations": [{"key": "a", "operator": "Exists"}]}}),
        strategic(f"{PODS}/p", {"spec": {"activeDeadlineSeconds": 5}}),
        strategic(f"{PODS}/p", {"spec": {"activeDeadlineSeconds": 6}}),
        post(f"{PODS}/p/binding", {"target": {"kind": "Node", "name": "node-1"}, "metadata": {"name": "p"}}),
        post(f"{PODS}/p/binding", {"target": {"kind": "Node", "name": "node-2"}, "metadata": {"name": "p"}}),
        merge(
            f"{PODS}/p/status", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
        ),
        strategic(
            f"{PODS}/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [{"name": "debug", "image": "b"}]}}
        ),
        merge(
            f"{PODS}/p/resize",
            {"spec": {"containers": [{"name": "c", "image": "example/new", "resources": {"requests": {"cpu": "1"}}}]}},
        ),
        post(PODS, sized("r", cpu="1", memory="1Gi")),
        strategic(
            f"{PODS}/r/resize", {"spec": {"containers": [{"name": "c", "resources": amounts(cpu="2", memory="1Gi")}]}}
        ),
        strategic(
            f"{PODS}/r/resize", {"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": None}}}]}}
        ),
        strategic(f"{PODS}/r", {"spec": {"containers": [{"name": "c", "resources": amounts(cpu="3", memory="1Gi")}]}}),
        merge(f"{PODS}/r", {"spec": {"tolerations": []}}),
        strategic(f"{PODS}/r", {"spec": {"containers": [{"name": "d", "image": "more"}]}}),
        strategic(f"{PODS}/r", {"spec": {"schedulingGates": [{"name": "example.io/wait"}]}}),
        merge(f"{PODS}/r", {"spec": {"activeDeadlineSeconds": 0}}),
        merge(f"{PODS}/r", {"spec": {"terminationGracePeriodSeconds": 1}}),
        strategic(f"{PODS}/r/resize", {"spec": {"containers": [{"name": "c", "image": "other"}]}}),
        post(BUDGETS, typed("policy/v1", "PodDisruptionBudget", "b", spec={"minAvailable": 1, "maxUnavailable": 1})),
        post(BUDGETS, typed("policy/v1", "PodDisruptionBudget", "b", spec={"minAvailable": 1, "selector": {}})),
        merge(
            f"{BUDGETS}/b/status",
            {
                "status": {
                    "disruptionsAllowed": 0,
                    "currentHealthy": 1,
                    "desiredHealthy": 1,
                    "expectedPods": 1,
                    "observedGeneration": 1,
                }
            },
        ),
        post(
            f"{PODS}/p/eviction",
            {
                "apiVersion": "policy/v1",
                "kind": "Eviction",
                "metadata": {"name": "p"},
                "deleteOptions": {"dryRun": ["All"]},
            },
        ),
        post(f"{PODS}/p/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}),
        post(f"{PODS}/none/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "none"}}),
        post(SERVICES, service("s", ports=[HTTP], selector={"app": "w"})),
        post(f"{SERVICES}?dryRun=All", service("h", clusterIP="None", ports=[HTTP])),
        post(f"{SERVICES}?dryRun=All", service("h", clusterIP="None", type="NodePort", ports=[HTTP])),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP, {"port": 81}])),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[{"port": 80, "name": "a"}, {"port": 80, "name": "b"}])),
        post(f"{SERVICES}?dryRun=All", service("h", type="ExternalName", externalName="a.example.io")),
        post(f"{SERVICES}?dryRun=All", service("h", type="ExternalName")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], ipFamilyPolicy="RequireDualStack")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], ipFamilyPolicy="PreferDualStack")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], ipFamilies=["IPv6"])),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], type="LoadBalancer", externalTrafficPolicy="Local")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], externalTrafficPolicy="Local")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], sessionAffinity="ClientIP")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], trafficDistribution="PreferSameZone")),
        post(f"{SERVICES}?dryRun=All", service("h", ports=[HTTP], trafficDistribution="Anywhere")),
        merge(f"{SERVICES}/s", {"spec": {"clusterIP": "10.0.0.250"}}),
        merge(f"{SERVICES}/s", {"spec": {"type": "ExternalName", "externalName": "a.example.io", "clusterIP": None}}),
        merge(f"{SERVICES}/s/status", {"status": {"loadBalancer": {"ingress": [{"ip": "10.1.2.3"}]}}}),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule()])),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule(kind=None)])),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule("no-slash")])),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule(port={"number": 80, "name": "x"})])),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule(host="*.example.io")])),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule(host="a.*.io")])),
        post(f"{INGRESSES}?dryRun=All", ingress(rules=[rule(host="10.0.0.1")])),
        post(f"{INGRESSES}?dryRun=All", ingress()),
        post(
            f"{INGRESSES}?dryRun=All",
            ingress(
                defaultBackend={"service": {"name": "s", "port": {"name": "http"}}},
                tls=[{"hosts": ["*"], "secretName": "t"}],
            ),
        ),
        post(CLASSES, {**typed("scheduling.k8s.io/v1", "PriorityClass", "trial-high"), "value": 1000}),
        post(CLASSES, {**typed("scheduling.k8s.io/v1", "PriorityClass", "trial-too-high"), "value": 2000000000}),
        post(CLASSES, {**typed("scheduling.k8s.io/v1", "PriorityClass", "system-trial"), "value": 1}),
        merge(f"{CLASSES}/trial-high", {"value": 5}),
        post(f"{PODS}?dryRun=All", pod("q", priorityClassName="trial-high")),
        post(f"{PODS}?dryRun=All", pod("q", priorityClassName="nope")),
        post(f"{PODS}?dryRun=All", pod("q", priority=5)),
        delete(f"{CLASSES}/trial-high"),
    ),
)


def job(**spec: Any) -> dict[str, Any]:
    made = template(labels={"j": "j"}, restartPolicy="Never")
    return typed("batch/v1", "Job", "j", spec={"template": made, **spec})


def database(**spec: Any) -> dict[str, Any]:
    made = {"selector": {"matchLabels": {"app": "w"}}, "template": template(), "serviceName": "db"}
    claim = {
        "metadata": {"name": "d"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    return typed("apps/v1", "StatefulSet", "db", spec={**made, "volumeClaimTemplates": [claim], **spec})


KEPT = Story(
    "what-may-not-change",
    (
        NAMESPACE,
        post(MAPS, map_of("fixed", data={"a": "1"}, immutable=True)),
        merge(f"{MAPS}/fixed", {"data": {"a": "2"}}),
        merge(f"{MAPS}/fixed", {"immutable": False}),
        merge(f"{MAPS}/fixed", {"metadata": {"labels": {"a": "b"}}}),
        apply(f"{MAPS}/fixed", map_of("fixed", data={"b": "1"}), manager="one&force=true"),
        post(SECRETS, typed("v1", "Secret", "fixed", stringData={"a": "1"}, immutable=True)),
        merge(f"{SECRETS}/fixed", {"stringData": {"a": "2"}}),
        merge(f"{SECRETS}/fixed", {"type": "kubernetes.io/tls"}),
        post(SECRETS, typed("v1", "Secret", "tls", type="kubernetes.io/tls", data={"tls.crt": "eA=="})),
        post(
            SECRETS,
            typed(
                "v1", "Secret", "docker", type="kubernetes.io/dockerconfigjson", stringData={".dockerconfigjson": "x"}
            ),
        ),
        post(SETS, database()),
        merge(f"{SETS}/db", {"spec": {"serviceName": "other"}}),
        merge(f"{SETS}/db", {"spec": {"podManagementPolicy": "Parallel"}}),
        json_patch(f"{SETS}/db", ("replace", "/spec/volumeClaimTemplates/0/spec/resources/requests/storage", "2Gi")),
        merge(
            f"{SETS}/db",
            {
                "spec": {
                    "replicas": 3,
                    "minReadySeconds": 5,
                    "updateStrategy": {"type": "OnDelete", "rollingUpdate": None},
                }
            },
        ),
        merge(
            f"{SETS}/db",
            {"spec": {"ordinals": {"start": 3}, "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete"}}},
        ),
        post(JOBS, job(completions=3, parallelism=1)),
        merge(f"{JOBS}/j", {"spec": {"completions": 4}}),
        merge(f"{JOBS}/j", {"spec": {"parallelism": 2, "suspend": True, "backoffLimit": 2}}),
        strategic(f"{JOBS}/j", {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "new"}]}}}}),
        merge(f"{JOBS}/j", {"spec": {"ttlSecondsAfterFinished": 5, "activeDeadlineSeconds": 9}}),
        post(f"{JOBS}?dryRun=All", job(completionMode="Indexed")),
        post(f"{JOBS}?dryRun=All", job(manualSelector=True)),
        post(
            QUOTAS,
            typed(
                "v1",
                "ResourceQuota",
                "q",
                spec={"hard": {"configmaps": "2", "limits.cpu": "1", "count/jobs.batch": "1"}},
            ),
        ),
        merge(
            f"{QUOTAS}/q/status",
            {
                "status": {
                    "hard": {"configmaps": "2", "limits.cpu": "1", "count/jobs.batch": "1"},
                    "used": {"configmaps": "1", "limits.cpu": "0", "count/jobs.batch": "1"},
                }
            },
        ),
        post(MAPS, map_of("second"), until=('"second"',)),
        post(MAPS, map_of("third"), until=("exceeded quota",)),
        post(PODS, pod("unlimited")),
        post(JOBS, {**job(), **obj("k")}),
        post(
            RANGES,
            typed(
                "v1",
                "LimitRange",
                "l",
                spec={
                    "limits": [
                        {
                            "type": "Container",
                            "default": {"cpu": "200m"},
                            "defaultRequest": {"cpu": "100m"},
                            "max": {"cpu": "500m"},
                        }
                    ]
                },
            ),
        ),
        post(f"{PODS}?dryRun=All", pod("limited"), until=('"200m"',)),
        post(
            f"{PODS}?dryRun=All",
            pod("greedy", containers=[{"name": "c", "image": "a", "resources": {"limits": {"cpu": "2"}}}]),
        ),
        post(f"{ACCOUNTS}/default/token", {"spec": {"expirationSeconds": 10}}),
        post(
            f"{ACCOUNTS}/default/token",
            {"spec": {"audiences": ["a"], "boundObjectRef": {"kind": "Pod", "name": "none"}}},
        ),
        post(f"{ACCOUNTS}/none/token", {"spec": {}}),
        merge("/api/v1/namespaces/trial", {"metadata": {"labels": {"kubernetes.io/metadata.name": "other"}}}),
        merge("/api/v1/namespaces/trial", {"spec": {"finalizers": []}}),
        put(
            "/api/v1/namespaces/trial/finalize", typed("v1", "Namespace", "trial", spec={"finalizers": ["kubernetes"]})
        ),
        post("/api/v1/namespaces", typed("v1", "Namespace", "trial-Bad")),
        delete("/api/v1/namespaces/default"),
        delete("/api/v1/namespaces/trial"),
        post(MAPS, map_of("late")),
        post(f"{MAPS}?dryRun=All", map_of("late")),
        apply(f"{MAPS}/late", map_of("late")),
        merge(f"{MAPS}/fixed", {"metadata": {"labels": {"still": "here"}}}),
        get("/api/v1/namespaces/trial"),
        get("/api", accept=AGGREGATED),
    ),
)
STORIES = (GITOPS, READERS, OPERATORS, KEPT)


def count() -> int:
    """Return how many requests there are."""
    return sum(len(story.steps) for story in STORIES)
