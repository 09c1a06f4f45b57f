"""Every edge from a cause to its effect on a small fleet: the cause is named, effects and near misses are not."""

from collections.abc import Callable
from typing import Any

import pytest

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose
from tests.support.planted import missing_secret, out_of_memory, selector
from tests.support.sick_fleet import HOURS_AGO, JUST_NOW, NODES, Fleet, condition, hold, made, owned

Plant = Callable[[Fleet], object]
Causes = list[tuple[str, str]]
ES, CERT, ACME, GATEWAY = "external-secrets.io", "cert-manager.io", "acme.cert-manager.io", "gateway.networking.k8s.io"


def small() -> Fleet:
    fleet = Fleet()
    for app in ("web", "api"):
        fleet.app(app)
        fleet.deploy(app, app=app)
    return fleet


def manage(fleet: Fleet, obj: Object, app: str = "web") -> Object:
    return fleet.add(obj, app)


def not_ready(reason: str, message: str) -> dict[str, Any]:
    return {"conditions": [condition("Ready", "False", reason, message)]}


def es(fleet: Fleet, store: str = "vault", kind: str = "SecretStore", **status: Any) -> Object:
    spec = {"secretStoreRef": {"kind": kind, "name": store}, "target": {"name": "web-login"}}
    given = status or not_ready("SecretSyncedError", "could not get secret data from provider")
    return manage(fleet, made(f"{ES}/v1", "ExternalSecret", "shop", "web-login", spec=spec, status=given))


def store(fleet: Fleet, message: str, server: str = "https://vault.example.com", ready: str = "False") -> Object:
    status = {"conditions": [condition("Ready", ready, "InvalidProviderConfig", message)]}
    provider = {"vault": {"server": server}}
    return manage(fleet, made(f"{ES}/v1", "SecretStore", "shop", "vault", spec={"provider": provider}, status=status))


def e1_sealed(fleet: Fleet) -> None:
    store(fleet, "Code: 503. Errors: * Vault is sealed")
    es(fleet)
    missing_secret(fleet, "web")


def e2_no_service(fleet: Fleet) -> None:
    store(fleet, "lookup vault.safe.svc: no such host", "http://vault.safe.svc:8200")
    es(fleet)


def e2_service_down(fleet: Fleet) -> None:
    fleet.app("vault")
    fleet.deploy("vault", app="vault")
    out_of_memory(fleet, "vault")
    store(fleet, "connection refused", "http://vault.shop.svc:80")
    es(fleet)
    missing_secret(fleet, "web")


def e3_no_store(fleet: Fleet) -> None:
    store(fleet, "", ready="True")
    es(fleet, store="vaultt")


def e5_wrong_key(fleet: Fleet) -> None:
    store(fleet, "", ready="True")
    es(fleet)
    missing_secret(fleet, "web")


def e12_deployment_short(fleet: Fleet) -> None:
    out_of_memory(fleet, "web")


def e17_node_lost(fleet: Fleet) -> None:
    node = fleet.get("Node", NODES[0], "")
    node["status"]["conditions"] = [condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting")]
    for pod in (*fleet.pods("web"), *fleet.pods("api")):
        if pod["spec"]["nodeName"] == NODES[0]:
            pod["status"]["conditions"] = [condition("Ready", "False", "NodeNotReady")]
            pod["status"]["containerStatuses"][0]["ready"] = False


def e19_provisioner(fleet: Fleet) -> None:
    claim = made(
        "v1",
        "PersistentVolumeClaim",
        "shop",
        "data",
        spec={"storageClassName": "standard"},
        status={"phase": "Pending"},
    )
    manage(fleet, claim)
    fleet.event(claim, "ProvisioningFailed", "quota of disks exceeded")
    for spec in fleet.change("web"):
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    fleet.unscheduled("web", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.")


def e20_waits_for_pod(fleet: Fleet) -> None:
    spec = {"storageClassName": "standard"}
    manage(fleet, made("v1", "PersistentVolumeClaim", "shop", "data", spec=spec, status={"phase": "Pending"}))
    for one in fleet.change("web"):
        one["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    selector(fleet, "web")


def e22_attached_elsewhere(fleet: Fleet) -> None:
    claim = {"volumeName": "disk-1", "accessModes": ["ReadWriteOnce"], "storageClassName": "standard"}
    manage(fleet, made("v1", "PersistentVolumeClaim", "shop", "data", spec=claim, status={"phase": "Bound"}))
    attachment = {"nodeName": NODES[2], "source": {"persistentVolumeName": "disk-1"}}
    fleet.add(made("storage.k8s.io/v1", "VolumeAttachment", "", "a", spec=attachment, status={"attached": True}))
    for one in fleet.change("web"):
        one["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    fleet.waits("web", "ContainerCreating")


def e23_early_wave(fleet: Fleet) -> None:
    spec = {"storageClassName": "standard"}
    manage(fleet, made("v1", "PersistentVolumeClaim", "shop", "data", spec=spec, status={"phase": "Pending"}))
    state = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]["operationState"]
    state["phase"], state["message"] = "Running", "waiting for healthy state of /PersistentVolumeClaim/data"
    del state["finishedAt"]


def e25_supplier_failed(fleet: Fleet) -> None:
    fleet.app("mesh")
    crd = ObjectKey("apiextensions.k8s.io", "CustomResourceDefinition", "", "gates.mesh.example.com")
    fleet.managed["mesh"] = [crd]
    fleet.compare_error("mesh", "app path does not exist: apps/mesh")
    said = "The Kubernetes API could not find mesh.example.com/Gate for requested resource"
    for app in ("web", "api"):
        fleet.failed_sync(app, ObjectKey("mesh.example.com", "Gate", "shop", app), said)


def e26_names_taken(fleet: Fleet) -> None:
    crd = made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "gates.mesh.example.com")
    crd["status"] = {"conditions": [condition("NamesAccepted", "False", "PluralConflict", '"gates" is in use')]}
    manage(fleet, crd)


def e27_operator_down(fleet: Fleet) -> None:
    fleet.app("cnpg")
    fleet.deploy("cnpg-controller-manager", app="cnpg")
    out_of_memory(fleet, "cnpg-controller-manager")
    manage(fleet, made("postgresql.cnpg.io/v1", "Cluster", "shop", "db", spec={"instances": 1}))


def e27_operator_missing(fleet: Fleet) -> None:
    manage(fleet, made("postgresql.cnpg.io/v1", "Cluster", "shop", "db", spec={"instances": 1}))


def e28_plan_pending(fleet: Fleet) -> None:
    status = {"conditions": [condition("InstallPlanPending", "True", "RequiresApproval", "waits")]}
    manage(fleet, made("operators.coreos.com/v1alpha1", "Subscription", "shop", "op", spec={}, status=status))


def e29_conversion(fleet: Fleet) -> None:
    said = (
        "failed to load initial state of resource Gate.mesh.example.com: conversion webhook for mesh.example.com/v1, "
        'Kind=Gate failed: Post "https://mesh.shop.svc:443/convert": no endpoints available for service "mesh"'
    )
    for app in ("web", "api"):
        fleet.compare_error(app, said)


def e30_webhook_down(fleet: Fleet) -> None:
    fleet.app("guard")
    fleet.deploy("guard", app="guard")
    out_of_memory(fleet, "guard")
    hook = {"name": "guard.example.com", "clientConfig": {"service": {"namespace": "shop", "name": "guard"}}}
    fleet.add(made("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", "guard", webhooks=[hook]))
    said = 'failed calling webhook "guard.example.com": no endpoints available for service "guard"'
    for app in ("web", "api"):
        fleet.failed_sync(app, ObjectKey("apps", "Deployment", "shop", app), said)


def e32_api_service(fleet: Fleet) -> None:
    api = made(
        "apiregistration.k8s.io/v1",
        "APIService",
        "",
        "v1beta1.metrics.k8s.io",
        spec={"service": {"namespace": "kube-system", "name": "metrics-server"}},
    )
    api["status"] = {"conditions": [condition("Available", "False", "MissingEndpoints", "no endpoints")]}
    fleet.add(api)
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    status = {"conditions": [condition("ScalingActive", "False", "FailedGetResourceMetric", "unable to get metrics")]}
    manage(
        fleet,
        made(
            "autoscaling/v2", "HorizontalPodAutoscaler", "shop", "web", spec={"scaleTargetRef": target}, status=status
        ),
    )


def e34_issuer(fleet: Fleet) -> None:
    manage(fleet, made(f"{CERT}/v1", "Issuer", "shop", "ca", spec={}, status=not_ready("ErrRegister", "no account")))
    spec = {"issuerRef": {"kind": "Issuer", "name": "ca"}, "secretName": "web-login"}
    manage(fleet, made(f"{CERT}/v1", "Certificate", "shop", "web", spec=spec, status=not_ready("Pending", "waiting")))
    missing_secret(fleet, "web")


def e35_challenge(fleet: Fleet) -> None:
    fleet.add(made(f"{CERT}/v1", "Issuer", "shop", "acme", status={"conditions": [condition("Ready", "True")]}))
    spec = {"issuerRef": {"kind": "Issuer", "name": "acme"}, "secretName": "tls"}
    top = manage(
        fleet, made(f"{CERT}/v1", "Certificate", "shop", "web", spec=spec, status=not_ready("Pending", "waits"))
    )
    request = owned(top, f"{CERT}/v1", "CertificateRequest", "web-1", spec=spec, status=not_ready("Pending", "waits"))
    order = owned(fleet.add(request), f"{ACME}/v1", "Order", "web-1-1", spec={}, status={"state": "pending"})
    status = {"state": "invalid", "reason": "DNS record not found"}
    fleet.add(owned(fleet.add(order), f"{ACME}/v1", "Challenge", "web-1-1-1", spec={"dnsName": "a.b"}, status=status))


def e37_no_address(fleet: Fleet) -> None:
    fleet.get("Service", "web")["spec"]["type"] = "LoadBalancer"


def e38_gateway(fleet: Fleet) -> None:
    bad = {"conditions": [condition("Accepted", "False", "InvalidParameters", "no such listener class")]}
    manage(fleet, made(f"{GATEWAY}/v1", "Gateway", "shop", "edge", spec={}, status=bad))
    parents = [{"conditions": [condition("Accepted", "False", "NoMatchingParent", "not accepted")]}]
    spec = {"parentRefs": [{"name": "edge"}]}
    manage(fleet, made(f"{GATEWAY}/v1", "HTTPRoute", "shop", "web", spec=spec, status={"parents": parents}))


def e39_ingress(fleet: Fleet) -> None:
    backend = {"service": {"name": "webb", "port": {"number": 80}}}
    spec = {"rules": [{"http": {"paths": [{"path": "/", "backend": backend}]}}]}
    ingress = manage(fleet, made("networking.k8s.io/v1", "Ingress", "shop", "web", spec=spec))
    ingress["status"] = {"loadBalancer": {}}


def e40_database_down(fleet: Fleet) -> None:
    fleet.app("db")
    fleet.deploy("db", app="db")
    selector(fleet, "db")
    fleet.crashes("web", "Error: connect ECONNREFUSED db:80")
    fleet.crashes("api", "dial tcp: lookup db.shop.svc on 10.0.0.10:53: no such host")


def dns_down(fleet: Fleet) -> None:
    fleet.deploy("coredns", namespace="kube-system")
    fleet.crashes("coredns", code=137, reason="OOMKilled", namespace="kube-system")
    fleet.crashes("web", "Error: getaddrinfo EAI_AGAIN db.shop.svc")
    fleet.crashes("api", "dial tcp: lookup queue.example.com on 10.0.0.10:53: server misbehaving")


def dns_unreachable(fleet: Fleet) -> None:
    fleet.crashes("web", 'could not translate host name "db" to address: Temporary failure in name resolution')
    fleet.crashes("api", "dial tcp: lookup queue.example.com on 10.0.0.10:53: read udp: i/o timeout")


def init_waits(fleet: Fleet) -> None:
    fleet.app("db")
    fleet.deploy("db", app="db")
    selector(fleet, "db")
    for spec in fleet.change("web"):
        command = ["sh", "-c", "until nc -z db 80; do sleep 1; done"]
        spec["initContainers"] = [{"name": "wait", "image": "busybox:1", "command": command}]
    for pod in fleet.pods("web"):
        hold(pod, {"waiting": {"reason": "PodInitializing"}})
        state = {"running": {"startedAt": HOURS_AGO}}
        pod["status"]["initContainerStatuses"] = [{"name": "wait", "ready": False, "state": state}]


def told_wrong_port(fleet: Fleet) -> None:
    for spec in fleet.change("web"):
        spec["containers"][0]["env"] = [{"name": "API", "value": "http://api:8081"}]
    fleet.crashes("web")


def e41_hook_failed(fleet: Fleet) -> None:
    job = made("batch/v1", "Job", "shop", "migrate", spec={})
    job["status"] = {"conditions": [condition("Failed", "True", "BackoffLimitExceeded", "too many failures")]}
    fleet.add(job)
    pod = fleet.pod(
        job, "migrate-1", {"metadata": {"labels": {}}, "spec": {"containers": [{"name": "main", "image": "m:1"}]}}
    )
    hold(pod, {"terminated": {"exitCode": 1, "reason": "Error"}})
    pod["status"]["phase"] = "Failed"
    fleet.failed_sync(
        "web", ObjectKey("batch", "Job", "shop", "migrate"), "Job has reached the specified backoff limit"
    )
    row = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]["operationState"]["syncResult"][
        "resources"
    ][0]
    row.update(hookType="PreSync", hookPhase="Failed")


def e43_hook_gone(fleet: Fleet) -> None:
    e41_hook_failed(fleet)
    fleet.drop("Job", "migrate", group="batch")
    fleet.drop("Pod", "migrate-1")


def e44_apply_forbidden(fleet: Fleet) -> None:
    said = (
        'deployments.apps "web" is forbidden: User "system:serviceaccount:argocd:argocd-application-controller" cannot '
    )
    said += 'patch resource "deployments" in API group "apps" in the namespace "shop"'
    for app in ("web", "api"):
        fleet.failed_sync(app, ObjectKey("apps", "Deployment", "shop", app), said)


def e48_finalizer(fleet: Fleet) -> None:
    space = fleet.get("Namespace", "shop", "")
    space["metadata"]["deletionTimestamp"] = HOURS_AGO
    left = fleet.add(made("example.com/v1", "Widget", "shop", "old"))
    left["metadata"] |= {"deletionTimestamp": HOURS_AGO, "finalizers": ["widgets.example.com/cleanup"]}
    said = "unable to create new content in namespace shop because it is being terminated"
    fleet.failed_sync("web", ObjectKey("", "ConfigMap", "shop", "more"), said)


def e50_child_blocks_parent(fleet: Fleet) -> None:
    fleet.app("root")
    for app in ("web", "api"):
        fleet.managed["root"].append(ObjectKey("argoproj.io", "Application", "argocd", app))
    state = fleet.get("Application", "root", "argocd", "argoproj.io")["status"]["operationState"]
    state["phase"], state["message"] = "Running", "waiting for healthy state of argoproj.io/Application/web"
    del state["finishedAt"]
    out_of_memory(fleet, "web")


def e52_no_namespace(fleet: Fleet) -> None:
    fleet.compare_error("web", "Namespace for settings /v1, Kind=ConfigMap is missing.", "InvalidSpecError")


def e53_git_host(fleet: Fleet) -> None:
    for app in ("web", "api"):
        said = "failed to list refs: dial tcp: lookup git.example.com on 10.0.0.10:53: no such host"
        fleet.compare_error(app, f"Failed to load target state: rpc error: code = Unknown desc = {said}")


def e53_branch(fleet: Fleet) -> None:
    fleet.compare_error("web", "rpc error: code = Unknown desc = unable to resolve 'mian' to a commit SHA")


def e54_repo_server(fleet: Fleet) -> None:
    fleet.deploy("argocd-repo-server", namespace="argocd")
    fleet.crashes("argocd-repo-server", code=137, reason="OOMKilled", namespace="argocd")
    said = 'rpc error: code = Unavailable desc = connection error: desc = "transport: dial tcp 10.0.0.9:8081: refused"'
    for app in ("web", "api"):
        fleet.compare_error(app, said)


def e54_controller(fleet: Fleet) -> None:
    fleet.deploy("argocd-application-controller", namespace="argocd")
    fleet.crashes("argocd-application-controller", code=137, reason="OOMKilled", namespace="argocd")
    for app in ("web", "api"):
        status = fleet.get("Application", app, "argocd", "argoproj.io")["status"]
        status["reconciledAt"], status["sync"]["status"] = HOURS_AGO, "OutOfSync"


def e55_credentials(fleet: Fleet) -> None:
    said = "error synchronizing cache state : the server has asked for the client to provide credentials"
    for app in ("web", "api"):
        fleet.compare_error(app, said)


def e56_shared(fleet: Fleet) -> None:
    for app in ("web", "api"):
        status = fleet.get("Application", app, "argocd", "argoproj.io")["status"]
        said = "ConfigMap/web-config is part of applications argocd/web and api"
        status["conditions"] = [{"type": "SharedResourceWarning", "message": said}]
        status["sync"]["status"] = "OutOfSync"
    fleet.managed["api"].append(ObjectKey("", "ConfigMap", "shop", "web-config"))


def share(fleet: Fleet, app: str, *names: str) -> None:
    status = fleet.get("Application", app, "argocd", "argoproj.io")["status"]
    said = [f"ConfigMap/{name} is part of applications argocd/{app} and other" for name in names]
    status["conditions"] = [{"type": "SharedResourceWarning", "message": one} for one in said]
    status["sync"]["status"] = "OutOfSync"


def e56_many_shared(fleet: Fleet) -> None:
    share(fleet, "web", "web-config", "web-limits", "web-theme", "web-users")


def e58_by_hand(fleet: Fleet) -> None:
    for app in ("web", "api"):
        obj = fleet.get("Application", app, "argocd", "argoproj.io")
        obj["spec"].pop("syncPolicy")
        obj["status"]["sync"]["status"] = "OutOfSync"


def e58_window(fleet: Fleet) -> None:
    window = {"kind": "deny", "schedule": "0 0 * * *", "duration": "23h", "applications": ["*"]}
    fleet.add(made("argoproj.io/v1alpha1", "AppProject", "argocd", "default", spec={"syncWindows": [window]}))
    status = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]
    status["sync"]["status"] = "OutOfSync"
    status["operationState"] |= {"phase": "Running", "message": "Sync operation blocked by sync window"}
    del status["operationState"]["finishedAt"]


def e60_stuck_revision(fleet: Fleet) -> None:
    stateful_set(fleet, {"containers": [{"name": "main", "image": "v:2"}]})
    fleet.crashes("vault", "boom: error")


def stateful_set(fleet: Fleet, new: dict[str, Any]) -> None:
    """Make a StatefulSet with a pod of its old revision, and another template by now."""
    labels = {"app": "vault"}
    spec = {"replicas": 1, "template": {"metadata": {"labels": labels}, "spec": new}}
    top = manage(fleet, made("apps/v1", "StatefulSet", "shop", "vault", spec=spec))
    top["status"] = {"currentRevision": "vault-1", "updateRevision": "vault-2"}
    old = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "v:1"}]}}
    pod = fleet.pod(top, "vault-0", old)
    pod["metadata"]["labels"]["controller-revision-hash"] = "vault-1"


def same_crash_in_both_revisions(fleet: Fleet) -> None:
    stateful_set(fleet, {"containers": [{"name": "main", "image": "v:1"}], "serviceAccountName": "other"})
    fleet.crashes("vault", "boom: error")


def taint(fleet: Fleet) -> None:
    """Taint all nodes; what else ran there before still does."""
    for node in NODES:
        fleet.get("Node", node, "")["spec"]["taints"] = [{"key": "env", "value": "dev", "effect": "NoSchedule"}]


def e60_unscheduled(fleet: Fleet) -> None:
    tolerant = {"tolerations": [{"key": "env", "operator": "Exists"}], "containers": [{"name": "main", "image": "v:1"}]}
    stateful_set(fleet, tolerant)
    taint(fleet)
    fleet.unscheduled("vault", "0/3 nodes are available: 3 node(s) had untolerated taint {env: dev}.")
    fleet.unscheduled("api", "0/3 nodes are available: 3 node(s) had untolerated taint {env: dev}.")


def unscheduled_in_both_revisions(fleet: Fleet) -> None:
    stateful_set(fleet, {"containers": [{"name": "main", "image": "v:2"}]})
    taint(fleet)
    fleet.unscheduled("vault", "0/3 nodes are available: 3 node(s) had untolerated taint {env: dev}.")


def never_scheduled(fleet: Fleet) -> None:
    for pod in fleet.pods("web"):
        pod["spec"].pop("nodeName")
        pod["status"] = {"phase": "Pending"}


def no_sandbox(fleet: Fleet) -> None:
    fleet.waits("web", "ContainerCreating")
    for pod in fleet.pods("web"):
        pod["spec"]["nodeName"] = NODES[0]
        fleet.event(pod, "FailedCreatePodSandBox", 'plugin type="calico" failed: no addresses left')


def cordoned(fleet: Fleet) -> None:
    for node in NODES:
        fleet.get("Node", node, "")["spec"]["unschedulable"] = True
    for app in ("web", "api"):
        fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) were unschedulable.")


def tainted(fleet: Fleet) -> None:
    taint = {"key": "env", "value": "dev", "effect": "NoSchedule"}
    for node in NODES:
        fleet.get("Node", node, "")["spec"]["taints"] = [taint]
    for app in ("web", "api"):
        fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) had untolerated taint {env: dev}.")


def full(fleet: Fleet) -> None:
    fleet.add(made("v1", "Pod", "shop", "hog", spec={"nodeName": NODES[0]}))
    for number, node in enumerate(NODES):
        container = {"name": "main", "image": "hog:1", "resources": {"requests": {"cpu": "3950m"}}}
        template = {"metadata": {"labels": {}}, "spec": {"containers": [container]}}
        fleet.pod(made("apps/v1", "DaemonSet", "shop", "hog"), f"hog-{number}", template, node)
    fleet.drop("Pod", "hog")
    for app in ("web", "api"):
        fleet.unscheduled(app, "0/3 nodes are available: 3 Insufficient cpu.")


EDGES: dict[Plant, Causes] = {
    e1_sealed: [("SEC-003", "SecretStore/vault in shop")],
    e2_no_service: [("SEC-003", "SecretStore/vault in shop")],
    e2_service_down: [("WKL-009", "Deployment/vault in shop")],
    e3_no_store: [("SEC-002", "SecretStore/vaultt in shop")],
    e5_wrong_key: [("SEC-201", "ExternalSecret/web-login in shop")],
    e12_deployment_short: [("WKL-009", "Deployment/web in shop")],
    e17_node_lost: [("LIV-204", "Node/node-a")],
    e19_provisioner: [("WKL-202", "PersistentVolumeClaim/data in shop")],
    e20_waits_for_pod: [("WKL-001", "nodes disk=ssd-web")],
    e22_attached_elsewhere: [("WKL-107", "PersistentVolumeClaim/data in shop")],
    e23_early_wave: [("ORD-005", "PersistentVolumeClaim/data in shop")],
    e25_supplier_failed: [("APP-003", "Application/mesh in argocd")],
    e26_names_taken: [("ORD-201", "CustomResourceDefinition/gates.mesh.example.com")],
    e27_operator_down: [("WKL-009", "Deployment/cnpg-controller-manager in shop")],
    e27_operator_missing: [("LIV-209", "operator postgresql.cnpg.io")],
    e28_plan_pending: [("LIV-210", "Subscription/op in shop")],
    e29_conversion: [("LIV-113", "webhook conversion of mesh.example.com/Gate")],
    e30_webhook_down: [("WKL-009", "Deployment/guard in shop")],
    e32_api_service: [("LIV-205", "APIService/v1beta1.metrics.k8s.io")],
    e34_issuer: [("SEC-203", "Issuer/ca in shop")],
    e35_challenge: [("SEC-204", "Challenge/web-1-1-1 in shop")],
    e37_no_address: [("LIV-208", "load balancer Service")],
    e38_gateway: [("LIV-206", "Gateway/edge in shop")],
    e39_ingress: [("LIV-207", "Ingress/web in shop")],
    e40_database_down: [("WKL-001", "nodes disk=ssd-db")],
    dns_down: [("WKL-009", "Deployment/coredns in kube-system")],
    dns_unreachable: [("LIV-211", "DNS of the cluster")],
    init_waits: [("WKL-001", "nodes disk=ssd-db")],
    told_wrong_port: [("WKL-203", "Deployment/web in shop")],
    e41_hook_failed: [("WKL-008", "Job/migrate in shop")],
    e43_hook_gone: [("LIV-111", "Job/migrate in shop")],
    e44_apply_forbidden: [("LIV-202", "account system:serviceaccount:argocd:argocd-application-controller")],
    e48_finalizer: [("LIV-010", "Widget/old in shop")],
    e50_child_blocks_parent: [("WKL-009", "Deployment/web in shop")],
    e52_no_namespace: [("APP-007", "Application/web in argocd")],
    e53_git_host: [("SRC-201", "repository git.example.com")],
    e53_branch: [("APP-001", "Application/web in argocd")],
    e54_repo_server: [("WKL-009", "Deployment/argocd-repo-server in argocd")],
    e54_controller: [("WKL-009", "Deployment/argocd-application-controller in argocd")],
    e55_credentials: [("LIV-108", "cluster https://kubernetes.default.svc")],
    e56_shared: [("OWN-001", "ConfigMap/web-config in shop")],
    e56_many_shared: [("OWN-001", "objects of other and web")],
    e58_by_hand: [("LIV-105", "sync policy by hand")],
    e58_window: [("LIV-114", "AppProject/default in argocd")],
    e60_stuck_revision: [("WKL-007", "StatefulSet/vault in shop")],
    e60_unscheduled: [("WKL-001", "nodes env=dev:NoSchedule"), ("WKL-007", "StatefulSet/vault in shop")],
    same_crash_in_both_revisions: [("WKL-008", "StatefulSet/vault in shop")],
    unscheduled_in_both_revisions: [("WKL-001", "nodes env=dev:NoSchedule")],
    never_scheduled: [("WKL-208", "scheduler default-scheduler")],
    no_sandbox: [("WKL-209", "network of node node-a")],
    cordoned: [("WKL-001", "nodes node-a node-b node-c")],
    tainted: [("WKL-001", "nodes env=dev:NoSchedule")],
    full: [("WKL-001", "nodes cpu")],
}


def test_a_claim_that_nothing_mounts_is_a_cause_only_where_an_app_waits_for_it() -> None:
    fleet = small()
    unused_claim(fleet)
    assert named(fleet) == [("WKL-202", "PersistentVolumeClaim/data in shop")]
    assert diagnose(fleet.snapshot(with_apps=False)).causes == ()


def named(fleet: Fleet) -> Causes:
    found = diagnose(fleet.snapshot())
    assert found.unexplained == ()
    return sorted((cause.finding.code, str(cause.thing)) for cause in found.causes)


@pytest.mark.parametrize("plant", EDGES, ids=lambda plant: plant.__name__)
def test_the_cause_is_named_and_its_effects_are_not(plant: Plant) -> None:
    fleet = small()
    plant(fleet)
    assert named(fleet) == EDGES[plant]


def recovered_store(fleet: Fleet) -> None:
    store(fleet, "", ready="True")
    es(fleet, conditions=[condition("Ready", "True", "SecretSynced")])


def optional_config(fleet: Fleet) -> None:
    for spec in fleet.change("web"):
        spec["containers"][0]["envFrom"] = [{"configMapRef": {"name": "absent", "optional": True}}]
    fleet.waits("web", "ContainerCreating")
    begin(fleet)


def restarted_once(fleet: Fleet) -> None:
    for pod in fleet.pods("web"):
        pod["status"]["containerStatuses"][0] |= {
            "restartCount": 3,
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}},
        }


def evicted_before(fleet: Fleet) -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "w:1"}]}}
    pod = fleet.pod(fleet.get("ReplicaSet", "web-5d7f", group="apps"), "web-5d7f-old", template)
    pod["status"] = {"phase": "Failed", "reason": "Evicted", "message": "low on resource: memory"}


def test_what_waits_for_an_app_does_not_follow_from_objects_that_the_app_shares() -> None:
    fleet = small()
    e25_supplier_failed(fleet)
    status = fleet.get("Application", "mesh", "argocd", "argoproj.io")["status"]
    failed = status["conditions"]
    share(fleet, "mesh", "limits", "users")
    status["conditions"] = [*failed, *status["conditions"]]
    found = {cause.finding.code: cause.affected for cause in diagnose(fleet.snapshot()).causes}
    assert found == {"APP-003": ("argocd/api", "argocd/mesh", "argocd/web"), "OWN-001": ("argocd/mesh",)}


def test_an_object_that_one_app_owns_and_the_other_leaves_alone_is_no_cause_beside_others() -> None:
    fleet = small()
    e53_branch(fleet)
    status = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]
    said = "Namespace/shop is part of applications argocd/web and argocd/api: argocd/api (a.yaml:2) owns it, argocd/web"
    status["conditions"].append({"type": "SharedResourceWarning", "message": f"{said} (b.yaml:2) does not write it"})
    assert named(fleet) == EDGES[e53_branch]


def test_a_supplier_that_only_shares_objects_is_no_cause_of_a_missing_kind() -> None:
    fleet = small()
    e25_supplier_failed(fleet)
    share(fleet, "mesh", "limits")
    assert {code for code, _thing in named(fleet)} == {"ORD-001", "OWN-001"}


def old_replica_set(fleet: Fleet) -> None:
    top = fleet.get("Deployment", "web", group="apps")
    old = fleet.add(owned(top, "apps/v1", "ReplicaSet", "web-old", spec={"replicas": 0, "template": {}}))
    old["status"] = {"conditions": [condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota")]}
    old["spec"]["replicas"] = 0


def unused_claim(fleet: Fleet) -> None:
    spec = {"storageClassName": "standard"}
    manage(fleet, made("v1", "PersistentVolumeClaim", "shop", "data", spec=spec, status={"phase": "Pending"}))


def cordoned_and_empty(fleet: Fleet) -> None:
    fleet.get("Node", NODES[2], "")["spec"]["unschedulable"] = True


def external_service(fleet: Fleet) -> None:
    fleet.add(made("v1", "Service", "shop", "outside", spec={"type": "ExternalName", "externalName": "example.com"}))
    fleet.add(made("v1", "Service", "shop", "bare", spec={"ports": [{"port": 80}]}))


def leader_service(fleet: Fleet) -> None:
    ports = [{"port": 80, "targetPort": 8080}]
    spec = {"selector": {"app": "web", "role": "replica"}, "ports": ports}
    fleet.add(made("v1", "Service", "shop", "web-replicas", spec=spec), "web")


def port_beside_a_sidecar(fleet: Fleet) -> None:
    """A container that declares no ports may listen on any, whatever an injected proxy declares."""
    for pod in fleet.pods("web"):
        main = {"name": "main", "image": "web:1"}
        pod["spec"]["containers"] = [main, {"name": "proxy", "image": "p:1", "ports": [{"containerPort": 15090}]}]
    ports = [{"port": 80, "targetPort": 8080}]
    fleet.add(made("v1", "Service", "shop", "web", spec={"selector": {"app": "web"}, "ports": ports}), "web")


def done_job(fleet: Fleet) -> None:
    job = fleet.add(made("batch/v1", "Job", "shop", "migrate", spec={}), "web")
    job["status"] = {"succeeded": 1, "conditions": [condition("Complete", "True")]}


def scaled_by_choice(fleet: Fleet) -> None:
    fleet.add(made("apps/v1", "Deployment", "shop", "spare", spec={"replicas": 0, "template": {}}))


def begin(fleet: Fleet) -> None:
    """Make what does not run be so for half a minute only."""
    for pod in fleet.pods("web"):
        pod["metadata"]["creationTimestamp"] = JUST_NOW
        pod["status"]["startTime"] = JUST_NOW
    fleet.get("Deployment", "web", group="apps")["status"] = {"starting": True}
    for kind, group in (("Deployment", "apps"), ("Application", "argoproj.io")):
        space = "argocd" if kind == "Application" else "shop"
        fleet.get(kind, "web", space, group)["metadata"]["creationTimestamp"] = JUST_NOW
    status = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]
    status["health"]["lastTransitionTime"] = JUST_NOW


def starting(fleet: Fleet) -> None:
    fleet.waits("web", "ContainerCreating")
    begin(fleet)


def starting_unscheduled(fleet: Fleet) -> None:
    for pod in fleet.pods("web"):
        pod["spec"].pop("nodeName")
        pod["status"] = {"phase": "Pending"}
    begin(fleet)


def starting_unready(fleet: Fleet) -> None:
    for pod in fleet.pods("web"):
        hold(pod, {"running": {"startedAt": JUST_NOW}})
        pod["status"]["phase"] = "Running"
        fleet.event(pod, "Unhealthy", "Readiness probe failed: connection refused")
    begin(fleet)


def syncing(fleet: Fleet) -> None:
    starting(fleet)
    status = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]
    status["operationState"] = {
        "phase": "Running",
        "startedAt": JUST_NOW,
        "message": "waiting for healthy state of apps/Deployment/web",
    }


NEAR_MISSES: tuple[Plant, ...] = (
    port_beside_a_sidecar,
    recovered_store,
    optional_config,
    restarted_once,
    evicted_before,
    old_replica_set,
    cordoned_and_empty,
    external_service,
    leader_service,
    done_job,
    scaled_by_choice,
    starting,
    starting_unscheduled,
    starting_unready,
    syncing,
)


@pytest.mark.parametrize("plant", NEAR_MISSES, ids=lambda plant: plant.__name__)
@pytest.mark.parametrize("with_apps", [True, False], ids=["apps", "dump"])
def test_what_is_well_or_only_starting_has_no_causes(plant: Plant, with_apps: bool) -> None:
    fleet = small()
    plant(fleet)
    found = diagnose(fleet.snapshot(with_apps=with_apps))
    assert [(cause.finding.code, cause.finding.message) for cause in found.causes] == []
    assert found.unexplained == ()
