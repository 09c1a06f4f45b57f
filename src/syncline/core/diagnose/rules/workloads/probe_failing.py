"""Containers that run and whose probe fails: the wrong port, or the words the probe got."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import times
from syncline.apimachinery.keys import ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.live.pods import (
    PodOf,
    container_path,
    containers,
    failing_containers,
    killed_by_probe,
    pods,
    template,
)
from syncline.core.diagnose.live.written import line, rewrite
from syncline.core.diagnose.repository import pointing
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.health import events
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-102",
    name="probe-failing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="A container runs, but its probe fails: the probe uses a port that the container does not have, or gets an "
    "error.",
    fix="correct the port or path of the probe, or the program's response",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="A pod that is not ready gets no traffic, and its workload never becomes available. A liveness or startup "
    "probe that fails also restarts the container, again and again.",
    bad="""\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: example/web:1
      ports:
        - name: http
          containerPort: 8080
      readinessProbe:
        httpGet: {path: /, port: htttp}
""",
    good="""\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: example/web:1
      ports:
        - name: http
          containerPort: 8080
      readinessProbe:
        httpGet: {path: /, port: http}
""",
)
_KILLED = (137, 143)
_OFTEN = 3
_RECENT = 600.0
"""A container that was killed less than so many seconds ago will most likely be killed again."""
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
_SAID = re.compile(r"^(?P<which>Readiness|Liveness|Startup) probe (?:failed|errored)[^:]*: (?P<words>.*)", re.DOTALL)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and container that runs and is not ready."""
    told: set[tuple[ObjectKey, str]] = set()
    for one in failing_containers(app):
        name = one.trouble.container
        if killed_by_probe(app, one) and (found := _finding(app, one.of, name, _declared(one.of, name))):
            told.add((one.of.root, name))
            yield found
    for pod in pods(app):
        for container, entry in _unready(pod):
            if (pod.root, container) not in told and (found := _finding(app, pod, container, entry)):
                told.add((pod.root, container))
                yield found
        for status in _killed_lately(app, pod):
            if (pod.root, name := str(status.get("name"))) not in told:
                told.add((pod.root, name))
                yield _between_restarts(app, pod, name, status)


def _killed_lately(app: App, pod: PodOf) -> Iterator[dict[str, Any]]:
    """Yield the containers that are ready now and were killed again and again, most likely for their liveness probe.

    Their Events are dropped while they are well, so it is told by their state alone: killed from outside, not for
    memory, while a liveness probe watches over them.
    """
    for status in (pod.pod.get("status") or {}).get("containerStatuses") or ():
        ended = (status.get("lastState") or {}).get("terminated") or {}
        killed = ended.get("exitCode") in _KILLED and ended.get("reason") != "OOMKilled"
        watched = "livenessProbe" in _declared(pod, str(status.get("name")))
        often = int(status.get("restartCount") or 0) >= _OFTEN
        if status.get("ready") and killed and watched and often and _is_recent(app, str(ended.get("finishedAt") or "")):
            yield status


def _is_recent(app: App, at: str) -> bool:
    return bool(at) and (times.parse(app.assessment.snapshot.as_of) - times.parse(at)).total_seconds() < _RECENT


def _between_restarts(app: App, pod: PodOf, container: str, status: dict[str, Any]) -> Finding:
    entry, path = _declared(pod, container), container_path(app, pod.root, container)
    asked = (entry["livenessProbe"].get("httpGet") or {}).get("path")
    _port_of, at = _port(entry, "livenessProbe")
    lines = line(app, pod.root, f"{path}.livenessProbe.{at}", "livenessProbe") if path else []
    ended = status["lastState"]["terminated"]
    said = f"exit code {ended['exitCode']} at {ended.get('finishedAt')}"
    return RULE.finding(
        pod.root.short,
        f"{pod.root.short}: container {container} is ready now, and was killed {status['restartCount']} times: its "
        f"livenessProbe{f' (GET {asked})' if asked else ''} most likely fails",
        evidence=[*lines, Evidence(kind=EvidenceKind.FIELD, text=said, subject=pod.key, path="status")],
        confidence=Confidence.TEXT,
        fix=_decision(lines, "livenessProbe"),
        severity=Severity.WARNING,
    )


def _unready(pod: PodOf) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the containers that run and are not ready, as the pod declares them."""
    for status in (pod.pod.get("status") or {}).get("containerStatuses") or ():
        if (status.get("state") or {}).get("running") and not status.get("ready"):
            name = str(status.get("name"))
            yield name, _declared(pod, name)


def _declared(pod: PodOf, name: str) -> dict[str, Any]:
    return next((one for _at, one in containers(pod.pod.get("spec") or {}) if one.get("name") == name), {})


def _finding(app: App, pod: PodOf, container: str, entry: dict[str, Any]) -> Finding | None:
    probe, said = _failed(app, pod, entry)
    if not probe:
        return None
    path = container_path(app, pod.root, container)
    port, at = _port(entry, probe)
    ports = [one for one in entry.get("ports") or () if isinstance(one, dict)]
    known = [str(one["name"]) for one in ports if one.get("name")]
    numbers = [one["containerPort"] for one in ports if one.get("containerPort")]
    wrong = (isinstance(port, str) and port not in known) or (isinstance(port, int) and numbers and port not in numbers)
    message = f"{pod.root.short}: the {probe} of container {container} "
    if wrong:
        there = ", ".join(f"{one.get('name', '')} {one.get('containerPort', '')}".strip() for one in ports) or "none"
        message += f"uses port {port}, which the container does not have (it has: {there})"
    else:
        asked = (entry[probe].get("httpGet") or {}).get("path")
        message += f"{f'(GET {asked}) ' if asked else ''}fails: {said or 'the container is not ready'}"
    lines = [
        *line(app, pod.root, f"{path}.{probe}.{at}" if path else "", f"{probe} port: {port}" if port else probe),
        *(
            line(app, pod.root, f"{path}.ports", f"ports: {', '.join(map(str, known or numbers))}")
            if wrong and path
            else ()
        ),
    ]
    words = [Evidence(kind=EvidenceKind.EVENT, text=said, subject=pod.key)] if said and wrong else []
    return RULE.finding(
        pod.root.short,
        message,
        evidence=[*lines, *words],
        confidence=Confidence.OWNED,
        fix=_fix(app, pod, path and f"{path}.{probe}.{at}", port, known, numbers) if wrong else _decision(lines, probe),
    )


def _failed(app: App, pod: PodOf, entry: dict[str, Any]) -> tuple[str, str]:
    """Return the probe that fails and what it got: by an Event, else the readiness probe without words."""
    for event in app.assessment.snapshot.events:
        if events.subject(event) == pod.key and (found := _SAID.match(events.message(event))):
            probe = f"{found['which'].lower()}Probe"
            if probe in entry:
                return probe, found["words"].strip()
    return next((probe for probe in _PROBES if probe in entry), ""), ""


def _port(entry: dict[str, Any], probe: str) -> tuple[str | int | None, str]:
    """Return the port a probe asks, and where it says so."""
    for way in ("httpGet", "tcpSocket", "grpc"):
        if way in (entry.get(probe) or {}):
            return (entry[probe][way] or {}).get("port"), f"{way}.port"
    return None, ""


def _fix(app: App, pod: PodOf, path: str, port: str | int | None, known: list[str], numbers: list[int]) -> Fix:
    near: list[str | int] = [*nearest(str(port), known)] if isinstance(port, str) else []
    declared: list[str | int] = [*known, *numbers]
    choices = near or (declared[:1] if len(declared) <= 2 else [])
    if not choices or not path:
        return Fix(text="decide: name a port that the container has, or declare this one")
    return rewrite(app, pod.root, path, choices[0] if isinstance(port, str) or not numbers else numbers[0])


def _decision(lines: list[Evidence], probe: str) -> Fix:
    where = f" at {lines[0].place}" if lines and lines[0].place else ""
    return Fix(text=f"decide: correct the program's response, or path and port of the {probe}{where}")


@RULE.on_each(Repo, delivered)
def check_repo(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding per probe that asks a port by a name which its container does not give."""
    delivery, item = one
    base, spec = template(item.obj)
    for place, entry in containers(spec):
        known = [str(port["name"]) for port in pointing.entries(entry, "ports") if port.get("name")]
        for probe in _PROBES:
            port, below = _port(entry, probe) if isinstance(entry.get(probe), dict) else (None, "")
            if not isinstance(port, str) or port.isdigit() or port in known:
                continue
            message = (
                f"{item.key.short} of {delivery}: the {probe} of container {entry.get('name')} uses port {port}, "
                f"which the container does not have (it has: {', '.join(known) or 'no named ports'})"
            )
            evidence = [pointing.at(item, f"{base}.{place}.{probe}.{below}", f"port: {port}")]
            near = nearest(port, known)
            fix = Fix(text=f"write {near[0]}") if near else RULE.usual_fix
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)
