"""Stores whose account is in the wrong place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SEC-005",
    name="store-account-namespace",
    severity=Severity.ERROR,
    summary="A SecretStore sets the namespace of its ServiceAccount, or a ClusterSecretStore does not.",
    fix="leave serviceAccountRef.namespace out of a SecretStore, and set it in a ClusterSecretStore",
    looks_at=(LooksAt.RENDERED,),
    why="The webhook of External Secrets refuses the first, and the second never finds its account.",
    bad="""\
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault}
spec:
  provider:
    vault:
      server: https://vault.example.com
      auth:
        kubernetes:
          mountPath: kubernetes
          role: web
          serviceAccountRef: {name: default, namespace: vault}
""",
    good="""\
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault}
spec:
  provider:
    vault:
      server: https://vault.example.com
      auth:
        kubernetes:
          mountPath: kubernetes
          role: web
          serviceAccountRef: {name: default}
""",
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per reference to an account."""
    delivery, item = one
    if item.key.group != "external-secrets.io" or item.key.kind not in ("SecretStore", "ClusterSecretStore"):
        return
    of_cluster = item.key.kind == "ClusterSecretStore"
    for path, reference in _accounts(dig(item.obj, "spec", "provider"), "spec.provider"):
        namespace = str(reference.get("namespace") or "")
        if of_cluster and not namespace:
            message = f"{item.key.short} of {delivery} names no namespace for the account {reference.get('name')}"
        elif not of_cluster and namespace and namespace != item.key.namespace:
            message = (
                f"{item.key.short} of {delivery} names an account of {namespace}; a SecretStore may use its own "
                "namespace alone"
            )
        else:
            continue
        evidence = [at(item, path, str(reference.get("name")))]
        yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _accounts(value: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name == "serviceAccountRef" and isinstance(inner, dict):
            yield f"{path}.{name}", inner
        else:
            yield from _accounts(inner, f"{path}.{name}")
