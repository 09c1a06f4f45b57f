"""For each rule about an app: one app that it is about, and one that only looks like it.

Read by `tests.unit.diagnose.test_near_misses`, which also sees to it that no rule is left out. Every case is a handful
of objects; what the API server, the scheduler or the kubelet says is in their words.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, key_of
from syncline.core.assess import Assessment
from syncline.core.decide import decide
from syncline.core.diagnose.subjects import App
from syncline.model.claims import Claim, OtherApp, Standing
from syncline.model.decision import Decision, DecisionKind, Step, StepKind, Wait
from syncline.model.desired import DesiredObject
from syncline.model.reason import Reason
from syncline.model.snapshot import KindFact, Trouble
from tests.support.objects import (
    EARLIER,
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    deployment,
    desired,
    edited,
    hook,
    key,
    obj,
    origin,
    placed,
    service,
    tracked,
)

AUTO = {"automated": {"prune": True, "selfHeal": True}}
NODES = [
    obj("Node", name, namespace="", spec={}, status={"allocatable": {"cpu": "4", "memory": "8Gi"}}) for name in "ab"
]


@dataclasses.dataclass(frozen=True)
class Case:
    """An app of which a rule says something, and one of which it must not."""

    code: str
    true: App
    near: App
    about: str
    """What makes the difference."""


def look(app: Object | None = None, decision: Decision | None = None, **rest: Any) -> App:
    assessment: Assessment = assessed(app, **rest)
    return App(assessment, decision or decide(assessment, ()))


def live(value: Object, uid: str = "", owner: str = "", **status: Any) -> Object:
    """Return an object as the cluster has it, applied by us unless somebody owns it."""
    found = dict(value) if owner else as_applied(tracked(value))
    metadata = {**found["metadata"], "uid": uid or f"u-{value['metadata']['name']}", "resourceVersion": "1"}
    if owner:
        metadata["ownerReferences"] = [{"uid": owner, "kind": "x", "name": "x", "apiVersion": "v1"}]
    return {**found, "metadata": metadata, **({"status": status} if status else {})}


def trouble(message: str, reason: Reason = Reason.SOURCE_FAILED) -> App:
    return look(troubles=(Trouble(reason, message),))


def refused(
    message: str, value: Object | None = None, *, phase: str = "Failed", row: str = "Failed", **rest: Any
) -> App:
    """Return an app whose last sync could not apply one object, in these words."""
    value = value or deployment()
    metadata, group = value["metadata"], value["apiVersion"].rpartition("/")[0]
    entry = {
        "group": group,
        "version": "v1",
        "kind": value["kind"],
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "status": "SyncFailed",
        "message": message,
        "hookPhase": row,
        "syncPhase": "Sync",
        "hookType": rest.pop("hook_type", ""),
    }
    state = {
        "operation": {"sync": {}},
        "phase": phase,
        "startedAt": EARLIER,
        "finishedAt": EARLIER,
        "message": "failed",
        "syncResult": {"revision": SHA, "resources": [entry]},
    }
    app = application_object(status={"operationState": state}, **rest.pop("spec", {}))
    return look(app, wanted=desired(DesiredObject(value, origin())), **rest)


def running(status: dict[str, Any], *, pod: dict[str, Any] | None = None, **rest: Any) -> App:
    """Return an app of one Deployment with one pod of this status."""
    wanted = deployment()
    spec = {"containers": [{"name": "web", "image": "shop/web:1"}], **(pod or {})}
    wanted["spec"]["template"]["spec"] = spec
    objects = [
        live(wanted, "d"),
        live(obj("ReplicaSet", "web-1", api="apps/v1"), "r", "d"),
        live(obj("Pod", "web-1-x", spec=spec), "p", "r", **status),
    ]
    return look(wanted=desired(DesiredObject(wanted, origin())), live=objects, **rest)


def container(reason: str, message: str = "", **rest: Any) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return {"phase": "Pending", "containerStatuses": [{"name": "web", "state": state, **rest}]}


def ended(reason: str, code: int) -> dict[str, Any]:
    before = {"terminated": {"reason": reason, "exitCode": code}}
    return container("CrashLoopBackOff", "back-off", lastState=before, restartCount=3)


def unready(**entry: Any) -> App:
    started = {"name": "web", "ready": False, "state": {"running": {"startedAt": EARLIER}}}
    said = {"phase": "Running", "containerStatuses": [started]}
    return running(said, pod={"containers": [{"name": "web", "image": "shop/web:1", **entry}]})


def unscheduled(message: str, status: str = "False") -> App:
    condition = {"type": "PodScheduled", "status": status, "reason": "Unschedulable", "message": message}
    return running({"phase": "Pending", "conditions": [condition]}, surroundings=tuple(NODES))


def asking(cpu: str) -> Object:
    """Return a Deployment whose pods ask for an amount of cpu."""
    wanted = deployment()
    containers = [{"name": "web", "image": "shop/web:1", "resources": {"requests": {"cpu": cpu}}}]
    wanted["spec"]["template"]["spec"] = {"containers": containers}
    return wanted


NOT_QUANTITIES = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def drained(replicas: int) -> App:
    """Return an app with a budget that keeps one pod, as many pods as are wanted, and a node that is being drained."""
    budget = obj("PodDisruptionBudget", "web", api="policy/v1", spec={"minAvailable": 1, "selector": {}})
    counts: dict[str, Any] = {"expectedPods": replicas, "desiredHealthy": 1, "disruptionsAllowed": replicas - 1}
    node = obj("Node", "n1", namespace="", spec={"unschedulable": True})
    pod = obj("Pod", "web-1", spec={"nodeName": "n1", "containers": []})
    return look(wanted=desired(budget), live=[live(budget, **counts), live(pod)], surroundings=(node,))


def claim(phase: str, **rest: Any) -> App:
    value = obj("PersistentVolumeClaim", "data", spec={"storageClassName": "fast-ssd"})
    classes = (obj("StorageClass", "standard", api="storage.k8s.io/v1", namespace=""),)
    return look(wanted=desired(value), live=[live(value, phase=phase)], **({"surroundings": classes} | rest))


def provisioned(phase: str) -> App:
    """Return an app with a claim of a class that exists, whose provisioner has failed at least once."""
    classes = (obj("StorageClass", "fast-ssd", api="storage.k8s.io/v1", namespace=""),)
    about = {"kind": "PersistentVolumeClaim", "namespace": "shop", "name": "data"}
    said = obj("Event", "e", involvedObject=about, reason="ProvisioningFailed", message="volume quota exceeded")
    return claim(phase, surroundings=classes, events=(said,))


def served(*objects: Object, **rest: Any) -> App:
    """Return an app whose objects are all live as Git has them."""
    return look(wanted=desired(*objects), live=[live(one) for one in objects], **rest)


def resting(reason: Reason) -> App:
    return look(
        wanted=desired(config_map()),
        live=[live(config_map())],
        decision=Decision(kind=DecisionKind.REST, reason=reason),
    )


def waiting(*, stuck: bool) -> App:
    wait = Wait(key=key("Deployment", "web", group="apps"), reason=Reason.WAITING_FOR_HEALTH, stuck=stuck)
    step = Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_HEALTH, waits=(wait,))
    decision = Decision(kind=DecisionKind.PROCEED, reason=Reason.OPERATION_RUNNING, step=step)
    return look(wanted=desired(config_map()), live=[live(config_map())], decision=decision)


RENDER_WAITS = "RenderWaitingWarning"


def turned(kind: str) -> App:
    """Return an app with a condition of a kind about a render that waits."""
    words = (
        "WaitingForRender: the render waits for its turn since 2026-03-01T08:00:00Z: other renders of project shop run"
    )
    condition = {"type": kind, "message": f"{words} (wait)", "lastTransitionTime": EARLIER}
    app = application_object(status={"conditions": [condition]})
    return look(app, wanted=desired(config_map()), live=[live(config_map())])


def ingress(port: int) -> Object:
    backend = {"service": {"name": "web", "port": {"number": port}}}
    rule = {"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}
    return obj("Ingress", "web", api="networking.k8s.io/v1", spec={"rules": [rule]})


def scaler(target: str, least: int = 1) -> Object:
    spec = {
        "minReplicas": least,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target},
        "maxReplicas": 3,
    }
    return obj("HorizontalPodAutoscaler", "web", api="autoscaling/v2", spec=spec)


def labelled(labels: dict[str, str]) -> App:
    """Return an app whose Deployment has these labels on its pods, and selects app=web."""
    wanted = deployment()
    wanted["spec"]["selector"] = {"matchLabels": {"app": "web"}}
    wanted["spec"]["template"]["metadata"] = {"labels": labels}
    return look(wanted=desired(wanted))


def leading(selector: str) -> App:
    return served(deployment(), obj("Service", "web", spec={"selector": {"app": selector}, "ports": [{"port": 80}]}))


def deleting(*finalizers: str, at: str = EARLIER) -> App:
    value = live(config_map())
    value["metadata"] |= {"deletionTimestamp": at, "finalizers": list(finalizers)}
    return look(wanted=desired(config_map()), live=[value])


def changed(by: str, **rest: Any) -> App:
    """Return an app with a field that is not as Git has it, written last by somebody."""
    before = live(config_map())
    value = edited(before, {**before, "data": {"colour": "red"}}, manager=by)
    state = {
        "operation": {"sync": {}},
        "phase": "Succeeded",
        "startedAt": EARLIER,
        "finishedAt": EARLIER,
        "syncResult": {"revision": SHA, "resources": []},
    }
    app = application_object(status={"operationState": state})
    return look(app, wanted=desired(DesiredObject(config_map(), placed({"data.colour": 7}))), live=[value], **rest)


def accepted(field: str) -> App:
    entry = [{"kind": "ConfigMap", "jsonPointers": [f"/data/{field}"], "reason": "agreed", "expires": "2099-01-01"}]
    app = application_object(metadata={"annotations": {"syncline.io/accepted-drift": json.dumps(entry)}})
    return look(app, wanted=desired(config_map()), live=[live(config_map(data={"colour": "red"}))])


def ignoring(kind: str) -> App:
    app = application_object(ignoreDifferences=[{"group": "", "kind": kind, "jsonPointers": ["/data/colour"]}])
    return look(app, wanted=desired(config_map()), live=[live(config_map(data={"colour": "red"}))])


def hooked(phase: str) -> App:
    return refused("Job has reached the specified backoff limit", hook(), row=phase, hook_type="PreSync")


def fields(spec: dict[str, Any]) -> Object:
    value = deployment()
    value["spec"] |= spec
    return value


SERVED = (KindFact(GroupKind("apps", "Deployment"), namespaced=True, versions=("v1",)),)
FINE = served(config_map())
"""An app of which nothing is to be said."""
LOGIN = {"imagePullSecrets": [{"name": "regcred"}]}
QUOTA = (
    'pods "x" is forbidden: exceeded quota: team, requested: requests.cpu=1, used: requests.cpu=2, '
    "limited: requests.cpu=2"
)


def controlled(message: str) -> App:
    """Return an app whose Deployment gets no pods, in these words."""
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    value = live(deployment(), "d", conditions=[condition])
    return look(wanted=desired(deployment()), live=[value])


def balanced(made: str) -> App:
    """Return an app with a Service that has no address since it was made."""
    spec = {"type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"port": 80}]}
    value = obj("Service", "web", spec=spec)
    found = live(value, loadBalancer={})
    found["metadata"]["creationTimestamp"] = made
    return look(wanted=desired(value), live=[found])


def rival(value: Object) -> dict[str, Any]:
    """Return another app that desires an object."""
    other = OtherApp("argocd", "twin", Standing.KNOWN, EARLIER)
    return {"others": (other,), "claims": (Claim(key_of(value), other.title),)}


def asking_store(ready: str) -> App:
    """Return an app with an ExternalSecret that its provider has no key for, and a store in some state."""
    api = "external-secrets.io/v1"
    spec = {"secretStoreRef": {"name": "vault", "kind": "SecretStore"}, "target": {"name": "login"}}
    wanted = obj("ExternalSecret", "login", api=api, spec={**spec, "data": [{"remoteRef": {"key": "prod/db"}}]})
    store = obj("SecretStore", "vault", api=api, spec={}, status={"conditions": [{"type": "Ready", "status": ready}]})
    failed = {"type": "Ready", "status": "False", "reason": "SecretSyncedError", "message": "could not get secret data"}
    return look(wanted=desired(wanted), live=[live(wanted, conditions=[failed])], surroundings=(store,))


def event(reason: str, message: str) -> Object:
    """Return an Event about the pod of `running`."""
    about = {"kind": "Pod", "namespace": "shop", "name": "web-1-x", "uid": "p"}
    return obj("Event", "e", involvedObject=about, reason=reason, message=message, type="Warning")


CASES = (
    Case(
        "APP-001",
        trouble("unable to resolve 'mian' to a commit SHA"),
        trouble("unable to resolve host git.example.com"),
        "a name of a server is no revision",
    ),
    Case(
        "APP-003",
        trouble("deploy: app path does not exist"),
        trouble("/tmp/x: no such file or directory"),
        "a file that a tool misses is no path of the Application",
    ),
    Case("SRC-001", trouble("`helm template` failed: x"), trouble("deploy: app path does not exist"), "a closer rule"),
    Case(
        "SRC-101",
        look(wanted=msgspec.structs.replace(desired(), manifest_warnings=("deploy makes no objects",))),
        look(wanted=desired()),
        "no objects are all right where somebody meant it",
    ),
    Case(
        "SRC-008",
        look(wanted=desired(config_map(), config_map()), live=[live(config_map())]),
        served(config_map(), config_map("other")),
        "another name",
    ),
    Case(
        "APP-007",
        look(
            application_object(destination={"server": "https://kubernetes.default.svc"}),
            wanted=desired(obj("ConfigMap", "a", namespace="")),
        ),
        look(wanted=desired(obj("ConfigMap", "a", namespace=""))),
        "the destination has a namespace",
    ),
    Case(
        "APP-005",
        trouble("Application referencing project x which does not exist", Reason.SPEC_INVALID),
        trouble("spec.destination: write server or name, not both", Reason.SPEC_INVALID),
        "no project has to do with it",
    ),
    Case(
        "APP-101",
        trouble("spec.destination: write server or name, not both", Reason.SPEC_INVALID),
        trouble("Application referencing project x which does not exist", Reason.SPEC_INVALID),
        "a closer rule",
    ),
    Case(
        "LIV-108",
        trouble("Failed to load live state: no answer", Reason.CLUSTER_UNREACHABLE),
        trouble("failed to list refs: no answer"),
        "it is the server of the repository",
    ),
    Case(
        "DIF-101",
        look(wanted=desired(config_map(labels=["a"]))),
        look(wanted=desired(config_map(labels={"a": "b"}))),
        "labels are a mapping",
    ),
    Case(
        "OWN-007",
        refused('Deployment.apps "web" is invalid: spec.selector: Invalid value: "x": field is immutable'),
        refused('Deployment.apps "web" is invalid: spec.selector: Required value'),
        "a field that is missing can be added",
    ),
    Case(
        "OWN-001",
        look(wanted=desired(config_map()), live=[live(config_map())], **rival(config_map())),
        look(wanted=desired(config_map()), live=[live(config_map())], **rival(config_map("other"))),
        "the other app has another object",
    ),
    Case(
        "SRC-011",
        refused(
            "The Kubernetes API could not find app/Deployment", deployment() | {"apiVersion": "app/v1"}, kinds=SERVED
        ),
        refused("The Kubernetes API could not find acme.io/Gate", obj("Gate", "a", api="acme.io/v1"), kinds=SERVED),
        "nothing near is served",
    ),
    Case(
        "ORD-001",
        refused("The Kubernetes API could not find acme.io/Gate", obj("Gate", "a", api="acme.io/v1"), kinds=SERVED),
        refused(
            "The Kubernetes API could not find app/Deployment", deployment() | {"apiVersion": "app/v1"}, kinds=SERVED
        ),
        "it is misspelled",
    ),
    Case(
        "APP-008",
        refused('namespaces "shopp" not found'),
        refused('secrets "shopp" not found'),
        "it is no namespace",
    ),
    Case(
        "LIV-112",
        refused('admission webhook "a.example.io" denied the request: no'),
        refused('failed calling webhook "a.example.io": no route to host'),
        "it gave no answer, so it denied nothing",
    ),
    Case(
        "LIV-113",
        refused('Internal error occurred: failed calling webhook "a.example.io": no route to host'),
        refused('admission webhook "a.example.io" denied the request: no'),
        "it gave an answer",
    ),
    Case("WKL-004", refused(QUOTA), refused('pods "x" is forbidden: maximum cpu usage per Pod is 2'), "a LimitRange"),
    Case(
        "SRC-009",
        refused("failed to create typed patch object: .spec.replcas: field not declared in schema"),
        refused("failed to create typed patch object: .spec.replicas: expected numeric (int or float), got string"),
        "the field is right, its value is not",
    ),
    Case(
        "SRC-013",
        refused(f"unable to convert unstructured object: {NOT_QUANTITIES}", asking("2cores")),
        refused("something new", asking("2")),
        "it is one",
    ),
    Case("LIV-111", hooked("Failed"), refused("no", config_map()), "it is no hook"),
    Case("LIV-109", refused("something new"), refused("something new", phase="Succeeded"), "a later try succeeded"),
    Case("WKL-101", claim("Pending"), claim("Bound"), "a claim that is bound needs its class no more"),
    Case("WKL-202", provisioned("Pending"), provisioned("Bound"), "it has its volume by now"),
    Case(
        "SEC-004",
        running(container("CreateContainerConfigError", 'secret "login" not found')),
        running(container("CreateContainerConfigError", "container has runAsNonRoot and image will run as root")),
        "nothing is missing",
    ),
    Case(
        "SEC-201",
        asking_store("True"),
        asking_store("False"),
        "its store is not ready: that is the cause",
    ),
    Case(
        "WKL-105",
        served(deployment(), scaler("wbe")),
        look(wanted=desired(deployment(), scaler("web")), live=[live(scaler("web"))]),
        "the target is in Git and comes along",
    ),
    Case(
        "WKL-003",
        running(
            container("ImagePullBackOff", "401 Unauthorized"),
            pod=LOGIN,
            events=(event("FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (regcred)"),),
        ),
        running(container("ImagePullBackOff", "not found"), pod=LOGIN),
        "the secret is there",
    ),
    Case(
        "WKL-002",
        running(container("ImagePullBackOff", "not found")),
        running(container("ContainerCreating")),
        "it is still being pulled",
    ),
    Case("WKL-009", running(ended("OOMKilled", 137)), running(ended("Error", 137)), "killed, and not for memory"),
    Case(
        "WKL-008",
        running(ended("Error", 1)),
        running(container("PodInitializing")),
        "it has yet to start",
    ),
    Case(
        "WKL-102",
        unready(readinessProbe={"httpGet": {"port": 8081}}, ports=[{"containerPort": 8080}]),
        unready(ports=[{"containerPort": 8080}]),
        "there is no probe, so the kubelet decides",
    ),
    Case(
        "WKL-001",
        unscheduled("0/2 nodes are available: 2 Insufficient cpu."),
        unscheduled("", status="True"),
        "it has a node",
    ),
    Case(
        "WKL-106",
        controlled("pods is forbidden: maximum memory usage per Container is 512Mi, but limit is 1Gi"),
        controlled(QUOTA),
        "a closer rule",
    ),
    Case(
        "WKL-107",
        running(container("ContainerCreating"), events=(event("FailedAttachVolume", "Multi-Attach error"),)),
        running(container("ContainerCreating"), events=(event("FailedMount", 'configmap "a" not found'),)),
        "a closer rule",
    ),
    Case("DIF-003", served(deployment(), scaler("web", 3)), served(deployment(), scaler("web", 1)), "both agree"),
    Case("WKL-108", balanced("2026-03-01T08:00:00Z"), balanced("2026-03-01T08:29:00Z"), "it is only starting"),
    Case("WKL-006", leading("wbe"), leading("web"), "the pods have the label"),
    Case("WKL-109", labelled({"app": "wbe"}), labelled({"app": "web", "tier": "front"}), "it selects them"),
    Case("WKL-103", served(service(), ingress(8080)), served(service(), ingress(80)), "the Service has the port"),
    Case(
        "WKL-104",
        served(deployment(replicas=0), service()),
        served(deployment(replicas=0), service(), scaler("web")),
        "an autoscaler decides",
    ),
    Case("WKL-112", drained(1), drained(2), "one may go"),
    Case("LIV-010", deleting("example.io/guard"), deleting("example.io/guard", at="2026-03-01T08:29:59Z"), "just now"),
    Case("LIV-003", waiting(stuck=True), waiting(stuck=False), "it makes progress"),
    Case("LIV-115", turned(RENDER_WAITS), turned("RepeatedResourceWarning"), "another condition"),
    Case("LIV-110", waiting(stuck=False), waiting(stuck=True), "another rule says more"),
    Case("LIV-114", resting(Reason.SYNC_WINDOW), resting(Reason.PAUSED), "nobody holds it but its owner"),
    Case("DIF-013", changed("argocd-controller"), changed("kubectl-edit"), "somebody else wrote it since"),
    Case("LIV-101", changed("kubectl-edit"), FINE, "nothing differs"),
    Case(
        "LIV-102",
        look(wanted=desired(config_map())),
        look(wanted=desired(config_map()), live=[live(config_map())]),
        "it is there",
    ),
    Case(
        "LIV-103",
        look(wanted=desired(config_map()), live=[live(config_map()), live(config_map("old"))]),
        look(wanted=desired(config_map()), live=[live(config_map()), live(config_map("old"), owner="u-settings")]),
        "another object owns it",
    ),
    Case(
        "LIV-104",
        look(wanted=desired(config_map(data={"colour": "red"})), live=[live(config_map())]),
        changed("kubectl-edit"),
        "the cluster was changed, not Git",
    ),
    Case("LIV-005", resting(Reason.FAILED_BEFORE), resting(Reason.PAUSED), "nothing failed"),
    Case("LIV-105", resting(Reason.PAUSED), resting(Reason.FAILED_BEFORE), "there is nothing to do"),
    Case("DIF-005", ignoring("Secret"), ignoring("ConfigMap"), "the rule does something"),
    Case("LIV-107", accepted("colour"), accepted("size"), "another field was agreed on"),
    Case(
        "LIV-106",
        look(wanted=desired(deployment()), live=[live(deployment(), observedGeneration=1, replicas=1)]),
        FINE,
        "a ConfigMap has no health of its own",
    ),
)
