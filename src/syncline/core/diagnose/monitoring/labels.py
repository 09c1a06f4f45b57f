"""Which objects the labels of an alert or a series are about.

Used by `syncline.core.diagnose.monitoring.beside`. The labels are those of kube-state-metrics and the kubelet; `job` is
left out, because there it names what was scraped and not a Job.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery.keys import GroupKind, ObjectKey, key_of
from syncline.core.diagnose.graph.view.cluster import moment
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.monitoring.alerts import firing
from syncline.model.diagnosis import Thing

_KINDS = {
    "pod": GroupKind("", "Pod"),
    "deployment": GroupKind("apps", "Deployment"),
    "statefulset": GroupKind("apps", "StatefulSet"),
    "daemonset": GroupKind("apps", "DaemonSet"),
    "replicaset": GroupKind("apps", "ReplicaSet"),
    "job_name": GroupKind("batch", "Job"),
    "cronjob": GroupKind("batch", "CronJob"),
    "persistentvolumeclaim": GroupKind("", "PersistentVolumeClaim"),
    "horizontalpodautoscaler": GroupKind("autoscaling", "HorizontalPodAutoscaler"),
    "ingress": GroupKind("networking.k8s.io", "Ingress"),
    "service": GroupKind("", "Service"),
}
_WITHOUT_NAMESPACE = {
    "node": GroupKind("", "Node"),
    "persistentvolume": GroupKind("", "PersistentVolume"),
}
_APPLICATION = GroupKind("argoproj.io", "Application")


def things(labels: Mapping[str, str], fleet: FleetIndex) -> tuple[Thing, ...]:
    """Return the objects that were read and that labels name, the most telling first; a pod brings its workload."""
    namespace = labels.get("namespace") or labels.get("exported_namespace") or ""
    keys = [_key(kind, namespace, labels[label]) for label, kind in _KINDS.items() if labels.get(label)]
    keys += [_key(kind, "", labels[label]) for label, kind in _WITHOUT_NAMESPACE.items() if labels.get(label)]
    if labels.get("name") and labels.get("project"):
        # Argo CD's own metrics.
        keys.append(_key(_APPLICATION, namespace, labels["name"]))
    found: dict[Thing, None] = {}
    for cluster in fleet.clusters:
        for key in keys:
            obj = cluster.get(key)
            if obj is not None:
                found[Thing(cluster=cluster.name, key=key)] = None
                found[Thing(cluster=cluster.name, key=key_of(cluster.top(obj)))] = None
    return tuple(found)


def alerted(fleet: FleetIndex) -> frozenset[Thing]:
    """Return what the alerts that fire are about: what each names, and the workload above a pod."""
    now = moment(fleet.snapshot.as_of)
    return frozenset(thing for alert in firing(fleet.snapshot.alerts, now) for thing in things(alert.labels, fleet))


def _key(kind: GroupKind, namespace: str, name: str) -> ObjectKey:
    return ObjectKey(kind.group, kind.kind, namespace, name)
