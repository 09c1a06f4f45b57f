"""Pods that no node takes: why each node does not, in counts, and what would have to change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.live import around, hidden_tolerations, placement, scheduling
from syncline.core.diagnose.live.fact_nodes import as_objects
from syncline.core.diagnose.live.pods import PodOf, containers, pods, template
from syncline.core.diagnose.live.scheduling import Obstacle
from syncline.core.diagnose.live.written import item, line, place, rewrite
from syncline.core.diagnose.repository import pointing
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.references.pods import NODE
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-001",
    name="unschedulable",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="No node fits the pods: their node selector, tolerations, affinity, requests or volumes.",
    fix="change requests, node selector or tolerations, or add a node that fits",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The pods stay Pending. The finding counts the nodes for each reason, and compares requests with what the "
    "nodes have. A common cause is a values file that empties `tolerations`, so the pods no longer tolerate the taint "
    "of their nodes.",
    bad="""\
tolerations: []  # the nodes have the taint environment=dev:NoSchedule
""",
    good="""\
tolerations:
  - key: environment
    value: dev
    effect: NoSchedule
""",
)
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_WAYS = 3


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload with a pod that cannot be scheduled; its first pod stands for the others."""
    told: set[ObjectKey] = set()
    for pod in pods(app):
        for condition in (pod.pod.get("status") or {}).get("conditions") or ():
            refused = condition.get("type") == "PodScheduled" and condition.get("status") == "False"
            if refused and pod.root not in told and not meta.deletion_timestamp(pod.pod):
                told.add(pod.root)
                yield _finding(app, pod, str(condition.get("message") or condition.get("reason") or ""))


def _finding(app: App, pod: PodOf, said: str) -> Finding:
    nodes = [obj for _key, obj in around.of_kind(app, NODE)]
    found = scheduling.obstacles(said)
    waits = scheduling.claim_words(said)
    words = f"a volume claim of its pods {waits}" if waits else _words(app, pod, found, nodes) or said
    claim = _claim(pod) if waits else ""
    message = f"{pod.root.short}: {words}" if waits else f"{pod.root.short}: no node fits its pods: {words}"
    path = "status.conditions[PodScheduled]"
    hides = hidden_tolerations.helping(app, pod.pod.get("spec") or {}, nodes)
    options = [] if waits else _fixes(app, pod, found, nodes)
    if hides is not None:
        options = [hidden_tolerations.fix(hides), *options]
    return RULE.finding(
        pod.root.short,
        message,
        evidence=[
            *([hidden_tolerations.evidence(hides)] if hides is not None else []),
            *_lines(app, pod, found),
            Evidence(kind=EvidenceKind.CONDITION, text=said, subject=pod.key, path=path),
        ],
        confidence=Confidence.OWNED,
        fix=options[0] if options else None,
        options=options[1:],
        effect_of=claim,
    )


def _claim(pod: PodOf) -> str:
    return next((f"PersistentVolumeClaim/{name}" for name in _claims(pod)), "")


def _claims(pod: PodOf) -> list[str]:
    volumes = (pod.pod.get("spec") or {}).get("volumes") or ()
    return [str(claim["claimName"]) for volume in volumes if (claim := volume.get("persistentVolumeClaim"))]


def _words(app: App, pod: PodOf, found: list[Obstacle], nodes: list[Object]) -> str:
    total = len(nodes) or sum(one.count for one in found)
    parts = [f"{one.count} of {total} {_one(app, pod, one, nodes)}" for one in found]
    return ", ".join(parts)


def _one(app: App, pod: PodOf, one: Obstacle, nodes: list[Object]) -> str:
    spec = pod.pod.get("spec") or {}
    has, is_, lacks = ("has", "is", "lacks") if one.count == 1 else ("have", "are", "lack")
    match one.sort:
        case "taint":
            return f"{has} the taint {scheduling.taint_words(nodes, one.about)}"
        case "cordoned":
            return f"{is_} cordoned"
        case "selector":
            wanted = ", ".join(f"{name}={value}" for name, value in (spec.get("nodeSelector") or {}).items())
            if wanted:
                return f"{lacks} the labels it selects ({wanted})"
            return f"{lacks} the labels its affinity requires ({placement.affinity_words(spec)})"
        case "resource":
            return f"{has} too little {one.about}{_asked(spec, one, nodes)}"
        case "zone":
            return f"{is_} in a different zone than its volume{_zone(app, pod)}"
        case "apart":
            return f"{has} a pod already that its anti-affinity keeps it apart from"
        case "together":
            return f"{has} none of the pods that its affinity requires next to it"
        case "volumes":
            return f"{has} as many volumes attached as possible"
        case "pods":
            return f"{has} as many pods as {'it takes' if one.count == 1 else 'they take'}"
        case _:
            return one.text


def _asked(spec: dict[str, Any], one: Obstacle, nodes: list[Object]) -> str:
    """Return how much is asked for, beside what the nodes have that nothing else keeps it from."""
    asked = scheduling.requests(spec).get(one.about)
    if asked is None:
        return ""
    beside = placement.Hindrance("resource", one.about)
    open_ = [node for node in nodes if not placement.hindrances(spec, node) - {beside}]
    _name, most = scheduling.largest(open_, one.about)
    if not most:
        anywhere = scheduling.largest(nodes, one.about)[1]
        return f" (it requests {asked}, {'those available to it have none' if anywhere else 'no node has any'})"
    enough = quantity.parse(most).milli_value >= asked.milli_value
    return f" (it requests {asked}, the largest available to it has {most}{', which others use' if enough else ''})"


def _zone(app: App, pod: PodOf) -> str:
    """Return the volume, and the zone that it is in."""
    for name in _claims(pod):
        claim = around.get(app, ObjectKey("", "PersistentVolumeClaim", pod.key.namespace, name))
        volume = around.get(app, ObjectKey("", "PersistentVolume", "", str(_spec(claim).get("volumeName"))))
        required = (_spec(volume).get("nodeAffinity") or {}).get("required") or {}
        if words := placement.affinity_words({"affinity": {"nodeAffinity": {_REQUIRED: required}}}):
            return f" (PersistentVolume {meta.name(volume or {})} of claim {name}: {words})"
    return ""


def _spec(obj: Object | None) -> dict[str, Any]:
    return (obj or {}).get("spec") or {}


def _lines(app: App, pod: PodOf, found: list[Obstacle]) -> Iterator[Evidence]:
    item_ = item(app, pod.root)
    if item_ is None:
        return
    base, spec = template(item_.obj)
    for one in found:
        if one.sort == "selector":
            for name in spec.get("nodeSelector") or {}:
                yield from line(app, pod.root, _selector_path(base, name))
            if _REQUIRED in ((spec.get("affinity") or {}).get("nodeAffinity") or {}):
                yield from line(app, pod.root, f"{base}.affinity.nodeAffinity.{_REQUIRED}", "nodeAffinity")
        elif one.sort == "resource" and (path := _request_path(base, spec, one.about)):
            yield from line(app, pod.root, path)
        elif one.sort == "taint" and "tolerations" in spec:
            yield from line(app, pod.root, f"{base}.tolerations", "tolerations")
        elif one.sort == "apart":
            yield from line(app, pod.root, f"{base}.affinity.podAntiAffinity", "podAntiAffinity")


def _selector_path(base: str, name: str) -> str:
    plain = all(letter.isalnum() or letter in "_-" for letter in name)
    return f"{base}.nodeSelector.{name}" if plain else f'{base}.nodeSelector["{name}"]'


def _request_path(base: str, spec: dict[str, Any], resource: str) -> str:
    for at, one in containers(spec):
        for sort in ("requests", "limits"):
            if resource in ((one.get("resources") or {}).get(sort) or {}):
                plain = all(letter.isalnum() for letter in resource)
                return f"{base}.{at}.resources.{sort}" + (f".{resource}" if plain else f'["{resource}"]')
    return ""


def _fixes(app: App, pod: PodOf, found: list[Obstacle], nodes: list[Object]) -> list[Fix]:
    """Return the ways out: what follows from the cluster first, then what somebody has to decide.

    Only what would really let a node take the pods: a taint that is tolerated helps nobody where the node is too small.
    """
    ways = placement.ways(pod.pod.get("spec") or {}, nodes)
    alone = [next(iter(way)) for way in ways if len(way) == 1]
    sure = [
        Fix(text="it fits there", command=f"kubectl uncordon {one.about}") for one in alone if one.sort == "cordoned"
    ]
    if any(one.sort == "selector" for way in ways for one in way):
        sure = [*_right_labels(app, pod, nodes), *sure]
    # A node that has what the pods select, and a taint beside, is the one that is meant.
    ways = sorted(ways, key=lambda way: any(one.sort in ("selector", "affinity") for one in way))
    texts = [_together(app, pod, way, nodes) for way in ways] or [
        text for one in found for text in _decisions(app, pod, one)
    ]
    decisions = list(dict.fromkeys(text for text in texts if text))
    return [*sure, *([Fix(text=f"decide: {', or '.join(decisions[:_WAYS])}")] if decisions else [])]


def _together(app: App, pod: PodOf, way: frozenset[placement.Hindrance], nodes: list[Object]) -> str:
    """Return what would have to be done so that nothing of this keeps the pods from a node."""
    return " and ".join(_undone(app, pod, one, way, nodes) for one in sorted(way))


def _undone(
    app: App, pod: PodOf, one: placement.Hindrance, way: frozenset[placement.Hindrance], nodes: list[Object]
) -> str:
    spec = pod.pod.get("spec") or {}
    written = item(app, pod.root)
    base, git = template(written.obj) if written is not None else ("spec", {})
    match one.sort:
        case "cordoned":
            return f"uncordon {one.about}"
        case "taint":
            return f"tolerate {one.about}{_at(app, pod, f'{base}.tolerations')}"
        case "selector":
            return (
                f"select another {one.about}{_at(app, pod, _selector_path(base, one.about))}, or label a node "
                "accordingly"
            )
        case "affinity":
            known = sorted({label for node in nodes for label in _values_of(spec, node)})
            there = f" (nodes have: {around.listed(known)})" if known else ""
            return f"change the affinity{_at(app, pod, f'{base}.affinity')}{there}"
        case _:
            such = [node for node in nodes if placement.hindrances(spec, node) == way]
            _name, most = scheduling.largest(such, one.about)
            at = _at(app, pod, _request_path(base, git, one.about))
            if not most or quantity.parse(most).milli_value == 0:
                return f"add a node with {one.about}, or request none{at}"
            return f"request at most {most} {one.about}{at}, or add a larger node"


def _at(app: App, pod: PodOf, path: str) -> str:
    where = place(app, pod.root, path) if path else None
    return f" at {where}" if where else ""


def _values_of(spec: dict[str, Any], node: Object) -> Iterator[str]:
    """Yield the labels of a node that the affinity of a pod is about."""
    labels = meta.labels(node)
    for name in placement.affinity_labels(spec):
        if name in labels:
            yield f"{name}={labels[name]}"


def _right_labels(app: App, pod: PodOf, nodes: list[Object]) -> Iterator[Fix]:
    item_ = item(app, pod.root)
    base, spec = template(item_.obj) if item_ is not None else ("spec", {})
    for name, value in (spec.get("nodeSelector") or {}).items():
        known = sorted({meta.labels(node)[name] for node in nodes if name in meta.labels(node)})
        if str(value) in known:
            continue
        if near := nearest(str(value), known):
            yield rewrite(app, pod.root, _selector_path(base, name), near[0])


def _decisions(app: App, pod: PodOf, one: Obstacle) -> Iterator[str]:
    """Yield what helps where nodes would fit by what they say of themselves, so others are in the way."""
    written = item(app, pod.root)
    base, spec = template(written.obj) if written is not None else ("spec", {})
    match one.sort:
        case "resource":
            yield f"request less {one.about}{_at(app, pod, _request_path(base, spec, one.about))}, or add a node"
        case "zone":
            yield "add a node in the zone of the volume"
        case "apart":
            lower = _at(app, pod, "spec.replicas")
            anti = _at(app, pod, f"{base}.affinity.podAntiAffinity")
            yield f"run fewer pods{lower}, or prefer the anti-affinity instead of requiring it{anti}, or add a node"
        case "together" | "spread":
            yield f"prefer it instead of requiring it{_at(app, pod, f'{base}.affinity')}, or add a node"
        case "pods" | "port" | "volumes" | "other":
            yield "add a node"
        case _:
            return


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about pods that no node of the cluster takes, where facts tell of its nodes."""
    delivery, workload = one
    facts = repo.world.facts(delivery.cluster)
    path, spec = template(workload.obj) if workload.key.group in ("", "apps", "batch") else ("", {})
    if facts is None or not facts.nodes or not containers_of(spec) or workload.key.kind == "DaemonSet":
        return
    ways = placement.ways(spec, as_objects(facts))
    if ways:
        words_of = ", ".join(f"{one.sort} {one.about}".strip() for one in sorted(ways[0]))
        message = f"no node of {facts.name} fits {workload.key.short} of {delivery}: {words_of}"
        field = "nodeSelector" if spec.get("nodeSelector") else "tolerations" if spec.get("tolerations") else ""
        evidence = [pointing.at(workload, f"{path}.{field}" if field else path, workload.key.short)]
        severity = Severity.INFO if facts.stale else Severity.ERROR
        yield RULE.finding(workload.key.short, message, evidence=evidence, fix=RULE.usual_fix, severity=severity)


def containers_of(spec: dict[str, Any]) -> bool:
    """Whether a pod has containers."""
    return any(True for _ in containers(spec))
