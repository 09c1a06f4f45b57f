"""An ExternalSecret or SealedSecret that makes no Secret, mostly because of its store."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.view.warnings import telling, warned
from syncline.core.diagnose.live import around, written
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.secrets.store_not_ready import stand_ins
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-201",
    name="secret-not-synced",
    severity=Severity.ERROR,
    summary="An ExternalSecret or SealedSecret creates no Secret, although its store works.",
    fix="correct the key or property that it requests from the provider, or add it there",
    looks_at=(LooksAt.LIVE,),
    why="Everything that uses the Secret waits for it. If the store itself is not ready, the store is the cause and "
    "all its ExternalSecrets are effects; if the store is ready, this one asks for something that the provider lacks.",
)
_KEY = re.compile(r"(?:spec\.data\[(?P<at>\d+)\] )?\(?key: (?P<key>[^)\s,]+)\)?")
_STORES = ("SecretStore", "ClusterSecretStore")
KINDS = (
    GroupKind("external-secrets.io", "ExternalSecret"),
    GroupKind("external-secrets.io", "PushSecret"),
    GroupKind("bitnami.com", "SealedSecret"),
)


@RULE.on(App)
def check_app(app: App) -> Iterator[Finding]:
    """Yield one finding per ExternalSecret of the app that makes no Secret though its store is there and ready."""
    for one in app.assessment.prepared.objects:
        live = app.assessment.live.get(one.key)
        if one.key.group_kind != KINDS[0] or live is None or condition(live, "Ready").get("status") != "False":
            continue
        named = [reference.key for reference in read.references(live) if reference.key.kind in _STORES]
        stores = [around.get(app, key) for key in named]
        if stores and all(obj is not None and condition(obj, "Ready").get("status") != "False" for obj in stores):
            yield _of_app(app, one.key, live)


def _of_app(app: App, key: ObjectKey, live: Object) -> Finding:
    ready = condition(live, "Ready")
    said = [events.message(one) for one in app.assessment.snapshot.events if events.subject(one) == key]
    words = next((text for text in said if _KEY.search(text)), "") or str(ready.get("message") or ready.get("reason"))
    found = _KEY.search(words)
    path = f"spec.data[{found['at']}].remoteRef.key" if found and found["at"] else "spec"
    lines = written.line(app, key, path, "" if found and found["at"] else key.short)
    where = f" at {lines[0].place}" if lines else ""
    asked = f"key {found['key']}" if found else "what it asks for"
    return RULE.finding(
        key.short,
        f"{key.short} creates no Secret: {words}",
        evidence=[
            *lines,
            Evidence(kind=EvidenceKind.CONDITION, text=str(ready.get("message") or ""), subject=key, path="status"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: correct {asked}{where}, or add it to the provider (which was not checked)"),
        since=str(ready.get("lastTransitionTime") or ""),
    )


@on_node(RULE, *KINDS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for one that says it is not ready, because of its store."""
    ready = condition(node.obj, "Synced" if node.key.kind == "SealedSecret" else "Ready")
    stores = tuple(_stores(node))
    if not ready:
        absent = tuple(one for one in stores if one.absent)
        if absent:
            yield Fault(rule=RULE, state="no status", because=absent)
        return
    if ready.get("status") != "False":
        return
    reason = str(ready.get("reason") or "NotReady")
    yield Fault(
        rule=RULE,
        state=reason,
        because=stores,
        tell=lambda: _finding(node, ready),
        soon=tuple(_soon(node, stores)),
        assumes=(f"the provider has what {node.key.short} requests",),
    )


def _soon(node: Node, stores: tuple[Thing, ...]) -> Iterator[Thing]:
    """Yield what must answer as well once the address of a store is right."""
    for store in stores:
        obj = node.fleet.find(store)
        if obj is not None and not store.absent:
            yield from stand_ins(Node(store, obj, node.cluster, node.fleet), node.key.namespace)


def _stores(node: Node) -> Iterator[Thing]:
    for reference in read.references(node.obj):
        if reference.key.kind in _STORES:
            there = not node.cluster.is_absent(reference.key)
            yield node.at(reference.key) if there else node.missing(reference.key)


def _finding(node: Node, ready: dict[str, str]) -> Finding:
    message = str(ready.get("message") or ready.get("reason") or "")
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} creates no Secret: {telling(node, message)}",
        evidence=[
            *warned(node, message),
            Evidence(
                kind=EvidenceKind.CONDITION,
                text=f"Ready=False {ready.get('reason') or ''}: {message}",
                subject=node.key,
                path="status.conditions",
            ),
            *line(node.fleet, node.thing, "spec.data" if (node.obj.get("spec") or {}).get("data") else "spec"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide: correct the key that it requests, or add it to the provider (which was not checked)"),
        since=str(ready.get("lastTransitionTime") or ""),
    )
