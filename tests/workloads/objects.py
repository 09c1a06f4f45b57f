"""Builders for the objects of workload stories."""

from __future__ import annotations

from typing import Any

from tests.workloads.steps import Json

WEB = "example.com/web:1"
FAILS = "example.com/fails:1"
EXITS_3 = "example.com/exits-3:1"
RUNS = "example.com/runs:1"
UNREADY = "example.com/unready:1"


def template(name: str, image: str = WEB, *, container: Json | None = None, **spec: Any) -> Json:
    """Return a pod template with one container."""
    return {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": image, **(container or {})}], **spec},
    }


def workload(
    kind: str, name: str, *, image: str = WEB, container: Json | None = None, pod: Json | None = None, **spec: Any
) -> Json:
    """Return an object of apps/v1 that keeps pods."""
    body = {
        "selector": {"matchLabels": {"app": name}},
        "template": template(name, image, container=container, **(pod or {})),
        **spec,
    }
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": body}


def deployment(name: str = "web", **rest: Any) -> Json:
    return workload("Deployment", name, **rest)


def stateful_set(name: str = "db", **rest: Any) -> Json:
    return workload("StatefulSet", name, serviceName=name, **rest)


def daemon_set(name: str = "agent", **rest: Any) -> Json:
    return workload("DaemonSet", name, **rest)


def replica_set(name: str = "set", **rest: Any) -> Json:
    return workload("ReplicaSet", name, **rest)


def job(name: str = "work", *, image: str = WEB, pod: Json | None = None, **spec: Any) -> Json:
    pod = {"restartPolicy": "Never", **(pod or {})}
    body = {"template": {"spec": {"containers": [{"name": "main", "image": image}], **pod}}, **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": body}


def cron_job(name: str = "tick", *, schedule: str = "* * * * *", image: str = WEB, **spec: Any) -> Json:
    body = {"schedule": schedule, "jobTemplate": {"spec": job(image=image)["spec"]}, **spec}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": name}, "spec": body}


def pod(name: str, labels: Json | None = None, *, image: str = WEB, **spec: Any) -> Json:
    metadata = {"name": name, "labels": labels or {}}
    body = {"containers": [{"name": "main", "image": image}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


def service(name: str = "web", *, app: str = "web", ports: list[Json] | None = None, **spec: Any) -> Json:
    body = {"selector": {"app": app}, "ports": ports or [{"port": 80, "targetPort": 8080}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": body}


def budget(name: str = "web", *, app: str = "web", **spec: Any) -> Json:
    body = {"selector": {"matchLabels": {"app": app}}, **spec}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": body}


def config_map(name: str, **metadata: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"a": "1"}}


def quota(name: str = "quota", **hard: str) -> Json:
    body = {"hard": {key.replace("_", "."): value for key, value in hard.items()}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": body}


def limit_range(name: str = "limits", **item: Any) -> Json:
    body = {"limits": [{"type": "Container", **item}]}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name}, "spec": body}


def volume(name: str, size: str = "5Gi", **spec: Any) -> Json:
    body = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "trial",
        "hostPath": {"path": "/somewhere"},
        **spec,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": body}


def claim(name: str = "data", size: str = "1Gi", **spec: Any) -> Json:
    body = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": size}},
        "storageClassName": "trial",
        **spec,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": body}


def autoscaler(name: str = "web", **spec: Any) -> Json:
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    body = {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 4, "metrics": [metric], **spec}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name}, "spec": body}
