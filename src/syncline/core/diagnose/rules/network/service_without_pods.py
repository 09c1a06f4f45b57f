"""Services that lead nowhere: a selector that no pod has, or a port that the pods do not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.pods import containers, pods, template
from syncline.core.diagnose.live.written import line, rewrite
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import WORKLOADS, Made, pod_labels
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Evidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-006",
    name="service-without-pods",
    severity=Severity.WARNING,
    summary="A Service selects no pods, or names a port that the pods it selects do not have.",
    fix="correct the selector or the port, on either side",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Everything is Synced and Healthy, but every request fails: Kubernetes does not complain about a Service "
    "without endpoints. The finding names both sides with their lines.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: wbe}
  ports: [{port: 80}]
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per Service of the app that leads nowhere, as far as the cluster says so too."""
    objects = app.assessment.prepared.objects
    workloads = [one for one in objects if template(one.obj)[1] and one.key.kind not in ("Job", "CronJob")]
    for one in objects:
        if one.key.kind == "Service" and not one.key.group and workloads:
            yield from _of_service(app, one, [other for other in workloads if other.key.namespace == one.key.namespace])


def _of_service(app: App, service: Prepared, workloads: list[Prepared]) -> Iterator[Finding]:
    spec = service.obj.get("spec") or {}
    selector = spec.get("selector")
    if not isinstance(selector, dict) or not selector or not workloads:
        return
    chosen = [one for one in workloads if _matches(selector, pod_labels(one.obj))]
    if not chosen:
        if service.key in app.assessment.live and not _serves(app, service.key):
            yield _no_pods(app, service, selector, workloads)
        return
    for index, port in enumerate(spec.get("ports") or ()):
        if isinstance(port, dict) and isinstance(port.get("targetPort"), str):
            yield from _no_port(app, service, index, port["targetPort"], chosen[0])


def _serves(app: App, key: ObjectKey) -> bool:
    """Whether the Service has endpoints: pods of others count too."""
    for one, obj in app.assessment.live.items():
        if one.kind == "EndpointSlice" and one.name.startswith(f"{key.name}-") and one.namespace == key.namespace:
            ports = obj.get("ports") or ()
            if obj.get("endpoints") and ports:
                return True
    return False


def _matches(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    return all(labels.get(name) == value for name, value in selector.items())


def _no_pods(app: App, service: Prepared, selector: dict[str, Any], workloads: list[Prepared]) -> Finding:

    def in_common(one: Prepared) -> int:
        return sum(pod_labels(one.obj).get(name) == value for name, value in selector.items())

    near = next((one for one in workloads if one.key.name == service.key.name), max(workloads, key=in_common))
    labels = pod_labels(near.obj)
    wrong = [name for name, value in selector.items() if labels.get(name) != value]
    has = ", ".join(f"{name}={labels[name]}" for name in wrong if name in labels) or "no such label"
    name = wrong[0]
    path = f"spec.selector.{name}" if name.replace("-", "").isalnum() else f'spec.selector["{name}"]'
    fix = Fix(text=f"decide: select labels that pods have, or give {near.key.short} the label {name}={selector[name]}")
    # Pods with other names may be meant, which another app delivers: then nothing near is the right one.
    meant = near.key.name == service.key.name or bool(nearest(str(selector[name]), [str(labels.get(name))]))
    if name in labels and len(wrong) == 1 and meant:
        fix = rewrite(app, service.key, path, labels[name])
    elif not meant:
        fix = Fix(text=f"decide: deliver pods with {name}={selector[name]}, or select labels that pods here have")
    beside = f"; {near.key.short} has {has}" if meant else ""
    return RULE.finding(
        service.key.short,
        f"{service.key.short} selects {name}={selector[name]}, which no pod has{beside}",
        evidence=[
            *line(app, service.key, path, f"selector {name}: {selector[name]}"),
            *(_label_line(app, near, name) if meant else ()),
        ],
        fix=fix,
    )


def _label_line(app: App, workload: Prepared, name: str) -> list[Evidence]:
    base = "metadata.labels" if workload.key.kind == "Pod" else "spec.template.metadata.labels"
    path = f"{base}.{name}" if name.replace("-", "").isalnum() else f'{base}["{name}"]'
    return line(app, workload.key, path, f"labels of the pods of {workload.key.short}")


def _no_port(app: App, service: Prepared, index: int, wanted: str, workload: Prepared) -> Iterator[Finding]:
    base, spec = template(workload.obj)
    ports = [(at, one) for at, entry in containers(spec) for one in entry.get("ports") or () for at in [at]]
    known = [str(one["name"]) for _at, one in ports if isinstance(one, dict) and one.get("name")]
    if wanted in known or wanted in _live_ports(app, workload.key):
        return
    near = nearest(wanted, known) or (known if len(known) == 1 else [])
    path = f"spec.ports[{index}].targetPort"
    where = f"{base}.{ports[0][0]}.ports" if ports else f"{base}.containers[0]"
    yield RULE.finding(
        service.key.short,
        f"{service.key.short} points to port {wanted}, which {workload.key.short} does not have "
        f"(it has: {', '.join(known) or 'no named ports'})",
        evidence=[
            *line(app, service.key, path, f"targetPort: {wanted}"),
            *line(app, workload.key, where, f"ports of {workload.key.short}"),
        ],
        fix=rewrite(app, service.key, path, near[0])
        if near
        else Fix(text=f"decide: name the container port {wanted}, or point the Service to one that exists"),
    )


def _live_ports(app: App, workload: ObjectKey) -> set[str]:
    """Return the names of ports that the pods of a workload have: some are added to them on admission."""
    found = (entry for one in pods(app) if one.root == workload for _at, entry in containers(one.pod.get("spec") or {}))
    return {str(port.get("name")) for entry in found for port in entry.get("ports") or ()}


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a Service whose app has the pods that must be meant, with other labels or ports."""
    delivery, service = one
    selector = dig(service.obj, "spec", "selector")
    if service.key.group or service.key.kind != "Service" or not isinstance(selector, dict) or not selector:
        return
    label, value = next(iter(selector.items()))
    labelled = repo.world.labelled.get((service.key.namespace, label, str(value)), ())
    chosen = [item for item in labelled if _matches(selector, pod_labels(item.obj))]
    if not chosen:
        for workload in _namesakes(repo, service.key, selector)[:1]:
            wrong = next(name for name, value in selector.items() if pod_labels(workload.obj).get(name) != value)
            message = (
                f"{service.key.short} of {delivery} selects {wrong}={selector[wrong]}, and the pods of "
                f"{workload.key.short} have {wrong}={pod_labels(workload.obj)[wrong]}"
            )
            evidence = [at(service, f"spec.selector.{wrong}", f"selector {wrong}"), at(workload)]
            yield RULE.finding(service.key.short, message, evidence=evidence, fix=RULE.usual_fix)
    for index, port in enumerate(entries(service.obj, "spec", "ports")):
        wanted = port.get("targetPort")
        names_there = {name for item in chosen for name in _port_names(item)}
        if chosen and isinstance(wanted, str) and not wanted.isdigit() and wanted not in names_there:
            message = (
                f"{service.key.short} of {delivery} points to port {wanted}, which {chosen[0].key.short} does not have"
            )
            evidence = [at(service, f"spec.ports[{index}].targetPort", wanted), at(chosen[0])]
            yield RULE.finding(service.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _namesakes(repo: Repo, key: ObjectKey, selector: Mapping[str, Any]) -> list[Prepared]:
    """Return the workloads with the name of a Service whose pods have all labels that it selects by."""
    keys = (ObjectKey(kind.group, kind.kind, key.namespace, key.name) for kind in WORKLOADS)
    found = [item for one in keys for _, item in repo.world.objects.get(one, ())]
    return [item for item in found if selector.keys() <= pod_labels(item.obj).keys()]


def _port_names(workload: Prepared) -> Iterator[str]:
    _, spec = template(workload.obj)
    for _, entry in containers(spec):
        for port in entries(entry, "ports"):
            if port.get("name"):
                yield str(port["name"])
