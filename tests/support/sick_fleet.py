"""A fleet of Applications whose objects live together as they would on a cluster, to plant faults in.

`Fleet` holds objects that may be changed until `snapshot` is called; what controllers would write (the status of
workloads, endpoints, the health of Applications) is then worked out from the pods, so that a fault is planted in one
place and shows everywhere. Used by the tests of `syncline.core.diagnose.graph` and by `bench.diagnose`.
"""

import copy
from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.health.assess import assess
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Rendered
from syncline.model.health import HealthCode
from syncline.model.snapshot import PodLog

NOW = "2026-03-02T12:00:00Z"
LONG_AGO = "2026-03-01T08:00:00Z"
HOURS_AGO = "2026-03-02T09:00:00Z"
JUST_NOW = "2026-03-02T11:59:30Z"
SERVER = "https://kubernetes.default.svc"
NODES = ("node-a", "node-b", "node-c")


def made(api: str, kind: str, namespace: str, name: str, **rest: Any) -> Object:
    """Return an object with the metadata that a server gives it."""
    metadata: dict[str, Any] = {"name": name, "uid": f"{kind}-{namespace}-{name}", "creationTimestamp": LONG_AGO}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def owned(owner: Object, api: str, kind: str, name: str, **rest: Any) -> Object:
    """Return an object that another one owns."""
    above = owner["metadata"]
    obj = made(api, kind, above.get("namespace", ""), name, **rest)
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": above["name"], "uid": above["uid"]}
    obj["metadata"]["ownerReferences"] = [{**reference, "controller": True}]
    return obj


def condition(kind: str, status: str, reason: str = "", message: str = "", since: str = HOURS_AGO) -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}


class Fleet:
    """One cluster with everything on it, Applications included."""

    def __init__(self, name: str = "prod") -> None:
        self.name = name
        self.objects: dict[ObjectKey, Object] = {}
        self.events: list[Object] = []
        self.logs: list[PodLog] = []
        self.rendered: list[Rendered] = []
        self.managed: dict[str, list[ObjectKey]] = {}
        self.differing: set[tuple[str, ObjectKey]] = set()
        """What differs from Git though it is there, of which app."""
        self.hidden: set[str] = set()
        for kind in ("kube-system", "argocd"):
            self.namespace(kind)
        for node in NODES:
            self.add(_node(node))
        self.add(
            made(
                "storage.k8s.io/v1",
                "StorageClass",
                "",
                "standard",
                provisioner="csi.example.com",
                volumeBindingMode="WaitForFirstConsumer",
            )
        )
        self.add(made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "externalsecrets.external-secrets.io"))
        self.add(made("scheduling.k8s.io/v1", "PriorityClass", "", "system-cluster-critical", value=2000000000))

    def add(self, obj: Object, app: str = "") -> Object:
        """Put an object on the cluster, under an app if one is named."""
        key = key_of(obj)
        self.objects[key] = obj
        if app:
            self.managed.setdefault(app, []).append(key)
        return obj

    def get(self, kind: str, name: str, namespace: str = "shop", group: str = "") -> Object:
        return self.objects[ObjectKey(group, kind, namespace, name)]

    def drop(self, kind: str, name: str, namespace: str = "shop", group: str = "") -> None:
        del self.objects[ObjectKey(group, kind, namespace, name)]

    def namespace(self, name: str) -> None:
        """Make a namespace with what every namespace has."""
        if ObjectKey("", "Namespace", "", name) not in self.objects:
            self.add(made("v1", "Namespace", "", name, status={"phase": "Active"}))
            self.add(made("v1", "ServiceAccount", name, "default"))
            self.add(made("v1", "ConfigMap", name, "kube-root-ca.crt", data={"ca.crt": "x"}))

    def app(self, name: str) -> Object:
        """Make an Application."""
        source = {"repoURL": "https://git.example.com/deploy.git", "path": f"apps/{name}", "targetRevision": "main"}
        spec = {
            "project": "default",
            "source": source,
            "destination": {"server": SERVER, "namespace": "shop"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        }
        self.managed.setdefault(name, [])
        revision = "1f0c2ab7"
        status = {
            "sync": {"status": "Synced", "revision": revision},
            "health": {"status": "Healthy", "lastTransitionTime": HOURS_AGO},
            "reconciledAt": "2026-03-02T11:58:00Z",
            "operationState": {
                "phase": "Succeeded",
                "startedAt": HOURS_AGO,
                "finishedAt": HOURS_AGO,
                "message": "successfully synced (all tasks run)",
                "syncResult": {"revision": revision, "resources": []},
            },
        }
        return self.add(made("argoproj.io/v1alpha1", "Application", "argocd", name, spec=spec, status=status))

    def deploy(
        self, name: str, *, app: str = "", namespace: str = "shop", replicas: int = 2, port: int = 8080
    ) -> Object:
        """Make a Deployment with its ReplicaSet, pods, Service and ConfigMap, all well."""
        self.namespace(namespace)
        labels = {"app": name}
        template = {
            "metadata": {"labels": labels},
            "spec": {
                "serviceAccountName": "default",
                "containers": [
                    {
                        "name": "main",
                        "image": f"registry.example.com/{name}:1.4",
                        "ports": [{"name": "http", "containerPort": port}],
                        "envFrom": [{"configMapRef": {"name": f"{name}-config"}}],
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
                        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
                    }
                ],
            },
        }
        spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
        top = self.add(made("apps/v1", "Deployment", namespace, name, spec=spec), app)
        middle = self.add(owned(top, "apps/v1", "ReplicaSet", f"{name}-5d7f", spec=copy.deepcopy(spec)))
        middle["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "1"}
        for number in range(replicas):
            self.pod(middle, f"{name}-5d7f-{number}", template, node=NODES[number % len(NODES)])
        self.add(made("v1", "ConfigMap", namespace, f"{name}-config", data={"LEVEL": "info"}), app)
        service = {"selector": labels, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]}
        self.add(made("v1", "Service", namespace, name, spec=service), app)
        return top

    def pod(self, owner: Object, name: str, template: Object, node: str = NODES[0]) -> Object:
        """Make a pod that runs and is ready."""
        pod = owned(owner, "v1", "Pod", name, spec=copy.deepcopy(template["spec"]))
        pod["metadata"]["labels"] = dict(template["metadata"]["labels"])
        pod["spec"]["nodeName"] = node
        containers = [
            {
                "name": one["name"],
                "image": one["image"],
                "ready": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": LONG_AGO}},
            }
            for one in pod["spec"]["containers"]
        ]
        pod["status"] = {
            "phase": "Running",
            "startTime": LONG_AGO,
            "containerStatuses": containers,
            "conditions": [condition("PodScheduled", "True"), condition("Ready", "True")],
        }
        return self.add(pod)

    def pods(self, name: str, namespace: str = "shop") -> list[Object]:
        """Return the pods of a workload."""
        found = [obj for key, obj in self.objects.items() if key.kind == "Pod" and key.namespace == namespace]
        return [pod for pod in found if pod["metadata"].get("labels", {}).get("app") == name]

    def change(self, name: str, namespace: str = "shop") -> list[dict[str, Any]]:
        """Return the specs of a Deployment's pods: in its template, and in all that was made of it."""
        key = ObjectKey("apps", "Deployment", namespace, name)
        middle = ObjectKey("apps", "ReplicaSet", namespace, f"{name}-5d7f")
        specs = [self.objects[one]["spec"]["template"]["spec"] for one in (key, middle)]
        return [*specs, *(pod["spec"] for pod in self.pods(name, namespace))]

    def waits(self, name: str, reason: str, message: str = "", namespace: str = "shop") -> None:
        """Make the containers of a workload wait for a reason."""
        for pod in self.pods(name, namespace):
            hold(pod, {"waiting": {"reason": reason, "message": message}})

    def crashes(self, name: str, *lines: str, code: int = 1, reason: str = "Error", namespace: str = "shop") -> None:
        """Make the containers of a workload end again and again, after printing some lines."""
        for pod in self.pods(name, namespace):
            ended = {"exitCode": code, "reason": reason, "finishedAt": "2026-03-02T11:57:00Z"}
            message = "back-off 5m0s restarting failed container"
            hold(pod, {"waiting": {"reason": "CrashLoopBackOff", "message": message}})
            pod["status"]["phase"] = "Running"
            for status in pod["status"]["containerStatuses"]:
                status["restartCount"] = 12
                status["lastState"] = {"terminated": ended}
            if lines:
                self.logs.append(PodLog(key_of(pod), "main", tuple(lines)))

    def event(self, obj: Object, reason: str, message: str) -> None:
        """Add a warning about an object."""
        key = key_of(obj)
        about = {
            "apiVersion": obj["apiVersion"],
            "kind": key.kind,
            "namespace": key.namespace,
            "name": key.name,
            "uid": obj["metadata"].get("uid", ""),
        }
        event = made("v1", "Event", key.namespace or "default", f"{key.name}.{len(self.events):x}")
        self.events.append(
            {
                **event,
                "type": "Warning",
                "reason": reason,
                "message": message,
                "involvedObject": about,
                "lastTimestamp": "2026-03-02T11:58:30Z",
            }
        )

    def unscheduled(self, name: str, message: str, namespace: str = "shop") -> None:
        """Take the pods of a workload off their nodes: the scheduler says why."""
        for pod in self.pods(name, namespace):
            pod["spec"].pop("nodeName", None)
            refused = condition("PodScheduled", "False", "Unschedulable", message)
            pod["status"] = {"phase": "Pending", "conditions": [refused]}

    def failed_sync(self, app: str, key: ObjectKey, message: str) -> None:
        """Make the last sync of an app fail on one object, which is then not there unless it was before."""
        status = self.get("Application", app, "argocd", "argoproj.io")["status"]
        row = {
            "group": key.group,
            "kind": key.kind,
            "namespace": key.namespace,
            "name": key.name,
            "status": "SyncFailed",
            "message": message,
        }
        state = status["operationState"]
        state["phase"] = "Failed"
        state["message"] = "one or more objects failed to apply"
        state["syncResult"]["resources"].append(row)
        status["sync"]["status"] = "OutOfSync"

    def compare_error(self, app: str, message: str, kind: str = "ComparisonError") -> None:
        """Make an app uncomparable."""
        status = self.get("Application", app, "argocd", "argoproj.io")["status"]
        status["conditions"] = [{"type": kind, "message": message, "lastTransitionTime": HOURS_AGO}]
        status["sync"]["status"] = "Unknown"

    def snapshot(self, *, without_events: bool = False, with_apps: bool = True) -> FleetSnapshot:
        """Return all of it as it would be read, with what controllers write."""
        self.settle()
        hidden = self.hidden if with_apps else self.hidden | {"Application"}
        objects = [obj for key, obj in self.objects.items() if key.kind not in hidden]
        cluster = ClusterSnapshot(
            name=self.name,
            server=SERVER,
            objects=tuple(copy.deepcopy(objects)),
            events=() if without_events else tuple(self.events),
            logs=tuple(self.logs),
            unreadable=tuple(sorted(self.hidden)),
        )
        return FleetSnapshot(as_of=NOW, origin="a test", clusters=(cluster,), rendered=tuple(self.rendered))

    def settle(self) -> None:
        """Write what controllers would write."""
        for kind, settle in (("ReplicaSet", _replica_set), ("Deployment", _deployment), ("StatefulSet", _stateful_set)):
            for key, obj in list(self.objects.items()):
                if key.kind == kind:
                    settle(obj, self._pods_of(obj))
        for app, keys in self.managed.items():
            key = ObjectKey("argoproj.io", "Application", "argocd", app)
            if key in self.objects:
                self._application(self.objects[key], keys, {one for name, one in self.differing if name == app})

    def _pods_of(self, owner: Object) -> list[Object]:
        uids = {owner["metadata"]["uid"]}
        for obj in self.objects.values():
            above = obj["metadata"].get("ownerReferences") or ()
            if obj["kind"] == "ReplicaSet" and any(one["uid"] in uids for one in above):
                uids.add(obj["metadata"]["uid"])
        return [
            obj
            for obj in self.objects.values()
            if obj["kind"] == "Pod"
            and (obj.get("status") or {}).get("phase") != "Failed"
            and any(one["uid"] in uids for one in obj["metadata"].get("ownerReferences") or ())
        ]

    def _application(self, app: Object, keys: list[ObjectKey], differing: set[ObjectKey]) -> None:
        rows, worst = [], HealthCode.HEALTHY
        for key in keys:
            live = self.objects.get(key)
            row = {"group": key.group, "kind": key.kind, "namespace": key.namespace, "name": key.name}
            row["status"] = "Synced" if live is not None and key not in differing else "OutOfSync"
            rows.append({name: value for name, value in row.items() if value})
            health = assess(live) if live is not None and key.kind != "Application" else None
            if health is not None and health.gating and health.status.badness > worst.badness:
                worst = health.status
        app["status"]["resources"] = rows
        if differing:
            app["status"]["sync"]["status"] = "OutOfSync"
        if any(key not in self.objects for key in keys):
            app["status"]["sync"]["status"] = "OutOfSync"
            if all(key not in self.objects for key in keys):
                worst = HealthCode.MISSING
        app["status"]["health"]["status"] = worst.value


def hold(pod: Object, state: dict[str, Any]) -> None:
    """Make the containers of a pod be in a state in which they are not ready."""
    pod["status"]["phase"] = "Pending"
    pod["status"]["conditions"] = [condition("PodScheduled", "True"), condition("Ready", "False", "ContainersNotReady")]
    for status in pod["status"].get("containerStatuses") or ():
        status["ready"] = False
        status["state"] = copy.deepcopy(state)


def _node(name: str) -> Object:
    amounts = {"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "pool": "general"}
    node = made(
        "v1",
        "Node",
        "",
        name,
        spec={},
        status={
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [condition("Ready", "True", "KubeletReady")],
        },
    )
    node["metadata"]["labels"] = labels
    return node


def _is_ready(pod: Object) -> bool:
    found = pod["status"].get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in found)


def _replica_set(obj: Object, pods: list[Object]) -> None:
    ready = sum(map(_is_ready, pods))
    kept = (obj.get("status") or {}).get("conditions") or []
    obj["status"] = {"replicas": len(pods), "readyReplicas": ready, "availableReplicas": ready, "conditions": kept}


def _deployment(obj: Object, pods: list[Object]) -> None:
    ready, wanted = sum(map(_is_ready, pods)), obj["spec"]["replicas"]
    good = ready >= wanted
    conditions = [
        condition("Available", str(good)),
        condition("Progressing", str(good), "NewReplicaSetAvailable" if good else "ProgressDeadlineExceeded"),
    ]
    kept = [one for one in (obj.get("status") or {}).get("conditions") or () if one["type"] == "ReplicaFailure"]
    if (obj.get("status") or {}).get("starting"):
        conditions = [condition("Progressing", "True", "ReplicaSetUpdated", since=JUST_NOW)]
    obj["status"] = {
        "replicas": len(pods),
        "updatedReplicas": len(pods),
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": wanted - ready,
        "conditions": [*conditions, *kept],
        **({"starting": True} if (obj.get("status") or {}).get("starting") else {}),
    }


def _stateful_set(obj: Object, pods: list[Object]) -> None:
    ready = sum(map(_is_ready, pods))
    kept = {name: value for name, value in (obj.get("status") or {}).items() if name.endswith("Revision")}
    obj["status"] = {
        "observedGeneration": 1,
        "replicas": len(pods),
        "readyReplicas": ready,
        "updatedReplicas": len(pods),
        **kept,
    }
