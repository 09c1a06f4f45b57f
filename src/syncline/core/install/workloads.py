"""The programs of an installation: controller, server, and the one that only diagnoses, with Services and budgets.

Called by `syncline.core.install.objects`. Arguments are those that version 0.1.0 knows too, since an upgrade of the
chart may come before one of the image; what is newer goes into environment variables.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.core.install.options import InstallOptions
from syncline.core.install.pods import METRICS_PORT, SERVER_PORT, Program, deployment, labels, selector

CONTROLLER: Final = "syncline-controller"
SERVER: Final = "syncline-server"
DIAGNOSE: Final = "syncline-diagnose"
_EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - of a pod, which is reached by its Service
_EVERY: Final = 60


def controller(options: InstallOptions) -> list[Object]:
    """Return the controllers: one leads, the others wait and are as ready."""
    program = Program(
        name=CONTROLLER,
        arguments=(
            *("controller", "--namespace", options.namespace, "--log-format", "json"),
            *("--metrics-address", _EVERYWHERE, "--metrics-port", str(METRICS_PORT)),
        ),
        ports=(("metrics", METRICS_PORT),),
        probes=probes("metrics", ready="/healthz", alive="/metrics"),
        resources=_resources("250m", "256Mi", "2Gi"),
        replicas=options.controller_replicas,
        environment=_isolation(options),
    )
    return [
        deployment(options, program),
        _service(options, CONTROLLER, f"{CONTROLLER}-metrics", "metrics", METRICS_PORT),
        _budget(options, CONTROLLER),
    ]


def server(options: InstallOptions) -> list[Object]:
    """Return the servers, which share certificate and keys through Secrets."""
    scheme = "HTTP" if options.insecure else "HTTPS"
    program = Program(
        name=SERVER,
        arguments=(
            *("server", "--app-namespace", options.namespace, "--address", _EVERYWHERE, "--port", str(SERVER_PORT)),
            *(("--insecure",) if options.insecure else ()),
        ),
        ports=(("api", SERVER_PORT),),
        probes=probes("api", ready="/readyz", alive="/api/version", scheme=scheme),
        resources=_resources("100m", "256Mi", "2Gi"),
        replicas=options.server_replicas,
        environment=_isolation(options),
    )
    return [
        deployment(options, program),
        _service(options, SERVER, SERVER, *(("http", 80) if options.insecure else ("https", 443)), target="api"),
        _budget(options, SERVER),
    ]


def diagnoser(options: InstallOptions) -> list[Object]:
    """Return the program that only reads; its answer is served on loopback, its figures on the pod's address."""
    program = Program(
        name=DIAGNOSE,
        arguments=(
            *("diagnose", "--watch", "--every", str(_EVERY), "--app-namespace", options.namespace),
            *("--listen", f"127.0.0.1:{SERVER_PORT}", "--metrics-address", _EVERYWHERE),
            *("--metrics-port", str(METRICS_PORT)),
        ),
        ports=(("metrics", METRICS_PORT),),
        probes=probes("metrics", ready="/healthz", alive="/metrics"),
        resources=_resources("100m", "256Mi", "2Gi"),
        replicas=1,
    )
    return [
        deployment(options, program),
        _service(options, DIAGNOSE, f"{DIAGNOSE}-metrics", "metrics", METRICS_PORT),
    ]


def probes(port: str, *, ready: str, alive: str, scheme: str = "HTTP") -> Object:
    """Return the probes of a container.

    `ready` is answered with 503 while the cluster cannot be reached. A restart does not help then, so liveness asks a
    path that only shows that the process still answers.
    """
    return {
        "startupProbe": _probe(port, ready, scheme, periodSeconds=5, failureThreshold=120),
        "readinessProbe": _probe(port, ready, scheme, periodSeconds=10, failureThreshold=3),
        "livenessProbe": _probe(port, alive, scheme, periodSeconds=30, failureThreshold=4),
    }


def _probe(port: str, path: str, scheme: str, **numbers: int) -> Object:
    return {"httpGet": {"path": path, "port": port, "scheme": scheme}, "timeoutSeconds": 10, **numbers}


def _isolation(options: InstallOptions) -> tuple[tuple[str, str], ...]:
    return (("SYNCLINE_REQUIRE_WALLS", "1"),) if options.require_isolation else ()


def _resources(processor: str, memory: str, most: str) -> Object:
    return {"requests": {"cpu": processor, "memory": memory}, "limits": {"memory": most}}


def _service(options: InstallOptions, component: str, name: str, port: str, number: int, target: str = "") -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": options.namespace, "labels": labels(options, component)},
        "spec": {
            "type": "ClusterIP",
            "selector": selector(component),
            "ports": [{"name": port, "port": number, "targetPort": target or port, "protocol": "TCP"}],
        },
    }


def _budget(options: InstallOptions, name: str) -> Object:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": options.namespace, "labels": labels(options, name)},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": selector(name)}},
    }
