"""Times patches of a 10 KB Deployment, each beside a JSON copy of it made in the same run.

Run: python -m bench apimachinery.patch
Goal: a strategic three-way patch in less than 300 µs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from bench.rows import Row, beside_copy
from syncline.apimachinery import diff
from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.patch import json_merge, json_patch, strategic
from syncline.apimachinery.schema import builtin


def container(name: str, image: str) -> dict[str, Any]:
    variables = [{"name": f"SETTING_{number}", "value": f"value of setting {number}"} for number in range(17)]
    return {
        "name": name,
        "image": image,
        "args": ["--listen=0.0.0.0:8080", "--log-format=json", "--shutdown-delay=10s"],
        "env": variables,
        "ports": [{"containerPort": port, "name": f"port-{port}", "protocol": "TCP"} for port in (8080, 8443, 9090)],
        "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "250m", "memory": "512Mi"}},
        "volumeMounts": [{"mountPath": f"/var/run/{name}/{part}", "name": part} for part in ("config", "cache", "tls")],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 5},
        "securityContext": {"capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True, "runAsUser": 1000},
    }


def deployment(image: str, replicas: int) -> dict[str, Any]:
    labels = {f"app.kubernetes.io/{word}": word for word in ("name", "instance", "version", "component", "part-of")}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "labels": labels,
            "annotations": {f"example.com/note-{number}": "a note of some length" * 3 for number in range(8)},
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [container(name, image) for name in ("web", "proxy", "exporter", "logger")],
                    "volumes": [
                        {"name": "config", "configMap": {"name": "web"}},
                        {"name": "cache", "emptyDir": {}},
                        {"name": "tls", "secret": {"secretName": "web-tls"}},
                    ],
                },
            },
        },
    }


def live_of(applied: dict[str, Any]) -> dict[str, Any]:
    """Return the object as the cluster holds it: defaults filled in, status, foreign fields."""
    live: dict[str, Any] = orjson.loads(orjson.dumps(applied))
    pod = live["spec"]["template"]["spec"]
    for item in pod["containers"]:
        item.update({"imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log"})
        item["livenessProbe"].update({"failureThreshold": 3, "successThreshold": 1, "timeoutSeconds": 1})
    pod.update({"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler"})
    live["metadata"].update({"uid": "5c1e", "resourceVersion": "1234", "generation": 3})
    live["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "3"
    live["status"] = {"replicas": 3, "readyReplicas": 3, "observedGeneration": 3}
    return live


def rows() -> list[Row]:
    original = deployment("registry.example/web:1.0", 3)
    modified = deployment("registry.example/web:1.1", 4)
    current = live_of(original)
    node = builtin.for_kind(gvk_of(original))
    patch = strategic.three_way(original, modified, current, node)
    merge = json_merge.make(current, strategic.apply(current, patch, node))
    operations = [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "i"}]
    cases: dict[str, Callable[[], object]] = {
        "strategic three-way": lambda: strategic.three_way(original, modified, current, node),
        "strategic three-way, nothing changed": lambda: strategic.three_way(original, original, current, node),
        "strategic apply": lambda: strategic.apply(current, patch, node),
        "merge patch apply": lambda: json_merge.apply(current, merge),
        "merge patch make": lambda: json_merge.make(original, modified),
        "JSON patch, one operation": lambda: json_patch.apply(current, operations),
        "diff": lambda: diff.diff(original, modified, node),
        "diff of equals": lambda: diff.diff(original, deployment_again, node),
    }
    deployment_again = deployment("registry.example/web:1.0", 3)
    return beside_copy(current, cases, {"strategic three-way": 300})
