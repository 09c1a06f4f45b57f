"""What probes answer, and when a failing one has a container killed.

Asked by `syncline.sandbox.controllers.kubelet.containers` with the spec of a container and the script of its image.
"""

from __future__ import annotations

from collections.abc import Callable

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster.settings import Container


def first_answer(spec: Object) -> float:
    """Return how long after its start a container can be ready at the earliest."""
    readiness, startup = spec.get("readinessProbe") or {}, spec.get("startupProbe") or {}
    return max(float(readiness.get("initialDelaySeconds") or 0), float(startup.get("initialDelaySeconds") or 0))


def killing(spec: Object, script: Container) -> tuple[str, float]:
    """Return which probe has a container killed (empty for none) and after how many seconds."""
    startup, liveness = spec.get("startupProbe"), spec.get("livenessProbe")
    if startup:
        patience = _patience(startup)
        if script.never_ready or script.ready_after > patience:
            return "startup", patience
    if liveness and script.live_for:
        return "liveness", script.live_for + _patience(liveness)
    return "", 0.0


def _patience(probe: Object) -> float:
    period, threshold = float(probe.get("periodSeconds") or 10), int(probe.get("failureThreshold") or 3)
    return float(probe.get("initialDelaySeconds") or 0) + period * threshold


def tell_failing(spec: Object, script: Container, tell: Callable[[str], None]) -> None:
    """Tell of the probe that keeps a container from being ready."""
    for word, field in (("Startup", "startupProbe"), ("Readiness", "readinessProbe")):
        probe = spec.get(field)
        if probe:
            tell(f"{word} probe failed: {script.probe_error or refusal(probe)}")
            return


def refusal(probe: Object) -> str:
    """Return what a probe of this kind says of a container that does not serve yet."""
    if probe.get("httpGet"):
        return "HTTP probe failed with statuscode: 503"
    if probe.get("tcpSocket"):
        return f"dial tcp 10.244.0.2:{probe['tcpSocket'].get('port')}: connect: connection refused"
    if probe.get("grpc"):
        return 'service unhealthy (responded with "NOT_SERVING")'
    return "command failed"
