"""Ingresses that lead to a port which their Service does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose import around
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.core.diagnose.written import line, rewrite
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="WKL-103",
    name="ingress-port",
    severity=Severity.WARNING,
    summary="An Ingress leads to a port that its Service does not have.",
    fix="name a port of the Service, or give the Service that port",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Everything is Synced and Healthy, and the ingress controller answers 502 or 503. The port of an Ingress is "
    "that of the Service, not that of the container.",
    bad="""\
backend: {service: {name: web, port: {number: 8080}}}  # the Service has port 80
""",
    good="""\
backend: {service: {name: web, port: {number: 80}}}
""",
)
_INGRESS = GroupKind("networking.k8s.io", "Ingress")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per backend whose port is not there."""
    for one in app.assessment.prepared.objects:
        if one.key.group_kind == _INGRESS:
            for path, backend in _backends(one.obj):
                yield from _of_backend(app, one, path, backend)


def _backends(obj: Object) -> Iterator[tuple[str, dict[str, Any]]]:
    spec = obj.get("spec") or {}
    given = [("spec.defaultBackend", spec.get("defaultBackend"))]
    for number, rule in enumerate(spec.get("rules") or ()):
        for index, path in enumerate((rule.get("http") or {}).get("paths") or ()):
            given.append((f"spec.rules[{number}].http.paths[{index}].backend", path.get("backend")))
    for path, backend in given:
        service = backend.get("service") if isinstance(backend, dict) else None
        if isinstance(service, dict):
            yield f"{path}.service", service


def _of_backend(app: App, one: Prepared, path: str, backend: dict[str, Any]) -> Iterator[Finding]:
    key = ObjectKey("", "Service", one.key.namespace, str(backend.get("name")))
    service = next((other.obj for other in app.assessment.prepared.objects if other.key == key), around.get(app, key))
    ports = [port for port in ((service or {}).get("spec") or {}).get("ports") or () if isinstance(port, dict)]
    wanted = backend.get("port") or {}
    field = "name" if "name" in wanted else "number"
    known = [port[name] for port in ports if (name := "name" if field == "name" else "port") in port]
    if not ports or field not in wanted or wanted[field] in known:
        return
    has = ", ".join(str(port.get("name") or port.get("port")) for port in ports)
    where = f"{path}.port.{field}"
    fix = Fix(text=f"decide: name a port of {key.short} (it has: {has}), or give it port {wanted[field]}")
    yield RULE.finding(
        one.key.short,
        f"{one.key.short} leads to port {wanted[field]} of {key.short}, which has no such port (it has: {has})",
        evidence=[*line(app, one.key, where), *line(app, key, "spec.ports", f"ports of {key.short}")],
        fix=rewrite(app, one.key, where, known[0]) if len(known) == 1 else fix,
    )
