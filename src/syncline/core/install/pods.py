"""The pods of an installation: what every Deployment has in common, so that namespaces with `restricted` admit them.

Used by `syncline.core.install.workloads`. The root file system is read-only; /tmp and the home folder, where caches
are, are emptied when a pod goes.
"""

from __future__ import annotations

from typing import Final

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.install.options import MANAGED_BY, InstallOptions

METRICS_PORT: Final = 8082
SERVER_PORT: Final = 8080
_USER: Final = 65532
_HOME: Final = "/home/syncline"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What one Deployment runs."""

    name: str
    arguments: tuple[str, ...]
    ports: tuple[tuple[str, int], ...]
    probes: Object
    resources: Object
    replicas: int
    environment: tuple[tuple[str, str], ...] = ()


def labels(options: InstallOptions, name: str = "") -> dict[str, str]:
    """Return the labels of an object of the installation; `name` is the component it belongs to."""
    return {
        **({"app.kubernetes.io/name": name} if name else {}),
        "app.kubernetes.io/part-of": "syncline",
        "app.kubernetes.io/managed-by": MANAGED_BY,
        "syncline.io/installation": options.namespace,
    }


def selector(name: str) -> dict[str, str]:
    """Return the labels by which a component's pods are selected; they can never change."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "syncline"}


def deployment(options: InstallOptions, program: Program) -> Object:
    """Return the Deployment of a program."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": program.name,
            "namespace": options.namespace,
            "labels": labels(options, program.name),
        },
        "spec": {
            "replicas": program.replicas,
            "selector": {"matchLabels": selector(program.name)},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {"metadata": {"labels": selector(program.name)}, "spec": _pod(options, program)},
        },
    }


def _pod(options: InstallOptions, program: Program) -> Object:
    return {
        "serviceAccountName": program.name,
        "automountServiceAccountToken": True,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "topologySpreadConstraints": [_spread(program.name, "kubernetes.io/hostname")],
        "containers": [_container(options, program)],
        "volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "home", "emptyDir": {}}],
    }


def _spread(name: str, topology: str) -> Object:
    return {
        "maxSkew": 1,
        "topologyKey": topology,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": selector(name)},
    }


def _container(options: InstallOptions, program: Program) -> Object:
    environment = (("HOME", _HOME), *program.environment)
    return {
        "name": program.name,
        "image": options.image,
        "imagePullPolicy": "IfNotPresent",
        "args": list(program.arguments),
        "env": [{"name": name, "value": text} for name, text in environment],
        "ports": [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in program.ports],
        **program.probes,
        "resources": program.resources,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}, {"name": "home", "mountPath": _HOME}],  # noqa: S108 - in a pod
    }
