"""Pods that wait for a Secret, a ConfigMap or a key of one that nobody has made."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.written import line, rename, rewrite
from syncline.core.diagnose.messages.missing import MissingPart, field_of, missing_parts
from syncline.core.diagnose.repository.dangling import Dangling, dangling, parts
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import WORKLOADS, Made, pod_steps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.references import read
from syncline.core.references.pods import CONFIG_MAP, SECRET
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-004",
    name="reference-missing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING, Severity.INFO}),
    summary="A pod refers to a Secret, a ConfigMap or a key that does not exist.",
    fix="correct the name, or create what is missing",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="The container never starts. The finding names the line that refers to it, and what should create it: an "
    "ExternalSecret, a Certificate, a generator or another app. Syncline does not read Secrets; the kubelet reports "
    "that one is missing.",
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
          env:
            - name: COLOUR
              valueFrom: {configMapKeyRef: {name: conf, key: color}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {colour: blue}
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
          env:
            - name: COLOUR
              valueFrom: {configMapKeyRef: {name: conf, key: colour}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {colour: blue}
""",
)

_FIELDS = ("data", "binaryData", "stringData")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and thing that it waits for."""
    for one in missing_parts(app):
        path = field_of(app, one)
        maker = next(around.makers(app, one.key), None)
        yield RULE.finding(
            one.root.short,
            f"{one.root.short} waits for {_what(one)}: {_absence(one)}{_maker_words(maker)}",
            evidence=[
                *line(app, one.root, path),
                Evidence(kind=EvidenceKind.MESSAGE, text=one.said, subject=one.pod),
                *_deliverers(app, one.key),
            ],
            confidence=Confidence.OWNED,
            fix=None if maker and not one.part else _fix(app, one, path),
            options=_other_way(app, one),
            effect_of=maker[0].short if maker and not one.part else "",
        )


def _what(one: MissingPart) -> str:
    if one.part:
        return f"key {one.part} of {one.key.kind} {one.key.name} in namespace {one.key.namespace}"
    return f"{one.key.kind} {one.key.name} in namespace {one.key.namespace}"


def _absence(one: MissingPart) -> str:
    return f"the {one.key.kind} has no such key" if one.part else "it does not exist"


def _maker_words(maker: tuple[ObjectKey, Object] | None) -> str:
    return f"; {maker[0].short} should create it" if maker else ""


def _deliverers(app: App, key: ObjectKey) -> Iterator[Evidence]:
    """Yield the other apps that have such an object, as their status records it."""
    own = app.assessment.myself
    for one, other in around.of_kind(app, own.group_kind):
        rows = (other.get("status") or {}).get("resources") or ()
        if one != own and any(_same(row, key) for row in rows):
            yield Evidence(kind=EvidenceKind.FIELD, text=f"app {around.title(app, one)} delivers it", subject=one)


def _same(row: dict[str, str], key: ObjectKey) -> bool:
    given = (row.get("group", ""), row.get("kind"), row.get("namespace", ""), row.get("name"))
    return given == (key.group, key.kind, key.namespace, key.name)


def _fix(app: App, one: MissingPart, path: str) -> Fix:
    known = _keys(app, one.key) if one.part else _names(app, one.key)
    near = nearest(one.part or one.key.name, known)
    if near and path:
        return rewrite(app, one.root, path, near[0])
    if one.part:
        there = f" (it has: {', '.join(sorted(known))})" if known else ""
        return Fix(text=f"decide: add the key {one.part} to {one.key.short}{there}, or name one that it has")
    return Fix(text="replace VALUE with the right value, or add it to Git", command=_create(one.key, _wanted(app, one)))


def _other_way(app: App, one: MissingPart) -> list[Fix]:
    """Return the edit of the object itself, where Git has it: it may be the one that spells its key wrongly."""
    near = nearest(one.part, _keys(app, one.key)) if one.part else []
    if not near or "." in near[0]:
        return []
    fixes = (rename(app, one.key, f"{field}.{near[0]}", one.part) for field in _FIELDS)
    found = next((fix for fix in fixes if fix.edits), None)
    return [Fix(text=f"where {one.part} is right", edits=found.edits)] if found is not None else []


def _create(key: ObjectKey, parts: list[str]) -> str:
    literals = "".join(f" --from-literal={part}=VALUE" for part in parts or ["KEY"])
    kind = "configmap" if key.group_kind == CONFIG_MAP else "secret generic"
    return f"kubectl create {kind} {key.name} -n {key.namespace}{literals}"


def _wanted(app: App, one: MissingPart) -> list[str]:
    """Return the keys that the workload wants of an object."""
    live = app.assessment.live.get(one.root)
    found = read.references(live) if live is not None else ()
    return sorted({reference.part for reference in found if reference.key == one.key and reference.part})


def _keys(app: App, key: ObjectKey) -> list[str]:
    """Return the keys that a ConfigMap has, or that Git gives a Secret; what a live Secret has is not looked at."""
    prepared = app.assessment.prepared
    obj = around.get(app, key) if key.group_kind == CONFIG_MAP else None
    obj = obj or next((one.obj for one in prepared.objects if one.key == key), None) or {}
    return [str(name) for field in _FIELDS for name in obj.get(field) or ()]


def _names(app: App, key: ObjectKey) -> list[str]:
    """Return what may have been meant: objects of that kind in Git, and ConfigMaps of the namespace."""
    same = [one.key for one in app.assessment.prepared.objects if one.key.group_kind == key.group_kind]
    if key.group_kind == CONFIG_MAP:
        same += [one for one, _obj in around.of_kind(app, CONFIG_MAP, key.namespace)]
    return sorted({one.name for one in same if one.namespace == key.namespace})


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per name or key that is misspelled, and one remark for all that only a cluster can tell of."""
    unknown: list[Dangling] = []
    for one in dangling(repo, (SECRET, CONFIG_MAP)):
        if "imagePullSecrets" in one.reference.path:
            continue
        if one.elsewhere:
            message = (
                f"{one.item.key.short} of {one.delivery} needs {one.key.short} in namespace {one.key.namespace}; this "
                f"repository creates it only in {one.elsewhere}"
            )
            fix = Fix(text=f"create it in {one.key.namespace} too: pods read only what is in their own namespace")
            evidence = [at(one.item, one.path, one.key.name)]
            yield RULE.finding(one.item.key.short, message, evidence=evidence, fix=fix, severity=Severity.WARNING)
            continue
        if not one.part and not one.near:
            unknown.append(one)
            continue
        wanted = f"key {one.part} of {one.key.short}" if one.part else one.key.short
        has = f"it has: {listed(list(one.known), 5)}" if one.part else f"did you mean {one.near}?"
        message = f"{one.item.key.short} of {one.delivery} needs {wanted}, which nothing here creates ({has})"
        fix = Fix(text=f"write {one.near}") if one.near else RULE.usual_fix
        evidence = [at(one.item, one.path, one.part or one.key.name)]
        yield RULE.finding(one.item.key.short, message, evidence=evidence, fix=fix)
    if unknown:
        shown = listed(sorted({one.key.short for one in unknown}))
        message = f"cannot tell whether {shown} will exist: not created in this repository"
        evidence = [at(one.item, one.reference.path, f"{one.key.short} for {one.item.key.short}") for one in unknown]
        yield RULE.finding("references", message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.INFO)


@RULE.on_each(Repo, delivered)
def check_mounts(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding per file that is mounted out of a ConfigMap which does not have it."""
    delivery, item = one
    if item.key.group_kind not in WORKLOADS:
        return
    steps = pod_steps(item.key.kind)
    volumes = {str(one.get("name")): one for one in entries(item.obj, *steps, "volumes")}
    for number, container in enumerate(entries(item.obj, *steps, "containers")):
        for index, mount in enumerate(entries(container, "volumeMounts")):
            volume = dig(volumes.get(str(mount.get("name"))), "configMap")
            file = str(mount.get("subPath") or "").partition("/")[0]
            if not file or not isinstance(volume, dict) or volume.get("optional"):
                continue
            key = ObjectKey("", "ConfigMap", item.key.namespace, str(volume.get("name")))
            known = parts(repo, key)
            has = {str(one.get("path")) for one in entries(volume, "items")} or known
            if known is None or has is None or file in has:
                continue
            message = (
                f"{item.key.short} of {delivery} mounts {file} of {key.short}, which has no such key (it has: "
                f"{listed(sorted(has), 5)})"
            )
            near = nearest(file, has)
            fix = Fix(text=f"write subPath: {near[0]}") if near else RULE.usual_fix
            path = f"{'.'.join(steps)}.containers[{number}].volumeMounts[{index}].subPath"
            yield RULE.finding(item.key.short, message, evidence=[at(item, path, file)], fix=fix)
