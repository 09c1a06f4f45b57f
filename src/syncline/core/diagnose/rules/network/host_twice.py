"""Two Ingresses that want the same address."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="WKL-115",
    name="host-twice",
    severity=Severity.WARNING,
    summary="Two Ingresses of one class have the same host and path.",
    fix="give one of them another host or path",
    looks_at=(LooksAt.RENDERED,),
    why="Which of the two answers depends on the controller: ingress-nginx refuses the newer one or serves the older, "
    "others take turns. Both are Synced and Healthy.",
    bad="""\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  rules:
    - host: shop.example.com
      http:
        paths: [{path: /, pathType: Prefix, backend: {resource: {kind: Bucket, name: shop}}}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: cart}
spec:
  rules:
    - host: shop.example.com
      http:
        paths: [{path: /, pathType: Prefix, backend: {resource: {kind: Bucket, name: cart}}}]
""",
    good="""\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  rules:
    - host: shop.example.com
      http:
        paths: [{path: /, pathType: Prefix, backend: {resource: {kind: Bucket, name: shop}}}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: cart}
spec:
  rules:
    - host: shop.example.com
      http:
        paths: [{path: /cart, pathType: Prefix, backend: {resource: {kind: Bucket, name: cart}}}]
""",
)
_INGRESS = GroupKind("networking.k8s.io", "Ingress")
_SHARED = ("canary", "mergeable-ingress-type", "group.name")
"""Parts of annotations by which several Ingresses share an address on purpose."""
_Found = tuple[Delivery, Prepared, str]


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per address that different Ingresses have which one root leads to."""
    wanted: dict[tuple[str, str, str, str], list[_Found]] = defaultdict(list)
    for delivery, item in repo.world.by_kind.get(_INGRESS, ()):
        if any(part in name for name in meta.annotations(item.obj) for part in _SHARED):
            continue
        name = str(dig(item.obj, "spec", "ingressClassName") or "")
        for number, rule in enumerate(entries(item.obj, "spec", "rules")):
            for path in entries(rule, "http", "paths"):
                host = str(rule.get("host") or "")
                if host and "{{" not in host:
                    address = (delivery.cluster, name, host, str(path.get("path") or "/"))
                    wanted[address].append((delivery, item, f"spec.rules[{number}].host"))
    for (_cluster, _class, host, below), found in wanted.items():
        first = found[0]
        for one in found[1:]:
            together = one[0] is first[0] or set(one[0].app.roots) & set(first[0].app.roots)
            if one[1].key != first[1].key and together:
                yield _finding(first, one, f"{host}{below}")


def _finding(first: _Found, one: _Found, address: str) -> Finding:
    both = f"{one[1].key.short} of {one[0]} and {first[1].key.short} of {first[0]}"
    message = f"{both} both want {address}: one gets no requests"
    evidence = [at(one[1], one[2], address), at(first[1], first[2], address)]
    return RULE.finding(one[1].key.short, message, evidence=evidence, fix=RULE.usual_fix)
