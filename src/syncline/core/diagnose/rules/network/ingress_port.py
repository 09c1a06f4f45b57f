"""Ingresses that lead to a port which their Service does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.written import line, rewrite
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="WKL-103",
    name="ingress-port",
    severity=Severity.WARNING,
    summary="An Ingress points to a port that its Service does not have.",
    fix="name a port of the Service, or add that port to the Service",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Everything is Synced and Healthy, but the ingress controller answers 502 or 503. An Ingress uses the port of "
    "the Service, not of the container.",
    bad="""\
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{port: 80}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  defaultBackend:
    service:
      name: web
      port:
        number: 8080
""",
    good="""\
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{port: 80}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  defaultBackend:
    service:
      name: web
      port:
        number: 80
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
        for index, path in enumerate(dig(rule, "http", "paths") or ()):
            given.append((f"spec.rules[{number}].http.paths[{index}].backend", dig(path, "backend")))
    for path, backend in given:
        service = backend.get("service") if isinstance(backend, dict) else None
        if isinstance(service, dict):
            yield f"{path}.service", service


def _of_backend(app: App, one: Prepared, path: str, backend: dict[str, Any]) -> Iterator[Finding]:
    key = _service_of(one, backend)
    service = next((other.obj for other in app.assessment.prepared.objects if other.key == key), around.get(app, key))
    if (wrong := _wrong(backend, service)) is None:
        return
    where = f"{path}.port.{wrong.field}"
    fix = Fix(text=f"decide: name a port of {key.short} (it has: {wrong.has}), or give it port {wrong.wanted}")
    yield RULE.finding(
        one.key.short,
        f"{one.key.short} points to port {wrong.wanted} of {key.short}, which has no such port (it has: {wrong.has})",
        evidence=[*line(app, one.key, where), *line(app, key, "spec.ports", f"ports of {key.short}")],
        fix=rewrite(app, one.key, where, wrong.known[0]) if len(wrong.known) == 1 else fix,
    )


class _Wrong(NamedTuple):
    """A port that is wanted in vain, in which field, and those that can be named in its place."""

    field: str
    wanted: Any
    known: list[Any]
    has: str


def _service_of(one: Prepared, backend: dict[str, Any]) -> ObjectKey:
    return ObjectKey("", "Service", one.key.namespace, str(backend.get("name")))


def _wrong(backend: dict[str, Any], service: Object | None) -> _Wrong | None:
    ports = entries(service or {}, "spec", "ports")
    wanted = backend.get("port")
    field = "name" if dig(wanted, "name") is not None else "number"
    known = [port[name] for port in ports if (name := "name" if field == "name" else "port") in port]
    if not ports or dig(wanted, field) in (None, *known):
        return None
    has = ", ".join(str(port.get("name") or port.get("port")) for port in ports)
    return _Wrong(field, dig(wanted, field), known, has)


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per backend whose Service is in the repository, once, and does not have the port."""
    delivery, item = one
    if item.key.group_kind != _INGRESS:
        return
    for path, backend in _backends(item.obj):
        key = _service_of(item, backend)
        services = repo.world.objects.get(key, ())
        if len(services) != 1 or (wrong := _wrong(backend, services[0][1].obj)) is None:
            continue
        message = (
            f"{item.key.short} of {delivery} points to port {wrong.wanted} of {key.short}, "
            f"which has no such port (it has: {wrong.has})"
        )
        evidence = [at(item, f"{path}.port.{wrong.field}", f"port {wrong.wanted}"), at(services[0][1], "spec.ports")]
        yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
