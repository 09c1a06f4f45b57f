"""What probes answer, when a container is ready, and when a failing probe has it killed.

Asked by `syncline.sandbox.controllers.kubelet.containers` with the spec of a container and the script of its image. A
probe fails where the script says so, where its own command would, and where it asks a container over the network
whose command is known to serve nothing. One that names a port which the container does not have errs: a kubelet
forgets such results, so that the container is never ready, or never started, and never killed for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster import commands
from syncline.sandbox.cluster.settings import Container

_NEVER = float("inf")
_NETWORK = ("httpGet", "tcpSocket", "grpc")


@dataclass(slots=True)
class Course:
    """What becomes of a container that is started."""

    ready_after: float
    kill: str = ""
    """The probe that has it killed."""
    kill_after: float = _NEVER
    why: str = ""
    """What that probe says."""
    unstarted: bool = False
    """Whether its startup probe never passes."""
    told: list[str] = field(default_factory=list)
    """What is said of failing probes at once."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why a probe never passes."""

    why: str
    errs: bool = False

    def told(self, word: str) -> str:
        return f"{word} probe {'errored and resulted in unknown state' if self.errs else 'failed'}: {self.why}"


def course(spec: Object, script: Container | None, *, deaf: bool) -> Course:
    """Return what probes make of a container; one that is `deaf` listens on no port."""
    found = _scripted(spec, script)
    startup, readiness, liveness = (
        _trouble(spec, f"{word}Probe", deaf) for word in ("startup", "readiness", "liveness")
    )
    if startup is not None:
        # The other probes wait for it.
        found.ready_after, found.unstarted, found.told = _NEVER, True, [startup.told("Startup")]
        if not startup.errs:
            found.kill, found.kill_after = "startup", _patience(spec["startupProbe"])
        return found
    if readiness is not None:
        found.ready_after, found.told = _NEVER, [readiness.told("Readiness")]
    if liveness is not None and liveness.errs:
        found.told.append(liveness.told("Liveness"))
    elif liveness is not None and not found.kill:
        found.kill, found.kill_after, found.why = "liveness", _patience(spec["livenessProbe"]), liveness.why
    return found


def _scripted(spec: Object, script: Container | None) -> Course:
    """Return what the rule for a container says."""
    found = Course(ready_after=_first_answer(spec))
    if script is None:
        return found
    if script.never_ready or script.ready_after > found.ready_after:
        found.ready_after = _NEVER if script.never_ready else script.ready_after
        for word in ("startup", "readiness"):
            probe = spec.get(f"{word}Probe")
            if probe:
                found.told = [f"{word.capitalize()} probe failed: {script.probe_error or refusal(probe)}"]
                break
    startup, liveness = spec.get("startupProbe"), spec.get("livenessProbe")
    if startup and (script.never_ready or script.ready_after > _patience(startup)):
        found.kill, found.kill_after, found.unstarted = "startup", _patience(startup), True
    elif liveness and script.live_for:
        found.kill, found.kill_after = "liveness", script.live_for + _patience(liveness)
        found.why = script.probe_error or refusal(liveness)
    return found


def _trouble(spec: Object, name: str, deaf: bool) -> _Trouble | None:
    probe = spec.get(name)
    if not probe:
        return None
    missing = missing_port(spec, probe)
    if missing:
        return _Trouble(missing, errs=True)
    if deaf and any(kind in probe for kind in _NETWORK):
        return _Trouble(_refused(spec, probe))
    words = [str(word) for word in (probe.get("exec") or {}).get("command") or ()]
    told = commands.read("", words) if words else None
    if told is None:
        return None
    if told.run_seconds > float(probe.get("timeoutSeconds") or 1):
        return _Trouble(f'command "{" ".join(words)}" timed out')
    return _Trouble("\n".join(told.lines)) if told.exit_code else None


def missing_port(spec: Object, handler: Object) -> str:
    """Return what is said where a probe or hook names a port which the container does not have."""
    ports = {one.get("name"): one.get("containerPort") for one in spec.get("ports") or ()}
    for kind in ("httpGet", "tcpSocket"):
        port = (handler.get(kind) or {}).get("port")
        if isinstance(port, str) and port not in ports:
            return f'port "{port}" not found'
    return ""


def _first_answer(spec: Object) -> float:
    """Return how long after its start a container can be ready at the earliest."""
    readiness, startup = spec.get("readinessProbe") or {}, spec.get("startupProbe") or {}
    return max(float(readiness.get("initialDelaySeconds") or 0), float(startup.get("initialDelaySeconds") or 0))


def _patience(probe: Object) -> float:
    period, threshold = float(probe.get("periodSeconds") or 10), int(probe.get("failureThreshold") or 3)
    return float(probe.get("initialDelaySeconds") or 0) + period * threshold


def _refused(spec: Object, probe: Object) -> str:
    """Return what a probe says of a port on which nobody listens."""
    kind = next(kind for kind in _NETWORK if kind in probe)
    port = probe[kind].get("port")
    number = next((one.get("containerPort") for one in spec.get("ports") or () if one.get("name") == port), port)
    why = f"dial tcp 10.244.0.2:{number}: connect: connection refused"
    if kind == "grpc":
        return f'timeout: failed to connect service "10.244.0.2:{number}" within 1s: context deadline exceeded'
    if kind == "tcpSocket":
        return why
    scheme = str(probe[kind].get("scheme") or "HTTP").lower()
    path = str(probe[kind].get("path") or "/")
    return f'Get "{scheme}://10.244.0.2:{number}{path if path.startswith("/") else "/" + path}": {why}'


def refusal(probe: Object) -> str:
    """Return what a probe of this kind says of a container that does not serve yet."""
    if probe.get("httpGet"):
        return "HTTP probe failed with statuscode: 503"
    if probe.get("tcpSocket"):
        return f"dial tcp 10.244.0.2:{probe['tcpSocket'].get('port')}: connect: connection refused"
    if probe.get("grpc"):
        return 'service unhealthy (responded with "NOT_SERVING")'
    return "command failed"


def hook_fails(spec: Object) -> bool:
    """Tell whether what runs after the start of a container would fail."""
    hook = (spec.get("lifecycle") or {}).get("postStart") or {}
    words = [str(word) for word in (hook.get("exec") or {}).get("command") or ()]
    told = commands.read("", words) if words else None
    return bool(missing_port(spec, hook)) or (told is not None and bool(told.exit_code))
