"""Measures defaulting and validation of a 10 KB Deployment against a JSON copy of the same object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.rows import Row, beside_copy
from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, defaults, stored, validate


def deployment(containers: int = 5, variables: int = 22) -> dict[str, Any]:
    """Build a Deployment of about 10 KB as people write them, without defaults."""
    pod_containers = [
        {
            "name": f"worker-{number}",
            "image": f"registry.example/team/worker-{number}:1.{number}",
            "args": ["--listen=0.0.0.0:8080", "--log-format=json", f"--shard={number}"],
            "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
            "env": [
                {"name": f"SETTING_NUMBER_{index}", "value": f"some value of setting {index}"}
                for index in range(variables)
            ]
            + [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
            "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
            "livenessProbe": {"httpGet": {"path": "/live", "port": "http"}, "initialDelaySeconds": 10},
            "volumeMounts": [{"name": "config", "mountPath": "/etc/worker", "readOnly": True}],
        }
        for number in range(containers)
    ]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "worker", "namespace": "prod", "labels": {"app": "worker"}},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "worker"}},
            "template": {
                "metadata": {"labels": {"app": "worker"}},
                "spec": {
                    "serviceAccountName": "worker",
                    "containers": pod_containers,
                    "volumes": [{"name": "config", "configMap": {"name": "worker"}}, {"name": "scratch"}],
                },
            },
        },
    }


def rows() -> list[Row]:
    obj = deployment()
    gvk = keys.gvk_of(obj)
    filled = defaults.apply(obj, gvk)
    node = builtin.for_kind(gvk)
    assert node is not None
    cases: dict[str, Callable[[], object]] = {
        "defaults, all missing": lambda: defaults.apply(obj, gvk),
        "defaults, none missing": lambda: defaults.apply(filled, gvk),
        "stored form": lambda: stored.stored_form(obj, node),
        "validate": lambda: validate.validate(obj, gvk),
    }
    # 20,000 objects a second.
    return beside_copy(obj, cases, {"defaults": 100, "validate": 50})
