"""A SecretStore that cannot use its provider: because of the Service it points to, or in the provider's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.around import listed
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.hosts import in_cluster
from syncline.core.diagnose.graph.lines import line, rewrite
from syncline.core.diagnose.graph.near import near
from syncline.core.diagnose.pointing import at, dig
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.secrets.store_missing import STORES
from syncline.core.diagnose.subjects import Repo
from syncline.core.diagnose.world import is_given
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-003",
    name="store-not-ready",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="A SecretStore cannot reach its provider, or is refused by it.",
    fix="point the store at a provider that answers, or unseal it or give it access",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="Every ExternalSecret of the store fails with it, then the Secrets that those make, the pods that name the "
    "Secrets and the apps of the pods: one store often holds up a hundred apps. The finding quotes the store, and says "
    "whether the Service that its address names exists.",
)
_URL = re.compile(r"^https?://(?P<host>[^/:]+)")
_SERVER = re.compile(r"\.server$|\.url$|\.vaultUrl$|\.host$")


@on_node(RULE, *STORES)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a store that says it is not ready, because of the Service behind it."""
    ready = condition(node.obj, "Ready")
    if ready.get("status") != "False":
        return
    backend = _backend(node)
    because = [*_accounts(node)]
    if backend is not None and node.cluster.get(backend) is not None:
        because.append(node.at(backend))
    yield Fault(
        rule=RULE,
        state=str(ready.get("reason") or "NotReady"),
        because=tuple(because),
        tell=lambda: _finding(node, ready, backend),
        assumes=_assumes(ready, backend),
    )


def _address(value: Any, path: str = "spec.provider") -> tuple[str, str]:
    """Return the address of the provider, and where the store has it; empty where it names none."""
    if isinstance(value, dict):
        for name, inner in value.items():
            at = f"{path}.{name}"
            if isinstance(inner, str) and _SERVER.search(at) and _URL.match(inner):
                return inner, at
            found = _address(inner, at)
            if found[0]:
                return found
    return "", ""


def _backend(node: Node) -> ObjectKey | None:
    """Return the Service that the address of the provider names; None where it is outside the cluster."""
    address, _path = _address((node.obj.get("spec") or {}).get("provider"))
    host = _URL.match(address)
    return in_cluster(host["host"], node.key.namespace) if host else None


def _accounts(node: Node) -> Iterator[Thing]:
    for reference in read.references(node.obj):
        if reference.key.kind in ("ServiceAccount", "Secret") and node.cluster.is_absent(reference.key):
            yield node.missing(reference.key)


def _assumes(ready: dict[str, str], backend: ObjectKey | None) -> tuple[str, ...]:
    found = ["the provider has the keys that are asked for"]
    if backend is not None and "sealed" not in str(ready.get("message") or ""):
        found.insert(0, f"{backend.name} answers, and is unsealed")
    return tuple(found)


def _finding(node: Node, ready: dict[str, str], backend: ObjectKey | None) -> Finding:
    message = str(ready.get("message") or "")
    address, path = _address((node.obj.get("spec") or {}).get("provider"))
    problem = _problem(node, message, backend)
    where = f" in {node.key.namespace}" if node.key.namespace else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short}{where}: {problem}",
        evidence=[
            Evidence(
                kind=EvidenceKind.CONDITION,
                text=f"Ready=False {ready.get('reason') or ''}: {message}".rstrip(": "),
                subject=node.key,
                path="status.conditions",
            ),
            *([Evidence(kind=EvidenceKind.FIELD, text=address, subject=node.key, path=path)] if address else []),
            *(line(node.fleet, node.thing, path) if path else ()),
        ],
        confidence=Confidence.DECLARED if backend is not None else Confidence.TEXT,
        fix=_fix(node, message, backend, address, path),
        since=str(ready.get("lastTransitionTime") or ""),
    )


def _problem(node: Node, message: str, backend: ObjectKey | None) -> str:
    if backend is not None and node.cluster.is_absent(ObjectKey("", "Namespace", "", backend.namespace)):
        return f'namespace "{backend.namespace}" of its provider does not exist'
    if backend is not None and node.cluster.is_absent(backend):
        return f"Service {backend.name} of its provider does not exist in namespace {backend.namespace}"
    if "sealed" in message.lower():
        return f"its provider is sealed: {message}"
    if re.search(r"permission denied|403|401|[Uu]nauthorized|forbidden", message):
        return f"its provider denies access: {message}"
    return f"not ready: {message or 'it gives no reason'}"


def _fix(node: Node, message: str, backend: ObjectKey | None, address: str, path: str) -> Fix:
    if backend is not None and node.cluster.is_absent(backend):
        others = [one for one, _obj in node.cluster.of_kind(backend.group_kind) if one.name == backend.name]
        here = [one for one in others if one.namespace == node.key.namespace] or (others if len(others) == 1 else [])
        if here:
            right = address.replace(f".{backend.namespace}.", f".{here[0].namespace}.")
            return rewrite(node.fleet, node.thing, path, right)
        if others:
            spaces = listed(sorted(one.namespace for one in others))
            return Fix(text=f"decide: {backend.name} runs in {spaces}; point a store of each namespace at its own")
        close = near(backend.name, [one.name for one, _obj in node.cluster.of_kind(backend.group_kind)])
        hint = f" (near: {listed(close)})" if close else ""
        return Fix(text=f"decide: point the store at a Service that exists{hint}, or deliver {backend.name}")
    if "sealed" in message.lower():
        return Fix(text="decide: unseal the provider; whoever holds its keys can")
    if re.search(r"permission denied|403|401|[Uu]nauthorized|forbidden", message):
        return Fix(text="decide: give the account of the store access at the provider, which was not asked")
    return Fix(text="decide by the message: the provider itself was not asked")


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per store whose address is in a namespace that nothing here makes or delivers to."""
    for key, made in sorted(repo.world.objects.items()):
        if key.group_kind not in STORES:
            continue
        delivery, item = made[0]
        for path, url in _addresses(dig(item.obj, "spec", "provider"), "spec.provider"):
            service = in_cluster(url.partition("://")[2].partition("/")[0].partition(":")[0], key.namespace)
            facts = repo.world.facts(delivery.cluster)
            known = facts.namespaces if facts is not None else frozenset()
            if service is None or service.namespace in repo.world.namespaces | known or is_given(service.namespace):
                continue
            sure = bool(known) and facts is not None and not facts.stale
            message = f"{key.short} of {delivery} is at {service.name} in namespace {service.namespace}, which "
            message += "does not exist" if sure else "nothing in this repository makes"
            severity = Severity.ERROR if sure else Severity.WARNING
            yield RULE.finding(
                key.short, message, evidence=[at(item, path, url)], fix=RULE.usual_fix, severity=severity
            )


def _addresses(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the addresses inside of a provider that name a Service of the cluster."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, str) and "://" in inner and ".svc" in inner:
            yield f"{path}.{name}", inner
        else:
            yield from _addresses(inner, f"{path}.{name}")
