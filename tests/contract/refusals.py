"""Stories about objects that break the rules of their kind, one rule at a time, all of them as dry runs."""

from __future__ import annotations

from typing import Any

from tests.contract.admission import ACCOUNT
from tests.contract.config import NAMESPACE
from tests.contract.steps import Step, Story, obj, post, template

CORE = "/api/v1/namespaces/trial"
APPS = "/apis/apps/v1/namespaces/trial"
BATCH = "/apis/batch/v1/namespaces/trial"
NETWORK = "/apis/networking.k8s.io/v1/namespaces/trial"
STORAGE = "/apis/storage.k8s.io/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
EMPTY = [{"name": "v", "emptyDir": {}}]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NEVER = template(restartPolicy="Never")
WORKLOAD = {"selector": {"matchLabels": {"app": "w"}}, "template": template()}
BACKEND = {"service": {"name": "x", "port": {"number": 80}}}
PORT = {"port": 80}


def dry(path: str, body: Any) -> Step:
    return post(f"{path}?dryRun=All", body)


def pod(**spec: Any) -> Step:
    containers = [{"name": "c", "image": "i"}]
    return dry(f"{CORE}/pods", obj("p", spec={**ACCOUNT, "containers": containers, **spec}))


def container(volumes: Any = (), **fields: Any) -> Step:
    return pod(containers=[{"name": "c", "image": "i", **fields}], volumes=list(volumes))


def variable(**rest: Any) -> Step:
    return container(env=[{"name": "A", **rest}])


def volume(**source: Any) -> Step:
    return pod(volumes=[{"name": "v", **source}])


def service(**spec: Any) -> Step:
    return dry(f"{CORE}/services", obj("s", spec={"ports": [PORT], **spec}))


def ingress(**spec: Any) -> Step:
    return dry(f"{NETWORK}/ingresses", obj("i", spec=spec))


def routed(host: str = "", **path: Any) -> Step:
    paths = [{"path": "/", "pathType": "Prefix", "backend": BACKEND, **path}]
    return ingress(rules=[{**({"host": host} if host else {}), "http": {"paths": paths}}])


def deployment(**spec: Any) -> Step:
    return dry(f"{APPS}/deployments", obj("w", spec={**WORKLOAD, **spec}))


def rolling(**update: Any) -> Step:
    return deployment(strategy={"type": "RollingUpdate", "rollingUpdate": update})


def job(**spec: Any) -> Step:
    return dry(f"{BATCH}/jobs", obj("j", spec={"template": NEVER, **spec}))


def cron_job(**spec: Any) -> Step:
    jobs = {"spec": {"template": NEVER}}
    return dry(f"{BATCH}/cronjobs", obj("j", spec={"schedule": "* * * * *", "jobTemplate": jobs, **spec}))


def claim(**spec: Any) -> Step:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return dry(f"{CORE}/persistentvolumeclaims", obj("p", spec={**asked, **spec}))


def persistent(**spec: Any) -> Step:
    return dry("/api/v1/persistentvolumes", obj("trial", spec=spec))


def policy(**spec: Any) -> Step:
    return dry(f"{NETWORK}/networkpolicies", obj("n", spec={"podSelector": {}, **spec}))


def storage_class(**rest: Any) -> Step:
    return dry(f"{STORAGE}/storageclasses", {**obj("trial"), **rest})


def secret(kind: str, **content: str) -> Step:
    return dry(f"{CORE}/secrets", obj("s", type=kind, data=content))


def binding(subject: dict[str, str], **role: str) -> Step:
    named = {"kind": "Role", "name": "x", "apiGroup": GROUP, **role}
    return dry(f"{RBAC}/namespaces/trial/rolebindings", obj("r", roleRef=named, subjects=[subject]))


MOUNT = {"name": "v", "mountPath": "/a"}
PODS = Story(
    "pod-refusals",
    (
        NAMESPACE,
        container(command="x"),
        container(image=" i "),
        container(image=""),
        container(name="a_b"),
        container(ports=[{"containerPort": 0}]),
        container(ports=[{"containerPort": 80, "protocol": "X"}]),
        container(ports=[{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]),
        container(ports=[{"containerPort": 80, "name": "much-too-long-a-name"}]),
        variable(name=""),
        variable(value="x", valueFrom={"fieldRef": {"fieldPath": "metadata.name"}}),
        variable(valueFrom={}),
        variable(valueFrom={"configMapKeyRef": {"name": "", "key": ""}}),
        container(envFrom=[{}]),
        container(EMPTY, volumeMounts=[{"name": "v", "mountPath": ""}]),
        container(EMPTY, volumeMounts=[MOUNT, MOUNT]),
        volume(name=""),
        volume(secret={}),
        volume(configMap={}),
        volume(hostPath={}),
        volume(persistentVolumeClaim={}),
        volume(emptyDir={}, configMap={"name": "x"}),
        container(resources={"requests": {"cpu": "-1"}}),
        container(resources={"requests": {"nonsense": "1"}}),
        container(resources={"limits": {"memory": "1Gi"}, "requests": {"memory": "2Gi"}}),
        container(livenessProbe={"httpGet": {"path": "/"}}),
        container(livenessProbe={"httpGet": {"path": "/", "port": 80}, "exec": {"command": ["x"]}}),
        container(readinessProbe={"tcpSocket": PORT, "periodSeconds": -1}),
        container(livenessProbe={"tcpSocket": PORT, "successThreshold": 2}),
        container(readinessProbe={"exec": {}}),
        container(lifecycle={"preStop": {}}),
        container(terminationMessagePolicy="X"),
        container(securityContext={"runAsUser": -1}),
        pod(restartPolicy="Sometimes"),
        pod(dnsPolicy="X"),
        pod(terminationGracePeriodSeconds=-5),
        pod(activeDeadlineSeconds=0),
        pod(nodeSelector={"a b": "c"}),
        pod(tolerations=[{"key": "a", "operator": "Nope"}]),
        pod(tolerations=[{"key": "a", "operator": "Exists", "value": "x"}]),
        pod(tolerations=[{"effect": "Nope", "operator": "Exists"}]),
        pod(hostname="A_B"),
        pod(imagePullSecrets=[{"name": ""}]),
        pod(initContainers=[{"name": "c", "image": "i"}]),
        pod(initContainers=[{"name": "d", "image": "i", "readinessProbe": {"tcpSocket": PORT}}]),
        pod(topologySpreadConstraints=[{"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": "X"}]),
        pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}),
        pod(affinity={"podAntiAffinity": {REQUIRED: [{"topologyKey": ""}]}}),
    ),
)
WORKLOADS = Story(
    "workload-refusals",
    (
        NAMESPACE,
        rolling(maxUnavailable=0, maxSurge=0),
        rolling(maxUnavailable="x"),
        rolling(maxUnavailable="200%"),
        deployment(minReadySeconds=-1),
        deployment(revisionHistoryLimit=-1),
        deployment(progressDeadlineSeconds=0),
        deployment(progressDeadlineSeconds=5, minReadySeconds=10),
        deployment(selector={"matchExpressions": [{"key": "app", "operator": "X"}]}),
        deployment(selector={"matchLabels": {"app": "w"}, "matchExpressions": [{"key": "app", "operator": "In"}]}),
        deployment(template=template(labels={"app": "w", "a b": "c"})),
        dry(f"{APPS}/statefulsets", obj("s", spec={**WORKLOAD, "podManagementPolicy": "X"})),
        dry(f"{APPS}/statefulsets", obj("s", spec={**WORKLOAD, "updateStrategy": {"type": "X"}})),
        dry(f"{APPS}/daemonsets", obj("s", spec={**WORKLOAD, "updateStrategy": {"type": "X"}})),
        job(parallelism=-1),
        job(completions=-1),
        job(activeDeadlineSeconds=-1),
        job(ttlSecondsAfterFinished=-1),
        job(completionMode="X"),
        job(completionMode="Indexed"),
        job(podFailurePolicy={"rules": [{"action": "X"}]}),
        job(selector={"matchLabels": {"a": "b"}}),
        cron_job(schedule="x"),
        cron_job(schedule="* * * *"),
        cron_job(schedule="99 * * * *"),
        cron_job(schedule="TZ=UTC * * * * *"),
        cron_job(startingDeadlineSeconds=-1),
        cron_job(successfulJobsHistoryLimit=-1),
        cron_job(timeZone="Local"),
        cron_job(timeZone=""),
        cron_job(jobTemplate={"spec": {"template": template()}}),
    ),
)
NETWORKS = Story(
    "network-refusals",
    (
        NAMESPACE,
        service(ports=[PORT, {"port": 81}]),
        service(ports=[{**PORT, "name": "a"}, {**PORT, "name": "a"}]),
        service(ports=[{**PORT, "name": "A_"}]),
        service(ports=[{**PORT, "protocol": "X"}]),
        service(ports=[{**PORT, "targetPort": "x_"}]),
        service(clusterIP="x"),
        service(type="X"),
        service(type="ExternalName", externalName="a b"),
        service(ports=[{**PORT, "nodePort": 30000}]),
        service(sessionAffinity="X"),
        service(externalIPs=["x"]),
        service(selector={"a b": "c"}),
        service(externalTrafficPolicy="Local"),
        service(type="LoadBalancer", loadBalancerSourceRanges=["x"]),
        service(type="NodePort", clusterIP="None"),
        ingress(),
        routed("A_B"),
        routed("1.2.3.4"),
        routed(path="x"),
        routed(pathType="X"),
        routed(backend={}),
        routed(backend={"service": {"name": "x"}}),
        ingress(rules=[{"http": {"paths": []}}]),
        ingress(defaultBackend=BACKEND, tls=[{"hosts": ["A_B"]}]),
        ingress(defaultBackend={"service": {"name": "A_", "port": {"number": 80}}}),
        ingress(defaultBackend=BACKEND, ingressClassName="A_B"),
        policy(ingress=[{"ports": [{"port": 99999}]}]),
        policy(ingress=[{"ports": [{"protocol": "X"}]}]),
        policy(ingress=[{"from": [{}]}]),
        policy(ingress=[{"from": [{"ipBlock": {"cidr": "x"}}]}]),
        policy(podSelector={"matchLabels": {"a b": "c"}}),
        dry(f"{CORE}/endpoints", obj("e", subsets=[{"addresses": [{"ip": "x"}], "ports": [PORT]}])),
        dry("/apis/discovery.k8s.io/v1/namespaces/trial/endpointslices", obj("e", addressType="X", endpoints=[])),
        dry(
            "/apis/discovery.k8s.io/v1/namespaces/trial/endpointslices",
            obj("e", addressType="IPv4", endpoints=[{"addresses": ["x"]}]),
        ),
        dry("/apis/networking.k8s.io/v1/ingressclasses", obj("trial", spec={"controller": "x"})),
    ),
)
SIZED = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
OTHERS = Story(
    "other-refusals",
    (
        NAMESPACE,
        claim(accessModes=["X"]),
        claim(accessModes=["ReadWriteOnce", "ReadWriteOncePod"]),
        claim(resources={}),
        claim(resources={"requests": {"storage": "-1"}}),
        claim(storageClassName="A_B"),
        claim(volumeMode="X"),
        persistent(),
        persistent(**SIZED),
        persistent(**SIZED, hostPath={"path": "/x"}, persistentVolumeReclaimPolicy="X"),
        persistent(**{**SIZED, "accessModes": ["X"]}, hostPath={"path": "/x"}),
        storage_class(),
        storage_class(provisioner="a b"),
        storage_class(provisioner="a.io/b", reclaimPolicy="X"),
        storage_class(provisioner="a.io/b", volumeBindingMode="X"),
        secret("kubernetes.io/dockerconfigjson", **{".dockerconfigjson": "eA=="}),
        secret("kubernetes.io/basic-auth"),
        secret("kubernetes.io/ssh-auth", **{"ssh-privatekey": ""}),
        dry(f"{RBAC}/clusterroles", obj("trial", rules=[{"verbs": ["get"]}])),
        dry(f"{RBAC}/clusterroles", obj("trial", rules=[{"verbs": ["get"], "resources": ["pods"]}])),
        dry(f"{RBAC}/namespaces/trial/roles", obj("r", rules=[{"verbs": ["get"], "nonResourceURLs": ["/x"]}])),
        binding({"kind": "User", "name": "x", "apiGroup": GROUP}, kind="X"),
        binding({"kind": "X", "name": "x"}),
        binding({"kind": "ServiceAccount", "name": ""}, apiGroup="x"),
        dry("/apis/coordination.k8s.io/v1/namespaces/trial/leases", obj("l", spec={"leaseTransitions": -1})),
        dry("/api/v1/nodes", obj("trial", spec={"taints": [{"key": "a"}]})),
        dry("/apis/node.k8s.io/v1/runtimeclasses", obj("trial", handler="A_")),
        dry("/apis/apiregistration.k8s.io/v1/apiservices", obj("trial", spec={"group": "x", "version": "v1"})),
    ),
)
STORIES = (PODS, WORKLOADS, NETWORKS, OTHERS)
