"""Faults to plant in the fleet of `tests.support.sick_fleet`: each breaks one app in one place, and names its cause.

A fault is given a fleet and the name of an app whose Deployment, Service and ConfigMap have that name, and returns the
code and the place of the cause that must be found. What shows of it everywhere else follows by itself.
"""

from collections.abc import Callable
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from tests.support.sick_fleet import HOURS_AGO, Fleet, condition, hold, made

Planted = tuple[str, str]
Fault = Callable[[Fleet, str], Planted]


def image_tag(fleet: Fleet, app: str) -> Planted:
    image = f"registry.example.com/{app}:1.5"
    for spec in fleet.change(app):
        spec["containers"][0]["image"] = image
    said = f'failed to pull and unpack image "{image}": failed to resolve reference "{image}": {image}: not found'
    fleet.waits(app, "ImagePullBackOff", f'Back-off pulling image "{image}": ErrImagePull: {said}')
    return "WKL-002", f"image {image}"


def pull_denied(fleet: Fleet, app: str) -> Planted:
    image = f"private.example.com/{app}/web:1"
    for spec in fleet.change(app):
        spec["containers"][0]["image"] = image
    said = f'failed to pull and unpack image "{image}": unexpected status: 401 Unauthorized'
    fleet.waits(app, "ErrImagePull", said)
    return "WKL-003", f"registry private.example.com/{app}"


def pull_secret(fleet: Fleet, app: str) -> Planted:
    image = f"private.example.com/{app}/web:1"
    for spec in fleet.change(app):
        spec["containers"][0]["image"] = image
        spec["imagePullSecrets"] = [{"name": f"{app}-pull"}]
    fleet.waits(app, "ErrImagePull", f'failed to pull "{image}": 401 Unauthorized')
    said = f"Unable to retrieve some image pull secrets ({app}-pull); attempting to pull the image may not succeed."
    for pod in fleet.pods(app):
        fleet.event(pod, "FailedToRetrieveImagePullSecret", said)
    return "SEC-004", f"Secret/{app}-pull in shop"


def registry_host(fleet: Fleet, app: str) -> Planted:
    host = f"{app}.registry.test"
    for spec in fleet.change(app):
        spec["containers"][0]["image"] = f"{host}/{app}:1"
    fleet.waits(app, "ErrImagePull", f"dial tcp: lookup {host} on 10.0.0.10:53: no such host")
    return "WKL-201", f"registry {host}"


def missing_secret(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        reference = {"secretKeyRef": {"name": f"{app}-login", "key": "password"}}
        spec["containers"][0]["env"] = [{"name": "PASSWORD", "valueFrom": reference}]
    fleet.waits(app, "CreateContainerConfigError", f'secret "{app}-login" not found')
    return "SEC-004", f"Secret/{app}-login in shop"


def missing_config(fleet: Fleet, app: str) -> Planted:
    fleet.drop("ConfigMap", f"{app}-config")
    fleet.managed[app].remove(ObjectKey("", "ConfigMap", "shop", f"{app}-config"))
    fleet.waits(app, "CreateContainerConfigError", f'configmap "{app}-config" not found')
    return "SEC-004", f"ConfigMap/{app}-config in shop"


def missing_key(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        reference = {"configMapKeyRef": {"name": f"{app}-config", "key": "LEVELS"}}
        spec["containers"][0]["env"] = [{"name": "LEVELS", "valueFrom": reference}]
    fleet.waits(app, "CreateContainerConfigError", f"couldn't find key LEVELS in ConfigMap shop/{app}-config")
    return "SEC-004", f"ConfigMap/{app}-config in shop"


def missing_mount(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        spec["volumes"] = [{"name": "files", "configMap": {"name": f"{app}-files"}}]
    fleet.waits(app, "ContainerCreating")
    for pod in fleet.pods(app):
        fleet.event(
            pod, "FailedMount", f'MountVolume.SetUp failed for volume "files" : configmap "{app}-files" not found'
        )
    return "SEC-004", f"ConfigMap/{app}-files in shop"


def selector(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        spec["nodeSelector"] = {"disk": f"ssd-{app}"}
    fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    return "WKL-001", f"nodes disk=ssd-{app}"


def affinity(fleet: Fleet, app: str) -> Planted:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": [app]}]}
    for spec in fleet.change(app):
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
        spec["affinity"] = {"nodeAffinity": required}
    fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    return "WKL-001", f"nodes zone In {app}"


def anti_affinity(fleet: Fleet, app: str) -> Planted:
    fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.")
    return "WKL-001", f"Deployment/{app} in shop"


def too_big(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        spec["containers"][0]["resources"]["requests"]["memory"] = "64Gi"
    fleet.unscheduled(app, "0/3 nodes are available: 3 Insufficient memory.")
    return "WKL-001", f"Deployment/{app} in shop"


def gpu(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        spec["containers"][0]["resources"]["requests"][f"{app}.com/gpu"] = "1"
    fleet.unscheduled(app, f"0/3 nodes are available: 3 Insufficient {app}.com/gpu.")
    return "WKL-001", f"nodes {app}.com/gpu"


def out_of_memory(fleet: Fleet, app: str) -> Planted:
    fleet.crashes(app, code=137, reason="OOMKilled")
    return "WKL-009", f"Deployment/{app} in shop"


def bad_config(fleet: Fleet, app: str) -> Planted:
    fleet.crashes(app, "starting", "fatal: environment variable DATABASE_URL is not set")
    return "WKL-008", f"Deployment/{app} in shop"


def bad_command(fleet: Fleet, app: str) -> Planted:
    said = 'failed to create containerd task: exec: "servee": executable file not found in $PATH: unknown'
    fleet.crashes(app, code=128, reason="StartError")
    for pod in fleet.pods(app):
        for status in pod["status"]["containerStatuses"]:
            status["lastState"]["terminated"]["message"] = said
    return "WKL-008", f"Deployment/{app} in shop"


def wrong_host(fleet: Fleet, app: str) -> Planted:
    fleet.crashes(app, f"Error: getaddrinfo ENOTFOUND {app}-databse")
    return "WKL-203", f"Deployment/{app} in shop"


def outside_host(fleet: Fleet, app: str) -> Planted:
    fleet.crashes(app, f"dial tcp: lookup {app}.db.example.com on 10.0.0.10:53: no such host")
    return "WKL-203", f"host {app}.db.example.com"


def wrong_login(fleet: Fleet, app: str) -> Planted:
    fleet.crashes(app, 'FATAL: password authentication failed for user "web"')
    return "WKL-204", f"Deployment/{app} in shop"


def no_permission(fleet: Fleet, app: str) -> Planted:
    fleet.crashes(app, "mkdir /data/cache: permission denied")
    return "WKL-205", f"Deployment/{app} in shop"


def forbidden(fleet: Fleet, app: str) -> Planted:
    user = f"system:serviceaccount:shop:{app}"
    what = 'leases.coordination.k8s.io is forbidden: User "%s" cannot get resource "leases" in API group '
    fleet.crashes(app, (what % user) + '"coordination.k8s.io" in the namespace "shop"')
    return "LIV-202", f"account {user}"


def probe_port(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        spec["containers"][0]["readinessProbe"] = {"httpGet": {"path": "/ready", "port": 9090}}
    for pod in fleet.pods(app):
        hold(pod, {"running": {"startedAt": HOURS_AGO}})
        pod["status"]["phase"] = "Running"
        fleet.event(pod, "Unhealthy", "Readiness probe failed: dial tcp 10.1.0.4:9090: connect: connection refused")
    return "WKL-102", f"Deployment/{app} in shop"


def quota(fleet: Fleet, app: str) -> Planted:
    said = f'pods "{app}-x" is forbidden: exceeded quota: {app}, requested: pods=1, used: pods=10, limited: pods=10'
    _no_pods(fleet, app, said)
    amounts = {"pods": "10"}
    fleet.add(
        made("v1", "ResourceQuota", "shop", app, spec={"hard": amounts}, status={"hard": amounts, "used": amounts})
    )
    return "WKL-004", f"ResourceQuota/{app} in shop"


def pod_security(fleet: Fleet, app: str) -> Planted:
    said = f'pods "{app}-x" is forbidden: violates PodSecurity "restricted:{app}": runAsNonRoot != true'
    _no_pods(fleet, app, said)
    return "LIV-112", f"policy PodSecurity restricted:{app}"


def no_account(fleet: Fleet, app: str) -> Planted:
    for spec in fleet.change(app):
        spec["serviceAccountName"] = f"{app}-runner"
    _no_pods(
        fleet,
        app,
        f'pods "{app}-x" is forbidden: error looking up service account shop/{app}-runner: '
        f'serviceaccount "{app}-runner" not found',
    )
    return "SEC-004", f"ServiceAccount/{app}-runner in shop"


def _no_pods(fleet: Fleet, app: str, message: str) -> None:
    for pod in fleet.pods(app):
        fleet.drop("Pod", pod["metadata"]["name"])
    replica_set = fleet.get("ReplicaSet", f"{app}-5d7f", group="apps")
    replica_set["status"] = {"conditions": [condition("ReplicaFailure", "True", "FailedCreate", message)]}


def service_selector(fleet: Fleet, app: str) -> Planted:
    fleet.get("Service", app)["spec"]["selector"] = {"app": f"{app}-v2"}
    return "WKL-006", f"Service/{app} in shop"


def service_port(fleet: Fleet, app: str) -> Planted:
    fleet.get("Service", app)["spec"]["ports"][0]["targetPort"] = 9999
    return "WKL-006", f"Service/{app} in shop"


def scaled_down(fleet: Fleet, app: str) -> Planted:
    for pod in fleet.pods(app):
        fleet.drop("Pod", pod["metadata"]["name"])
    for kind, name in (("Deployment", app), ("ReplicaSet", f"{app}-5d7f")):
        fleet.get(kind, name, group="apps")["spec"]["replicas"] = 0
    return "WKL-006", f"Deployment/{app} in shop"


def storage_class(fleet: Fleet, app: str) -> Planted:
    _claim(fleet, app, storageClassName=f"fast-{app}")
    return "WKL-101", f"StorageClass/fast-{app}"


def volume_mode(fleet: Fleet, app: str) -> Planted:
    fleet.add(
        made(
            "v1",
            "PersistentVolume",
            "",
            f"{app}-disk",
            spec={"storageClassName": "", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "10Gi"}},
        )
    )
    _claim(fleet, app, storageClassName="", accessModes=["ReadWriteMany"])
    return "WKL-202", f"PersistentVolumeClaim/{app}-data in shop"


def _claim(fleet: Fleet, app: str, **spec: Any) -> None:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    fleet.add(made("v1", "PersistentVolumeClaim", "shop", f"{app}-data", spec=wanted, status={"phase": "Pending"}), app)
    for pod in fleet.change(app):
        pod["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"{app}-data"}}]
    fleet.unscheduled(app, "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.")


def immutable(fleet: Fleet, app: str) -> Planted:
    key = ObjectKey("apps", "Deployment", "shop", app)
    fleet.failed_sync(app, key, f'Deployment.apps "{app}" is invalid: spec.selector: Invalid value: field is immutable')
    return "OWN-007", f"Deployment/{app} in shop"


def missing_kind(fleet: Fleet, app: str) -> Planted:
    key = ObjectKey(f"{app}.example.com", "Widget", "shop", app)
    said = f"The Kubernetes API could not find {app}.example.com/Widget for requested resource shop/{app}. Make sure "
    fleet.failed_sync(app, key, said + 'the "Widget" CRD is installed on the destination cluster.')
    return "ORD-001", f"kinds {app}.example.com"


def denied(fleet: Fleet, app: str) -> Planted:
    key = ObjectKey("apps", "Deployment", "shop", app)
    fleet.failed_sync(app, key, f'admission webhook "{app}.policy.test" denied the request: label owner is required')
    return "LIV-112", f"policy {app}.policy.test"


def webhook_gone(fleet: Fleet, app: str) -> Planted:
    key = ObjectKey("apps", "Deployment", "shop", app)
    hook = {"name": f"{app}.hook.test", "clientConfig": {"service": {"namespace": "shop", "name": f"{app}-hook"}}}
    fleet.add(made("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", app, webhooks=[hook]))
    said = f'Internal error occurred: failed calling webhook "{app}.hook.test": failed to call webhook: Post '
    fleet.failed_sync(app, key, said + f'"https://{app}-hook.shop.svc:443/": service "{app}-hook" not found')
    return "LIV-113", f"webhook {app}.hook.test"


def no_namespace(fleet: Fleet, app: str) -> Planted:
    key = ObjectKey("", "ConfigMap", f"{app}-space", "settings")
    fleet.failed_sync(app, key, f'namespaces "{app}-space" not found')
    return "APP-008", f"Namespace/{app}-space"


def unknown_field(fleet: Fleet, app: str) -> Planted:
    key = ObjectKey("", "Service", "shop", app)
    fleet.failed_sync(app, key, 'strict decoding error: unknown field "spec.typo"')
    return "SRC-009", f"Service/{app} in shop"


def store(fleet: Fleet, app: str) -> Planted:
    group = "external-secrets.io"
    fleet.add(
        made(
            f"{group}/v1",
            "SecretStore",
            "shop",
            f"{app}-vault",
            spec={"provider": {"vault": {"server": "https://vault.example.com"}}},
            status={"conditions": [condition("Ready", "False", "InvalidProviderConfig", "Code: 503. Vault is sealed")]},
        ),
        app,
    )
    reference = {"kind": "SecretStore", "name": f"{app}-vault"}
    fleet.add(
        made(
            f"{group}/v1",
            "ExternalSecret",
            "shop",
            f"{app}-login",
            spec={"secretStoreRef": reference, "target": {"name": f"{app}-login"}},
            status={"conditions": [condition("Ready", "False", "SecretSyncedError", "could not get secret data")]},
        ),
        app,
    )
    missing_secret(fleet, app)
    return "SEC-003", f"SecretStore/{app}-vault in shop"


FAULTS: tuple[Fault, ...] = (
    image_tag,
    pull_denied,
    pull_secret,
    registry_host,
    missing_secret,
    missing_config,
    missing_key,
    missing_mount,
    selector,
    affinity,
    anti_affinity,
    too_big,
    gpu,
    out_of_memory,
    bad_config,
    bad_command,
    wrong_host,
    outside_host,
    wrong_login,
    no_permission,
    forbidden,
    probe_port,
    quota,
    pod_security,
    no_account,
    service_selector,
    service_port,
    scaled_down,
    storage_class,
    volume_mode,
    immutable,
    missing_kind,
    denied,
    webhook_gone,
    no_namespace,
    unknown_field,
    store,
)
NEED_EVENTS = {pull_secret}
"""What leaves no trace but Events, as long as Secrets are not listed."""
SHOW_WITHOUT_APPS = {service_selector, service_port, scaled_down}
"""What leaves an Application Synced and Healthy: only a dump without Applications has it as a symptom."""
