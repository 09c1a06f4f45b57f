"""Times server-side apply of a 10 KB Deployment, beside a JSON copy of it made in the same run.

Run: python -m bench apimachinery.merge
Goal: an apply in less than 500 µs. Live has its defaults, a status, an applier and two updaters.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import orjson

from bench.rows import Row, beside_copy
from syncline.apimachinery import keys, merge
from syncline.apimachinery.schema import builtin, defaults

NOW = "2024-01-01T00:00:00Z"
GVK = keys.GroupVersionKind("apps", "v1", "Deployment")


def container(name: str, image: str, variables: int) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "args": ["--listen=0.0.0.0:8080", "--log-format=json", "--shutdown-delay=10s"],
        "env": [{"name": f"SETTING_{n}", "value": f"value of setting {n}"} for n in range(variables)],
        "ports": [{"containerPort": port, "name": f"port-{port}"} for port in (8080, 8443, 9090)],
        "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "250m", "memory": "512Mi"}},
        "volumeMounts": [{"mountPath": f"/var/run/{name}/{part}", "name": part} for part in ("config", "cache")],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8080}, "periodSeconds": 5},
    }


def deployment(image: str = "shop/web:1", variables: int = 26) -> dict[str, Any]:
    labels = {f"app.kubernetes.io/{word}": word for word in ("name", "instance", "component")}
    notes = {f"example.com/note-{number}": "a note of some length " * 3 for number in range(8)}
    names = ("web", "proxy", "exporter", "logger")
    made = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "labels": labels, "annotations": notes},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [container(name, image, variables) for name in names],
                    "volumes": [{"name": part, "emptyDir": {}} for part in ("config", "cache")],
                },
            },
        },
    }
    decoded: dict[str, Any] = orjson.loads(orjson.dumps(made))
    return decoded


def live_object() -> dict[str, Any]:
    node = builtin.for_kind(GVK)
    assert node is not None
    live = merge.apply(None, deployment(), manager="syncline", node=node, force=False, now=NOW).obj
    live = defaults.apply(live, GVK)
    live = {**live, "metadata": {**live["metadata"], "uid": "1", "resourceVersion": "7", "generation": 1}}
    status = {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3}
    live = merge.update(
        live, {**live, "status": status}, manager="kube-controller-manager", node=node, now=NOW, subresource="status"
    )
    paused = {**live, "spec": {**live["spec"], "paused": True}}
    live = merge.update(live, paused, manager="kubectl", node=node, now=NOW)
    decoded: dict[str, Any] = orjson.loads(orjson.dumps(live))
    return decoded


def rows() -> list[Row]:
    node = builtin.for_kind(GVK)
    assert node is not None
    live = live_object()
    options: dict[str, Any] = {"manager": "syncline", "node": node, "force": False, "now": NOW}
    configs = {
        "apply, nothing new": deployment(),
        "apply, new image": deployment("shop/web:2"),
        "apply, variables left out": deployment(variables=25),
    }
    changed = {**live, "spec": {**live["spec"], "replicas": 4}}
    calls: dict[str, Callable[[], object]] = {
        f"structured {name}": functools.partial(merge.apply, live, config, **options)
        for name, config in configs.items()
    }
    calls["structured update of one field"] = lambda: merge.update(live, changed, manager="kubectl", node=node, now=NOW)
    return beside_copy(configs["apply, nothing new"], calls, {"structured apply": 500})
