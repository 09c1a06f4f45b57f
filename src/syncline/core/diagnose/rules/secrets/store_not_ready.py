"""A SecretStore that cannot use its provider: because of the Service it points to, or in the provider's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.graph.view.warnings import telling, warned
from syncline.core.diagnose.graph.workloads.hosts import in_cluster
from syncline.core.diagnose.graph.workloads.vaults import sealed_pods
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.world import is_given
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.secrets.store_missing import STORES
from syncline.core.diagnose.subjects import Repo
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-003",
    name="store-not-ready",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="A SecretStore cannot reach its provider, or the provider refuses it.",
    fix="point the store at a provider that answers, or unseal it or give it access",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="If the store fails, so do all its ExternalSecrets, their Secrets, the pods that use the Secrets and the apps "
    "of the pods: one store often blocks a hundred apps. The finding quotes the store, and says whether the Service in "
    "its address exists.",
)
_URL = re.compile(r"^https?://(?P<host>[^/:]+)")
_SEALED = re.compile(r"\bsealed\b", re.IGNORECASE)
_DENIED = re.compile(r"permission denied|\b40[13]\b|unauthorized|forbidden|access ?denied", re.IGNORECASE)
_NO_HOST = re.compile(r"no such host|name resolution|ENOTFOUND", re.IGNORECASE)
_SERVER = re.compile(r"\.server$|\.url$|\.vaultUrl$|\.host$")


@on_node(RULE, *STORES)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a store that says it is not ready, because of the Service behind it, or of a sealed Vault."""
    ready = condition(node.obj, "Ready")
    if ready.get("status") != "False":
        return
    backend = _backend(node)
    said = telling(node, str(ready.get("message") or ""))
    because = [*_accounts(node)]
    if backend is not None and node.cluster.get(backend) is not None:
        because.append(node.at(backend))
        if _SEALED.search(said):
            because += [node.at(key) for key in sealed_pods(node.cluster, backend.namespace)]
    yield Fault(
        rule=RULE,
        state=str(ready.get("reason") or "NotReady"),
        because=tuple(because),
        tell=lambda: _finding(node, ready, backend, said),
        soon=stand_ins(node, node.key.namespace),
        assumes=_assumes(said, backend),
    )


def stand_ins(store: Node, namespace: str) -> tuple[Thing, ...]:
    """Return what a namespace will read from once a store with a wrong address is corrected, as far as that is plain.

    That is the Service of the same name in the namespace itself, or the only one there is.
    """
    others = _instead(store, _backend(store))
    own = [one for one in others if one.namespace == namespace] or (others if len(others) == 1 else [])
    return tuple(store.at(one) for one in own)


def _instead(node: Node, backend: ObjectKey | None) -> list[ObjectKey]:
    """Return the Services of the same name elsewhere, where the one that the store names does not exist."""
    if backend is None or not node.cluster.is_absent(backend):
        return []
    return [one for one, _obj in node.cluster.of_kind(backend.group_kind) if one.name == backend.name]


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


def _assumes(said: str, backend: ObjectKey | None) -> tuple[str, ...]:
    found = ["the provider has the requested keys"]
    if backend is not None and not _SEALED.search(said):
        found.insert(0, f"{backend.name} answers, and is unsealed")
    return tuple(found)


def _finding(node: Node, ready: dict[str, str], backend: ObjectKey | None, said: str) -> Finding:
    message = str(ready.get("message") or "")
    address, path = _address((node.obj.get("spec") or {}).get("provider"))
    where = f" in {node.key.namespace}" if node.key.namespace else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short}{where}: {_problem(node, said, backend, address)}",
        evidence=[
            *warned(node, message),
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
        fix=_fix(node, said, backend, address, path),
        since=str(ready.get("lastTransitionTime") or ""),
    )


def _problem(node: Node, said: str, backend: ObjectKey | None, address: str) -> str:
    if backend is not None and node.cluster.is_absent(ObjectKey("", "Namespace", "", backend.namespace)):
        return f'namespace "{backend.namespace}" of its provider does not exist'
    if backend is not None and node.cluster.is_absent(backend):
        return f"Service {backend.name} of its provider does not exist in namespace {backend.namespace}"
    if _SEALED.search(said):
        return f"its provider {address} is sealed" if address else f"its provider is sealed: {said}"
    if _DENIED.search(said):
        return f"its provider denies access: {_core(said)}"
    if _NO_HOST.search(said):
        return f"the host of its provider cannot be resolved: {_core(said)}"
    return f"not ready: {said or 'no reason given'}"


def _core(said: str) -> str:
    """Return the last and telling part of a provider's answer, as in `403 permission denied`."""
    found = re.search(r"Code: (?P<code>\d+)\. Errors: \* (?P<words>.+)$", said)
    return f"{found['code']} {found['words']}" if found else said


def _fix(node: Node, said: str, backend: ObjectKey | None, address: str, path: str) -> Fix:
    if backend is not None and node.cluster.is_absent(backend):
        return _elsewhere(node, backend, address, path)
    if _SEALED.search(said):
        return Fix(text="decide: unseal the provider; this needs its keys")
    if _DENIED.search(said):
        return Fix(text=f"decide: let the provider accept {_login(node)}; the provider itself was not checked")
    if _NO_HOST.search(said):
        return Fix(text=f"decide: correct {path or 'the address'} of {node.key.short}, or the name of the host in DNS")
    return Fix(text="decide by the message: the provider itself was not checked")


def _elsewhere(node: Node, backend: ObjectKey, address: str, path: str) -> Fix:
    others = _instead(node, backend)
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


def _login(node: Node) -> str:
    """Return by what the store logs in, in words: the role and mount of Vault's Kubernetes login, else its account."""
    provider = (node.obj.get("spec") or {}).get("provider") or {}
    login = ((provider.get("vault") or {}).get("auth") or {}).get("kubernetes") or {}
    if login.get("role"):
        return f"the role {login['role']} of the store at auth/{login.get('mountPath') or 'kubernetes'}"
    return "the account of the store"


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
